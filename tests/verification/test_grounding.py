"""Check 1 (spec 04): the cases, and what holds for any text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duocthu_core.verification.grounding import ground_answer, ground_claims, split_answer
from duocthu_core.verification.model import CheckedClaim
from tests.conftest import case_ids, cases
from tests.verification.evidence import blocks, claims

CASES = cases("grounding")


def check(case: dict[str, Any]) -> tuple[CheckedClaim, ...]:
    evidence = blocks(case["evidence"])
    return ground_answer(case["answer"], evidence) if "answer" in case else ground_claims(claims(case["claims"]), evidence)


@pytest.mark.parametrize("case", CASES, ids=case_ids(CASES))
def test_case(case: dict[str, Any]) -> None:
    checked = check(case)
    assert any(claim.rejected for claim in checked) is not case["ok"], case["why"]
    reasons = {finding.reason for claim in checked for finding in claim.findings}
    if case.get("reasons"):
        assert reasons & set(case["reasons"])
    if "segments" in case:
        assert len(checked) == case["segments"]


def test_spans_point_at_the_claim_and_name_the_blocks_looked_in() -> None:
    (checked,) = ground_claims(claims([{"text": "Tối đa 40 mg/ngày.", "citations": [1]}]), blocks(["Tối đa 4 g/ngày."]))
    (finding,) = checked.findings
    assert finding.claim_span is not None
    assert finding.claim_span.of("Tối đa 40 mg/ngày.") == "40"
    assert [place.index for place in finding.evidence] == [1]


def test_numbers_of_an_answer_are_not_pooled_over_blocks() -> None:
    checked = ground_answer("Uống 1 g [1], tối đa 4 g [1].", blocks(["Uống 1 g.", "Tối đa 4 g."]))
    assert [claim.rejected for claim in checked] == [False, True]


@pytest.mark.parametrize("answer", ["", "   ", "[1]", "[1][2] .", "…"])
def test_an_answer_without_a_claim_fails(answer: str) -> None:
    assert [claim.rejected for claim in ground_answer(answer, blocks(["Uống 1 g."]))] == [True]


def test_no_claims_fail() -> None:
    assert [claim.rejected for claim in ground_claims([], blocks(["Uống 1 g."]))] == [True]


@pytest.mark.parametrize("index", [0, -1, 3, 999999999])
def test_an_index_outside_the_evidence_is_invalid(index: int) -> None:
    (checked,) = ground_claims(claims([{"text": "Uống 1 g.", "citations": [index]}]), blocks(["Uống 1 g.", "Uống 2 g."]))
    assert [finding.reason for finding in checked.findings] == ["invalid_citation"]


ANSWERISH = st.text(alphabet="[]0123456789² ;,.abcNgười-\n٣", max_size=80)


@given(st.one_of(st.text(max_size=80), ANSWERISH))
@settings(max_examples=400, deadline=None)
def test_splitting_any_answer_and_again(answer: str) -> None:
    segments = split_answer(answer)
    for segment in segments:
        assert segment.span.of(answer) == segment.text
        rejoined = segment.text + " " + "".join(f"[{index}]" for index in segment.citations)
        again = split_answer(rejoined)
        assert again[-1].citations == segment.citations
    ground_answer(answer, blocks(["Uống 1 g."]))


@given(st.text(max_size=60), st.text(max_size=60))
@settings(deadline=None)
def test_a_claim_copied_from_its_block_is_grounded_unless_a_token_is_suspicious(before: str, claim: str) -> None:
    (checked,) = ground_claims(claims([{"text": claim + "a", "citations": [1]}]), blocks([before + "\n" + claim + "a"]))
    assert not checked.rejected or any(finding.message == "suspicious_number" for finding in checked.findings)


@given(st.integers(1, 99999), st.integers(1, 99999))
def test_tokens_match_whole(number: int, other: int) -> None:
    (checked,) = ground_claims(claims([{"text": f"Uống {number} mg.", "citations": [1]}]), blocks([f"Uống {other} mg."]))
    assert checked.rejected is (number != other)
