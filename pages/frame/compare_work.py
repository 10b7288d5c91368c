"""What a comparison runs, and how it is started, shown and stopped. Everything that is run is stored, so that it is found again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st

from duocthu_core.access.model import User
from duocthu_core.bootstrap import Services
from duocthu_core.evaluation.evaluating import Evaluating
from duocthu_core.evaluation.running import Progress
from duocthu_core.evaluation.sets import EvalSet
from duocthu_core.pipeline.asking import BadQuestion
from duocthu_core.tuning.sides import OnProgress, ShouldStop, Side
from pages.frame.access import require
from pages.frame.compare_address import compare_go, compare_here
from pages.frame.polling import polled
from pages.frame.running_comparison import RunningComparison, Work
from pages.frame.shown_text import unmarked
from pages.frame.words import _

_RUNNING = "running_comparison"


def question_work(app: Services, question: str, a: Side, b: Side) -> Work:
    """A typed question asked on A, and run again on B."""

    def work(_on_progress: OnProgress, should_stop: ShouldStop) -> tuple[str, str]:
        conversation = app.new_conversation_id()
        limit = app.settings.question_max_chars
        one, other = app.sides.asked(question, conversation, a, b, max_chars=limit, should_stop=should_stop)
        return one.trace_id, other.trace_id

    return work


def turn_work(app: Services, trace_id: str, a: Side, b: Side) -> Work:
    """A stored turn on both sides."""

    def work(_on_progress: OnProgress, should_stop: ShouldStop) -> tuple[str, str] | None:
        trace = app.traces.load(trace_id)
        if trace is None:
            return None
        one = app.sides.turn(trace, a, should_stop=should_stop)
        return one.trace_id, app.sides.turn(trace, b, should_stop=should_stop).trace_id

    return work


def turns_work(app: Services, missing: Sequence[str], a: Side, b: Side) -> Work:
    """The stored turns that were not run on both sides yet."""

    def work(on_progress: OnProgress, should_stop: ShouldStop) -> None:
        app.sides.run(missing, a, b, on_progress, should_stop)

    return work


def evaluating_on(app: Services, side: Side) -> Evaluating:
    """Evaluation over what answers on ``side``."""
    return Evaluating(app.sides.pipeline(side), app.evaluations, app.traces)


def eval_work(evaluating: Sequence[Evaluating], evalset: EvalSet) -> Work:
    """A run of ``evalset`` on each side; one that is stopped goes on where it was left."""

    def work(on_progress: OnProgress, should_stop: ShouldStop) -> None:
        total = len(evaluating) * len(evalset.items)
        for number, each in enumerate(evaluating):
            before = number * len(evalset.items)

            def tell(progress: Progress, before: int = before) -> None:
                on_progress(before + progress.done, total)

            each.run(evalset, each.begin(evalset), processes=False, on_progress=tell, should_stop=should_stop)
            if should_stop():
                return

    return work


def run_button(app: Services, user: User, work: Work | None, **changes: object) -> None:
    """The button that starts ``work`` and changes the address; it says why it cannot be pressed."""

    def begin() -> None:
        by = require("engineer")
        assert work is not None  # the button cannot be pressed without work
        compare_go(**changes)
        app.audit.record(by.name, "compare.run", detail=compare_here().to_query())
        running = st.session_state[_RUNNING] = RunningComparison(work)
        running.start()

    ready = work is not None and user.may("engineer")
    label = _("compare.run")
    st.button(label, type="primary", icon=":material/play_arrow:", disabled=not ready, on_click=begin, key="run_comparison")
    if not user.may("engineer"):
        st.text(_("compare.may_not_run"))


@polled
def draw_running() -> None:
    """How far the work is; when it has ended the whole page is drawn again."""
    running: RunningComparison | None = st.session_state.get(_RUNNING)
    if running is None or running.ended:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        told = _("compare.running_of", done=running.done, total=running.total) if running.total else _("compare.running")
        st.progress(running.share, text=told)
        label = _("live.stopping") if running.stopped else _("live.stop")
        st.button(label, icon=":material/stop_circle:", key="stop_comparison", on_click=running.stop, disabled=running.stopped)


def work_is_at_hand() -> bool:
    """Whether something runs; where it has ended, what it made is opened and what went wrong is told."""
    running: RunningComparison | None = st.session_state.get(_RUNNING)
    if running is None:
        return False
    if not running.ended:
        return True
    del st.session_state[_RUNNING]
    if running.stopped:
        st.info(_("compare.stopped"), icon=":material/stop_circle:")
    elif running.error is not None:
        said = unmarked(str(running.error)) if isinstance(running.error, BadQuestion) else _("compare.failed")
        st.error(said, icon=":material/error:")
    elif running.pair is not None:
        compare_go(view="pair", a=running.pair[0], b=running.pair[1])
    return False


def now() -> datetime:
    """The moment at which stored turns are taken."""
    return datetime.now(UTC)
