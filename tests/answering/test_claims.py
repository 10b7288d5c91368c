"""Drafts: each clause of "Claims, one representation" (spec 04)."""

from __future__ import annotations

import contextlib
import json
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.answering.claims import MalformedOutput, parse_draft
from duocthu_core.answering.model import Claim, Draft
from duocthu_core.rulesets.model import GenerationRules

RULES = GenerationRules()
GOOD: dict[str, Any] = {
    "claims": [{"text": "Người lớn: 0,5 - 1 g/lần, 4 - 6 giờ một lần.", "citations": [1, 2], "drug_id": None}],
    "evidence_sufficient": True,
    "clarifying_question": None,
    "quick_replies": [],
}


def parsed(content: Any, *, list_mode: bool = False, stop_reason: Any = "end_turn") -> Draft:
    reply = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return parse_draft(reply, list_mode=list_mode, stop_reason=stop_reason, rules=RULES)


def with_claim(**changes: Any) -> dict[str, Any]:
    entry = {**GOOD["claims"][0], **changes}
    return {**GOOD, "claims": [{key: value for key, value in entry.items() if value is not ...}]}


def refused(content: Any, why: str, **options: Any) -> None:
    with pytest.raises(MalformedOutput, match=why):
        parsed(content, **options)


def test_a_well_formed_reply_becomes_a_draft():
    assert parsed(GOOD) == Draft(
        claims=(Claim(text="Người lớn: 0,5 - 1 g/lần, 4 - 6 giờ một lần.", citations=(1, 2)),), evidence_sufficient=True
    )


def test_the_answer_string_is_made_of_the_claims():
    assert parsed(GOOD).answer_text == "Người lớn: 0,5 - 1 g/lần, 4 - 6 giờ một lần. [1][2]"


def test_a_code_fence_and_prose_around_are_read():
    assert parsed("Dạ, đây ạ:\n```json\n" + json.dumps(GOOD) + "\n```\nXong.").claims


def test_two_objects_a_repeated_key_and_a_cut_off_reply_are_malformed():
    refused(json.dumps(GOOD) + json.dumps(GOOD), "more than one")
    refused('{"claims": [], "claims": [{"text": "x", "citations": [1]}], "evidence_sufficient": true}', "twice")
    refused(json.dumps(GOOD)[:-20], "no valid JSON")
    refused(GOOD, "cut off", stop_reason="max_tokens")


@pytest.mark.parametrize("claims", [None, {}, "x", 1, True])
def test_claims_must_be_a_list(claims):
    refused({**GOOD, "claims": claims}, "'claims' is no list")


def test_missing_claims_are_malformed():
    refused({"evidence_sufficient": True}, "'claims' is no list")


@pytest.mark.parametrize("entry", [None, "Liều 1 g. [1]", 5, [], ["text"]])
def test_a_claim_that_is_no_object_spoils_the_whole_payload(entry):
    refused({**GOOD, "claims": [GOOD["claims"][0], entry]}, "claim 2 is no object")


@pytest.mark.parametrize("text", [None, 5, True, [], {}, ...])
def test_text_that_is_no_string_is_malformed(text):
    refused(with_claim(text=text), "the text of claim 1 is no string")


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u00a0\u2009"])
def test_blank_text_is_malformed(text):
    refused(with_claim(text=text), "blank")


@pytest.mark.parametrize("citations", [[True], [1, False], ["1"], [1.0], [None], [[1]], "1", 1, None, {}, ...])
def test_citations_must_be_a_list_of_integers_and_true_is_none(citations):
    refused(with_claim(citations=citations), "citation")


@pytest.mark.parametrize("citations", [[], [0], [-1], [99], [1, 1]])
def test_empty_or_wrong_indices_are_well_formed_and_fail_later(citations):
    assert parsed(with_claim(citations=citations)).claims[0].citations == tuple(citations)


def test_a_claim_over_the_limit_is_malformed_and_one_at_the_limit_is_not():
    assert len(parsed(with_claim(text="x" * 1500)).claims[0].text) == 1500
    refused(with_claim(text="x" * 1501), "1501 characters")


@pytest.mark.parametrize(
    "text",
    [
        "Liều 1 g [1].",
        "Liều [ 12 ] g.",
        "Liều 1 g [1, 2].",
        "Liều 1 g [1][2]",
        "Liều ［1］",
        "Liều 【3】",
        "Liều [²]",
        "Liều [٣]",
        "[[1]]",
        "[1,5]",
    ],
)
def test_a_bracketed_number_would_forge_a_marker(text):
    refused(with_claim(text=text), "square brackets")


@pytest.mark.parametrize("text", ["Nồng độ [10; 20] mg/L", "[10 - 20] mg", "[H+] tăng", "(1) Người lớn", "[a]", "[]", "[ ]", "[Ca2+] giảm"])
def test_an_interval_or_a_word_in_brackets_is_content(text):
    assert parsed(with_claim(text=text)).claims[0].text == text


@pytest.mark.parametrize(
    "character", ["\u200b", "\u200d", "\u2060", "\ufeff", "\u202e", "\u2066", "\u200f", "\u00ad", "\u0007", "\u0000", "\ufe0f"]
)
def test_invisible_characters_are_malformed_wherever_a_text_is(character):
    refused(with_claim(text=f"Dùng 50{character}0 mg."), "zero-width")
    refused({**GOOD, "clarifying_question": f"Trẻ{character} mấy tuổi?"}, "zero-width")
    refused({**GOOD, "quick_replies": ["Uống", f"Tiêm{character}"]}, "zero-width")
    refused(with_claim(drug_id=f"para{character}"), "zero-width")


def test_texts_are_composed():
    assert parsed(with_claim(text=unicodedata.normalize("NFD", "Liều dùng"))).claims[0].text == "Liều dùng"


@pytest.mark.parametrize("drug_id", [5, True, [], {"id": "x"}, "", " "])
def test_a_drug_id_is_a_string_or_null(drug_id):
    refused(with_claim(drug_id=drug_id), "drug_id")


def test_a_missing_drug_id_is_malformed_in_list_mode_only():
    assert parsed(with_claim(drug_id=...)).claims[0].drug_id is None
    refused(with_claim(drug_id=...), "list mode", list_mode=True)
    refused(with_claim(drug_id=None), "list mode", list_mode=True)
    assert parsed(with_claim(drug_id="perindopril"), list_mode=True).claims[0].drug_id == "perindopril"


@pytest.mark.parametrize("value", [None, 1, 0, "true", [], ...])
def test_evidence_sufficient_must_be_true_or_false(value):
    content = {key: kept for key, kept in {**GOOD, "evidence_sufficient": value}.items() if kept is not ...}
    refused(content, "evidence_sufficient")


def test_nothing_said_though_the_evidence_suffices_is_malformed():
    refused({**GOOD, "claims": []}, "no claim, no question")


def test_insufficient_evidence_needs_no_claims():
    draft = parsed({"claims": [], "evidence_sufficient": False, "clarifying_question": "Trẻ mấy tuổi?", "quick_replies": []})
    assert draft.clarifying_question == "Trẻ mấy tuổi?"
    assert not draft.claims


@pytest.mark.parametrize("question", [5, True, [], {}])
def test_a_clarifying_question_is_a_string_or_null(question):
    refused({**GOOD, "clarifying_question": question}, "clarifying_question")


def test_a_blank_clarifying_question_is_none():
    assert parsed({**GOOD, "clarifying_question": "  "}).clarifying_question is None


@pytest.mark.parametrize("replies", ["Uống", {"a": 1}, 5, [1], [None], [""], [["Uống"]]])
def test_quick_replies_are_a_list_of_strings(replies):
    refused({**GOOD, "quick_replies": replies}, "quick")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["Uống", "Tiêm bắp"], ("Uống", "Tiêm bắp")),
        (["Uống", "Uống", "Tiêm bắp"], ("Uống", "Tiêm bắp")),
        (["Uống"], ()),
        ([], ()),
        (None, ()),
        (["a", "b", "c", "d", "e"], ()),
    ],
)
def test_two_to_four_distinct_replies_or_none(given, kept):
    assert parsed({**GOOD, "quick_replies": given}).quick_replies == kept


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["text", "citations", "drug_id", "x"]), inner, max_size=4),
    max_leaves=12,
)


@given(
    st.dictionaries(st.sampled_from(["claims", "evidence_sufficient", "clarifying_question", "quick_replies", "x"]), _VALUES), st.booleans()
)
def test_any_json_gives_a_draft_or_malformed_output(content, list_mode):
    try:
        draft = parsed(content, list_mode=list_mode)
    except MalformedOutput:
        return
    assert all(claim.text.strip() == claim.text and claim.text for claim in draft.claims)
    assert Draft.model_validate_json(draft.model_dump_json()) == draft


@given(st.text(max_size=200))
def test_any_text_as_a_claim_gives_that_text_or_malformed_output(text):
    with contextlib.suppress(MalformedOutput):
        assert parsed(with_claim(text=text)).claims[0].text == unicodedata.normalize("NFC", text).strip()


def test_the_readers_question_handed_back_is_no_claim():
    reply = '{"claims": [{"text": "Paracetamol cho người suy gan có được không?", "citations": [1]}], "evidence_sufficient": true}'
    with pytest.raises(MalformedOutput, match="is a question"):
        parse_draft(reply, list_mode=False, stop_reason="end_turn", rules=GenerationRules())
