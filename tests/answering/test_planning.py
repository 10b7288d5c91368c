"""The plan follows from the question and the sections of the evidence."""

from __future__ import annotations

import pytest

from duocthu_core.answering.planning import plan, tone_of
from duocthu_core.text.spans import Span
from duocthu_core.understanding.model import Question, RedFlag, ResolvedQuestion, Stated
from tests.answering.blocks import block

DOSE = block(1, "Người lớn: 0,5 - 1 g/lần.")
HARM = block(2, "Suy gan nặng.", section="chong_chi_dinh")
EFFECTS = block(3, "Buồn nôn, nôn.", section="tac_dung_khong_mong_muon")


def planned(ruleset, *evidence, question=None, **resolved):
    return plan(question or Question(text="?"), ResolvedQuestion(**resolved), evidence, ruleset)


def test_a_dosage_section_is_laid_out_as_doses_and_keeps_its_figures(ruleset):
    made = planned(ruleset, DOSE, section_key="lieu_luong_cach_dung")
    assert (made.layout, made.suppress_numbers, made.needs_warning) == ("dosage", False, False)


def test_figures_are_suppressed_where_nobody_asked_for_amounts(ruleset):
    made = planned(ruleset, EFFECTS, section_key="tac_dung_khong_mong_muon")
    assert (made.layout, made.suppress_numbers) == ("bullet_list", True)


def test_a_contraindication_keeps_the_figure_that_says_who_is_meant(ruleset):
    assert not planned(ruleset, HARM, section_key="chong_chi_dinh").suppress_numbers
    assert not planned(ruleset, HARM, EFFECTS, section_key="chong_chi_dinh").suppress_numbers, "one such block is enough"


def test_a_word_of_amount_in_the_question_keeps_the_figures(ruleset):
    made = planned(ruleset, EFFECTS, section_key="tac_dung_khong_mong_muon", question=Question(text="tỷ lệ?", asks_amounts=True))
    assert not made.suppress_numbers


def test_a_stated_clearance_keeps_the_thresholds_it_is_compared_with(ruleset):
    clearance = Stated(kind="clcr", text="Clcr 25", low=25, high=25, span=Span(0, 7))
    assert not planned(ruleset, EFFECTS, question=Question(text="Clcr 25", stated=(clearance,))).suppress_numbers
    assert planned(ruleset, EFFECTS).suppress_numbers


def test_a_reader_who_wants_no_figures_gets_none_even_of_doses(ruleset):
    assert planned(ruleset, DOSE, question=Question(text="?", suppress_numbers=True)).suppress_numbers


@pytest.mark.parametrize(
    ("intent", "mode"),
    [
        ("section", "lookup"),
        ("survey", "lookup"),
        ("compare", "compare"),
        ("interaction", "interaction"),
        ("condition_list", "candidate_list"),
    ],
)
def test_the_mode_follows_the_intent(ruleset, intent, mode):
    assert planned(ruleset, DOSE, intent=intent).reasoning_mode == mode


def test_list_mode_allows_the_drugs_that_are_shown_and_no_other(ruleset):
    other = block(4, "Tăng huyết áp.", section="chi_dinh", drug="perindopril", name="Perindopril")
    hidden = block(5, "Tăng huyết áp.", section="chi_dinh", drug="losartan", quarantined=True)
    made = planned(ruleset, other, DOSE, hidden, intent="condition_list")
    assert made.allowed_drug_ids == ("perindopril", "paracetamol")
    assert planned(ruleset, other, intent="compare").allowed_drug_ids == ()


def test_a_survey_is_detailed_and_a_stated_verbosity_wins(ruleset):
    assert planned(ruleset, DOSE, intent="survey").verbosity == "detailed"
    assert planned(ruleset, DOSE, intent="survey", verbosity="concise").verbosity == "concise"
    assert planned(ruleset, DOSE).verbosity == "concise"


def test_headings_where_there_is_more_than_one_section_or_drug(ruleset):
    assert planned(ruleset, DOSE, EFFECTS).show_heading
    assert not planned(ruleset, DOSE, DOSE.model_copy(update={"index": 9})).show_heading


def test_a_warning_section_or_a_red_flag_needs_a_warning(ruleset):
    assert planned(ruleset, HARM).needs_warning
    flag = RedFlag(kind="co_giat", words="co giật", span=Span(0, 7), advice_vi="Gọi 115.", advice_en="Call 115.")
    assert planned(ruleset, DOSE, question=Question(text="co giật", red_flags=(flag,))).needs_warning


def test_the_layout_is_that_of_the_most_blocks_where_no_section_was_asked(ruleset):
    assert planned(ruleset, DOSE, EFFECTS, EFFECTS).layout == "bullet_list"
    assert planned(ruleset, DOSE, EFFECTS, EFFECTS, section_key="lieu_luong_cach_dung").layout == "dosage"


def test_no_evidence_is_prose_without_figures(ruleset):
    made = planned(ruleset)
    assert (made.layout, made.suppress_numbers) == ("prose", True)


@pytest.mark.parametrize(
    ("section", "tone"), [("chong_chi_dinh", "warning"), ("lieu_luong_cach_dung", "dosage"), ("chi_dinh", "fact_list"), (None, "fact_list")]
)
def test_the_tone_is_that_of_the_section(ruleset, section, tone):
    assert tone_of(section, ruleset) == tone


def test_every_section_key_of_the_tables_exists(ruleset):
    known = set(ruleset.tables["sections"]["sections"])
    table = ruleset.tables["answering"]
    named = {key for group in ("tones", "layouts") for keys in table[group].values() for key in keys}
    assert named <= known
