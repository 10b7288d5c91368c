"""Sixty questions with names as people type them, over the corpus and the lists that ship: the right drug, an offer, or a name that is
said to be missing. Never a wrong drug without a word (spec 03, "Understanding")."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.corpus.names import load_names
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.settings import DEMO_CORPUS, DRUG_NAMES
from duocthu_core.understanding.reading import Understander

CO_AMOXICLAV = "amoxicilin-va-kali-clavulanat"


@dataclass(frozen=True)
class Case:
    """A question; the drug it names, the drugs it must offer, or the name that has no monograph."""

    text: str
    drug: str | None = None
    offers: tuple[str, ...] = ()
    missing: str | None = None


def named(text: str, drug: str) -> Case:
    return Case(text, drug)


def asked(text: str, *offers: str, missing: str | None = None) -> Case:
    return Case(text, offers=offers, missing=missing)


def lacking(text: str, missing: str) -> Case:
    return Case(text, missing=missing)


CASES = [
    # Trade names of one substance.
    named("Panadol người lớn uống mấy viên?", "paracetamol"),
    named("Hapacol 250 cho bé 5 tuổi", "paracetamol"),
    named("Zinnat liều người lớn", "cefuroxim"),
    named("Rocephin tiêm bắp", "ceftriaxon"),
    named("Klacid uống lúc nào", "clarithromycin"),
    named("Ciprobay chống chỉ định", "ciprofloxacin"),
    named("Zithromax trẻ em", "azithromycin"),
    named("Flagyl có uống rượu được không", "metronidazol"),
    named("Diamicron MR 60 mg", "gliclazid"),
    named("Glucophage XR suy thận", "metformin"),
    named("Cozaar phụ nữ có thai", "losartan"),
    named("Norvasc tác dụng phụ", "amlodipin"),
    named("Lasix tương tác", "furosemid"),
    named("Ventolin xịt liều", "salbutamol-ho-hap"),
    named("Zyrtec trẻ 2 tuổi", "cetirizin-hydroclorid"),
    named("Dilantin thận trọng", "phenytoin"),
    # Combinations: never one substance alone.
    named("Augmentin 1 g uống thế nào?", CO_AMOXICLAV),
    named("Klamentin cho trẻ em", CO_AMOXICLAV),
    named("amoxicilin + acid clavulanic liều", CO_AMOXICLAV),
    named("Amoxicillin/clavulanic acid chống chỉ định", CO_AMOXICLAV),
    named("amoxicilin 875 mg/clavulanat 125 mg ngày mấy viên", CO_AMOXICLAV),
    asked("Panadol Extra liều tối đa", "paracetamol", missing="Panadol Extra"),
    asked("Efferalgan Codein uống mấy viên", "paracetamol", missing="Efferalgan Codein"),
    asked("Alaxan liều", "paracetamol", "ibuprofen", missing="Alaxan"),
    asked("Tiffy cho trẻ em", "paracetamol", "clorpheniramin", missing="Tiffy"),
    asked("Hyzaar liều", "losartan", missing="Hyzaar"),
    asked("Exforge tác dụng phụ", "amlodipin", missing="Exforge"),
    asked("Glucovance suy thận", "metformin", missing="Glucovance"),
    lacking("Bactrim liều trẻ em", "Bactrim"),
    # Misspellings are offered.
    asked("liều paracetamon", "paracetamol"),
    asked("liều pa ra xê ta môn", "paracetamol"),
    asked("omeprazon uống trước ăn không", "omeprazol"),
    asked("propanolol liều", "propranolol"),
    asked("enalaprin ho khan", "enalapril"),
    asked("liều amoxixilin", "amoxicilin"),
    asked("thuốc amox cho bé", "amoxicilin", CO_AMOXICLAV),
    # Short forms are asked.
    asked("PCM bé 10 kg", "paracetamol"),
    asked("MTX mỗi tuần mấy viên", "methotrexat"),
    asked("ASA liều thấp", "acid-acetylsalicylic"),
    # Look-alikes: the one that is in the book under its own name, the one that is not is missing and asked about.
    named("prednisolon liều", "prednisolon"),
    asked("prednison liều người lớn", "prednisolon", missing="prednison"),
    asked("Prednisone dose", "prednisolon", missing="Prednisone"),
    asked("methylprednisolon tiêm", "prednisolon", missing="methylprednisolon"),
    named("cefuroxim liều", "cefuroxim"),
    asked("cefotaxim liều", "cefuroxim", missing="cefotaxim"),
    asked("ampicilin liều", "amoxicilin", missing="ampicilin"),
    asked("piracetam liều", "paracetamol", missing="piracetam"),
    lacking("esomeprazol liều", "esomeprazol"),
    lacking("desloratadin trẻ em", "desloratadin"),
    lacking("levocetirizin liều", "levocetirizin"),
    lacking("erythromycin chống chỉ định", "erythromycin"),
    lacking("Lovenox dự phòng", "Lovenox"),
    # Without marks.
    named("lieu aspirin nguoi lon", "acid-acetylsalicylic"),
    named("axit acetylsalicylic tuong tac", "acid-acetylsalicylic"),
    named("klacid lieu dung", "clarithromycin"),
    # International names.
    named("Acetaminophen quá liều", "paracetamol"),
    named("metformine suy thận", "metformin"),
    named("chlorpheniramine trẻ em", "clorpheniramin"),
    named("albuterol tác dụng phụ", "salbutamol-ho-hap"),
    named("vancomycine suy thận", "vancomycin"),
    # Nobody knows it.
    Case("xyzolfenac liều"),
]


@pytest.fixture(scope="module")
def understander(ruleset: Ruleset) -> Understander:
    return Understander(ruleset, tuple(load_corpus(DEMO_CORPUS).monographs.values()), load_names(DRUG_NAMES))


def test_there_are_sixty() -> None:
    assert len({case.text for case in CASES}) == len(CASES) >= 60


@pytest.mark.parametrize("case", CASES, ids=[case.text for case in CASES])
def test_a_name_is_the_right_drug_or_asked_or_missing(understander: Understander, case: Case) -> None:
    question = understander.read(case.text)
    assert question.drug_ids == ((case.drug,) if case.drug else ())
    assert tuple(offer.drug_id for offer in question.offers) == case.offers
    assert question.unknown_names == ((case.missing,) if case.missing else ())


def test_a_name_that_nobody_knows_is_no_drug_and_no_offer(understander: Understander) -> None:
    question = understander.read("xyzolfenac liều")
    assert question.unrecognised_names == ("xyzolfenac",)


def test_a_phrase_of_a_section_is_no_brand(ruleset: Ruleset) -> None:
    understander = Understander(ruleset, tuple(load_corpus(DEMO_CORPUS).monographs.values()), load_names(DRUG_NAMES))
    question = understander.read("gliclazid quên liều")
    assert (question.drug_ids, question.unknown_names, question.section_keys) == (("gliclazid",), (), ("lieu_luong_cach_dung",))
