"""Evaluations at work, each in a thread of its own, seen by every session: how far they are, stopped, and what the gate says at the end.
No Streamlit call is made in these threads."""

from __future__ import annotations

import logging
import threading

import streamlit as st

from duocthu_core.evaluation.comparing import NotComparable
from duocthu_core.evaluation.evaluating import Evaluating
from duocthu_core.evaluation.gate import BASELINE_PATH, DETERMINISTIC, Baseline, GateReport, OtherBaseline, read_baseline
from duocthu_core.evaluation.results import EvalRun
from duocthu_core.evaluation.running import Progress, StopFlag
from duocthu_core.evaluation.sets import EvalSet

WORKERS = 4
"""Threads for models on the network. Offline ones get a single thread: more of them would only keep the pages waiting."""
_log = logging.getLogger(__name__)


class RunningEvaluation:
    """One run on its way: first its cases, then the gate where the committed baseline is of the same set, corpus, rules and models."""

    def __init__(self, evaluating: Evaluating, evalset: EvalSet, run: EvalRun) -> None:
        self.run = run
        self.progress = Progress(0, run.items, 0, 0)
        self.gating = False
        self.error: Exception | None = None
        self.ended = False
        self._evaluating, self._evalset = evaluating, evalset
        self._stop = StopFlag()
        self._thread = threading.Thread(target=self._run, name="evaluation", daemon=True)

    def start(self) -> None:
        """Begins the run."""
        self._thread.start()

    def stop(self) -> None:
        """Asks the run to end after the cases under way."""
        self._stop.pull()

    def wait(self, seconds: float) -> bool:
        """Waits at most ``seconds``; whether the run has ended."""
        self._thread.join(seconds)
        return self.ended

    @property
    def stopping(self) -> bool:
        """Whether a reader asked to stop and the run has not ended yet."""
        return self._stop() and not self.ended

    @property
    def share(self) -> float:
        """How much of the cases is done, 0..1."""
        return min(1.0, self.progress.done / self.progress.total) if self.progress.total else 1.0

    def _run(self) -> None:
        try:
            if self.run.status != "finished":
                models = (self.run.identity.generator, self.run.identity.judge)
                offline = all(model.split("/", 1)[0] in DETERMINISTIC for model in models)
                self.run = self._evaluating.run(
                    self._evalset,
                    self.run,
                    workers=1 if offline else WORKERS,
                    processes=False,
                    on_progress=self._advance,
                    should_stop=self._stop,
                )
            if self.run.status == "finished" and not self._stop():
                self.gating = True
                keep_gate(self._evaluating, self.run)
        except Exception as error:  # the reader is told, whatever it was; the server's log has the rest
            _log.exception("an evaluation failed")
            self.error = error
        finally:
            self.ended = True

    def _advance(self, progress: Progress) -> None:
        self.progress = progress


def begin_evaluation(evaluating: Evaluating, evalset: EvalSet, run: EvalRun) -> RunningEvaluation:
    """Starts ``run``, or gives the one that is at work on it already."""
    held = at_work()
    with _lock:
        running = held.get(run.run_id)
        if running is None or running.ended:
            running = held[run.run_id] = RunningEvaluation(evaluating, evalset, run)
            running.start()
    return running


_lock = threading.Lock()


@st.cache_resource(show_spinner=False)
def at_work() -> dict[str, RunningEvaluation]:
    """The evaluations of this process by run id, ended ones too."""
    return {}


@st.cache_resource(show_spinner=False)
def gates() -> dict[str, GateReport]:
    """What the gate said of runs, since this process began."""
    return {}


def keep_gate(evaluating: Evaluating, run: EvalRun) -> None:
    """Holds ``run`` to the committed baseline; a baseline of another experiment leaves nothing."""
    try:
        baseline = read_baseline(BASELINE_PATH)
        if not differing(baseline, run):
            gates()[run.run_id] = evaluating.gate(baseline, run)
    except (OtherBaseline, NotComparable):
        _log.info("the committed baseline is of another experiment than run %s", run.run_id)


def committed_baseline() -> Baseline | None:
    """The baseline that ships; None where there is none that can be read."""
    try:
        return read_baseline(BASELINE_PATH)
    except OtherBaseline:
        return None


def differing(baseline: Baseline, run: EvalRun) -> tuple[str, ...]:
    """Which parts of the run's identity are not the baseline's."""
    parts = ("set_hash", "corpus_id", "ruleset_id", "generator", "judge")
    return tuple(part for part in parts if getattr(baseline.identity, part) != getattr(run.identity, part))
