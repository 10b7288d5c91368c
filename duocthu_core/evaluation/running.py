"""Running a set: in parallel, with progress, stoppable at any point, resumable; one failing case never stops a run."""

from __future__ import annotations

import gc
import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from itertools import islice

from duocthu_core.conversation.model import ConversationState
from duocthu_core.corpus.collection import Corpus
from duocthu_core.evaluation.gold import ResolvedItem
from duocthu_core.evaluation.model import EvalItem
from duocthu_core.evaluation.results import EvalRun, EvalStore, ItemResult, RunIdentity, TurnScore
from duocthu_core.evaluation.scoring import missing_turn, score_turn
from duocthu_core.evaluation.scripted import ScriptedModel
from duocthu_core.evaluation.sets import EvalSet
from duocthu_core.language_models.disabled import DisabledModel
from duocthu_core.pipeline.running import Pipeline, TurnCancelled
from duocthu_core.pipeline.trace import Trace
from duocthu_core.pipeline.trace_store import TraceStore
from duocthu_core.retrieval.search import SearchIndex

_ERROR_MAX_CHARS = 300
_AHEAD = 2
"""Chunks given to each worker in advance: enough to keep it busy, few enough to stop at once."""
OFFLINE_CHUNK = 8
"""Cases of an offline model that a worker takes at once: some tens of milliseconds of work, so that a transaction is worth its time."""

_COLLECT_EVERY = 20_000
"""New objects until a process of an evaluation looks for cycles: a turn makes tens of thousands, and nearly none are cycles."""


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    done: int
    total: int
    right: int
    missing: int


OnProgress = Callable[[Progress], None]
RunChunk = Callable[[Sequence[ResolvedItem]], list[ItemResult | None]]
"""Runs and scores some items; None where one was stopped half way."""


def identity_of(evalset: EvalSet, pipeline: Pipeline) -> RunIdentity:
    """What a run of ``evalset`` through ``pipeline`` is about."""
    parts = pipeline.parts
    return RunIdentity(
        set_name=evalset.name,
        set_hash=evalset.set_hash,
        corpus_id=parts.corpus.corpus_id,
        ruleset_id=parts.ruleset.ruleset_id,
        generator=f"{parts.generator.provider}/{parts.generator.model_id}",
        judge=f"{parts.judge.provider}/{parts.judge.model_id}",
        prompt_hash=parts.ruleset.prompt_hash,
    )


class CaseRunner:
    """Runs items through a pipeline as conversations of their own and scores them.

    The pipeline should be without a verification cache: a run measures what is said now. Traces go to ``traces`` where one is given.
    """

    def __init__(
        self, pipeline: Pipeline, traces: TraceStore | None = None, run_id: str = "", should_stop: Callable[[], bool] | None = None
    ):
        self._pipeline = pipeline
        self._traces = traces
        self._run_id = run_id
        self._should_stop = should_stop

    def __call__(self, resolved: ResolvedItem) -> ItemResult | None:
        """The item's result; a fault of any kind is written into it as missing turns."""
        return self.run_all([resolved])[0]

    def run_all(self, chunk: Sequence[ResolvedItem]) -> list[ItemResult | None]:
        """The results of several items in their order; their traces are stored in one transaction."""
        ran = [self._run(resolved) for resolved in chunk]
        traces = [trace for one in ran for trace in one.traces]
        if self._traces is None or not traces:
            return [one.result for one in ran]
        try:
            self._traces.save_all(traces)
        except Exception:  # one trace that cannot be stored must not cost the others theirs
            return [self._stored(resolved, one) for resolved, one in zip(chunk, ran, strict=True)]
        return [one.result for one in ran]

    def _stored(self, resolved: ResolvedItem, ran: _Ran) -> ItemResult | None:
        """What remains of ``ran`` once its own traces are stored, or are known not to be: a turn without its trace is missing."""
        assert self._traces is not None
        for reached, trace in enumerate(ran.traces):
            try:
                self._traces.save(trace)
            except Exception as fault:
                return None if ran.result is None else _missing_from(resolved, list(ran.result.turns[:reached]), _said(fault))
        return ran.result

    def _run(self, resolved: ResolvedItem) -> _Ran:
        scores: list[TurnScore] = []
        traces: list[Trace] = []
        try:
            self._converse(resolved, scores, traces)
        except TurnCancelled:
            return _Ran(None, tuple(traces))
        except Exception as fault:  # one failing case never stops a run, whatever failed
            return _Ran(_missing_from(resolved, scores, _said(fault)), tuple(traces))
        return _Ran(result_of(resolved, scores), tuple(traces))

    def _converse(self, resolved: ResolvedItem, scores: list[TurnScore], traces: list[Trace]) -> None:
        own = self._pipeline_of(resolved)
        parts = own.parts
        state = ConversationState(conversation_id=f"eval-{self._run_id}-{resolved.item.id}")
        for number, (turn, gold) in enumerate(zip(resolved.item.turns, resolved.gold, strict=True), 1):
            pipeline = own
            if turn.replies:
                generator = ScriptedModel(turn.replies, parts.generator, parts.corpus)
                pipeline = own.with_parts(generator=generator, judge=ScriptedModel(turn.replies, parts.judge, parts.corpus))
            finished = pipeline.run(turn.q, state, should_stop=self._should_stop)
            state = finished.state
            traces.append(finished.trace)
            scores.append(score_turn(number, gold, finished.trace, parts.corpus, parts.ruleset))

    def _pipeline_of(self, resolved: ResolvedItem) -> Pipeline:
        """The run's pipeline, or for an item that brings its own corpus or generator a copy with that."""
        pipeline = self._pipeline
        corpus = corpus_of(resolved.item, pipeline.parts.corpus)
        if corpus is not pipeline.parts.corpus:
            pipeline = pipeline.with_parts(corpus=corpus, index=SearchIndex(corpus))
        if resolved.item.generator == "disabled":
            pipeline = pipeline.with_parts(generator=DisabledModel())
        return pipeline


def corpus_of(item: EvalItem, corpus: Corpus) -> Corpus:
    """The corpus that ``item`` is run over: ``corpus``, without the pages that the item takes away."""
    return without_pages(corpus, item.pages_lost) if item.pages_lost else corpus


@dataclass(frozen=True)
class _Ran:
    """An item that was run: its result (None where it was stopped half way) and the traces of its turns so far."""

    result: ItemResult | None
    traces: tuple[Trace, ...]


def result_of(resolved: ResolvedItem, scores: Sequence[TurnScore], error: str | None = None) -> ItemResult:
    """The result that the scores of an item's turns make."""
    item = resolved.item
    return ItemResult(
        item_id=item.id,
        turns_hash=item.turns_hash,
        expect_hash=item.expect_hash,
        scripted=item.scripted,
        tags=item.tags,
        turns=tuple(scores),
        error=error,
        finished_at=datetime.now(UTC),
    )


def _missing_from(resolved: ResolvedItem, scores: Sequence[TurnScore], error: str) -> ItemResult:
    """The result of an item of which only the turns in ``scores`` were done."""
    missing = [missing_turn(number, resolved.gold[number - 1], error) for number in range(len(scores) + 1, len(resolved.item.turns) + 1)]
    return result_of(resolved, [*scores, *missing], error)


def _said(fault: BaseException) -> str:
    return f"{type(fault).__name__}: {' '.join(str(fault).split())}"[:_ERROR_MAX_CHARS]


def without_pages(corpus: Corpus, patterns: Sequence[str]) -> Corpus:
    """``corpus`` with the printed pages of the blocks of these names taken away."""
    lost = {"page_start": None, "page_end": None}
    blocks = (
        block.model_copy(update=lost) if any(fnmatchcase(block.block_id, pattern) for pattern in patterns) else block
        for block in corpus.blocks
    )
    return Corpus.of(corpus.monographs.values(), blocks, corpus.edition, is_demo=corpus.is_demo, notice=corpus.notice)


def run_set(
    evalset: EvalSet,
    run: EvalRun,
    store: EvalStore,
    workers: Workers,
    *,
    on_progress: OnProgress | None = None,
    should_stop: Callable[[], bool] | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> EvalRun:
    """Runs every item of ``evalset`` that ``run`` has no result for; each result is stored as it is finished.

    Stops after the items under way once ``should_stop`` says so; the run is then ``stopped``, and calling again goes on with the rest.
    """
    store.save_run(run)
    results = {result.item_id: result for result in store.results(run.run_id)}
    left = [resolved for resolved in evalset.items if resolved.item.id not in results]
    stopped = False
    tally = _Tally(len(evalset.items), on_progress)
    tally.add(results.values())
    with workers as pool:
        queue = iter(left)
        under_way: dict[Future[list[ItemResult | None]], list[ResolvedItem]] = {}
        while True:
            stopped = stopped or (should_stop is not None and should_stop())
            while not stopped and len(under_way) < pool.size * _AHEAD and (chunk := list(islice(queue, pool.chunk))):
                under_way[pool.submit(chunk)] = chunk
            if not under_way:
                break
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                found = _results_of(future, under_way.pop(future))
                store.save_results(run.run_id, found)
                results |= {result.item_id: result for result in found}
                tally.add(found)
    done = len(results) == len(evalset.items)
    run = run.model_copy(update={"status": "finished" if done else "stopped", "finished_at": now() if done else None})
    store.save_run(run)
    return run


class _Tally:
    """Counts what is done and tells of it."""

    def __init__(self, total: int, on_progress: OnProgress | None) -> None:
        self._progress = Progress(0, total, 0, 0)
        self._on_progress = on_progress

    def add(self, results: Collection[ItemResult]) -> None:
        """Counts ``results`` in."""
        before = self._progress
        self._progress = Progress(
            before.done + len(results),
            before.total,
            before.right + sum(1 for result in results if result.right),
            before.missing + sum(1 for result in results if result.missing),
        )
        if self._on_progress is not None:
            self._on_progress(self._progress)


def _results_of(future: Future[list[ItemResult | None]], chunk: Sequence[ResolvedItem]) -> list[ItemResult]:
    """What a worker gave; a worker that died gives missing items."""
    fault = future.exception()
    if fault is None:
        return [result for result in future.result() if result is not None]
    return [_missing_from(resolved, [], f"{type(fault).__name__}: the worker died") for resolved in chunk]


class Workers(AbstractContextManager["Workers"]):
    """A pool that runs cases: threads for models on the network, processes for the offline ones, which are bound by the CPU.

    A worker takes ``chunk`` cases at once and stores their traces in one transaction.
    """

    def __init__(self, make: Callable[[], Executor], run_chunk: RunChunk, size: int, chunk: int) -> None:
        self._make = make
        self._run_chunk = run_chunk
        self._executor: Executor | None = None
        self.size = size
        self.chunk = chunk

    @classmethod
    def threads(cls, runner: CaseRunner, size: int, chunk: int = 1) -> Workers:
        """``size`` threads that share one pipeline."""
        return cls(lambda: ThreadPoolExecutor(size, thread_name_prefix="eval"), runner.run_all, size, chunk)

    @classmethod
    def processes(cls, make_case_runner: Callable[[], CaseRunner], size: int, chunk: int = OFFLINE_CHUNK) -> Workers:
        """``size`` processes. Where nothing else runs in this process they are forked and begin with everything that is read already;
        otherwise (and where a system cannot fork) each is started anew, and ``make_case_runner`` is pickled to it."""
        may_fork = sys.platform == "linux" and threading.active_count() == 1
        context = multiprocessing.get_context("fork" if may_fork else "spawn")
        return cls(
            lambda: ProcessPoolExecutor(size, mp_context=context, initializer=_begin_process, initargs=(make_case_runner,)),
            _run_in_process,
            size,
            chunk,
        )

    def submit(self, chunk: Sequence[ResolvedItem]) -> Future[list[ItemResult | None]]:
        """Gives cases to the pool."""
        assert self._executor is not None, "the pool is entered first"
        try:
            return self._executor.submit(self._run_chunk, chunk)
        except BrokenExecutor:  # a worker process died: the cases it held are missing, the others go on in new ones
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = self._make()
            return self._executor.submit(self._run_chunk, chunk)

    def __enter__(self) -> Workers:
        self._executor = self._make()
        return self

    def __exit__(self, *_: object) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)
            self._executor = None


_of_this_process: list[CaseRunner] = []


def _begin_process(make_case_runner: Callable[[], CaseRunner]) -> None:
    # Ctrl-C reaches every process of a terminal: the run stops after the cases under way, so these are finished and not lost.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _of_this_process[:] = [make_case_runner()]
    # What is read by now (corpus, rules, tables) stays to the end: the collector of cycles need not look through it ever again.
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECT_EVERY)


def _run_in_process(chunk: Sequence[ResolvedItem]) -> list[ItemResult | None]:
    return _of_this_process[0].run_all(chunk)


class StopFlag:
    """A stop that a button, a signal or a test pulls from another thread."""

    def __init__(self) -> None:
        self._pulled = threading.Event()

    def pull(self) -> None:
        """Asks the run to stop."""
        self._pulled.set()

    def __call__(self) -> bool:
        return self._pulled.is_set()


def shipped_order(results: Sequence[ItemResult], evalset: EvalSet) -> list[ItemResult]:
    """Results in the order of the set."""
    places = {resolved.item.id: place for place, resolved in enumerate(evalset.items)}
    return sorted(results, key=lambda result: places.get(result.item_id, len(places)))
