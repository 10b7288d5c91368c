"""What can be compared, one form a kind: a question, the stored turns of a filter, an eval set, each on two sides."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import streamlit as st

from duocthu_core.access.model import User
from duocthu_core.bootstrap import Services
from duocthu_core.evaluation.paired_runs import finished_run, paired_turns
from duocthu_core.evaluation.sets import EvalSetError
from duocthu_core.pipeline.trace import Outcome
from duocthu_core.pipeline.trace_store import ASKED
from duocthu_core.tuning.sides import Side
from pages.components.compare_parts.choosing import choose_sides, short_rules_id
from pages.components.compare_parts.set_view import draw_pairs
from pages.frame import labels
from pages.frame.compare_address import MOST_TURNS, CompareAddress, compare_go
from pages.frame.compare_work import eval_work, evaluating_on, now, question_work, run_button, turn_work, turns_work
from pages.frame.services import stored_trace
from pages.frame.shown_text import shortened, shown, unmarked
from pages.frame.words import _, _n

_TURNS_OFFERED = 30
_LABEL = 80
_NONE = ""
"""An option of its own: a choice that holds None would look as if nothing was chosen."""


def draw_question(app: Services, user: User, address: CompareAddress) -> None:
    """One question, typed or of a stored turn, on two sides."""
    turns = {entry.trace_id: shown(shortened(entry.question, _LABEL)) for entry in app.traces.recent(_TURNS_OFFERED, filters=ASKED)}
    if address.of and address.of not in turns and (known := stored_trace(address.of)) is not None:
        turns[address.of] = shown(shortened(known.question, _LABEL))
    turns = labels.told_apart(turns)
    of = address.of if address.of in turns else None
    st.session_state["compare_of"] = of or _NONE
    st.selectbox(
        _("compare.question_of"),
        [_NONE, *turns],
        format_func=lambda key: turns[key] if key else _("compare.typed"),
        key="compare_of",
        on_change=lambda: compare_go(of=st.session_state["compare_of"] or None),
    )
    limit = app.settings.question_max_chars
    typed = "" if of else st.text_area(_("compare.question"), key="compare_question", max_chars=limit, height=80)
    sides = choose_sides(app, address)
    work = None
    if sides is not None and (of or typed.strip()):
        work = turn_work(app, of, *sides) if of else question_work(app, typed, *sides)
    run_button(app, user, work)
    st.text(_("compare.question_told"))


def draw_turns(app: Services, user: User, address: CompareAddress) -> None:
    """The stored turns of a filter on two sides."""
    _filters(address)
    sides = choose_sides(app, address)
    if sides is None:
        return
    which = address.stored_turns
    if which.until is None:
        which = which.model_copy(update={"until": now()})
    found = app.sides.pairs(which, *sides)
    changes = _named(sides) | {"until": which.until, "begun": "1"}
    if not found.pairs and not found.missing:
        st.text(_("turn_page.none_found"))
    elif found.missing:
        st.text(_n("compare.missing", len(found.missing)))
        run_button(app, user, turns_work(app, found.missing, *sides), **changes)
    elif address.begun is None:
        st.text(_("compare.all_there"))
        st.button(_("compare.show"), type="primary", icon=":material/compare_arrows:", on_click=compare_go, kwargs=changes)
    if address.begun is not None and found.pairs:
        draw_pairs(found.pairs, sides)


def _filters(address: CompareAddress) -> None:
    def keep() -> None:
        state = st.session_state
        outcome, words = state["compare_outcome"] or None, state["compare_words"] or None
        compare_go(words=words, outcome=outcome, n=state["compare_n"], begun=None, until=None)

    state = st.session_state
    state["compare_words"], state["compare_outcome"], state["compare_n"] = address.words or "", address.outcome or _NONE, address.n
    outcomes: list[str] = [_NONE, *get_args(Outcome)]
    named: Callable[[str], str] = lambda outcome: _(f"outcome.{outcome}") if outcome else _("compare.any_outcome")  # noqa: E731
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(_("turn_page.search"), key="compare_words", on_change=keep, icon=":material/search:")
        st.selectbox(_("compare.outcome"), outcomes, format_func=named, key="compare_outcome", on_change=keep)
        st.number_input(_("compare.newest"), 1, MOST_TURNS, key="compare_n", on_change=keep, width=150)


def draw_set(app: Services, user: User, address: CompareAddress) -> None:
    """A whole eval set on two sides: the newest finished runs, or new ones."""
    listed = [entry.name for entry in app.evaluating().sets() if entry.problem is None]
    st.session_state["compare_set"] = address.set if address.set in listed else None
    st.selectbox(
        _("compare.set"),
        listed,
        placeholder=_("compare.choose_set"),
        key="compare_set",
        on_change=lambda: compare_go(set=st.session_state["compare_set"]),
    )
    sides = choose_sides(app, address)
    if address.set is None:
        st.text(_("compare.set_empty"))
    if sides is None or address.set not in listed:
        return
    try:
        evalset = app.evaluating().load(address.set)
    except EvalSetError as error:
        st.error(unmarked(str(error)), icon=":material/error:")
        return
    evaluating = [evaluating_on(app, side) for side in sides]
    one, other = (finished_run(each, evalset) for each in evaluating)
    if one is None or other is None:
        st.text(_n("compare.set_missing", len(evalset.items)))
        run_button(app, user, eval_work(evaluating, evalset), **_named(sides))
        return
    results = app.evaluations.results
    draw_pairs(paired_turns(results(one.run_id), results(other.run_id)), sides)


def _named(sides: tuple[Side, Side]) -> dict[str, object]:
    """The rules of both sides as the address names them."""
    return {f"rules_{letter}": short_rules_id(side.ruleset.ruleset_id) for letter, side in zip("ab", sides, strict=True)}
