"""Đánh giá · Evaluation (spec 06, page 6): sets, runs, the gate, metrics with intervals, two runs compared, the judge against people."""

from __future__ import annotations

import streamlit as st

from duocthu_core.evaluation.evaluating import Evaluating, ListedSet, UnknownRun
from duocthu_core.evaluation.results import EvalRun
from duocthu_core.evaluation.sets import EvalSet, EvalSetError
from pages.components.eval_parts.people_panel import charts_panel, people_panel
from pages.components.eval_parts.run_panel import draw_case, draw_run, run_list
from pages.components.eval_parts.sets_panel import run_buttons, set_facts, set_picker, upload
from pages.frame.access import require
from pages.frame.eval_address import TABS, EvalAddress, eval_go, eval_here
from pages.frame.head import page_head, turn_badges
from pages.frame.services import services
from pages.frame.words import _

user = require("viewer")
app = services()
evaluating = app.evaluating()
may_run = user.may("engineer")


def choose_tab() -> None:
    """Another part of the page."""
    eval_go(tab=st.session_state["eval_tab"])


def found_run(run_id: str | None) -> EvalRun | None:
    """The run of the address; None where there is none of that id."""
    try:
        return evaluating.found(run_id) if run_id else None
    except UnknownRun:
        return None


def loaded(evaluating: Evaluating, name: str) -> EvalSet | None:
    """The set of this name; None where it cannot be used (the list of sets says why)."""
    kept = st.session_state.get("eval_loaded")
    key = (name, evaluating.pipeline.parts.corpus.corpus_id, len(evaluating.store.sets()))
    if kept is None or kept[0] != key:
        try:
            kept = (key, evaluating.load(name))
        except EvalSetError:
            kept = (key, None)
        st.session_state["eval_loaded"] = kept
    return kept[1]


def draw_runs(address: EvalAddress) -> None:
    """A set with its runs, or one run, or one case of it."""
    run = found_run(address.run)
    if address.run and run is None:
        st.warning(_("evaluation.unknown_run"), icon=":material/search_off:")
    if run is not None:
        if address.case:
            evalset = loaded(evaluating, run.identity.set_name)
            if evalset is not None and evalset.set_hash != run.identity.set_hash:
                evalset = None  # the set was changed since: the run keeps its figures
            draw_case(evaluating, run, address.case, found_run(address.other), evalset)
            return
        back = {"run": None, "other": None, "case": None}
        st.button(_("evaluation.back"), icon=":material/arrow_back:", on_click=eval_go, kwargs=back, key="back_to_runs")
        draw_run(app, evaluating, run, evaluating.store.runs(run.identity.set_name), may_run=may_run)
        return
    draw_set(evaluating.sets(), address)


def draw_set(sets: list[ListedSet], address: EvalAddress) -> None:
    """The sets, the chosen one, and its runs."""
    if not sets:
        st.text(_("evaluation.no_sets"))
    else:
        chosen = next((entry for entry in sets if entry.name == address.set), sets[0])
        if address.set and chosen.name != address.set:
            st.warning(_("evaluation.unknown_set"), icon=":material/search_off:")
        set_picker(sets, chosen)
        evalset = loaded(evaluating, chosen.name)
        set_facts(chosen, evalset)
        if evalset is not None:
            run_buttons(app, evaluating, evalset, may_run=may_run)
        run_list(evaluating.store.runs(chosen.name))
    if may_run:
        upload(app, evaluating)


here = eval_here()
with page_head(app, _("evaluation.title"), turn_badges(app, None)):
    pass
st.text(_("evaluation.about"))
st.segmented_control(
    _("evaluation.tabs"),
    TABS,
    format_func=lambda tab: _(f"eval_tab.{tab}"),
    default=here.tab,
    required=True,
    key="eval_tab",
    label_visibility="collapsed",
    on_change=choose_tab,
)
if here.tab == "people":
    people_panel(app)
elif here.tab == "charts":
    finished = [run for run in evaluating.store.runs() if run.status == "finished"]
    charts_panel(app, evaluating, found_run(here.run) or next(iter(finished), None))
else:
    draw_runs(here)
