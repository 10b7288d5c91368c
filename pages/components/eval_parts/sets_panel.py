"""Eval sets: which there are, what is in the chosen one, bringing another, and running it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

import streamlit as st

from duocthu_core.bootstrap import Services
from duocthu_core.evaluation.evaluating import Evaluating, ListedSet
from duocthu_core.evaluation.running import identity_of
from duocthu_core.evaluation.sets import EvalSet, EvalSetError, read_set
from pages.components.facts.facts import facts
from pages.components.facts.parts import Cell, Figure, KeyValues, Note, Part, Pill
from pages.frame import formats
from pages.frame.access import require
from pages.frame.eval_address import eval_go
from pages.frame.running_evaluation import begin_run, job_at_work, why_refused
from pages.frame.shown_text import shown, unmarked
from pages.frame.words import _, _n

_PROBLEMS, _BROUGHT = "eval_set_problems", "eval_set_brought"
_MOST_PROBLEMS = 50
_LINE = re.compile(r"^line ([0-9]+): ")


def set_picker(sets: Sequence[ListedSet], chosen: ListedSet) -> None:
    """The choice among the sets; the chosen one stands in the address."""
    names = [entry.name for entry in sets]

    def choose() -> None:
        eval_go(set=st.session_state["eval_set"], run=None, other=None, case=None)

    st.selectbox(_("evaluation.set"), names, index=names.index(chosen.name), key="eval_set", on_change=choose, format_func=shown, width=360)


def set_facts(entry: ListedSet, evalset: EvalSet | None) -> None:
    """What the set holds, who read its gold, and what is wrong with it."""
    where = _(f"evaluation.where_{entry.where}")
    rows: list[tuple[str, Cell]] = [(_("evaluation.where"), where), (_("evaluation.items"), Figure(formats.number(entry.items)))]
    parts: list[Part] = []
    if evalset is not None:
        turns = sum(len(resolved.item.turns) for resolved in evalset.items)
        rows.append((_("evaluation.turns"), Figure(formats.number(turns))))
        read = _("evaluation.nobody") if not evalset.second_read else _n("evaluation.read", evalset.second_read)
        rows.append((_("evaluation.second_read"), read))
    if entry.stale:
        rows.append((_("evaluation.stale"), Pill(_n("evaluation.stale_blocks", len(entry.stale)), "warning", "alert")))
    parts.append(KeyValues(rows))
    if entry.problem:
        parts.append(Note(_("evaluation.unusable", problem=entry.problem), "missing", "alert"))
    facts(parts, key=f"set-{entry.name}")


def run_buttons(app: Services, evaluating: Evaluating, evalset: EvalSet, *, may_run: bool) -> None:
    """Starting a run, or going on with one that was stopped. One that is at work is shown, and not begun again."""
    identity = identity_of(evalset, evaluating.pipeline)
    unfinished = [run for run in evaluating.store.runs() if run.identity.key == identity.key and run.status != "finished"]
    refused = why_refused()
    if refused is not None:
        st.error(_("jobs.refused", why=unmarked(refused)), icon=":material/error:")

    def start(fresh: bool) -> None:
        begin_run(app, evalset, fresh=fresh)

    with st.container(horizontal=True, vertical_alignment="center"):
        if unfinished and job_at_work(app, unfinished[0]) is not None:
            watch = {"key": "eval_watch", "on_click": eval_go, "kwargs": {"run": unfinished[0].run_id, "other": None, "case": None}}
            st.button(_("evaluation.watch"), icon=":material/visibility:", type="primary", **watch)
        elif unfinished:
            label = _("evaluation.go_on")
            go_on = {"key": "eval_go_on", "on_click": start, "args": (False,), "disabled": not may_run}
            st.button(label, icon=":material/resume:", type="primary", **go_on)
        kind = "secondary" if unfinished else "primary"
        new = {"key": "eval_run", "on_click": start, "args": (True,), "disabled": not may_run}
        st.button(_("evaluation.run"), icon=":material/play_arrow:", type=kind, **new)
        if not may_run:
            st.text(_("evaluation.engineers_run"), width="content")


def upload(app: Services, evaluating: Evaluating) -> None:
    """A JSONL file as a new set: every line is checked against the book, and each problem is told with its line."""
    problems = st.session_state.get(_PROBLEMS)
    brought = st.session_state.pop(_BROUGHT, None)
    if brought:
        st.success(brought, icon=":material/check:")
    with st.expander(_("evaluation.bring"), icon=":material/upload_file:", expanded=bool(problems)):
        st.text(_("evaluation.bring_told"))

        def take() -> None:
            user = require("engineer")
            file = st.session_state.get("eval_upload")
            st.session_state.pop(_PROBLEMS, None)
            if file is None:
                return
            name = PurePath(file.name).stem[:80] or "bo"
            try:
                evalset = read_set(name, file.getvalue().decode("utf-8-sig"), evaluating.pipeline.parts.corpus)
            except UnicodeDecodeError:
                st.session_state[_PROBLEMS] = (name, [_("evaluation.not_utf8")])
                return
            except EvalSetError as error:
                st.session_state[_PROBLEMS] = (name, error.problems)
                return
            evaluating.keep_set(evalset)
            app.audit.record(user.name, "eval.keep_set", name, {"items": len(evalset.items), "set_hash": evalset.set_hash})
            st.session_state[_BROUGHT] = _n("evaluation.brought", len(evalset.items), name=unmarked(name))
            eval_go(set=name, run=None, other=None, case=None)

        st.file_uploader(_("evaluation.file"), type=["jsonl"], key="eval_upload", on_change=take)
        if problems:
            name, lines = problems
            st.error(_n("evaluation.problems", len(lines), name=unmarked(name)), icon=":material/error:")
            for line in lines[:_MOST_PROBLEMS]:
                st.text(shown(_LINE.sub(lambda found: _("evaluation.line", n=found.group(1)), line)))
