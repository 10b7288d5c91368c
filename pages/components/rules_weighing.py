"""What an edit of rules changes, breaks and costs, and what it makes of stored turns."""

from __future__ import annotations

import streamlit as st

from duocthu_core.pipeline.recomputing import CannotRecompute, RecomputedSet
from duocthu_core.rulesets.diffing import diff_rulesets
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.word_diff import DiffPiece
from duocthu_core.tuning.desk import RulesDesk
from duocthu_core.tuning.impact import Impact
from pages.components.rules_progress import begun, finished
from pages.components.rules_trial import ending
from pages.frame import formats
from pages.frame.background import Advance, ShouldStop, Stepwise
from pages.frame.shown_text import shortened, shown
from pages.frame.words import _

_RECOMPUTED = 1000


def draw_impact(desk: RulesDesk, base: Ruleset, made: Ruleset) -> None:
    """Stale verdicts, calls and money, before anything is saved; counted beside the page, and stopped where the reader says so."""
    key = (base.ruleset_id, made.ruleset_id)
    kept: tuple[object, Stepwise[Impact]] | None = st.session_state.get("rules_impact")
    if kept is None or kept[0] != key:
        if kept is not None:
            kept[1].stop()
        work = begun("impact", lambda advance, should_stop: desk.impact(base, made, on_turn=advance, should_stop=should_stop))
        kept = st.session_state["rules_impact"] = (key, work)
    if not finished(kept[1], "impact"):
        return
    impact = kept[1].result
    if impact is None:
        st.warning(_("problem.failed"), icon=":material/warning:")
        return
    calls = impact.calls
    prompt, framework, judge, cost = st.columns(4)
    prompt.metric(_("rules.stale_prompt"), formats.number(impact.becomes_stale_prompt))
    framework.metric(_("rules.stale_framework"), formats.number(impact.becomes_stale_framework))
    judge.metric(_("rules.judge_calls", turns=calls.turns), formats.number(calls.judge_calls))
    cost.metric(_("rules.cost"), formats.money(calls.cost_usd))
    if kept[1].stopped:
        st.text(_("rules.stopped", done=calls.turns))
        st.button(_("rules.again"), key="impact_again", on_click=st.session_state.pop, args=("rules_impact", None))


def draw_diff(base: Ruleset, made: Ruleset) -> None:
    """Field by field; texts whole, with what goes and what comes in its place."""
    diff = diff_rulesets(base, made)
    st.subheader(_("rules.diff"), anchor=False)
    if not diff.changes:
        st.text(_("rules.same"))
    for change in diff.changes:
        st.text(shown(change.place))
        if change.words:
            st.text("".join(_in_place(piece) for piece in change.words))
        else:
            st.text(f"− {shortened(shown(change.before), 300)}\n+ {shortened(shown(change.after), 300)}")
    for name in ("prompt_hash", "completeness_prompt_hash", "framework_version"):
        old, new = getattr(diff, name)
        st.text(f"{_(f'rules.{name}')}: {old}" + ("" if old == new else f" → {new}"))


def _in_place(piece: DiffPiece) -> str:
    """A run of words where it stands; spaces stay outside of the marks."""
    text = piece.text
    core = text.strip()
    if piece.kind == "same" or not core:
        return shown(text)
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{before}⟦{'−' if piece.kind == 'removed' else '+'} {shown(core)}⟧{after}"


def draw_recompute(desk: RulesDesk, base: Ruleset, made: Ruleset) -> None:
    """Every stored turn under the edit's thresholds, without a call; done beside the page."""
    st.subheader(_("rules.recompute"), anchor=False)
    key = (base.ruleset_id, made.ruleset_id)
    if st.button(_("rules.recompute_now"), icon=":material/calculate:", key="recompute"):

        def work(advance: Advance, should_stop: ShouldStop) -> RecomputedSet:
            return desk.recompute(base, made, turns=_RECOMPUTED, on_turn=advance, should_stop=should_stop)

        st.session_state["rules_recomputed"] = (key, begun("recomputing", work))
    kept: tuple[object, Stepwise[RecomputedSet]] | None = st.session_state.get("rules_recomputed")
    if kept is None or kept[0] != key or not finished(kept[1], "recompute"):
        return
    found = kept[1].result
    if found is None:
        st.text(_("rules.cannot_recompute") if isinstance(kept[1].error, CannotRecompute) else _("problem.failed"))
        return
    st.text(_("rules.recomputed", turns=len(found.turns), flips=len(found.flips), open=len(found.open)))
    if kept[1].stopped:
        st.text(_("rules.stopped", done=len(found.turns)))
    rows = [
        {
            _("rules.turn"): shown(turn.question),
            _("rules.before"): ending(turn.before, turn.reason_before),
            _("rules.after"): ending(turn.after, turn.reason_after) if turn.after else _("rules.open_turn"),
        }
        for turn in (*found.flips, *found.open)
    ]
    if rows:
        st.dataframe(rows, hide_index=True)
