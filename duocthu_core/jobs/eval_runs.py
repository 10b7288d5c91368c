"""An evaluation run as a job: its cases in chunks, so that several workers share one run (spec 06, page 6).

Whoever does a case first keeps its result; a second result of the same case is never kept. So a chunk whose worker was killed is simply
done again: the cases that have a result are left out.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import UTC, datetime

from pydantic import JsonValue

from duocthu_core.evaluation.evaluating import Evaluating
from duocthu_core.evaluation.gold import ResolvedItem
from duocthu_core.evaluation.results import EvalRun, ItemResult
from duocthu_core.evaluation.running import OFFLINE_CHUNK, CaseRunner, identity_of
from duocthu_core.evaluation.sets import EvalSet, EvalSetError, read_set
from duocthu_core.jobs.kinds import Broken, OtherPlace, Pace
from duocthu_core.jobs.model import Job, JobError, Part, Plan, PlannedPart, chunks, text, texts
from duocthu_core.pipeline.trace import Trace
from duocthu_core.pipeline.trace_store import InMemoryTraceStore, TraceStore
from duocthu_core.rulesets.loading import RulesetError

_KEPT_SETS = 4
EvaluatingUnder = Callable[[str | None], Evaluating]
"""Evaluation under a ruleset (name or id), or under the one in force."""


def run_subject(run_id: str) -> str:
    """What a job that goes on with a run works on."""
    return f"eval.run {run_id}"


class EvalRuns:
    """Jobs of the kind ``eval.run``. Arguments: ``set`` (name or file), ``ruleset`` (or none), ``new`` (begin a run beside one that was
    stopped), ``traces`` (whether turns are kept; they are)."""

    def __init__(
        self,
        evaluating: EvaluatingUnder,
        traces: Callable[[], TraceStore],
        reopen: Callable[[], None] = lambda: None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        at_once: int = 1,
    ) -> None:
        """``at_once``: cases of a part that wait for a model at the same time."""
        self._evaluating = evaluating
        self._traces = traces
        self._reopen = reopen
        self._now = now
        self._at_once = at_once
        self._sets: OrderedDict[tuple[str, str], EvalSet] = OrderedDict()
        self._lock = threading.Lock()

    def plan(self, arguments: Mapping[str, JsonValue]) -> Plan:
        """The cases of the run that have no result yet, in chunks."""
        place = text(arguments, "set")
        try:
            evaluating = self._evaluating(text(arguments, "ruleset") if arguments.get("ruleset") else None)
            evalset = evaluating.load(place)
        except (EvalSetError, RulesetError) as error:
            raise JobError(str(error)) from None
        evaluating.keep_set(evalset)  # a worker on another machine has neither the file nor a newer one of its name
        run = evaluating.begin(evalset, fresh=arguments.get("new") is True)
        evaluating.store.save_run(run)
        known = evaluating.store.finished_items(run.run_id)
        left = [resolved.item.id for resolved in evalset.items if resolved.item.id not in known]
        size = chunks(len(left))
        parts = [left[start : start + size] for start in range(0, len(left), size)]
        return Plan(
            subject=run_subject(run.run_id),
            about={"run_id": run.run_id, "ruleset_id": run.identity.ruleset_id, "traces": arguments.get("traces") is not False},
            parts=tuple(PlannedPart(arguments={"items": list(items)}, size=len(items)) for items in parts),
        )

    def run(self, job: Job, part: Part, pace: Pace) -> Mapping[str, int]:
        """Runs the chunk's cases that have no result yet; results are kept as soon as they are there. Counts: ``right``, ``missing``."""
        run, evaluating = self._opened(job)
        evalset = self._set_of(run, evaluating)
        items = texts(part.arguments, "items")
        known = evaluating.store.finished_items(run.run_id)
        left = [_item(evalset, item_id) for item_id in items if item_id not in known]
        traces = _PatientTraces(self._traces(), pace) if job.about.get("traces") is not False else None
        chunk = _Chunk(evaluating, run, pace, traces)
        if len(left) < len(items):
            chunk.count([result for result in evaluating.store.results(run.run_id) if result.item_id in items])
        pace.advance(chunk.done)
        if run.identity.is_deterministic:
            for start in range(0, len(left), OFFLINE_CHUNK):
                chunk.do(left[start : start + OFFLINE_CHUNK])
        else:
            chunk.do_each(left, self._at_once)
        return {"right": chunk.right, "missing": chunk.missing}

    def finish(self, job: Job) -> None:
        """Ends the run as finished, where every case has its result, and holds it to the baseline that ships, where it can be."""
        self._save(job, "finished")
        evaluating = self._evaluating(text(job.about, "ruleset_id"))
        run = evaluating.store.run(text(job.about, "run_id"))
        if run is not None and run.status == "finished" and evaluating.kept_gate(run) is None:
            evaluating.hold(run)

    def stop(self, job: Job) -> None:
        """Leaves the run stopped: submitted again, it goes on."""
        self._save(job, "stopped")

    def _save(self, job: Job, status: str) -> None:
        store = self._evaluating(None).store
        run = store.run(text(job.about, "run_id"))
        if run is None or run.status == "finished":
            return
        if status == "finished":
            found = len(store.finished_items(run.run_id))
            if found != run.items:
                raise JobError(f"run {run.run_id} has {found} of {run.items} results; submit it again")
        ended = self._now() if status == "finished" else None
        store.save_run(run.model_copy(update={"status": status, "finished_at": ended}))

    def _opened(self, job: Job) -> tuple[EvalRun, Evaluating]:
        """The run, and what it is run with: opened anew where another corpus was chosen since this worker began."""
        for tried_anew in (False, True):
            try:
                evaluating = self._evaluating(text(job.about, "ruleset_id"))
            except RulesetError as error:
                raise OtherPlace(str(error)) from None
            run = evaluating.store.run(text(job.about, "run_id"))
            if run is None:
                raise JobError(f"run {job.about.get('run_id')} is not in the database any more; submit it again")
            evalset = self._set_of(run, evaluating)
            here = identity_of(evalset, evaluating.pipeline)
            if here.key == run.identity.key:
                return run, evaluating
            if not tried_anew:
                self._reopen()
        names = ("corpus_id", "ruleset_id", "generator", "judge", "prompt_hash", "set_hash")
        differing = [name for name in names if getattr(here, name) != getattr(run.identity, name)]
        told = ", ".join(f"{name} {getattr(here, name)} and not {getattr(run.identity, name)}" for name in differing)
        raise OtherPlace(f"this worker has {told}; start it with the settings of the application")

    def _set_of(self, run: EvalRun, evaluating: Evaluating) -> EvalSet:
        """The set as it was when the run began, out of the database; read once, for it takes a while."""
        corpus = evaluating.pipeline.parts.corpus
        key = (run.identity.set_hash, corpus.corpus_id)
        with self._lock:
            known = self._sets.get(key)
            if known is None:
                stored = next((each for each in evaluating.store.sets() if each.set_hash == run.identity.set_hash), None)
                if stored is None:
                    raise JobError(f"the set {run.identity.set_name} of run {run.run_id} is not in the database; submit it again")
                try:
                    known = read_set(run.identity.set_name, stored.text, corpus)
                except EvalSetError as error:
                    raise OtherPlace(str(error)) from None
                self._sets[key] = known
                while len(self._sets) > _KEPT_SETS:
                    self._sets.popitem(last=False)
            return known


class _Chunk:
    """Cases of one part, done and counted."""

    def __init__(self, evaluating: Evaluating, run: EvalRun, pace: Pace, traces: _PatientTraces | None) -> None:
        self.done = self.right = self.missing = 0
        self._store, self._run_id, self._pace, self._traces = evaluating.store, run.run_id, pace, traces
        self._runner = CaseRunner(evaluating.pipeline, traces, run.run_id, pace.should_stop)
        self._lock = threading.Lock()

    def count(self, results: Sequence[ItemResult]) -> None:
        """Counts results that are kept."""
        with self._lock:
            self.done += len(results)
            self.right += sum(1 for result in results if result.right)
            self.missing += sum(1 for result in results if result.missing)

    def do(self, cases: Sequence[ResolvedItem]) -> None:
        """Runs some cases and keeps their traces and results, each in one transaction. Raises :class:`Broken` where it is to stop."""
        if self._pace.should_stop():
            raise Broken
        ran = self._runner.run_all(cases)
        if self._traces is not None and self._traces.problem is not None:
            raise self._traces.problem  # the results say that turns are missing; they are not, once the database is back
        found = [result for result in ran if result is not None]
        self._pace.patiently(lambda: self._store.save_results(self._run_id, found))
        self.count(found)
        self._pace.advance(self.done)
        if len(found) < len(ran):
            raise Broken

    def do_each(self, cases: Sequence[ResolvedItem], at_once: int) -> None:
        """Runs cases one by one, several at a time: what takes long is waiting for a model."""
        with ThreadPoolExecutor(at_once, thread_name_prefix="cases") as pool:
            try:
                for under_way in as_completed([pool.submit(self.do, [case]) for case in cases]):
                    under_way.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


class _PatientTraces(InMemoryTraceStore):
    """Keeps turns in the store behind it, and waits where that is away: a case is not missing because the database restarted."""

    def __init__(self, traces: TraceStore, pace: Pace) -> None:
        super().__init__()
        self._behind = traces
        self._pace = pace
        self.problem: Exception | None = None

    def save(self, trace: Trace) -> None:
        self.save_all([trace])

    def save_all(self, traces: Sequence[Trace]) -> None:
        if self.problem is not None:
            raise self.problem
        try:
            self._pace.patiently(lambda: self._behind.save_all(traces))
        except self._pace.passing as error:
            self.problem = error
            raise


def _item(evalset: EvalSet, item_id: str) -> ResolvedItem:
    found = evalset.item(item_id)
    if found is None:
        raise JobError(f"the set {evalset.name} has no item {item_id!r}; submit it again")
    return found
