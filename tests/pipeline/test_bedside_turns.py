"""Questions as a pharmacist and a nurse of a hospital ask them, over the demo corpus: what they must and must not be told."""

from __future__ import annotations

import pytest

from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.corpus.names import load_names
from duocthu_core.language_models.offline import OfflineModel
from duocthu_core.pipeline.running import Pipeline
from duocthu_core.pipeline.trace import Trace
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.settings import DEMO_CORPUS, DRUG_NAMES
from tests.pipeline.test_demo_turns import notices, said, turns


@pytest.fixture(scope="module")
def demo(ruleset: Ruleset) -> Pipeline:
    model = OfflineModel(ruleset)
    return Pipeline(load_corpus(DEMO_CORPUS), ruleset, model, model, price=lambda *_args, **_named: 0.0, names=load_names(DRUG_NAMES))


def sections(trace: Trace) -> list[str | None]:
    return [block.section_key for block in trace.answer.blocks]


# --- emergencies ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", ["con tôi uống nhầm 10 viên paracetamol", "cháu 2 tuổi uống hết chai siro ibuprofen"])
def test_an_overdose_of_a_child_shows_signs_and_treatment_whole(demo: Pipeline, question: str) -> None:
    trace = turns(demo, question)
    assert any(notice.kind == "red_flag" for notice in trace.answer.notices)
    assert sections(trace) == ["qua_lieu_xu_tri"]
    assert "Biểu hiện" in said(trace)
    assert "Điều trị" in said(trace) or "Xử trí" in said(trace)
    assert not any(notice.kind == "part_shown" for notice in trace.answer.notices)


def test_a_sign_told_with_an_overdose_narrows_nothing(demo: Pipeline) -> None:
    trace = turns(demo, "bố tôi uống gấp đôi gliclazid, đang lơ mơ vã mồ hôi")
    assert "glucose" in said(trace)


def test_nobody_who_speaks_of_dying_is_told_an_amount(demo: Pipeline) -> None:
    trace = turns(demo, "uống 30 viên paracetamol muốn chết")
    assert trace.answer.notices[0].kind == "red_flag"
    assert sections(trace) == ["qua_lieu_xu_tri"]
    assert not any(character.isdigit() for claim in said(trace).split("\n") for character in claim)


# --- what the patient cannot take -----------------------------------------------------------------------------------------------


def test_an_allergy_is_answered_with_what_forbids_the_other_drug(demo: Pipeline) -> None:
    trace = turns(demo, "dị ứng penicilin dùng cefuroxim được không")
    assert trace.resolved.drug_ids == ("cefuroxim",)
    assert sections(trace) == ["chong_chi_dinh", "than_trong"]
    assert "quá mẫn chéo" in said(trace)


def test_an_allergen_that_the_sections_do_not_name_is_said_to_be_none(demo: Pipeline) -> None:
    trace = turns(demo, "dị ứng hải sản, metformin dùng được không")
    assert "không nêu hải sản; không có nghĩa là an toàn" in notices(trace)
    assert "nhiễm toan ceton" in said(trace), "the contraindications stand whole"


def test_a_contraindication_with_a_figure_is_never_left_out(demo: Pipeline) -> None:
    assert "Clcr < 60 ml/phút" in said(turns(demo, "metformin cho người suy thận"))


def test_what_is_said_against_a_drug_for_children_stands_beside_the_dose(demo: Pipeline) -> None:
    assert "Reye" in said(turns(demo, "aspirin cho bé 8 tuổi sốt"))


def test_a_contraindication_that_names_the_other_drug_stands_with_the_interaction(demo: Pipeline) -> None:
    trace = turns(demo, "đang dùng warfarin có uống được diclofenac không")
    assert trace.resolved.intent == "interaction"
    assert "chong_chi_dinh" in sections(trace)
    assert "chống đông" in said(trace)


def test_a_nursing_mother_is_answered_from_her_section_whatever_was_asked_of_the_dose(demo: Pipeline) -> None:
    assert "thoi_ky_cho_con_bu" in sections(turns(demo, "mẹ đang cho bú uống clorpheniramin thế nào"))


# --- route, rate, weight --------------------------------------------------------------------------------------------------------


def test_a_local_route_shows_no_dose_for_the_whole_body(demo: Pipeline) -> None:
    assert "mg" not in said(turns(demo, "lieu diclofenac nho mat"))
    assert "giọt" in said(turns(demo, "lieu diclofenac nho mat"))


def test_a_question_for_the_rate_is_answered_with_the_rate(demo: Pipeline) -> None:
    trace = turns(demo, "phenytoin tiêm tĩnh mạch tốc độ")
    assert trace.outcome == "answered"
    assert "không quá 50 mg/phút" in said(trace)
    assert "100 - 125 mg" not in said(trace), "the tablets' dose"


def test_a_weight_alone_asks_for_the_age_where_what_is_swallowed_goes_by_age(demo: Pipeline) -> None:
    trace = turns(demo, "Efferalgan cho bé 8 kg")
    assert (trace.outcome, trace.clarifying_question) == ("clarification", "Trẻ bao nhiêu tuổi? Sách chia liều theo tuổi.")


def test_a_weight_told_after_the_age_keeps_the_age(demo: Pipeline) -> None:
    trace = turns(demo, "liều amoxicilin uống cho bé 9 tuổi", "nặng 28 kg thì sao")
    assert (trace.resolved.stated.age, trace.resolved.stated.weight) == ("9 tuổi", "28 kg")
    assert "Nhẹ, vừa: 20 mg/kg/ngày" in said(trace), "“nặng” before a weight is no severity"


def test_the_reply_that_names_the_dosage_section_asks_for_doses(demo: Pipeline) -> None:
    trace = turns(demo, "cefuroxim", "Liều lượng và cách dùng")
    assert (trace.outcome, trace.quick_replies) == ("clarification", ("Người lớn", "Trẻ em"))


def test_the_strength_of_a_tablet_is_no_part_of_what_is_asked(demo: Pipeline) -> None:
    assert "6 - 12 tuổi: 2 mg" in said(turns(demo, "clorpheniramin 4mg cho trẻ 7 tuổi"))


# --- wording --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "section"),
    [
        ("ibuprofen side effects", "tac_dung_khong_mong_muon"),
        ("Is ciprofloxacin contraindicated in pregnancy?", "chong_chi_dinh"),
        ("heparin overdose treatment", "qua_lieu_xu_tri"),
        ("warfarin and metronidazole interaction", "tuong_tac_thuoc"),
    ],
)
def test_sections_are_known_by_their_english_names(demo: Pipeline, question: str, section: str) -> None:
    trace = turns(demo, question)
    assert trace.outcome == "answered"
    assert section in sections(trace)


def test_a_part_of_a_section_is_said_to_be_one(demo: Pipeline) -> None:
    trace = turns(demo, "ibuprofen có gây loét không")
    (notice,) = (notice for notice in trace.answer.notices if notice.kind == "part_shown")
    assert "Tác dụng không mong muốn (ADR) còn" in notice.text
    assert notice.pages == (787,)


@pytest.mark.parametrize("drug", ["metformin", "diclofenac", "captopril", "propranolol"])
def test_contraindications_are_given_whole(demo: Pipeline, drug: str) -> None:
    trace = turns(demo, f"chống chỉ định của {drug}")
    words = " ".join(said(trace).split())
    for block in trace.evidence:
        own = block.text.removeprefix(f"{block.label}\n") if block.label else block.text
        assert all(part.strip(" .") in words for part in " ".join(own.split()).split(";"))


def test_a_price_is_outside_the_book(demo: Pipeline) -> None:
    trace = turns(demo, "giá thuốc Augmentin bao nhiêu tiền")
    assert trace.reject_reason == "out_of_scope"
