"""Evaluation as one service: what the command line and the page ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from duocthu_core.evaluation.comparing import Comparison, NotComparable, compare
from duocthu_core.evaluation.gate import (
    Baseline,
    GateReport,
    OtherBaseline,
    baseline_of,
    check,
    check_identity,
    committed_baseline,
    differing_parts,
)
from duocthu_core.evaluation.guard_rates import DEFAULT_CLAIMS, GuardRates, guard_rates
from duocthu_core.evaluation.metrics import Metrics, metrics_of
from duocthu_core.evaluation.rescoring import NotRescorable, check_turns, rescored
from duocthu_core.evaluation.results import EvalRun, EvalStore, ItemResult, StoredSet, next_run
from duocthu_core.evaluation.running import OFFLINE_CHUNK, CaseRunner, OnProgress, Workers, identity_of, run_set
from duocthu_core.evaluation.sets import EvalSet, EvalSetError, load_set, read_set, shipped_sets, stale_blocks
from duocthu_core.pipeline.running import Pipeline
from duocthu_core.pipeline.trace_store import TraceStore

_PROCESSES_FROM = 100
"""Cases from which processes earn the time that they take to start."""


class RunReport(BaseModel):
    """A run read as a whole: the run's own model, and the checks against the models that cases bring."""

    model_config = ConfigDict(frozen=True)

    run: EvalRun
    done: int
    all: Metrics
    own_model: Metrics
    """Items without scripted replies: what the run's model did."""
    scripted: Metrics
    """Items whose model is part of the case: what the checks did."""
    second_read: int | None = None
    """Items that a second person read; None where the set is not at hand."""
    errors: dict[str, str] = {}
    """Missing items and why."""


@dataclass(frozen=True)
class ListedSet:
    """A set that can be run: where it is, and whether its gold still stands."""

    name: str
    where: str
    """``file`` | ``database``."""
    items: int
    problem: str | None = None
    stale: tuple[str, ...] = ()
    """Blocks that changed since the set was imported."""


class UnknownRun(Exception):
    """No run has this id; the message says how to find one."""


class Evaluating:
    """Runs, metrics, comparisons and the gate over one corpus, ruleset and pair of models."""

    def __init__(
        self,
        pipeline: Pipeline,
        store: EvalStore,
        traces: TraceStore | None,
        make_case_runner: Callable[[str, bool], CaseRunner] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        # A verdict kept from an earlier turn would be measured instead of the judge.
        self._pipeline = pipeline.with_parts(verdicts=None)
        self.store = store
        self._traces = traces
        self._make_case_runner = make_case_runner
        """Builds a case runner of a run in another process (picklable where that is not forked); None: threads only."""
        self._now = now

    @property
    def pipeline(self) -> Pipeline:
        """What cases are run through."""
        return self._pipeline

    def load(self, place: str | Path) -> EvalSet:
        """A set by path, by its name in ``data/evals`` or in the database; raises EvalSetError."""
        corpus = self._pipeline.parts.corpus
        kept = next((stored for stored in self.store.sets() if stored.name == str(place)), None)
        if kept is not None and not Path(place).is_file() and str(place) not in shipped_sets():
            return read_set(kept.name, kept.text, corpus)
        return load_set(place, corpus)

    def keep_set(self, evalset: EvalSet) -> StoredSet:
        """Imports a set into the database, with the hashes of the blocks that its gold stands in."""
        stored = StoredSet(
            name=evalset.name,
            set_hash=evalset.set_hash,
            text=evalset.text,
            gold_hashes=dict(evalset.gold_hashes),
            corpus_id=evalset.corpus_id,
            created_at=self._now(),
        )
        self.store.save_set(stored)
        return stored

    def sets(self) -> list[ListedSet]:
        """Every set at hand: those that ship, and the newest of each name in the database."""
        corpus = self._pipeline.parts.corpus
        listed = [self._listed(name, "file", ()) for name in shipped_sets()]
        seen = {entry.name for entry in listed}
        for stored in self.store.sets():
            if stored.name not in seen:
                seen.add(stored.name)
                listed.append(self._listed(stored.name, "database", stale_blocks(stored.gold_hashes, corpus)))
        return listed

    def _listed(self, name: str, where: str, stale: tuple[str, ...]) -> ListedSet:
        try:
            return ListedSet(name, where, len(self.load(name).items), stale=stale)
        except EvalSetError as error:
            return ListedSet(name, where, 0, str(error), stale)

    def begin(self, evalset: EvalSet, *, fresh: bool = False) -> EvalRun:
        """The unfinished run of this set under these rules and models, or a new one."""
        return next_run(self.store, identity_of(evalset, self._pipeline), len(evalset.items), self._now(), fresh=fresh)

    def run(
        self,
        evalset: EvalSet,
        run: EvalRun,
        *,
        workers: int = 1,
        keep_traces: bool = True,
        processes: bool | None = None,
        on_progress: OnProgress | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> EvalRun:
        """Runs what is left of ``run``. ``processes`` None: processes where the models are offline and the cases many."""
        offline = run.identity.is_deterministic
        if processes is None:
            processes = offline and workers > 1 and len(evalset.items) >= _PROCESSES_FROM
        chunk = OFFLINE_CHUNK if offline else 1
        pool = self._pool(run, workers, chunk=chunk, keep_traces=keep_traces, processes=processes, should_stop=should_stop)
        return run_set(evalset, run, self.store, pool, on_progress=on_progress, should_stop=should_stop, now=self._now)

    def _pool(
        self,
        run: EvalRun,
        workers: int,
        *,
        chunk: int,
        keep_traces: bool,
        processes: bool,
        should_stop: Callable[[], bool] | None,
    ) -> Workers:
        if processes and self._make_case_runner is not None:
            return Workers.processes(partial(self._make_case_runner, run.run_id, keep_traces), workers, chunk)
        traces = self._traces if keep_traces else None
        return Workers.threads(CaseRunner(self._pipeline, traces, run.run_id, should_stop), workers, chunk)

    def found(self, run_id: str) -> EvalRun:
        """The run of an id, or of an id's beginning where only one has it; raises :class:`UnknownRun`."""
        run = self.store.run(run_id)
        if run is not None:
            return run
        alike = [run for run in self.store.runs() if run.run_id.startswith(run_id)]
        if len(alike) != 1:
            raise UnknownRun(f"{len(alike) or 'no'} run begins with {run_id!r}; see: python -m duocthu_core eval list")
        return alike[0]

    def report(self, run_id: str, evalset: EvalSet | None = None) -> RunReport:
        """The metrics of a run, of its own model and of the cases that bring one."""
        run = self.found(run_id)
        results = self.store.results(run.run_id)
        return RunReport(
            run=run,
            done=len(results),
            all=metrics_of(results),
            own_model=metrics_of(item for item in results if not item.scripted),
            scripted=metrics_of(item for item in results if item.scripted),
            second_read=evalset.second_read if evalset else None,
            errors={item.item_id: item.error for item in results if item.error},
        )

    def rescore(self, run_id: str, evalset: EvalSet) -> EvalRun:
        """A finished run scored again under the expectations of ``evalset``, as a run of its own; raises :class:`NotRescorable`."""
        run, identity = self.found(run_id), identity_of(evalset, self._pipeline)
        if run.status != "finished" or self._traces is None:
            raise NotRescorable(f"run {run.run_id} is not finished or has no traces; run the set again")
        for name in ("corpus_id", "ruleset_id"):
            if getattr(run.identity, name) != getattr(identity, name):
                raise NotRescorable(f"run {run.run_id} is of another {name.removesuffix('_id')}; run the set again under this one")
        before = {result.item_id: result for result in self.store.results(run.run_id)}
        check_turns(evalset, list(before.values()))
        found = [rescored(resolved, before[resolved.item.id], self._traces, self._pipeline) for resolved in evalset.items]
        models = {"generator": run.identity.generator, "judge": run.identity.judge, "prompt_hash": run.identity.prompt_hash}
        new = next_run(self.store, identity.model_copy(update=models), len(found), self._now(), fresh=True)
        self.store.save_run(new)
        self.store.save_results(new.run_id, found)
        new = new.model_copy(update={"status": "finished", "finished_at": self._now()})
        self.store.save_run(new)
        return new

    def results(self, run_id: str) -> list[ItemResult]:
        """The results of a run."""
        return self.store.results(self.found(run_id).run_id)

    def compare(self, run_a: str, run_b: str) -> Comparison:
        """B against A; raises NotComparable for runs over other items, or for one that is not finished."""
        a, b = self.found(run_a), self.found(run_b)
        for run in (a, b):
            if run.status != "finished":
                raise NotComparable(
                    f"run {run.run_id} is not finished; go on with it: python -m duocthu_core eval run {run.identity.set_name}"
                )
        if a.identity.corpus_id != b.identity.corpus_id:
            raise NotComparable("the runs are over other corpora; run both over the same")
        return compare(self.store.results(a.run_id), self.store.results(b.run_id))

    def guards(self, claims: int | None = None) -> GuardRates:
        """The mutation lab over ``claims`` sentences of the corpus."""
        parts = self._pipeline.parts
        return guard_rates(parts.corpus, parts.ruleset, parts.guards, claims or DEFAULT_CLAIMS)

    def baseline(self, evalset: EvalSet, run: EvalRun, claims: int | None = None) -> Baseline:
        """A baseline of a finished run."""
        results, drawn = self._finished(run), claims or DEFAULT_CLAIMS
        return baseline_of(run.identity, results, dict(evalset.gold_hashes), self.guards(drawn), drawn)

    def expect_baseline(self, evalset: EvalSet, baseline: Baseline) -> None:
        """Raises OtherBaseline before anything is run where ``baseline`` is of another set, corpus, ruleset or model."""
        check_identity(baseline, identity_of(evalset, self._pipeline), self._pipeline.parts.corpus)

    def gate(self, baseline: Baseline, run: EvalRun) -> GateReport:
        """Holds a finished run to ``baseline``; raises OtherBaseline."""
        parts = self._pipeline.parts
        return check(baseline, run.identity, self._finished(run), self.guards(baseline.mutant_claims), parts.corpus)

    def hold(self, run: EvalRun) -> GateReport | None:
        """Holds a finished run to the baseline that ships and keeps what the gate says; None where that is of another experiment."""
        baseline = committed_baseline()
        if baseline is None or differing_parts(baseline, run.identity):
            return None
        try:
            report = self.gate(baseline, run)
        except OtherBaseline:
            return None
        self.store.save_gate(run.run_id, baseline.baseline_id, report)
        return report

    def kept_gate(self, run: EvalRun) -> GateReport | None:
        """What the gate said of a run held to the baseline that ships."""
        baseline = committed_baseline()
        return self.store.gate(run.run_id, baseline.baseline_id) if baseline is not None else None

    def _finished(self, run: EvalRun) -> Sequence[ItemResult]:
        if run.status != "finished":
            raise NotComparable(f"run {run.run_id} is not finished; go on with it: python -m duocthu_core eval run {run.identity.set_name}")
        return self.store.results(run.run_id)
