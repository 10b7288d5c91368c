"""One run: at work, or the gate, the metrics, the wrong cases and what changed against another run."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from duocthu_core.bootstrap import Services
from duocthu_core.evaluation.comparing import Comparison, NotComparable
from duocthu_core.evaluation.evaluating import Evaluating
from duocthu_core.evaluation.gate import committed_baseline, differing_parts
from duocthu_core.evaluation.results import EvalRun, ItemResult, TurnScore
from duocthu_core.evaluation.sets import EvalSet
from duocthu_core.jobs.model import Job
from pages.components.book_list.book_list import BookEntry, book_list
from pages.components.eval_parts import cases, report_parts
from pages.components.eval_parts.shared import run_name, status_pill
from pages.components.facts.facts import facts
from pages.components.facts.parts import Part
from pages.frame import formats
from pages.frame.eval_address import eval_go, eval_here
from pages.frame.kept_reports import kept_report, kept_results
from pages.frame.polling import polled
from pages.frame.running_evaluation import begin_gate, failed_job, job_at_work, stop_job
from pages.frame.services import stored_trace
from pages.frame.shown_text import shown, unmarked
from pages.frame.words import _, _n

_MOST_RUNS = 50


def run_list(runs: Sequence[EvalRun]) -> None:
    """The runs of a set, newest first."""
    st.subheader(_("evaluation.runs"), anchor=False)
    if not runs:
        st.text(_("evaluation.no_runs"))
        return
    entries = [BookEntry(run_name(run), about=f"{run.identity.generator} · {run.identity.judge}", marks=[status_pill(run)]) for run in runs]
    ids = [run.run_id for run in runs[:_MOST_RUNS]]
    book_list(
        entries[:_MOST_RUNS],
        name=_("evaluation.runs"),
        key="eval_runs",
        on_open=lambda n: eval_go(run=ids[n], other=None, case=None),
        wide=True,
    )


def draw_run(app: Services, evaluating: Evaluating, run: EvalRun, runs: Sequence[EvalRun], *, may_run: bool) -> None:
    """The run of the address: how far it is, or what it found."""
    st.subheader(unmarked(run_name(run)), anchor=False)
    job = job_at_work(app, run)
    if job is not None:
        _draw_working(app, run, job.job_id, may_run=may_run)
        return
    failed = failed_job(app, run)
    if failed is not None:
        st.error(_("evaluation.failed", why=unmarked(failed.error or "")), icon=":material/error:")
    results = kept_results(evaluating, run)
    if run.status != "finished":
        st.info(_("evaluation.stopped_at", done=len(results), items=run.items), icon=":material/stop_circle:")
        if not results:
            return
    else:
        _draw_gate(app, evaluating, run, may_run=may_run)
    _compare_with(evaluating, run, [other for other in runs if other.run_id != run.run_id])
    report = kept_report(evaluating, run)
    st.subheader(_("evaluation.metrics"), anchor=False)
    facts([*report_parts.metric_parts(report), *report_parts.spread_parts(report.all)], key=f"metrics-{run.run_id}")
    _draw_wrong(results)


@polled
def _draw_working(app: Services, run: EvalRun, job_id: str, *, may_run: bool) -> None:
    """How far the job is; when it has ended the whole page is drawn again."""
    job = app.jobs.status(job_id)
    if job.ended:
        st.rerun()
    progress_of(app, run, job, may_run=may_run)


def progress_of(app: Services, run: EvalRun, job: Job, *, may_run: bool) -> None:
    """A job on a run: how far it is, who sent it, and its stop."""
    cases_left = job.total - job.done if job.kind == "eval.run" else 0
    done = run.items - cases_left
    if job.status == "queued":
        told = _("jobs.waiting")
    elif cases_left == 0:
        told = _("evaluation.gating")
    else:
        told = _("evaluation.progress", done=done, total=run.items, right=job.counts.get("right", 0), missing=job.counts.get("missing", 0))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(done / run.items if run.items else 1.0, text=told)
        stop = {"key": "stop_evaluation", "on_click": stop_job, "args": (app, job), "disabled": not may_run}
        st.button(_("live.stop"), icon=":material/stop_circle:", **stop)
    st.text(_("jobs.sent", by=shown(job.submitted_by), at=formats.moment(job.submitted_at)))


def _draw_gate(app: Services, evaluating: Evaluating, run: EvalRun, *, may_run: bool) -> None:
    st.subheader(_("gate.title"), anchor=False)
    baseline = committed_baseline()
    if baseline is None:
        st.text(_("gate.no_baseline"))
    elif other := differing_parts(baseline, run.identity):
        facts(report_parts.other_baseline_parts(other), key=f"gate-{run.run_id}")
    elif (said := evaluating.kept_gate(run)) is not None:
        facts(report_parts.gate_parts(said), key=f"gate-{run.run_id}")
    else:
        st.text(_("gate.not_yet"))
        begin = {"on_click": begin_gate, "args": (app, run), "disabled": not may_run}
        st.button(_("gate.hold"), icon=":material/rule:", key="hold_gate", **begin)


def _compare_with(evaluating: Evaluating, run: EvalRun, others: Sequence[EvalRun]) -> None:
    """The choice of a run to compare with, and the comparison."""
    finished = {other.run_id: other for other in others if other.status == "finished"}
    if run.status != "finished" or not finished:
        return
    st.subheader(_("paired.heading"), anchor=False)

    def choose() -> None:
        eval_go(other=st.session_state["eval_other"], case=None)

    ids = list(finished)
    chosen = eval_here().other
    index = ids.index(chosen) if chosen in finished else None
    st.selectbox(
        _("paired.other"),
        ids,
        index=index,
        key="eval_other",
        on_change=choose,
        format_func=lambda run_id: shown(run_name(finished[run_id])),
        placeholder=_("paired.choose"),
    )
    if chosen not in finished:
        return
    try:
        found = evaluating.compare(chosen, run.run_id)
    except NotComparable:
        st.warning(_("paired.not_comparable"), icon=":material/difference:")
        return
    facts(cases.comparison_parts(found), key=f"paired-{chosen}-{run.run_id}")
    _draw_changed(found)


def _draw_changed(found: Comparison) -> None:
    if not found.changed:
        st.text(_("paired.nothing_changed"))
        return
    st.text(_n("paired.changed", len(found.changed)))
    entries = [cases.changed_entry(case) for case in found.changed]
    ids = [case.item_id for case in found.changed]
    book_list(entries, name=_("paired.changed_cases"), key="changed_cases", on_open=lambda n: eval_go(case=ids[n]), wide=True)


def _draw_wrong(results: Sequence[ItemResult]) -> None:
    st.subheader(_("evaluation.wrong"), anchor=False)
    wrong = cases.wrong_cases(results)
    if not wrong:
        st.text(_("evaluation.none_wrong"))
        return
    st.text(_n("evaluation.wrong_n", len(wrong)))
    entries = [cases.case_entry(item) for item in wrong]
    ids = [item.item_id for item in wrong]
    book_list(entries, name=_("evaluation.wrong"), key="wrong_cases", on_open=lambda n: eval_go(case=ids[n]), wide=True)


def draw_case(evaluating: Evaluating, run: EvalRun, case: str, other: EvalRun | None, evalset: EvalSet | None) -> None:
    """One case laid open: each turn with what was expected and got, in both runs where two are compared, and the way to its trace."""
    st.button(_("evaluation.back_to_run"), icon=":material/arrow_back:", on_click=eval_go, kwargs={"case": None}, key="back_to_run")
    st.subheader(unmarked(case), anchor=False)
    resolved = evalset.item(case) if evalset is not None else None
    for name, each in (("before", other), ("after", run)):
        if each is None:
            continue
        if other is not None:
            st.text(f"{_(f'paired.{name}')}: {run_name(each)}")
        item = next((item for item in kept_results(evaluating, each) if item.item_id == case), None)
        if item is None:
            st.warning(_("evaluation.unknown_case"), icon=":material/search_off:")
            continue
        for turn in item.turns:
            question = resolved.item.turns[turn.turn - 1].q if resolved is not None and turn.turn <= len(resolved.item.turns) else ""
            _draw_turn(turn, question, place=f"{each.run_id}-{case}")


def _draw_turn(turn: TurnScore, question: str, place: str) -> None:
    if question:
        st.text(shown(question))
    parts: list[Part] = cases.turn_parts(turn)
    facts(parts, key=f"case-{place}-{turn.turn}")
    if turn.trace_id and stored_trace(turn.trace_id) is not None:
        st.page_link("turn.py", label=_("evaluation.open_trace"), icon=":material/receipt_long:", query_params={"trace": turn.trace_id})
