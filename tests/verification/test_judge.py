"""The judge's reply: read whole or not at all; statuses by thresholds, without a new call."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.answering.json_reply import MalformedOutput
from duocthu_core.answering.model import Claim
from duocthu_core.rulesets.model import Thresholds
from duocthu_core.verification.judge import parse_verdicts, statuses
from duocthu_core.verification.model import RawVerdict
from tests.conftest import case_ids, cases
from tests.verification.evidence import blocks

EVIDENCE = blocks(["Người lớn: 0,5 - 1 g/lần; tối đa 4 g/ngày.", "Suy gan nặng.", "Không dùng quá 10 ngày."])
CLAIMS = [Claim(text="Người lớn: 0,5 - 1 g/lần.", citations=(1,)), Claim(text="Suy gan nặng.", citations=(2, 3))]
GOOD = [
    {"index": 1, "stance": "SUPPORTS", "confidence": 96, "evidence_quote": "0,5 - 1 g/lần", "reasoning": "trùng"},
    {"index": 2, "stance": "SUPPORTS", "confidence": 99, "evidence_quote": "Suy gan nặng.", "reasoning": ""},
]
LINES = [case for case in cases("judge") if "raw" in case["input"]]


def reply(*verdicts: Any) -> str:
    return json.dumps({"verdicts": list(verdicts)}, ensure_ascii=False)


def parsed(text: str, stop_reason: Any = "end_turn"):
    return parse_verdicts(text, stop_reason, CLAIMS, EVIDENCE)


def changed(**changes: Any) -> str:
    return reply({key: value for key, value in {**GOOD[0], **changes}.items() if value is not ...}, GOOD[1])


def in_our_words(raw: str) -> str:
    """A line of judge.jsonl in this project's field names; everything that makes it malformed stays."""
    for theirs, ours in (
        ('"id":"c1"', '"index":1,"confidence":95,"evidence_quote":"Liều 500 mg."'),
        ('"id":"c9"', '"index":9,"confidence":95,"evidence_quote":"Liều 500 mg."'),
        ('"verdict":"supported"', '"stance":"SUPPORTS"'),
        ('"verdict":"not_supported"', '"stance":"not_supports"'),
        ('"verdict":"SUPPORTED."', '"stance":"SUPPORTS."'),
        ('"verdict":"supp', '"stance":"SUPP'),
    ):
        raw = raw.replace(theirs, ours)
    return raw


@pytest.mark.parametrize("case", LINES, ids=case_ids(LINES))
def test_cases_of_the_specification(case):
    claims, evidence = [Claim(text="Liều 500 mg.", citations=(1,))], blocks(["Liều 500 mg."])
    try:
        found = statuses(parse_verdicts(in_our_words(case["input"]["raw"]), "end_turn", claims, evidence), Thresholds(), claims, evidence)
        passes = [verdict.status for verdict in found] == ["supported"]
    except MalformedOutput:
        passes = False
    assert passes is case["expected"].get("parsed", False), case["why"]


def test_case_016_a_claim_that_cites_nothing_is_never_supported():
    claims = [Claim(text="Liều 500 mg.", citations=())]
    assert parse_verdicts('{"verdicts": []}', "end_turn", claims, []) == ()
    (verdict,) = statuses((), Thresholds(), claims, [])
    assert verdict.status == "unsupported"


def test_a_good_reply_gives_one_raw_verdict_a_claim():
    assert [(verdict.index, verdict.stance, verdict.confidence) for verdict in parsed(reply(*GOOD))] == [
        (1, "SUPPORTS", 96),
        (2, "SUPPORTS", 99),
    ]


def test_verdicts_come_back_in_the_order_of_the_claims():
    assert [verdict.index for verdict in parsed(reply(*reversed(GOOD)))] == [1, 2]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (reply(GOOD[0]), "no verdict about claim 2"),
        (reply(), "no verdict about claim 1, 2"),
        (reply(*GOOD, GOOD[0]), "two verdicts about claim 1"),
        (reply(*GOOD, {**GOOD[0], "index": 3}), "claim 3, which was not asked"),
        (reply(*GOOD, {**GOOD[0], "index": 0}), "claim 0, which was not asked"),
        (changed(index=-1), "claim -1"),
        (changed(index=True), "index"),
        (changed(index="1"), "index"),
        (changed(index=...), "index"),
        (changed(stance="supports"), "stance"),
        (changed(stance="NOT_SUPPORTS"), "stance"),
        (changed(stance="SUPPORTS|PARTIAL"), "stance"),
        (changed(stance=" SUPPORTS"), "stance"),
        (changed(stance=None), "stance"),
        (changed(stance=["SUPPORTS"]), "stance"),
        (changed(confidence=101), "confidence"),
        (changed(confidence=-1), "confidence"),
        (changed(confidence=0.96), "confidence"),
        (changed(confidence=96.0), "confidence"),
        (changed(confidence=True), "confidence"),
        (changed(confidence="96"), "confidence"),
        (changed(confidence=...), "confidence"),
        (changed(evidence_quote=5), "quote"),
        (changed(evidence_quote="tối đa 5 g/ngày"), "none of the blocks"),
        (changed(evidence_quote="5 - 1 g/lần"), "none of the blocks"),
        (changed(evidence_quote="Suy gan nặng."), "none of the blocks"),
        (changed(reasoning=["x"]), "reasoning"),
        ('{"verdicts": {"1": "SUPPORTS"}}', "no list"),
        ('{"verdict": []}', "no list"),
        ('{"verdicts": ["SUPPORTS"]}', "no object"),
        (reply(*GOOD)[:-5], "no valid JSON"),
        ('{"verdicts": [], "verdicts": []}', "twice"),
        (reply(*GOOD) + reply(*GOOD), "more than one"),
        ("Mệnh đề 1 được sách nói.", "no JSON object"),
    ],
)
def test_a_reply_that_cannot_be_trusted_whole_is_no_verdict(text, why):
    with pytest.raises(MalformedOutput, match=why):
        parsed(text)


def test_a_reply_cut_off_is_no_verdict_even_where_it_parses():
    with pytest.raises(MalformedOutput, match="cut off"):
        parsed(reply(*GOOD), "max_tokens")


def test_a_quote_may_stand_in_any_block_that_the_claim_cites():
    assert parsed(reply(GOOD[0], {**GOOD[1], "evidence_quote": "quá 10 ngày"}))[1].evidence_quote == "quá 10 ngày"


@pytest.mark.parametrize("quote", ["", "  ", None, ...])
def test_a_blank_quote_is_read_and_does_not_support(quote):
    raw = parsed(changed(evidence_quote=quote))
    first, second = statuses(raw, Thresholds(), CLAIMS, EVIDENCE)
    assert (first.status, first.why, first.quote) == ("unsupported", "no_quote", None)
    assert second.status == "supported"


def judged(thresholds: Thresholds, **changes: Any):
    raw = [RawVerdict.model_validate({**GOOD[0], **changes}), RawVerdict.model_validate(GOOD[1])]
    return statuses(raw, thresholds, CLAIMS, EVIDENCE)[0]


@pytest.mark.parametrize("stance", ["PARTIAL", "CONTRADICTS", "NOT_FOUND"])
def test_only_supports_supports(stance):
    verdict = judged(Thresholds(), stance=stance)
    assert (verdict.status, verdict.why) == ("unsupported", "stance")


def test_partial_counts_where_the_framework_says_so():
    assert judged(Thresholds(accept_partial=True), stance="PARTIAL").status == "supported"
    assert judged(Thresholds(accept_partial=True), stance="CONTRADICTS").status == "unsupported"


def test_the_least_confidence_is_inclusive():
    assert judged(Thresholds(judge_min_confidence=96)).status == "supported"
    below = judged(Thresholds(judge_min_confidence=97))
    assert (below.status, below.why) == ("unsupported", "below_confidence")


def test_the_quote_is_shown_where_it_stands():
    verdict = judged(Thresholds())
    assert verdict.quote is not None
    assert verdict.quote.span is not None
    assert verdict.quote.span.of(EVIDENCE[0].text) == "0,5 - 1 g/lần"
    assert verdict.quote.index == 1


def test_a_kept_verdict_whose_quote_is_gone_from_the_book_no_longer_supports():
    verdict = judged(Thresholds(), evidence_quote="0,5 - 2 g/lần")
    assert (verdict.status, verdict.why) == ("unsupported", "quote_not_found")


def test_a_framework_without_quotes_needs_none():
    assert judged(Thresholds(judge_require_quote=False), evidence_quote="").status == "supported"


def test_statuses_count_from_zero_over_all_claims():
    claims = [Claim(text="Không nguồn.", citations=()), CLAIMS[0]]
    raw = [RawVerdict.model_validate({**GOOD[0], "index": 2})]
    found = statuses(raw, Thresholds(), claims, EVIDENCE)
    assert [(verdict.claim_index, verdict.status) for verdict in found] == [(0, "unsupported"), (1, "supported")]


_VALUES = (
    st.none() | st.booleans() | st.integers(-3, 120) | st.text(max_size=6) | st.sampled_from(["SUPPORTS", "Suy gan nặng.", 96.5, [], {}])
)
_ENTRY = st.dictionaries(st.sampled_from(["index", "stance", "confidence", "evidence_quote", "reasoning"]), _VALUES)


@given(st.lists(st.one_of(_ENTRY, _VALUES), max_size=4))
def test_any_reply_gives_verdicts_for_exactly_the_claims_or_is_malformed(entries):
    try:
        found = parsed(reply(*entries))
    except MalformedOutput:
        return
    assert [verdict.index for verdict in found] == [1, 2]


@given(st.integers(0, len(reply(*GOOD)) - 1))
def test_a_reply_cut_anywhere_is_malformed(position):
    with pytest.raises(MalformedOutput):
        parsed(reply(*GOOD)[:position])
