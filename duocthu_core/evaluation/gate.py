"""The gate: a run against a committed one. Deterministic models are held exactly, live ones by statistics; no threshold bends to go green.

A baseline names the hashes of set, corpus and ruleset, the models, and the result of every item. Anything else is another experiment:
:class:`OtherBaseline`, never a silent intersection.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from duocthu_core.corpus.collection import Corpus
from duocthu_core.evaluation.comparing import NotComparable, compare
from duocthu_core.evaluation.gate_report import GateCheck as GateCheck
from duocthu_core.evaluation.gate_report import GateReport as GateReport
from duocthu_core.evaluation.gate_report import GateStatus as GateStatus
from duocthu_core.evaluation.guard_rates import GuardRates, Survivor, weak_kinds
from duocthu_core.evaluation.model import content_hash
from duocthu_core.evaluation.results import ItemResult, RunIdentity
from duocthu_core.evaluation.sets import EVALS_FOLDER, stale_blocks
from duocthu_core.evaluation.statistics.paired import pairs_needed

BASELINE_PATH = EVALS_FOLDER / "baseline.json"
LEAST_CAUGHT = 0.95
"""Of each kind of mutant (spec 04, "What this must reach")."""
FEWEST_MUTANTS = 20
"""A share of fewer says nothing: of those kinds only newly surviving mutants count."""
MAX_LOSS = 0.03
_BOUND_TO = {
    "set_hash": "the set",
    "corpus_id": "the corpus",
    "ruleset_id": "the ruleset",
    "generator": "the generator",
    "judge": "the judge",
}
"""Parts of a run's identity that are the baseline's, or nothing is compared."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class OtherBaseline(Exception):
    """A baseline that is not of this experiment; the message says what differs and what to do."""


class Baseline(_Frozen):
    """A run to hold others to."""

    version: Literal[1] = 1
    identity: RunIdentity
    gold_hashes: dict[str, str]
    mutant_claims: int
    guards: GuardRates
    results: tuple[ItemResult, ...]

    @cached_property
    def baseline_id(self) -> str:
        """``sha256:…`` over the whole: what a kept report of the gate is bound to."""
        return content_hash(self.model_dump(mode="json"))


def baseline_of(
    identity: RunIdentity, results: Sequence[ItemResult], gold_hashes: dict[str, str], guards: GuardRates, claims: int
) -> Baseline:
    """A baseline of a finished run, without clocks and trace ids, so that the same run gives the same file."""
    kept = tuple(_without_clocks(result) for result in sorted(results, key=lambda result: result.item_id))
    return Baseline(identity=identity, gold_hashes=gold_hashes, mutant_claims=claims, guards=guards, results=kept)


def write_baseline(baseline: Baseline, path: Path) -> None:
    """Writes a baseline as JSON, one item a line, so that a change of it can be read as a difference."""
    document = baseline.model_dump(mode="json", exclude={"results"}, exclude_defaults=True)
    head = json.dumps(document, ensure_ascii=False, sort_keys=True, indent=1)
    lines = (json.dumps(result.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False) for result in baseline.results)
    path.write_text(head.removesuffix("\n}") + ',\n "results": [\n  ' + ",\n  ".join(lines) + "\n ]\n}\n", encoding="utf-8")


def read_baseline(path: Path) -> Baseline:
    """The baseline in a file; raises :class:`OtherBaseline` for one that cannot be read."""
    try:
        return Baseline.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        said = str(error).split("\n", 1)[0]
        raise OtherBaseline(f"{path}: no baseline ({said}); make one: python -m duocthu_core eval baseline SET") from None


def committed_baseline(path: Path = BASELINE_PATH) -> Baseline | None:
    """The baseline that ships, read once; None where there is none that can be read."""
    try:
        return _read_once(path, path.stat().st_mtime_ns)
    except (OSError, OtherBaseline):
        return None


@lru_cache(maxsize=2)
def _read_once(path: Path, _changed_at: int) -> Baseline:
    return read_baseline(path)


def differing_parts(baseline: Baseline, identity: RunIdentity) -> tuple[str, ...]:
    """Which parts of ``identity`` are not the baseline's: ``set_hash``, ``corpus_id``, ``ruleset_id``, ``generator``, ``judge``."""
    return tuple(part for part in _BOUND_TO if getattr(baseline.identity, part) != getattr(identity, part))


def check_identity(baseline: Baseline, identity: RunIdentity, corpus: Corpus) -> None:
    """Raises :class:`OtherBaseline` unless ``identity`` is the baseline's: set, corpus, ruleset, models."""
    differing = [_BOUND_TO[part] for part in differing_parts(baseline, identity)]
    if not differing:
        return
    stale = stale_blocks(baseline.gold_hashes, corpus)
    gold = f"; gold is stale in {', '.join(stale[:5])}{' …' if len(stale) > 5 else ''}" if stale else ""
    raise OtherBaseline(
        f"{' and '.join(differing)} of this run {'is' if len(differing) == 1 else 'are'} not the baseline's{gold}; "
        f"look at the changed cases, then commit a new one: python -m duocthu_core eval baseline {identity.set_name}"
    )


def check(baseline: Baseline, identity: RunIdentity, results: Sequence[ItemResult], guards: GuardRates, corpus: Corpus) -> GateReport:
    """Holds a finished run to ``baseline``; raises :class:`OtherBaseline` for another set, corpus, ruleset or model."""
    check_identity(baseline, identity, corpus)
    exact = identity.is_deterministic
    try:
        checks = _always(baseline, results, guards) + ([_newly_wrong(baseline, results)] if exact else [_loss(baseline, results)])
    except NotComparable as error:
        raise OtherBaseline(str(error)) from None
    statuses = {found.status for found in checks}
    status: GateStatus = "regression" if "regression" in statuses else "underpowered" if "underpowered" in statuses else "passed"
    return GateReport(exact=exact, status=status, checks=tuple(checks))


def _always(baseline: Baseline, results: Sequence[ItemResult], guards: GuardRates) -> list[GateCheck]:
    before = {item.item_id: item for item in baseline.results}
    turns = [(item.item_id, turn) for item in results for turn in item.turns]
    unsafe = [item.item_id for item in results if item.unsafe and not (item.item_id in before and before[item.item_id].unsafe)]
    return [
        _none("missing", [item.item_id for item in results if item.missing], "items crashed"),
        _none(
            "ungrounded_delivered_numbers",
            [item_id for item_id, turn in turns if turn.delivered_numbers.k < turn.delivered_numbers.n],
            "items delivered a figure that stands in no cited block",
        ),
        _none("forbidden_citations", [item_id for item_id, turn in turns if turn.forbidden_citations], "items cite a forbidden block"),
        _none("newly_unsafe", unsafe, "items became unsafe"),
        _none("verbatim_rejections", _verbatim(turns, guards), "verbatim claims were rejected"),
        _none("weak_mutant_kinds", _weak(guards), f"kinds of mutants are caught in less than {LEAST_CAUGHT:.0%}"),
        _none("new_survivors", _new_survivors(baseline.guards, guards), "mutants that were caught are not any more"),
    ]


def _verbatim(turns: Sequence, guards: GuardRates) -> list[str]:
    return [f"{item_id}: {said}" for item_id, turn in turns for said in turn.verbatim_rejections] + list(guards.rejected_claims)


def _weak(guards: GuardRates) -> list[str]:
    counts = guards.caught
    weak = [kind for kind in weak_kinds(guards, LEAST_CAUGHT) if counts[kind].n >= FEWEST_MUTANTS]
    return [f"{kind} {counts[kind].k}/{counts[kind].n}" for kind in weak]


def _new_survivors(before: GuardRates, after: GuardRates) -> list[str]:
    known = {_survivor_key(survivor) for survivor in before.survivors}
    return [f"{found.kind} {found.block_id}: {found.claim}" for found in after.survivors if _survivor_key(found) not in known]


def _survivor_key(survivor: Survivor) -> tuple[str, str, str]:
    return survivor.kind, survivor.block_id, survivor.claim


def _newly_wrong(baseline: Baseline, results: Sequence[ItemResult]) -> GateCheck:
    """Deterministic models have no noise: an item that was right and is wrong is a change, whatever else got better."""
    worse = [case for case in compare(baseline.results, results).changed if case.direction == "worse"]
    said = [f"{case.item_id} (turn {case.turn}): {case.got_a} → {case.got_b}" for case in worse]
    return _none("newly_wrong", said, "turns got worse")


def _loss(baseline: Baseline, results: Sequence[ItemResult]) -> GateCheck:
    test = compare(baseline.results, results).overall
    said = f"lost {test.b}, won {test.c} of {test.items} items; one-sided exact p = {test.p_worse:.4f}"
    if test.p_worse < 0.05:
        cases = [case.item_id for case in compare(baseline.results, results).changed if case.direction == "worse"]
        return GateCheck(name="loss", status="regression", detail=said, cases=tuple(dict.fromkeys(cases)))
    if test.loss_upper is not None and test.loss_upper <= MAX_LOSS:
        return GateCheck(name="loss", status="passed", detail=f"{said}; the loss is at most {test.loss_upper:.1%}")
    bound = f"the loss may be {test.loss_upper:.1%}" if test.loss_upper is not None else "no item was compared"
    share = max((test.b + test.c) / test.items if test.items else 0.0, 0.05)
    needed = pairs_needed(share, MAX_LOSS)
    detail = f"{said}; {bound}, {MAX_LOSS:.0%} may be lost: about {needed} items would be needed"
    return GateCheck(name="loss", status="underpowered", detail=detail)


def _none(name: str, cases: Sequence[str], what: str) -> GateCheck:
    found = tuple(dict.fromkeys(cases))
    return GateCheck(name=name, status="regression" if found else "passed", detail=f"{len(found)} {what}", cases=found)


def _without_clocks(result: ItemResult) -> ItemResult:
    turns = tuple(turn.model_copy(update={"trace_id": None, "duration_ms": 0.0, "stage_ms": {}}) for turn in result.turns)
    return result.model_copy(update={"turns": turns, "finished_at": None})
