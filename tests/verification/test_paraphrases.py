"""Claims written by hand over blocks of our own: true paraphrases pass, wrong ones are caught (spec 04, "What this must reach")."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.grounding import ground_claims
from duocthu_core.verification.guards import Guards
from tests.verification.evidence import blocks, claims


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()]


def is_refused(row: dict[str, Any], guards: Guards) -> bool:
    shown, stated = blocks(row["evidence"]), claims(row["claims"])
    return any(claim.rejected for claim in [*ground_claims(stated, shown), *guards.check(stated, shown)])


@pytest.fixture(scope="module")
def guards(ruleset: Ruleset) -> Guards:
    return Guards(ruleset)


def test_true_paraphrases_are_not_refused(guards: Guards) -> None:
    rows = lines("paraphrases.jsonl")
    refused = [row["id"] for row in rows if is_refused(row, guards)]
    assert len(rows) >= 60
    assert len(refused) <= 0.05 * len(rows), refused


def test_wrong_claims_are_caught(guards: Guards) -> None:
    rows = lines("wrong_claims.jsonl")
    passed = [row["id"] for row in rows if not is_refused(row, guards)]
    assert len(rows) >= 120
    assert len(passed) <= 0.05 * len(rows), passed
