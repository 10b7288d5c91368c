"""Running a set: in parallel, with progress, stoppable at any point, resumable; one failing case never stops a run."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase

from duocthu_core.conversation.model import ConversationState
from duocthu_core.corpus.collection import Corpus
from duocthu_core.evaluation.gold import ResolvedItem
from duocthu_core.evaluation.results import EvalRun, EvalStore, ItemResult, RunIdentity, TurnScore
from duocthu_core.evaluation.scoring import missing_turn, score_turn
from duocthu_core.evaluation.scripted import ScriptedModel
from duocthu_core.evaluation.sets import EvalSet
from duocthu_core.language_models.disabled import DisabledModel
from duocthu_core.pipeline.running import Pipeline, TurnCancelled
from duocthu_core.pipeline.trace_store import TraceStore
from duocthu_core.retrieval.search import SearchIndex

_ERROR_MAX_CHARS = 300
_AHEAD = 2
"""Cases given to each worker in advance: enough to keep it busy, few enough to stop at once."""


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    done: int
    total: int
    right: int
    missing: int


OnProgress = Callable[[Progress], None]
RunCase = Callable[[ResolvedItem], ItemResult | None]
"""Runs and scores one item; None where it was stopped half way."""


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
        item = resolved.item
        scores: list[TurnScore] = []
        error: str | None = None
        try:
            self._converse(resolved, scores)
        except TurnCancelled:
            return None
        except Exception as fault:  # one failing case never stops a run, whatever failed
            error = f"{type(fault).__name__}: {' '.join(str(fault).split())}"[:_ERROR_MAX_CHARS]
            reached = len(scores)
            scores += [missing_turn(number, resolved.gold[number - 1], error) for number in range(reached + 1, len(item.turns) + 1)]
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

    def _converse(self, resolved: ResolvedItem, scores: list[TurnScore]) -> None:
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
            if self._traces is not None:
                self._traces.save(finished.trace)
            scores.append(score_turn(number, gold, finished.trace, parts.corpus, parts.ruleset))

    def _pipeline_of(self, resolved: ResolvedItem) -> Pipeline:
        """The run's pipeline, or for an item that brings its own corpus or generator a copy with that."""
        pipeline = self._pipeline
        if resolved.item.pages_lost:
            corpus = without_pages(pipeline.parts.corpus, resolved.item.pages_lost)
            pipeline = pipeline.with_parts(corpus=corpus, index=SearchIndex(corpus))
        if resolved.item.generator == "disabled":
            pipeline = pipeline.with_parts(generator=DisabledModel())
        return pipeline


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
        under_way: dict[Future[ItemResult | None], ResolvedItem] = {}
        while True:
            stopped = stopped or (should_stop is not None and should_stop())
            while not stopped and len(under_way) < pool.size * _AHEAD and (resolved := next(queue, None)) is not None:
                under_way[pool.submit(resolved)] = resolved
            if not under_way:
                break
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                result = _result_of(future, under_way.pop(future))
                if result is not None:
                    store.save_result(run.run_id, result)
                    results[result.item_id] = result
                    tally.add([result])
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


def _result_of(future: Future[ItemResult | None], resolved: ResolvedItem) -> ItemResult | None:
    """What a worker gave; a worker that died gives a missing item."""
    fault = future.exception()
    if fault is None:
        return future.result()
    item, error = resolved.item, f"{type(fault).__name__}: the worker died"
    return ItemResult(
        item_id=item.id,
        turns_hash=item.turns_hash,
        expect_hash=item.expect_hash,
        scripted=item.scripted,
        tags=item.tags,
        turns=tuple(missing_turn(number, gold, error) for number, gold in enumerate(resolved.gold, 1)),
        error=error,
        finished_at=datetime.now(UTC),
    )


class Workers(AbstractContextManager["Workers"]):
    """A pool that runs cases: threads for models on the network, processes for the offline ones, which are bound by the CPU."""

    def __init__(self, make: Callable[[], Executor], run_case: RunCase, size: int) -> None:
        self._make = make
        self._run_case = run_case
        self._executor: Executor | None = None
        self.size = size

    @classmethod
    def threads(cls, run_case: RunCase, size: int) -> Workers:
        """``size`` threads that share one pipeline."""
        return cls(lambda: ThreadPoolExecutor(size, thread_name_prefix="eval"), run_case, size)

    @classmethod
    def processes(cls, make_case_runner: Callable[[], RunCase], size: int) -> Workers:
        """``size`` processes, each with a pipeline of its own; ``make_case_runner`` is pickled to them."""
        context = multiprocessing.get_context("spawn")
        return cls(
            lambda: ProcessPoolExecutor(size, mp_context=context, initializer=_begin_process, initargs=(make_case_runner,)),
            _run_in_process,
            size,
        )

    def submit(self, resolved: ResolvedItem) -> Future[ItemResult | None]:
        """Gives a case to the pool."""
        assert self._executor is not None, "the pool is entered first"
        try:
            return self._executor.submit(self._run_case, resolved)
        except BrokenExecutor:  # a worker process died: the cases it held are missing, the others go on in new ones
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = self._make()
            return self._executor.submit(self._run_case, resolved)

    def __enter__(self) -> Workers:
        self._executor = self._make()
        return self

    def __exit__(self, *_: object) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)
            self._executor = None


_of_this_process: list[RunCase] = []


def _begin_process(make_case_runner: Callable[[], RunCase]) -> None:
    # Ctrl-C reaches every process of a terminal: the run stops after the cases under way, so these are finished and not lost.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _of_this_process.append(make_case_runner())


def _run_in_process(resolved: ResolvedItem) -> ItemResult | None:
    return _of_this_process[0](resolved)


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
