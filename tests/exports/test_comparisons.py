"""Comparisons leave whole as JSON, by lines as JSONL, and as tables that run nothing in a spreadsheet."""

from __future__ import annotations

import csv
import io
import json

import pytest

from duocthu_core.exports.comparisons import PAIR_HEADER, PAIRS_HEADER, comparison_json, pair_csv, pair_jsonl, pairs_csv, pairs_jsonl
from duocthu_core.pipeline.comparing import Comparison, compare
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.tuning.compared_pairs import ComparedPairs, compare_pairs
from tests.app import sample_traces as sample

GOOD, BAD, HOSTILE = sample.answered(), sample.stopped(), sample.hostile()


@pytest.fixture
def pair(ruleset: Ruleset) -> Comparison:
    return compare(GOOD, BAD, ruleset)


@pytest.fixture
def many() -> ComparedPairs:
    stored = {trace.trace_id: trace for trace in (GOOD, BAD, HOSTILE)}
    return compare_pairs([(GOOD.trace_id, BAD.trace_id), (HOSTILE.trace_id, GOOD.trace_id)], stored.get, ("sha256:a", "sha256:b"))


def table(data: bytes) -> list[dict[str, str]]:
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))


def test_json_is_read_back_without_loss(pair: Comparison, many: ComparedPairs) -> None:
    assert Comparison.model_validate_json(comparison_json(pair)) == pair
    assert ComparedPairs.model_validate_json(comparison_json(many)) == many


def test_a_pair_by_lines(pair: Comparison) -> None:
    lines = [json.loads(line) for line in pair_jsonl(pair)]
    assert [line["record"] for line in lines] == ["comparison"] + ["stage"] * len(pair.stages) + ["claim"] * len(pair.claims)
    assert lines[0]["trace_ids"] == [GOOD.trace_id, BAD.trace_id]


def test_a_pair_as_a_table_says_where_it_parts_and_what_was_found(pair: Comparison) -> None:
    rows = table(pair_csv(pair))
    assert tuple(rows[0]) == PAIR_HEADER
    assert rows[0]["b_reason"] == "unit_mismatch"
    assert [row["name"] for row in rows if row["first_difference"] == "True"] == [pair.first_difference]
    claims = [row for row in rows if row["part"] == "claim"]
    assert [row["b_reason"] for row in claims if "unit_mismatch" in row["b_reason"]]
    assert all(row["a"] in {claim.text[0] or "" for claim in pair.claims} for row in claims)


def test_many_pairs_by_lines_and_as_a_table(many: ComparedPairs) -> None:
    lines = [json.loads(line) for line in pairs_jsonl(many)]
    assert [line["record"] for line in lines] == ["comparison", "pair", "pair"]
    assert lines[0]["outcomes"]["pairs"] == 2
    rows = table(pairs_csv(many))
    assert tuple(rows[0]) == PAIRS_HEADER
    assert (rows[0]["outcome_a"], rows[0]["outcome_b"], rows[0]["changed"]) == ("answered", "abstained", "True")


def test_a_question_that_looks_like_a_formula_does_not_run() -> None:
    trace = GOOD.model_copy(update={"question": "=HYPERLINK(1)"})
    compared = compare_pairs([(trace.trace_id, trace.trace_id)], {trace.trace_id: trace}.get, ("a", "b"))
    assert table(pairs_csv(compared))[0]["question"] == "'=HYPERLINK(1)"
