"""An edit of rules tried on one stored turn, from the first stage it touches or from one that the reader chooses (spec 06, page 4)."""

from __future__ import annotations

from itertools import count
from typing import get_args

import streamlit as st

from duocthu_core.bootstrap import Services
from duocthu_core.pipeline.replaying import Replayed
from duocthu_core.pipeline.running import TurnCancelled
from duocthu_core.pipeline.trace import StageName, StageRecord
from duocthu_core.pipeline.trace_store import ASKED
from duocthu_core.rulesets.model import Ruleset
from pages.components.rules_progress import begun, finished
from pages.frame import labels
from pages.frame.background import Advance, ShouldStop, Stepwise
from pages.frame.services import stored_trace
from pages.frame.shown_text import shortened, shown
from pages.frame.words import _, word

_TURNS_OFFERED = 30
_WORK = "rules_trial"
_FIRST = ""
"""The option that leaves the stage to the edit: a choice that holds None would look as if nothing was chosen."""
Key = tuple[str, str, str]
"""The turn, the edited rules, the stage."""


def draw_trial(app: Services, made: Ruleset) -> None:
    """The choice of turn and stage, the run with its progress, and how the turn ends now."""
    st.subheader(_("rules.try"), anchor=False)
    trace_id = _chosen_turn(app)
    if trace_id is None:
        st.text(_("rules.no_turns"))
        return
    start = _chosen_stage(trace_id)
    key = (trace_id, made.ruleset_id, start)
    held: tuple[Key, Stepwise[Replayed]] | None = st.session_state.get(_WORK)
    at_work = held is not None and held[0] == key and not held[1].ended

    def begin() -> None:
        if held is not None:
            held[1].stop()
        st.session_state[_WORK] = (key, _begun(app, made, trace_id, start))

    st.button(_("rules.try_now"), icon=":material/play_arrow:", key="try", disabled=at_work, on_click=begin)
    if held is not None and held[0] == key and finished(held[1], "trial", told=_told):
        _draw_ended(held[1])


def _told(work: Stepwise[Replayed]) -> str:
    return _("rules.trial_progress", done=work.done, total=work.total or "…")


def _chosen_turn(app: Services) -> str | None:
    headings = {heading.trace_id: shown(shortened(heading.question, 80)) for heading in app.traces.recent(_TURNS_OFFERED, filters=ASKED)}
    asked = st.query_params.get("trace")
    if asked and asked not in headings and (known := stored_trace(asked)) is not None:
        headings[asked] = shown(shortened(known.question, 80))
    if not headings:
        return None
    ids, named = list(headings), labels.told_apart(headings)

    def chosen() -> None:
        st.query_params["trace"] = st.session_state["rules_turn"]

    return st.selectbox(
        _("rules.turn"),
        ids,
        ids.index(asked) if asked in ids else 0,
        format_func=lambda key: named[key],
        key="rules_turn",
        on_change=chosen,
    )


def _chosen_stage(trace_id: str) -> str:
    """A stage that the turn has, or ``_FIRST``; it stands in the address."""
    trace = stored_trace(trace_id)
    stages = [_FIRST, *(record.name for record in trace.stages)] if trace is not None else [_FIRST]
    asked = st.query_params.get("from", _FIRST)

    def chosen() -> None:
        st.query_params.pop("from", None)
        if st.session_state["rules_start"]:
            st.query_params["from"] = st.session_state["rules_start"]

    return st.selectbox(
        _("rules.start"),
        stages,
        stages.index(asked) if asked in stages else 0,
        format_func=lambda stage: _(f"stage.{stage}") if stage else _("rules.start_first"),
        key="rules_start",
        on_change=chosen,
    )


def _begun(app: Services, made: Ruleset, trace_id: str, chosen: str) -> Stepwise[Replayed]:
    start: StageName | None = next((stage for stage in get_args(StageName) if stage == chosen), None)

    def work(advance: Advance, should_stop: ShouldStop) -> Replayed:
        steps, trace = count(1), app.traces.load(trace_id)
        stages = len(trace.stages) if trace is not None else 0

        def on_stage(_record: StageRecord) -> None:
            done = next(steps)
            advance(done, max(stages, done))

        return app.rules_desk.replay(trace_id, made, start=start, on_stage=on_stage, should_stop=should_stop)

    return begun("trial", work, (TurnCancelled,))


def _draw_ended(work: Stepwise[Replayed]) -> None:
    again = work.result
    if again is None:
        if isinstance(work.error, TurnCancelled):
            st.text(_("rules.trial_stopped"))
        else:
            st.warning(_("rules.trial_failed"), icon=":material/warning:")
        return
    first = _(f"stage.{again.first_difference}") if again.first_difference else _("rules.no_difference")
    st.text(_("rules.first_difference", stage=first))
    before, after = (ending(trace.outcome, trace.reject_reason) for trace in (again.parent, again.trace))
    st.text(f"{before} → {after}")
    st.text(_("rules.calls_made", made=len(again.fresh_calls), recorded=again.recorded_calls))
    st.page_link("turn.py", label=_("rules.open_trial"), query_params={"trace": again.trace.trace_id}, icon=":material/open_in_new:")
    pair = {"a": again.parent.trace_id, "b": again.trace.trace_id}
    st.page_link("compare.py", label=_("compare.link"), query_params=pair, icon=":material/compare_arrows:")


def ending(outcome: str, reason: str | None) -> str:
    """How a turn ends, in words."""
    return _(f"outcome.{outcome}") + (f" · {word('reason', reason)}" if reason else "")
