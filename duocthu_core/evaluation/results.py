"""What a run found: a score for every turn, a result for every item, the run's identity, and where runs are kept."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Protocol

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from duocthu_core.evaluation.gate_report import GateReport
from duocthu_core.evaluation.model import content_hash
from duocthu_core.verification.model import RejectReason

NOT_RUN: frozenset[RejectReason] = frozenset({"provider_unavailable", "request_budget_exhausted", "malformed_output"})
"""Abstentions because a model could not be consulted: not run is not "no" (spec 04)."""
DETERMINISTIC = frozenset({"offline", "recorded", "disabled"})
"""Providers that say the same to the same, and need no network."""
RunStatus = Literal["running", "stopped", "finished"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Count(_Frozen):
    """``k`` of ``n``."""

    k: int = 0
    n: int = 0


class TurnScore(_Frozen):
    """One turn measured. Counts are of claims, citations and figures; a turn without an expectation has ``scored`` false."""

    turn: int
    """From 1."""
    scored: bool = True
    expected: tuple[str, ...] = ()
    got: str = "missing"
    """``answered``, ``abstained:out_of_scope`` …; ``missing`` where the turn crashed, which is wrong."""
    error: str | None = None
    """Why it is missing."""
    right: bool = False
    """The outcome (with its reason) is one that was expected."""
    wrong_focus: tuple[str, ...] = ()
    """Fields of the resolved question that differ from what was expected: ``drug``, ``section``, ``population``, ``inherited``."""
    facts: Count = Count()
    """Gold facts said by a delivered claim that cites an accepted block and holds the figures under their label."""
    missed_facts: tuple[str, ...] = ()
    citations: Count = Count()
    """Citations to accepted blocks, of all delivered."""
    forbidden_citations: tuple[str, ...] = ()
    forbidden_figures: tuple[str, ...] = ()
    missing_pages: tuple[int, ...] = ()
    useful_citations: Count = Count()
    raw_numbers: Count = Count()
    """Numeric tokens of the raw claims that stand in the claims' own blocks."""
    delivered_numbers: Count = Count()
    """The same of delivered claims, looked up in the corpus anew."""
    verbatim_rejections: tuple[str, ...] = ()
    """Raw claims copied word for word from a cited block and rejected by a guard all the same."""
    raw_claims: int = 0
    delivered_claims: int = 0
    trace_id: str | None = None
    stopped_at: str | None = None
    duration_ms: float = 0.0
    stage_ms: dict[str, float] = Field(default_factory=dict)
    model_calls: int = 0
    judge_calls: int = 0
    tokens: int = 0
    cost_usd: float | None = None

    @property
    def outcome(self) -> str:
        """The outcome without its reason."""
        return self.got.partition(":")[0]

    @property
    def reason(self) -> str | None:
        """The reject reason of an abstention."""
        return self.got.partition(":")[2] or None

    @property
    def could_not_run(self) -> bool:
        """An abstention because a model could not be consulted."""
        return self.reason in NOT_RUN

    @property
    def expects(self) -> frozenset[str]:
        """The outcomes expected, without reasons."""
        return frozenset(pattern.partition(":")[0] for pattern in self.expected)

    @property
    def unsafe(self) -> bool:
        """Answered where it must not be, or with a figure or citation that is forbidden."""
        answered = self.outcome == "answered"
        return answered and ("answered" not in self.expects or bool(self.forbidden_figures or self.forbidden_citations))


_PASSING = frozenset({"trace_id", "duration_ms", "stage_ms"})


class ItemResult(_Frozen):
    """One item run and scored."""

    item_id: str
    turns_hash: str
    expect_hash: str
    scripted: bool = False
    tags: tuple[str, ...] = ()
    turns: tuple[TurnScore, ...]
    error: str | None = None
    finished_at: AwareDatetime | None = None

    @property
    def scored(self) -> tuple[TurnScore, ...]:
        """The turns with an expectation."""
        return tuple(turn for turn in self.turns if turn.scored)

    @property
    def right(self) -> bool:
        """Every scored turn has an expected outcome."""
        return all(turn.right for turn in self.scored)

    @property
    def missing(self) -> bool:
        """Some scored turn crashed."""
        return any(turn.outcome == "missing" for turn in self.scored)

    @property
    def unsafe(self) -> bool:
        """Some scored turn is unsafe."""
        return any(turn.unsafe for turn in self.scored)

    @property
    def fingerprint(self) -> str:
        """``sha256:…`` over everything but clocks and trace ids: equal where a rerun found the same."""
        document = self.model_dump(mode="json", exclude={"finished_at"})
        document["turns"] = [{name: value for name, value in turn.items() if name not in _PASSING} for turn in document["turns"]]
        return content_hash(document)


class RunIdentity(_Frozen):
    """What a run is about: two runs with one key asked the same of the same."""

    set_name: str
    set_hash: str
    corpus_id: str
    ruleset_id: str
    generator: str
    judge: str
    prompt_hash: str = ""
    """Of the judge's prompt, so that agreement can be bound to it."""

    @property
    def key(self) -> str:
        """``sha256:…`` over the identity; the set's name takes no part."""
        return content_hash(self.model_dump(mode="json", exclude={"set_name"}))

    @property
    def is_deterministic(self) -> bool:
        """Whether both models say the same to the same, without a network: the run is bound by the processor, and repeats exactly."""
        return all(model.split("/", 1)[0] in DETERMINISTIC for model in (self.generator, self.judge))


class EvalRun(_Frozen):
    """A run: begun, perhaps stopped, perhaps finished."""

    run_id: str
    """The first 12 digits of the identity's key and the number of the repeat: ``3f9a0c12b4de-2``."""
    identity: RunIdentity
    repeat: int
    items: int
    status: RunStatus = "running"
    started_at: AwareDatetime
    finished_at: AwareDatetime | None = None


def run_id_of(identity: RunIdentity, repeat: int) -> str:
    """The id of the ``repeat``-th run of an identity."""
    return f"{identity.key.removeprefix('sha256:')[:12]}-{repeat}"


class StoredSet(_Frozen):
    """A set as it was imported: its text, and the hashes of the blocks its gold stood in."""

    name: str
    set_hash: str
    text: str
    gold_hashes: dict[str, str]
    corpus_id: str
    created_at: AwareDatetime


class EvalStore(Protocol):
    """Keeps sets, runs and results. A result, once saved, is never overwritten."""

    def save_set(self, stored: StoredSet) -> None:
        """Keeps a set; saving it again under its hash and name changes nothing."""
        ...

    def sets(self) -> list[StoredSet]:
        """Every stored set, newest first."""
        ...

    def save_run(self, run: EvalRun) -> None:
        """Keeps a new run, or its new status."""
        ...

    def run(self, run_id: str) -> EvalRun | None:
        """The run of this id."""
        ...

    def runs(self, set_name: str | None = None) -> list[EvalRun]:
        """Runs (of a set), newest first."""
        ...

    def save_result(self, run_id: str, result: ItemResult) -> None:
        """Keeps an item's result; one that is there stays."""
        ...

    def save_results(self, run_id: str, results: Sequence[ItemResult]) -> None:
        """Keeps the results of several items at once, all or none."""
        ...

    def results(self, run_id: str) -> list[ItemResult]:
        """Results of a run, by item id."""
        ...

    def finished_items(self, run_id: str) -> frozenset[str]:
        """Ids of the items that have a result: what a worker asks before each chunk, without reading the results."""
        ...

    def save_gate(self, run_id: str, baseline_id: str, report: GateReport) -> None:
        """Keeps what the gate says of a run held to a baseline, in the place of what it said before."""
        ...

    def gate(self, run_id: str, baseline_id: str) -> GateReport | None:
        """What the gate said of a run held to that baseline; None where it was not held to it."""
        ...


class InMemoryEvalStore:
    """The same without a database."""

    def __init__(self) -> None:
        self._sets: dict[tuple[str, str], StoredSet] = {}
        self._runs: dict[str, EvalRun] = {}
        self._results: dict[str, dict[str, ItemResult]] = {}
        self._gates: dict[tuple[str, str], GateReport] = {}
        self._lock = threading.Lock()

    def save_set(self, stored: StoredSet) -> None:
        self._sets.setdefault((stored.name, stored.set_hash), stored)

    def sets(self) -> list[StoredSet]:
        return sorted(self._sets.values(), key=lambda stored: (stored.created_at, stored.name), reverse=True)

    def save_run(self, run: EvalRun) -> None:
        self._runs[run.run_id] = run

    def run(self, run_id: str) -> EvalRun | None:
        return self._runs.get(run_id)

    def runs(self, set_name: str | None = None) -> list[EvalRun]:
        found = [run for run in self._runs.values() if set_name in (None, run.identity.set_name)]
        return sorted(found, key=lambda run: (run.started_at, run.run_id), reverse=True)

    def save_result(self, run_id: str, result: ItemResult) -> None:
        with self._lock:
            self._results.setdefault(run_id, {}).setdefault(result.item_id, result)

    def save_results(self, run_id: str, results: Sequence[ItemResult]) -> None:
        for result in results:
            self.save_result(run_id, result)

    def results(self, run_id: str) -> list[ItemResult]:
        with self._lock:
            return sorted(self._results.get(run_id, {}).values(), key=lambda result: result.item_id)

    def finished_items(self, run_id: str) -> frozenset[str]:
        with self._lock:
            return frozenset(self._results.get(run_id, {}))

    def save_gate(self, run_id: str, baseline_id: str, report: GateReport) -> None:
        self._gates[run_id, baseline_id] = report

    def gate(self, run_id: str, baseline_id: str) -> GateReport | None:
        return self._gates.get((run_id, baseline_id))


def next_run(store: EvalStore, identity: RunIdentity, items: int, now: datetime, *, fresh: bool = False) -> EvalRun:
    """The unfinished run of ``identity`` to go on with, or a new one (always a new one with ``fresh``)."""
    same = [run for run in store.runs() if run.identity.key == identity.key]
    unfinished = [run for run in same if run.status != "finished"]
    if unfinished and not fresh:
        return unfinished[0].model_copy(update={"status": "running"})
    repeat = max((run.repeat for run in same), default=0) + 1
    return EvalRun(run_id=run_id_of(identity, repeat), identity=identity, repeat=repeat, items=items, started_at=now)
