"""A stored turn run again from one of its stages, and the runs that a turn is linked with (spec 01, "Replay"; design brief, 7)."""

from __future__ import annotations

from itertools import count

import streamlit as st

from duocthu_core.bootstrap import Services
from duocthu_core.pipeline.replaying import Replayed, first_difference
from duocthu_core.pipeline.running import TurnCancelled
from duocthu_core.pipeline.trace import StageName, StageRecord, Trace
from duocthu_core.pipeline.trace_store import TraceFilters, TraceHeading
from duocthu_core.rulesets.loading import RulesetError
from pages.components.rules_progress import begun, finished
from pages.frame import formats, labels
from pages.frame.access import user_of_this_run
from pages.frame.background import Advance, ShouldStop, Stepwise
from pages.frame.services import stored_trace
from pages.frame.shown_text import shown, unmarked
from pages.frame.words import _, word

_AT_WORK = "replays_at_work"
_LOOKED_AT = 100


def replay_from(trace: Trace, stage: StageName, services: Services) -> None:
    """Offers an engineer to run ``trace`` again from ``stage``; the new run opens at its own address. A failed stage offers it first."""
    user = user_of_this_run()
    if user is None or not user.may("engineer"):
        return
    work = st.session_state.get(_AT_WORK, {}).get(trace.trace_id)
    if work is not None:
        _at_work(work, trace)
        return
    record = trace.stage(stage)
    failed = record is not None and record.status == "failed"
    with st.popover(
        _("replay.title"), icon=":material/replay:", key=f"replay-{trace.trace_id}-{stage}", type="primary" if failed else "secondary"
    ):
        st.text(_("replay.what", stage=_(f"stage.{stage}")))
        choices = _choices(services)
        names = list(choices)
        chosen = st.selectbox(
            _("rules.choose"),
            names,
            format_func=lambda key: shown(choices[key]),
            key=f"replay-rules-{trace.trace_id}-{stage}",
            required=True,
        )
        if st.button(_("replay.now"), icon=":material/play_arrow:", key=f"replay-now-{trace.trace_id}-{stage}"):
            _start(trace, stage, str(chosen), services)
            st.rerun()


def _choices(services: Services) -> dict[str, str]:
    """Id -> name of the rules to choose: those in force first."""
    found = {services.ruleset.ruleset_id: _("replay.in_force", name=labels.ruleset_name(services.ruleset))}
    for heading in services.rulesets.headings():
        found.setdefault(heading.ruleset_id, heading.name)
    return labels.told_apart(found)


def _start(trace: Trace, stage: StageName, ruleset_id: str, services: Services) -> None:
    def work(advance: Advance, should_stop: ShouldStop) -> Replayed:
        steps = count(1)

        def on_stage(_record: StageRecord) -> None:
            done = next(steps)
            advance(done, max(len(trace.stages), done))

        return services.replay(trace.trace_id, ruleset_id, start=stage, on_stage=on_stage, should_stop=should_stop)

    st.session_state.setdefault(_AT_WORK, {})[trace.trace_id] = begun("replay", work, (TurnCancelled,))


def _at_work(work: Stepwise[Replayed], trace: Trace) -> None:
    if not finished(work, f"replay-{trace.trace_id}"):
        return
    st.session_state[_AT_WORK].pop(trace.trace_id, None)
    if work.result is not None:
        st.switch_page("turn.py", query_params={"trace": work.result.trace.trace_id})
    elif isinstance(work.error, TurnCancelled):
        st.text(_("problem.stopped"))
    else:
        st.warning(_("replay.failed"), icon=":material/warning:")


def linked_runs(trace: Trace, services: Services) -> None:
    """The turn that ``trace`` is a run of, with where they first differ, and the runs that were made of it."""
    if trace.parent_trace_id is not None:
        parent = stored_trace(trace.parent_trace_id)
        with st.container(horizontal=True, vertical_alignment="center"):
            query = {"trace": trace.parent_trace_id}
            st.page_link("turn.py", label=_("replay.of"), icon=":material/subdirectory_arrow_left:", query_params=query)
            if parent is not None:
                differs = first_difference(parent, trace)
                st.text(_("rules.first_difference", stage=_(f"stage.{differs}") if differs else _("rules.no_difference")), width="content")
    filters = TraceFilters(conversation_id=trace.conversation_id)
    runs = [run for run in services.traces.recent(_LOOKED_AT, 0, filters) if run.parent_trace_id == trace.trace_id]
    if runs:
        with st.expander(_("replay.runs", n=len(runs)), icon=":material/replay:"):
            for run in runs:
                st.page_link("turn.py", label=unmarked(_line(run, services)), query_params={"trace": run.trace_id})


def _line(run: TraceHeading, services: Services) -> str:
    ending = _(f"outcome.{run.outcome}") + (f" · {word('reason', run.reject_reason)}" if run.reject_reason else "")
    return f"{formats.moment(run.created_at)} · {rules_name(run.ruleset_id, services)} · {ending}"


def rules_name(ruleset_id: str, services: Services) -> str:
    """The name of rules that a run was made under, with the beginning of their id."""
    try:
        name = services.rulesets.find(ruleset_id).name
    except RulesetError:
        name = _("ruleset.other")
    return f"{name} ({labels.short_id(ruleset_id)})"
