"""Drug names: one meaning, or none is taken (spec 03, "Understanding"; table ``lookalikes``)."""

from __future__ import annotations

import csv
from itertools import chain
from typing import Any

import pytest

from duocthu_core.rulesets.model import RetrievalRules, Ruleset
from duocthu_core.understanding.names import NameIndex, NameRow
from duocthu_core.understanding.offers import NameOffers
from duocthu_core.understanding.reading import Understander
from tests.conftest import ROOT
from tests.understanding.monographs import monograph, small_formulary
from tests.understanding.tables import LOOKALIKES

INDEX = NameIndex(small_formulary(), LOOKALIKES)
OFFERS = NameOffers(INDEX, LOOKALIKES, RetrievalRules())


def named(text: str) -> list[str | None]:
    return [hit.drug_id for hit in INDEX.find(text)]


@pytest.mark.parametrize(
    ("text", "drug_id"),
    [
        ("amoxicilin", "amoxicilin"),
        ("Amoxicillin", "amoxicilin"),
        ("amoxycilline", "amoxicilin"),
        ("AMOXICILIN", "amoxicilin"),
        ("acetaminophen", "paracetamol"),
        ("aspirin 81", "acid-acetylsalicylic"),
        ("acetylsalicylic acid", "acid-acetylsalicylic"),
        ("axit acetylsalicylic", "acid-acetylsalicylic"),
        ("chlorpheniramine", "clorpheniramin"),
        ("Prednisolone", "prednisolon"),
        ("frusemid", "furosemid"),
        ("albuterol", "salbutamol"),
        ("paracetamol500mg", "paracetamol"),
        ("paracetamól", "paracetamol"),
        ("ＰＡＲＡＣＥＴＡＭＯＬ", "paracetamol"),
        ("Zinnat 500", "cefuroxim"),
        ("zyrtec", "cetirizin-hydroclorid"),
        ("Ventolin", "salbutamol"),
        ("Panadol", "paracetamol"),
        ("hapacol 250", "paracetamol"),
    ],
)
def test_a_listed_name_is_taken_in_every_spelling(text: str, drug_id: str) -> None:
    assert named(text) == [drug_id]


@pytest.mark.parametrize(
    "text",
    [
        "Augmentin",
        "augmentin 1g",
        "Klamentin 625",
        "amoxicilin và kali clavulanat",
        "amoxicillin/clavulanic acid",
        "amoxicilin + acid clavulanic",
        "amoxicilin clavulanat",
        "kali clavulanat và amoxicilin",
        "amoxicilin 875 mg/clavulanat 125 mg",
        "co-amoxiclav",
    ],
)
def test_the_combination_is_never_amoxicilin_alone(understander: Understander, text: str) -> None:
    question = understander.read(f"liều {text}")
    assert question.drug_ids == ("amoxicilin-va-kali-clavulanat",)


@pytest.mark.parametrize("entry", LOOKALIKES["combinations"], ids=lambda entry: entry["brand"][0])
def test_no_combination_brand_is_resolved_to_one_of_its_substances(understander: Understander, entry: dict[str, Any]) -> None:
    for brand in entry["brand"]:
        question = understander.read(f"liều của {brand}")
        assert set(question.drug_ids) <= {"amoxicilin-va-kali-clavulanat"}, brand
        assert question.drug_ids or question.offers or question.unknown_names, brand
        assert all(offer.why == "combination" for offer in question.offers), brand


@pytest.mark.parametrize("entry", LOOKALIKES["single_brands"], ids=lambda entry: entry["brand"][0])
def test_single_brands_stand_for_their_one_substance(understander: Understander, entry: dict[str, Any]) -> None:
    monograph_id = understander.read(entry["generics"][0]).drug_ids
    for brand in entry["brand"]:
        question = understander.read(f"liều của {brand}")
        assert question.drug_ids == monograph_id, brand
        assert not question.offers, brand
        assert bool(question.unknown_names) is not bool(monograph_id), brand


def test_the_parts_of_a_combination_without_monograph_are_offered(understander: Understander) -> None:
    question = understander.read("Panadol Extra uống mấy viên")
    assert question.drug_ids == ()
    assert [(offer.drug_id, offer.why) for offer in question.offers] == [("paracetamol", "combination")]


@pytest.mark.parametrize("text", ["Panadol Flu", "Hapacol cold", "zyrtec plus"])
def test_a_brand_with_a_word_that_makes_it_another_product_is_asked_about(understander: Understander, text: str) -> None:
    question = understander.read(f"liều {text}")
    assert question.drug_ids == ()
    assert question.unknown_names == (text,)
    assert question.offers


@pytest.mark.parametrize("entry", LOOKALIKES["everyday_words"], ids=lambda entry: entry["word"])
def test_no_everyday_word_is_a_drug(understander: Understander, entry: dict[str, Any]) -> None:
    question = understander.read(f"Cho tôi hỏi {entry['word']} thì sao")
    assert (question.drug_ids, question.unknown_names, question.offers) == ((), (), ())


def test_marks_decide_between_zinc_and_cream() -> None:
    zinc = NameIndex([monograph("Kẽm"), monograph("Bạc"), monograph("Nhôm hydroxyd")], LOOKALIKES)
    assert [hit.drug_id for hit in zinc.find("bôi kem chống nắng, bác sĩ ơi")] == []
    assert [hit.drug_id for hit in zinc.find("uống kẽm và bạc")] == ["kem", "bac"]
    assert [hit.drug_id for hit in zinc.find("nhom hydroxyd")] == ["nhom-hydroxyd"]


@pytest.mark.parametrize("group", LOOKALIKES["groups"], ids=lambda entry: entry["drugs"][0])
def test_an_exact_name_is_never_turned_into_its_look_alike(group: dict[str, Any]) -> None:
    """A name of the corpus is itself; a name the corpus lacks is reported, not replaced."""
    for name in group["drugs"]:
        concept = INDEX.concept(str(name))
        for hit in INDEX.find(str(name)):
            if hit.drug_id is not None:
                assert INDEX.concept(INDEX.monographs[hit.drug_id].name) == concept or hit.words != name


def test_a_known_name_without_a_monograph_is_reported(understander: Understander) -> None:
    question = understander.read("esomeprazol liều bao nhiêu")
    assert (question.drug_ids, question.unknown_names, question.offers) == ((), ("esomeprazol",), ())


def test_a_look_alike_without_a_monograph_is_reported_and_asked_about(understander: Understander) -> None:
    question = understander.read("prednison liều bao nhiêu")
    assert (question.drug_ids, question.unknown_names) == ((), ("prednison",))
    assert [(offer.drug_id, offer.why) for offer in question.offers] == [("prednisolon", "look_alike")]


def test_prednisolon_and_prednison_are_two_drugs() -> None:
    both = NameIndex([monograph("Prednisolon"), monograph("Prednison")], LOOKALIKES)
    assert [hit.drug_id for hit in both.find("prednisolone, prednisone")] == ["prednisolon", "prednison"]


def test_a_name_that_two_monographs_share_is_asked(ruleset: Ruleset) -> None:
    salbutamol = [
        monograph("Salbutamol (dùng trong hô hấp)", drug_id="salbutamol-ho-hap"),
        monograph("Salbutamol (dùng trong sản khoa)", drug_id="salbutamol-san-khoa"),
    ]
    question = Understander(ruleset, salbutamol).read("liều salbutamol")
    assert question.drug_ids == ()
    assert {(offer.drug_id, offer.why) for offer in question.offers} == {
        ("salbutamol-ho-hap", "look_alike"),
        ("salbutamol-san-khoa", "look_alike"),
    }


@pytest.mark.parametrize(
    ("typed", "drug_ids"),
    [
        ("paracetamon", ["paracetamol"]),
        ("pracetamol", ["paracetamol"]),
        ("amoxcilin", ["amoxicilin", "amoxicilin-va-kali-clavulanat"]),
        ("prednisilon", ["prednisolon"]),
        ("metfomin", ["metformin"]),
        ("gliclazit", ["gliclazid"]),
        ("omeprazon", ["omeprazol"]),
        ("aspirn", ["acid-acetylsalicylic"]),
        ("augmetin", ["amoxicilin-va-kali-clavulanat"]),
        ("metro", ["metronidazol"]),
        ("cipro", ["ciprofloxacin"]),
        ("para", ["paracetamol"]),
        ("amox", ["amoxicilin", "amoxicilin-va-kali-clavulanat"]),
        ("PCM", ["paracetamol"]),
        ("MTX", ["methotrexat"]),
    ],
)
def test_misspelt_and_half_typed_names_are_offered_never_assumed(understander: Understander, typed: str, drug_ids: list[str]) -> None:
    question = understander.read(f"liều {typed} cho người lớn")
    assert question.drug_ids == ()
    assert [offer.drug_id for offer in question.offers] == drug_ids


@pytest.mark.parametrize(
    ("typed", "drug_id"),
    [
        ("pa ra xê ta môn", "paracetamol"),
        ("a mốc xi lin", "amoxicilin"),
        ("xê phu rô xim", "cefuroxim"),
        ("amoxi cilin", "amoxicilin"),
        ("mét pho min", "metformin"),
        ("đi cờ lô fe nác", "diclofenac"),
    ],
)
def test_names_written_as_they_sound_are_offered(understander: Understander, typed: str, drug_id: str) -> None:
    question = understander.read(f"cho em hỏi liều {typed} cho người lớn")
    assert question.drug_ids == ()
    assert question.offers[0].drug_id == drug_id


def test_near_members_of_a_look_alike_group_are_offered_together() -> None:
    index = NameIndex([monograph("Prednisolon"), monograph("Prednison"), monograph("Cefuroxim"), monograph("Cefotaxim")], LOOKALIKES)
    offers = NameOffers(index, LOOKALIKES, RetrievalRules())
    assert {(offer.drug_id, offer.why) for offer in offers.guess("prednisom").offers} == {
        ("prednison", "look_alike"),
        ("prednisolon", "look_alike"),
    }


@pytest.mark.parametrize("typed", ["cefotaxin", "prednisom", "ampi", "xefalexin"])
def test_a_misspelt_drug_that_the_corpus_lacks_is_not_replaced_by_a_neighbour(understander: Understander, typed: str) -> None:
    question = understander.read(f"liều {typed}")
    assert (question.drug_ids, question.offers, question.unknown_names) == ((), (), (typed,))


def test_a_name_in_no_list_is_reported_as_unrecognised(understander: Understander) -> None:
    question = understander.read("liều xyzolamid")
    assert (question.drug_ids, question.offers, question.unrecognised_names) == ((), (), ("xyzolamid",))


@pytest.mark.parametrize(
    "text",
    [
        "bệnh nhân Parkinson bị COPD, creatinin 120, protein niệu",
        "có gây hội chứng Stevens-Johnson không",
        "viêm gan virus, nhiễm Helicobacter pylori, Salmonella typhi",
        "siro, viên nang, kem, gel bao nhiêu ml",
        "What is the dose for children?",
        "bé bị eczema uống vitamin",
    ],
)
def test_technical_words_are_no_drug_names(understander: Understander, text: str) -> None:
    question = understander.read(text)
    assert (question.drug_ids, question.offers) == ((), ())


def test_a_short_name_counts_only_as_it_is_printed() -> None:
    index = NameIndex([monograph("Acetylcystein", synonyms=("NAC",))], LOOKALIKES)
    assert [hit.drug_id for hit in index.find("quá liều dùng NAC")] == ["acetylcystein"]
    assert index.find("ăn thịt nạc, nac") == []


def test_a_name_reaches_over_no_comma(understander: Understander) -> None:
    assert understander.read("Bé bị dị ứng acid, acetylsalicylic").drug_ids == ()
    assert understander.read("amoxicilin. Kali clavulanat là gì").drug_ids == ("amoxicilin",)


def test_two_drugs_of_one_question_stay_two(understander: Understander) -> None:
    assert understander.read("paracetamol/ibuprofen").drug_ids == ("paracetamol", "ibuprofen")


def test_a_product_of_which_the_corpus_has_one_part_is_asked_about(understander: Understander) -> None:
    question = understander.read("liều losartan/hydroclorothiazid")
    assert question.drug_ids == ()
    assert [offer.drug_id for offer in question.offers] == ["losartan"]


def test_rows_bring_brands_and_names_that_the_corpus_lacks() -> None:
    rows = [
        {"vi_name": "Paracetamol", "inn": "paracetamol", "brands": "Babemol; Dopagan", "combination_of": "", "look_alikes": ""},
        {"vi_name": "Cefixim", "inn": "cefixime", "brands": "Hafixim", "combination_of": "", "look_alikes": ""},
        {"vi_name": "Lopinavir và ritonavir", "inn": "", "brands": "Ritocom", "combination_of": "Lopinavir; Ritonavir", "look_alikes": ""},
    ]
    index = NameIndex(small_formulary(), LOOKALIKES, [NameRow.of(row) for row in rows])
    assert [hit.drug_id for hit in index.find("Dopagan 500")] == ["paracetamol"]
    assert [[meaning.kind for meaning in hit.meanings] for hit in index.find("Hafixim")] == [["known"]]
    assert [[meaning.kind for meaning in hit.meanings] for hit in index.find("Ritocom")] == [["combination"]]


@pytest.mark.skipif(not (ROOT / "data" / "corpus" / "names.csv").is_file(), reason="the name list is not there")
def test_no_brand_of_the_name_list_is_an_everyday_word() -> None:
    """Every word of the question phrases, read as it stands, names no drug."""
    with (ROOT / "data" / "corpus" / "names.csv").open(encoding="utf-8") as lines:
        index = NameIndex(small_formulary(), LOOKALIKES, map(NameRow.of, csv.DictReader(lines)))
    sentences = [
        "bé bị sốt cao ho nhiều uống thuốc gì cho mau khỏi bác sĩ ơi",
        "cho em hỏi mẹ bầu ba tháng cuối bị tiểu đường ăn kiêng thế nào",
        "hôm nay trời nắng, con đường ra biển, em mua kem và bánh",
        "toi bi dau bung tu hom qua den gio, an com xong la non",
    ]
    assert list(chain.from_iterable(index.find(sentence) for sentence in sentences)) == []
