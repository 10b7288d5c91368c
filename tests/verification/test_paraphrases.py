"""True paraphrases: at most 5 in 100 may be refused by check 1 and the guards (spec 04, "What this must reach")."""

from __future__ import annotations

import json
from pathlib import Path

from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.grounding import ground_claims
from duocthu_core.verification.guards import Guards
from tests.verification.evidence import blocks, claims

LINES = [json.loads(line) for line in Path(__file__).with_name("paraphrases.jsonl").read_text(encoding="utf-8").splitlines()]


def test_true_paraphrases_are_not_refused(ruleset: Ruleset) -> None:
    guards = Guards(ruleset)
    refused = []
    for row in LINES:
        shown, stated = blocks(row["evidence"]), claims(row["claims"])
        found = [*ground_claims(stated, shown), *guards.check(stated, shown)]
        refused += [row["id"] for claim in found if claim.rejected]
    assert len(LINES) >= 60
    assert len(refused) <= 0.05 * len(LINES), refused
