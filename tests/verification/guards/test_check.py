"""The guards on the cases and on small texts of their own (spec 04, "Check 1b")."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duocthu_core.answering.model import Claim
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.grounding import ground_claims, split_answer
from duocthu_core.verification.guards import GuardContext, Guards
from duocthu_core.verification.model import Finding
from tests.conftest import case_ids, cases
from tests.verification.evidence import blocks, claims

GUARD_CASES = cases("guards")
TRUE_CASES = [case for case in cases("grounding") if case["ok"]]

ADULTS = (
    "Người lớn:\nUống: 500 mg/lần, 6 giờ một lần; tối đa 4 g/ngày. Tiêm bắp: 1 g/lần, 12 giờ một lần.\n"
    "Trẻ em:\nTrẻ em 2 - 6 tuổi: 125 mg/lần; Trẻ em 6 - 12 tuổi: 250 mg/lần.\n"
    "Suy thận: Clcr < 30 ml/phút: giảm liều còn 250 mg/lần.\n"
    "Không được dùng quá 10 ngày. Không nên dùng cho phụ nữ có thai."
)


@pytest.fixture(scope="module")
def guards(ruleset: Ruleset) -> Guards:
    return Guards(ruleset)


def reasons(guards: Guards, text: str, *evidence: Any, context: GuardContext | None = None, **claim: Any) -> list[str]:
    """Reject reasons of one claim that cites every block given."""
    shown = blocks(list(evidence))
    stated = Claim(text=text, citations=tuple(block.index for block in shown), **claim)
    (checked,) = guards.check([stated], shown, context)
    return [finding.reason for finding in checked.findings if finding.level == "reject"]


def findings(guards: Guards, text: str, *evidence: Any) -> tuple[Finding, ...]:
    shown = blocks(list(evidence))
    return guards.check([Claim(text=text, citations=tuple(block.index for block in shown))], shown)[0].findings


@pytest.mark.parametrize("case", GUARD_CASES, ids=case_ids(GUARD_CASES))
def test_a_wrong_claim_is_caught_without_a_model(guards: Guards, case: dict[str, Any]) -> None:
    shown, stated = blocks(case["evidence"]), claims(case["claims"])
    checked = [*ground_claims(stated, shown), *guards.check(stated, shown)]
    assert any(claim.rejected for claim in checked), case["why"]


@pytest.mark.parametrize("case", TRUE_CASES, ids=case_ids(TRUE_CASES))
def test_a_true_claim_of_check_1_passes_the_guards(guards: Guards, case: dict[str, Any]) -> None:
    shown = blocks(case["evidence"])
    if "answer" in case:
        stated = [Claim(text=segment.text, citations=segment.citations) for segment in split_answer(case["answer"])]
    else:
        stated = claims(case["claims"])
    assert not any(claim.rejected for claim in guards.check(stated, shown)), case["why"]


@pytest.mark.parametrize(
    "text",
    [
        "Người lớn uống 500 mg mỗi 6 giờ, không quá 4 g mỗi ngày.",
        "Người lớn tiêm bắp mỗi lần 1 g, cách 12 giờ một lần.",
        "Liều uống tối đa cho người lớn là 4 g/ngày.",
        "Trẻ từ 6 đến 12 tuổi dùng 250 mg mỗi lần.",
        "Thời gian dùng tối đa 10 ngày.",
        "Phụ nữ có thai không nên dùng.",
        "Tránh dùng cho phụ nữ có thai.",
        "Bệnh nhân suy thận có Clcr dưới 30 ml/phút: giảm liều còn 250 mg/lần.",
    ],
)
def test_a_true_paraphrase_passes(guards: Guards, text: str) -> None:
    assert reasons(guards, text, ADULTS) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Người lớn uống 500 microgam mỗi 6 giờ.", "unit_mismatch"),
        ("Người lớn uống 500 mg/kg mỗi 6 giờ.", "unit_mismatch"),
        ("Người lớn uống 500 mg mỗi 6 ngày.", "unit_mismatch"),
        ("Người lớn uống 500 mg mỗi 6 giờ, tối thiểu 4 g/ngày.", "comparator_mismatch"),
        ("Người lớn uống 4 g/ngày.", "comparator_mismatch"),
        ("Suy thận: Clcr > 30 ml/phút: giảm liều còn 250 mg/lần.", "comparator_mismatch"),
        ("Trẻ em uống 500 mg mỗi 6 giờ.", "population_mismatch"),
        ("Người cao tuổi uống 500 mg mỗi 6 giờ.", "population_mismatch"),
        ("Người lớn tiêm tĩnh mạch 1 g, 12 giờ một lần.", "route_mismatch"),
        ("Người lớn uống 1 g, 12 giờ một lần.", "route_mismatch"),
        ("Trẻ em 2 - 6 tuổi: 250 mg/lần.", "other_item"),
        ("Trẻ em 2 - 12 tuổi: 250 mg/lần.", "other_item"),
        ("Người lớn uống 125 - 500 mg/lần.", "other_item"),
        ("Người lớn uống 500 mg/lần, 12 giờ một lần.", "other_item"),
        ("Trẻ em dùng 125 mg mỗi lần.", "dropped_label"),
        ("Mỗi lần dùng 1 g.", "dropped_label"),
        ("Có thể dùng cho phụ nữ có thai.", "negation_mismatch"),
        ("Nên dùng cho phụ nữ có thai.", "negation_mismatch"),
        ("Đây là lựa chọn đầu tay cho người lớn.", "ranking_claim"),
        ("Người lớn uống 500 mg mỗi 6 giờ thì hoàn toàn an toàn.", "absence_as_safety"),
        ("Thuốc gây hạ đường huyết và rối loạn nhịp tim kéo dài.", "low_support"),
    ],
)
def test_a_wrong_claim_has_its_reason(guards: Guards, text: str, reason: str) -> None:
    assert reason in reasons(guards, text, ADULTS)


def test_a_finding_shows_both_ends(guards: Guards) -> None:
    text = "Trẻ em uống 500 mg mỗi 6 giờ."
    finding = findings(guards, text, ADULTS)[0]
    assert finding.claim_span is not None
    assert finding.claim_span.of(text) == "500 mg"
    (place,) = finding.evidence
    assert place.span is not None
    assert place.span.of(ADULTS) == place.text == "Uống: 500 mg/lần"
    assert "Người lớn" in finding.params["label"]


@pytest.mark.parametrize("sentence", [line for line in ADULTS.split("\n") if not line.endswith(":")])
def test_a_copy_from_border_to_border_is_never_refused(guards: Guards, sentence: str) -> None:
    assert reasons(guards, sentence, ADULTS) == []


def test_a_copy_that_begins_inside_a_sentence_gets_no_favour(guards: Guards) -> None:
    assert "negation_mismatch" in reasons(guards, "được trộn chung với dung dịch khác.", "Không được trộn chung với dung dịch khác.")


def test_a_copy_cut_at_a_colon_has_lost_its_label(guards: Guards) -> None:
    assert reasons(guards, "250 mg/lần.", ADULTS) == ["dropped_label"]


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("Uống 5 mcg mỗi ngày.", "Uống 5 microgam mỗi ngày."),
        ("Tiêm 100 IU/kg.", "Tiêm 100 đvqt/kg."),
        ("Tối đa 60 mg/kg/ngày.", "Tối đa 60 mg/ kg/24 giờ."),
        ("Uống 0,5 g đến 1 g.", "Uống 0,5 - 1 g."),
        ("Uống mỗi 8 giờ.", "Uống 8 giờ/lần."),
        ("Truyền 10 mg cho 1 kg thể trọng.", "Truyền 10 mg/kg."),
        ("Dùng 5 ngày.", "Điều trị bằng thuốc này: 5."),
    ],
)
def test_the_same_unit_in_another_writing_raises_nothing(guards: Guards, text: str, evidence: str) -> None:
    assert not {"unit_mismatch", "other_item"} & set(reasons(guards, text, evidence))


@pytest.mark.parametrize("wrong", ["Ngày uống ba lần.", "Suy tim độ III: chống chỉ định.", "Uống nửa viên."])
def test_figures_in_words_and_roman_grades_are_read(guards: Guards, wrong: str) -> None:
    assert "ungrounded_number" in reasons(guards, wrong, "Ngày uống 2 lần, mỗi lần 1 viên. Suy tim độ IV: chống chỉ định.")


@pytest.mark.parametrize("true", ["Ngày uống hai lần.", "Suy tim độ IV: chống chỉ định."])
def test_figures_in_words_that_are_right_pass(guards: Guards, true: str) -> None:
    assert reasons(guards, true, "Ngày uống 2 lần. Suy tim độ IV: chống chỉ định.") == []


def test_a_heading_that_forbids_is_turned_round_by_a_claim_that_permits(guards: Guards) -> None:
    block = {"text": "Suy gan nặng. Mẫn cảm với thuốc.", "section": "Chống chỉ định"}
    assert "negation_mismatch" in reasons(guards, "Thuốc được dùng cho người suy gan nặng.", block)
    assert reasons(guards, "Chống chỉ định: suy gan nặng.", block) == []


@pytest.mark.parametrize(
    "claim",
    [
        "Chưa xác định được tính an toàn khi dùng lâu dài.",
        "Không an toàn khi dùng lâu dài.",
    ],
)
def test_a_gap_or_a_warning_is_no_reassurance(guards: Guards, claim: str) -> None:
    assert "absence_as_safety" not in reasons(
        guards, claim, "Chưa xác định được tính an toàn khi dùng lâu dài; không an toàn khi dùng lâu dài."
    )


def test_an_unknown_turned_into_safe_is_caught(guards: Guards) -> None:
    assert "absence_as_safety" in reasons(guards, "Thuốc an toàn khi dùng lâu dài.", "Chưa xác định được tính an toàn khi dùng lâu dài.")


# --- drugs, figures that were not asked for, levels


PARACETAMOL = {"text": "Quá mẫn với thuốc; suy gan nặng.", "drug_id": "paracetamol", "drug": "PARACETAMOL (Acetaminophen)"}
AMOXICILIN = {"text": "Tiền sử dị ứng với penicilin; quá mẫn với thuốc.", "drug_id": "amoxicilin", "drug": "AMOXICILIN"}


def test_a_claim_about_one_drug_may_not_cite_another(guards: Guards) -> None:
    shown = blocks([PARACETAMOL, AMOXICILIN])
    stated = [Claim(text="Không dùng acetaminophen khi quá mẫn với thuốc.", citations=(2,))]
    assert "unsupported_drug" in [finding.reason for finding in guards.check(stated, shown)[0].findings]


def test_the_drug_asked_about_and_the_claims_own_drug_count(guards: Guards) -> None:
    assert "unsupported_drug" in reasons(guards, "Quá mẫn với thuốc.", AMOXICILIN, context=GuardContext(asked_drug_ids=("paracetamol",)))
    assert "unsupported_drug" in reasons(guards, "Quá mẫn với thuốc.", AMOXICILIN, drug_id="paracetamol")
    assert reasons(guards, "Quá mẫn với thuốc.", PARACETAMOL, context=GuardContext(asked_drug_ids=("paracetamol",))) == []


def test_list_mode_allows_only_its_drugs(guards: Guards) -> None:
    context = GuardContext(list_mode=True, allowed_drug_ids=("amoxicilin",))
    assert reasons(guards, "Quá mẫn với thuốc.", AMOXICILIN, context=context, drug_id="amoxicilin") == []
    assert "unsupported_drug" in reasons(guards, "Quá mẫn với thuốc.", PARACETAMOL, context=context, drug_id="paracetamol")
    assert "unsupported_drug" in reasons(guards, "Quá mẫn với thuốc.", AMOXICILIN, context=context)


def test_figures_are_refused_where_the_question_was_not_about_amounts(guards: Guards) -> None:
    context = GuardContext(suppress_numbers=True)
    assert "suppressed_number" in reasons(guards, "Uống 500 mg.", "Uống 500 mg.", context=context)
    assert reasons(guards, "Chuyển hóa qua CYP3A4.", "Chuyển hóa qua CYP3A4.", context=context) == []


def test_the_ruleset_may_turn_a_guard_to_warning_or_off(ruleset: Ruleset) -> None:
    wrong = [Claim(text="Uống 5 microgam.", citations=(1,))]
    shown = blocks(["Uống 5 mg."])
    for level, levels in (("warn", ["warn"]), ("off", [])):
        other = ruleset.model_copy(update={"guards": {"unit_mismatch": level}})
        checked = Guards(other).check(wrong, shown)
        assert [finding.level for finding in checked[0].findings] == levels


def test_several_cited_blocks_may_share_a_claim_but_not_a_range(guards: Guards) -> None:
    first, second = "Người lớn: 500 mg mỗi 6 giờ.", "Tối đa 4 g mỗi ngày."
    assert reasons(guards, "Người lớn 500 mg mỗi 6 giờ, tối đa 4 g mỗi ngày.", first, second) == []
    assert "other_item" in reasons(guards, "Người lớn 500 mg - 4 g mỗi ngày.", first, second)


def test_a_block_that_says_the_reverse_is_not_outvoted(guards: Guards) -> None:
    assert "negation_mismatch" in reasons(
        guards, "Dùng được cho trẻ dưới 2 tuổi.", "Không dùng được cho trẻ dưới 2 tuổi.", "Bảo quản nơi khô."
    )


def test_the_dangerous_answer_for_children_from_the_adults_infusion_is_refused(guards: Guards) -> None:
    adults = (
        "Người lớn:\nTruyền tĩnh mạch: Trên 50 kg: mỗi lần 1 g, tối đa 4 g/ngày. "
        "Dưới 50 kg: mỗi lần 15 mg/kg, cách 4 - 6 giờ; tối đa 60 mg/kg/ngày."
    )
    found = findings(guards, "Trẻ em: 15 mg/kg mỗi lần, tối đa 60 mg/kg/ngày.", adults)
    assert {finding.reason for finding in found} == {"population_mismatch"}
    assert all(finding.claim_span and finding.evidence[0].span for finding in found)


# --- any text


PARTS = [*"0123456789,.:;-–/ ()\n<>≤%", "mg ", "kg ", "trẻ em ", "người lớn ", "không ", "tối đa ", "uống ", "tuổi ", "một "]
TEXTS = st.lists(st.sampled_from(PARTS), max_size=40).map("".join)


@given(claim=st.one_of(TEXTS, st.text(max_size=60)), block=st.one_of(TEXTS, st.text(max_size=60)))
@settings(max_examples=300, deadline=None)
def test_any_claim_against_any_block_is_checked(guards: Guards, claim: str, block: str) -> None:
    for finding in findings(guards, claim, block):
        assert finding.claim_span is None or 0 <= finding.claim_span.start <= finding.claim_span.end <= len(claim)
        for place in finding.evidence:
            assert place.span is None or place.span.of(block) == place.text


@given(block=st.one_of(TEXTS, st.text(max_size=80)))
@settings(max_examples=300, deadline=None)
def test_a_whole_block_copied_is_never_refused(guards: Guards, block: str) -> None:
    assert findings(guards, block, block) == ()


def test_a_copy_with_the_labels_that_govern_it_in_front_is_never_refused(guards: Guards) -> None:
    block = "Trẻ em:\nSuy thận:\n10 đến 30 ml/phút | tiêm 25 mg/kg/lần, 2 lần/ngày\nDưới 10 ml/phút | tiêm 12,5 mg/kg sau lọc"
    assert reasons(guards, "Trẻ em: Suy thận: Dưới 10 ml/phút | tiêm 12,5 mg/kg sau lọc", block) == []
    assert reasons(guards, "Suy thận: 10 đến 30 ml/phút | tiêm 25 mg/kg/lần, 2 lần/ngày", block) == []
    assert reasons(guards, "Người lớn: Suy thận: Dưới 10 ml/phút | tiêm 12,5 mg/kg sau lọc", block) != []


@pytest.mark.parametrize(
    ("claim", "block"), [("Liều dưới 30 mg mỗi ngày.", "Liều không quá 30 mg mỗi ngày."), ("> 5 mg/ngày", "≥ 5 mg/ngày")]
)
def test_a_limit_that_differs_only_at_the_figure_itself_is_a_warning(guards: Guards, claim: str, block: str) -> None:
    found = [finding for finding in findings(guards, claim, block) if finding.message == "bound_strictness"]
    assert [finding.level for finding in found] == ["warn"]
    assert found[0].claim_span is not None
    assert found[0].evidence[0].span is not None
