"""What an edit of rules changes, breaks and costs, and what it makes of stored turns."""

from __future__ import annotations

import streamlit as st

from duocthu_core.bootstrap import Services
from duocthu_core.pipeline.recomputing import CannotRecompute
from duocthu_core.rulesets.diffing import diff_rulesets
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.problems import RulesetProblems
from duocthu_core.tuning.desk import RulesDesk
from pages.frame import formats
from pages.frame.shown_text import shortened, shown, unmarked
from pages.frame.words import _, word

_TURNS_OFFERED = 30
_RECOMPUTED = 1000


def draw_problems(problems: RulesetProblems) -> None:
    """Each fault with its place and line; nothing of the edit was saved."""
    st.error(_("rules.broken"), icon=":material/error:")
    for problem in problems.problems:
        line = _("rules.line", n=problem.line) if problem.line else ""
        st.text(" · ".join(filter(None, [shown(problem.place), line, word("rules_problem", problem.code), shown(problem.detail)])))


def draw_impact(desk: RulesDesk, base: Ruleset, made: Ruleset) -> None:
    """Stale verdicts, calls and money, before anything is saved."""
    key = (base.ruleset_id, made.ruleset_id)
    kept = st.session_state.get("rules_impact")
    if kept is None or kept[0] != key:
        kept = st.session_state["rules_impact"] = (key, desk.impact(base, made))
    impact = kept[1]
    calls = impact.calls
    prompt, framework, judge, cost = st.columns(4)
    prompt.metric(_("rules.stale_prompt"), formats.number(impact.becomes_stale_prompt))
    framework.metric(_("rules.stale_framework"), formats.number(impact.becomes_stale_framework))
    judge.metric(_("rules.judge_calls", turns=calls.turns), formats.number(calls.judge_calls))
    cost.metric(_("rules.cost"), formats.money(calls.cost_usd))


def draw_diff(base: Ruleset, made: Ruleset) -> None:
    """Field by field, texts word by word; hashes before and after."""
    diff = diff_rulesets(base, made)
    st.subheader(_("rules.diff"), anchor=False)
    for change in diff.changes:
        st.text(shown(change.place))
        if change.words:
            pieces = [piece for piece in change.words if piece.kind != "same" and piece.text.strip()]
            st.text("\n".join(("− " if piece.kind == "removed" else "+ ") + shown(piece.text.strip()) for piece in pieces))
        else:
            st.text(f"− {shortened(shown(change.before), 300)}\n+ {shortened(shown(change.after), 300)}")
    for name in ("prompt_hash", "completeness_prompt_hash", "framework_version"):
        old, new = getattr(diff, name)
        st.text(f"{_(f'rules.{name}')}: {old}" + ("" if old == new else f" → {new}"))


def draw_trial(app: Services, made: Ruleset) -> None:
    """The edit on one stored turn, from the first stage that it touches."""
    st.subheader(_("rules.try"), anchor=False)
    headings = {heading.trace_id: heading for heading in app.traces.recent(_TURNS_OFFERED)}
    if not headings:
        st.text(_("rules.no_turns"))
        return
    questions = {key: unmarked(shortened(heading.question, 80)) for key, heading in headings.items()}
    trace_id = st.selectbox(_("rules.turn"), list(headings), format_func=lambda key: questions[key], key="rules_turn")
    if not st.button(_("rules.try_now"), icon=":material/play_arrow:", key="try") or trace_id is None:
        return
    again = app.rules_desk.replay(trace_id, made)
    first = _(f"stage.{again.first_difference}") if again.first_difference else _("rules.no_difference")
    st.text(_("rules.first_difference", stage=first))
    before, after = (_ending(trace.outcome, trace.reject_reason) for trace in (again.parent, again.trace))
    st.text(f"{before} → {after}")
    st.text(_("rules.calls_made", made=len(again.fresh_calls), recorded=again.recorded_calls))
    st.page_link("turn.py", label=_("rules.open_trial"), query_params={"trace": again.trace.trace_id}, icon=":material/open_in_new:")
    pair = {"a": trace_id, "b": again.trace.trace_id}
    st.page_link("compare.py", label=_("compare.link"), query_params=pair, icon=":material/compare_arrows:")


def draw_recompute(desk: RulesDesk, base: Ruleset, made: Ruleset) -> None:
    """Every stored turn under the edit's thresholds, without a call."""
    st.subheader(_("rules.recompute"), anchor=False)
    if not st.button(_("rules.recompute_now"), icon=":material/calculate:", key="recompute"):
        return
    try:
        found = desk.recompute(base, made, turns=_RECOMPUTED)
    except CannotRecompute:
        st.text(_("rules.cannot_recompute"))
        return
    st.text(_("rules.recomputed", turns=len(found.turns), flips=len(found.flips), open=len(found.open)))
    rows = [
        {
            _("rules.turn"): shown(turn.question),
            _("rules.before"): _ending(turn.before, turn.reason_before),
            _("rules.after"): _ending(turn.after, turn.reason_after) if turn.after else _("rules.open_turn"),
        }
        for turn in (*found.flips, *found.open)
    ]
    if rows:
        st.dataframe(rows, hide_index=True)


def _ending(outcome: str, reason: str | None) -> str:
    return _(f"outcome.{outcome}") + (f" · {word('reason', reason)}" if reason else "")
