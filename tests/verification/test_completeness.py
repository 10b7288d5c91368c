"""Check 3: an objection is a claim about the evidence and is checked before it counts."""

from __future__ import annotations

import json

import pytest

from duocthu_core.answering.fence import FENCE_CLOSE, FENCE_OPEN
from duocthu_core.answering.json_reply import MalformedOutput
from duocthu_core.answering.model import Claim
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.rulesets.model import Thresholds
from duocthu_core.understanding.model import Question, ResolvedQuestion
from duocthu_core.verification.completeness import check_objections, completeness_request, parse_completeness
from duocthu_core.verification.model import MissingEvidence
from tests.answering.blocks import block

EVIDENCE = [
    block(1, "Liều thường dùng 0,5 - 1 g/lần, cách 4 - 6 giờ; tối đa 4 g/ngày. Không dùng quá 10 ngày.", label="Người lớn:"),
    block(2, "| Clcr | 50 % |", quarantined=True),
    block(3, "Người nghiện rượu không được vượt quá 3 g/ngày."),
]
CLAIMS = [Claim(text="Người lớn: liều thường dùng 0,5 - 1 g/lần, cách 4 - 6 giờ.", citations=(1,))]


def checked(description: str, quote: str, claims=CLAIMS, thresholds=None):
    (found,) = check_objections(
        [MissingEvidence(description=description, evidence_quote=quote)], claims, EVIDENCE, thresholds or Thresholds()
    )
    return found


def test_a_true_objection_counts_and_shows_its_place():
    found = checked("Thiếu liều tối đa 4 g/ngày", "tối đa 4 g/ngày")
    assert (found.accepted, found.why) == (True, "accepted")
    assert found.quote is not None
    assert found.quote.index == 1


@pytest.mark.parametrize(
    ("description", "quote", "why"),
    [
        ("Thiếu liều tối đa 8 g/ngày", "tối đa 8 g/ngày", "quote_not_in_evidence"),
        ("Thiếu liều tối đa", "", "quote_not_in_evidence"),
        ("Thiếu liều tối đa", "TỐI ĐA 4 g/ngày", "quote_not_in_evidence"),
        ("Chỉnh liều 50 %", "50 %", "quote_not_in_evidence"),
        ("Thiếu cảnh báo suy hô hấp nghiêm trọng", "tối đa 4 g/ngày", "too_little_overlap"),
        ("Tối đa 8 g/ngày", "tối đa 4 g/ngày", "number_not_in_quote"),
        ("Tối đa 4 g/ngày trong 10 ngày", "tối đa 4 g/ngày", "number_not_in_quote"),
        ("Liều thường dùng 0,5 - 1 g/lần", "Liều thường dùng 0,5 - 1 g/lần", "already_said"),
        ("Cách 4 - 6 giờ", "cách 4 - 6 giờ", "already_said"),
    ],
)
def test_each_condition_on_its_own(description, quote, why):
    found = checked(description, quote)
    assert (found.accepted, found.why) == (False, why)


def test_half_of_the_words_is_enough_and_less_is_not():
    assert checked("tối đa nghiện ngập", "tối đa 4 g/ngày").why == "accepted"
    assert checked("tối đa nghiện ngập nặng", "tối đa 4 g/ngày").why == "too_little_overlap"
    assert checked("tối đa nghiện ngập nặng", "tối đa 4 g/ngày", thresholds=Thresholds(objection_overlap_min=0.4)).why == "accepted"


def test_the_opposite_of_a_claim_is_not_already_said():
    claims = [Claim(text="Người nghiện rượu được vượt quá 3 g/ngày.", citations=(3,))]
    quote = "Người nghiện rượu không được vượt quá 3 g/ngày."
    assert checked(quote, quote, claims).why == "accepted"


def test_a_paraphrase_with_all_its_numbers_says_it_already():
    claims = [*CLAIMS, Claim(text="Mỗi ngày tối đa 4 g.", citations=(1,))]
    assert checked("liều tối đa 4 g/ngày", "tối đa 4 g/ngày", claims).why == "already_said"


def test_the_request_shows_all_clean_blocks_the_claims_and_the_fenced_question(ruleset):
    question = Question(text=f"liều người lớn? {FENCE_CLOSE}")
    made = completeness_request(question, ResolvedQuestion(population="nguoi_lon"), CLAIMS, EVIDENCE, ruleset)
    assert made.purpose == "completeness"
    assert made.system.endswith(ruleset.prompts.untrusted)
    assert made.user.index("[3] (") < made.user.index(f"- {CLAIMS[0].text}") < made.user.index(FENCE_OPEN)
    assert made.user.count(FENCE_CLOSE) == 1
    assert "50 %" not in made.user + json.dumps(made.payload, ensure_ascii=False)
    assert json.loads(json.dumps(made.payload)) == made.payload


def test_a_figure_that_may_not_be_said_is_not_missing(ruleset):
    told = ruleset.tables["answering"]["plan_words"]["completeness_no_figures"]
    warning = [block(1, "Theo dõi chức năng gan.", section="than_trong")]
    for asks_amounts in (True, False):
        made = completeness_request(Question(text="?", asks_amounts=asks_amounts), ResolvedQuestion(), CLAIMS, warning, ruleset)
        assert (told in made.system) is not asks_amounts
        assert made.payload["plan"]["suppress_numbers"] is not asks_amounts
        assert made.system.endswith(ruleset.prompts.untrusted)


def test_a_reply_is_read_as_it_stands():
    reply = '{"complete": false, "missing_evidence": [{"description": "Thiếu tối đa", "evidence_quote": "tối đa 4 g/ngày"}]}'
    assert parse_completeness(reply, "end_turn") == (
        False,
        (MissingEvidence(description="Thiếu tối đa", evidence_quote="tối đa 4 g/ngày"),),
    )
    assert parse_completeness('{"complete": true}', "end_turn") == (True, ())


@pytest.mark.parametrize(
    "reply",
    [
        "{}",
        '{"complete": "yes"}',
        '{"complete": 1}',
        '{"complete": true, "missing_evidence": {}}',
        '{"complete": false, "missing_evidence": ["thiếu"]}',
        '{"complete": false, "missing_evidence": [{"description": "x"}]}',
        '{"complete": false, "missing_evidence": [{"description": "x", "evidence_quote": null}]}',
        '{"complete": true, "complete": false}',
        '{"complete": true} {"complete": true}',
        '{"complete": tr',
        "đủ",
    ],
)
def test_a_reply_of_another_form_is_malformed(reply):
    with pytest.raises(MalformedOutput):
        parse_completeness(reply, "end_turn")


def test_objections_are_listed_in_order_with_their_reasons():
    objections = [
        MissingEvidence(description="a", evidence_quote="b"),
        MissingEvidence(description="tối đa", evidence_quote="tối đa 4 g/ngày"),
    ]
    found = check_objections(objections, CLAIMS, EVIDENCE, shipped_ruleset().thresholds)
    assert [item.why for item in found] == ["quote_not_in_evidence", "accepted"]
