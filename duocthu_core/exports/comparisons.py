"""Comparisons to take along (spec 06, "Traces, exports"): one pair or many, as JSON, JSONL and CSV."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from duocthu_core.pipeline.comparing import ComparedClaim, ComparedStage, Comparison
from duocthu_core.text.csv_table import csv_table
from duocthu_core.tuning.compared_pairs import ComparedPairs

PAIR_HEADER = (
    "part",
    "name",
    "same",
    "first_difference",
    "a",
    "b",
    "a_reason",
    "b_reason",
    "a_duration_ms",
    "b_duration_ms",
    "a_calls",
    "b_calls",
)
"""One row a stage, one a claim, and one for the ending of the turns."""
PAIRS_HEADER = (
    "question",
    "trace_a",
    "trace_b",
    "changed",
    "outcome_a",
    "reason_a",
    "outcome_b",
    "reason_b",
    "first_difference",
    "duration_ms_a",
    "duration_ms_b",
    "model_calls_a",
    "model_calls_b",
    "cost_usd_a",
    "cost_usd_b",
    "ruleset_a",
    "ruleset_b",
)
"""One row a pair."""


def comparison_json(comparison: Comparison | ComparedPairs) -> str:
    """A whole comparison, one pair or many; it is read back by the type's own ``model_validate_json``, without loss."""
    return comparison.model_dump_json(indent=1)


def pair_jsonl(comparison: Comparison) -> Iterator[str]:
    """One pair by lines: what was compared, then a line a stage, then a line a claim."""
    head = comparison.model_dump(mode="json", exclude={"stages", "claims"})
    yield _line("comparison", head)
    yield from (_line("stage", stage.model_dump(mode="json")) for stage in comparison.stages)
    yield from (_line("claim", claim.model_dump(mode="json")) for claim in comparison.claims)


def pairs_jsonl(compared: ComparedPairs) -> Iterator[str]:
    """Many pairs by lines: what was compared with the sums, then a line a pair."""
    yield _line("comparison", compared.model_dump(mode="json", exclude={"pairs"}))
    yield from (_line("pair", pair.model_dump(mode="json")) for pair in compared.pairs)


def pair_csv(comparison: Comparison) -> bytes:
    """One pair for a spreadsheet."""
    rows = [_ending(comparison), *(_stage(stage) for stage in comparison.stages)]
    return csv_table(PAIR_HEADER, [*rows, *(_claim(number, claim) for number, claim in enumerate(comparison.claims, 1))])


def pairs_csv(compared: ComparedPairs) -> bytes:
    """Many pairs for a spreadsheet."""
    rows = (
        [
            pair.question,
            *pair.trace_ids,
            pair.changed,
            pair.outcomes[0],
            pair.reasons[0],
            pair.outcomes[1],
            pair.reasons[1],
            pair.first_difference,
            *(round(time, 1) for time in pair.duration_ms),
            *pair.model_calls,
            *pair.cost_usd,
            *compared.rulesets,
        ]
        for pair in compared.pairs
    )
    return csv_table(PAIRS_HEADER, rows)


def _line(record: str, content: dict[str, Any]) -> str:
    return json.dumps({"record": record, **content}, ensure_ascii=False) + "\n"


def _ending(comparison: Comparison) -> list[object]:
    ours, theirs = comparison.amounts
    times = [round(ours.duration_ms, 1), round(theirs.duration_ms, 1), ours.model_calls, theirs.model_calls]
    same = not comparison.outcome_changed
    return ["turn", " ".join(comparison.trace_ids), same, "", *comparison.outcomes, *comparison.reasons, *times]


def _stage(stage: ComparedStage) -> list[object]:
    reasons = [why.code if why else None for why in stage.why]
    times = [round(time, 1) for time in stage.duration_ms]
    return ["stage", stage.name, stage.same, stage.is_first_difference, *stage.status, *reasons, *times, *stage.calls]


def _claim(number: int, claim: ComparedClaim) -> list[object]:
    said = [" ".join(filter(None, [verdict, *found])) for verdict, found in zip(claim.verdict, claim.findings, strict=True)]
    return ["claim", number, claim.is_same and not claim.flipped, "", *claim.text, *said, None, None, None, None]
