"""What check 1 and the guards must reach on real text (spec 04, "What this must reach")."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.grounding import fact_tokens, ground_claims
from duocthu_core.verification.guards import Guards
from duocthu_core.verification.guards.readings import readings_of
from duocthu_core.verification.mutation import MUTANT_KINDS, MutantKind, mutants
from tests.verification.evidence import blocks, claims
from tests.verification.real_text import copies, labelled_copies, leaflet_blocks, monograph_blocks

pytestmark = pytest.mark.corpus


def test_the_sample_of_mutants_and_true_claims(shared_corpus: Path, ruleset: Ruleset) -> None:
    guards = Guards(ruleset)
    wrong: list[str] = []
    for line in (shared_corpus / "mutants_sample.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        shown, stated = blocks(row["evidence"]), claims(row["claims"])
        rejected = any(claim.rejected for claim in [*ground_claims(stated, shown), *guards.check(stated, shown)])
        if rejected is row["ok"]:
            wrong.append(row["id"])
    assert wrong == []


def test_copies_from_real_blocks_are_never_refused_by_a_guard(shared_corpus: Path, ruleset: Ruleset) -> None:
    guards = Guards(ruleset)
    refused: list[str] = []
    count = 0
    for block in [*monograph_blocks(shared_corpus), *leaflet_blocks(shared_corpus)]:
        stated = copies(block)
        count += len(stated)
        grounded = ground_claims(stated, [block])
        for copied, first, checked in zip(stated, grounded, guards.check(stated, [block]), strict=True):
            # What a scan left as "2O kg" is never a number (check 1), whatever it was.
            suspicious = any(token.kind == "suspicious" for token in fact_tokens(copied.text))
            if checked.rejected or (first.rejected and not suspicious):
                refused.append(copied.text)
    assert count > 5000
    assert refused == []


@pytest.mark.parametrize("seed", [1, 2])
def test_mechanical_mutants_of_true_claims_are_caught(shared_corpus: Path, ruleset: Ruleset, seed: int) -> None:
    guards, readings = Guards(ruleset), readings_of(ruleset)
    evidence = monograph_blocks(shared_corpus)
    stated = [claim for block in evidence for claim in labelled_copies(block, readings.of(block.text))]
    true = [claim for claim, checked in zip(stated, guards.check(stated, evidence), strict=True) if not checked.rejected]
    assert len(true) >= 0.99 * len(stated)
    made = [mutant for mutant in mutants(true, evidence, ruleset, seed) if not mutant.still_true]
    changed = [mutant.claim for mutant in made]
    caught: Counter[MutantKind] = Counter()
    for mutant, first, second in zip(made, ground_claims(changed, evidence), guards.check(changed, evidence), strict=True):
        caught[mutant.kind] += first.rejected or second.rejected
    total = Counter(mutant.kind for mutant in made)
    assert set(total) == set(MUTANT_KINDS)
    shares = {kind: round(caught[kind] / total[kind], 3) for kind in MUTANT_KINDS}
    assert {kind: share for kind, share in shares.items() if share < 0.95} == {}, shares
