"""A turn laid open: the strip of its stages, and of the chosen stage its result, its reason, and what was asked of models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast, get_args

import streamlit as st

from duocthu_core.answering.model import Claim
from duocthu_core.bootstrap import Services
from duocthu_core.pipeline.outputs import GroundingOutput, GuardsOutput, RepairOutput
from duocthu_core.pipeline.trace import StageName, StageRecord, Trace
from duocthu_core.verification.model import CheckedClaim, ClaimBinding
from pages.components.binding_view.binding_view import binding_view, default_claim
from pages.components.facts.facts import facts
from pages.components.facts.parts import KeyValues, Note, Part, Raw
from pages.components.model_calls import call_parts
from pages.components.rules_replaying import replay_from
from pages.components.stage_details import output_parts
from pages.components.stage_strip.stage_strip import stage_strip
from pages.components.timeline import timeline
from pages.frame import labels
from pages.frame.address import View, go, here
from pages.frame.words import _, knows, word

_STATE_BADGE = {
    "ran": (":material/check:", "green"),
    "skipped": (":material/remove:", "gray"),
    "stopped": (":material/report:", "red"),
    "failed": (":material/warning:", "orange"),
}


@st.fragment
def inspection(trace: Trace, services: Services, *, with_link: bool = False) -> None:
    """Draws the stages of ``trace``; what is chosen stands in the address. ``with_link`` offers the turn's own address."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(_("strip.title", n=trace.turn_index), anchor=False, width="content")
        st.space("stretch")
        if with_link:
            st.page_link("turn.py", label=_("turn_page.link"), icon=":material/link:", query_params={"trace": trace.trace_id})
    address = here()
    chosen = address.stage if address.stage and trace.stage(address.stage) else default_stage(trace)

    def select_stage(stage: StageName) -> None:
        # Two quick clicks may arrive together and in any order: choosing what is chosen must not undo the other one.
        if stage != chosen:
            go(here().model_copy(update={"stage": stage, "view": None, "claim": None}))

    stage_strip(trace.stages, key=f"strip-{trace.trace_id}", selected=chosen, on_select=select_stage)
    record = trace.stage(chosen)
    if record is not None:
        with st.container(border=True, key="stage_detail"):
            _stage_detail(record, trace, services)
    _timeline_on_demand(trace)


def default_stage(trace: Trace) -> StageName:
    """Where a reader looks first: the stage that ended the turn, else the last check that bound claims, else the answer."""
    if trace.stopped_at is not None:
        return trace.stopped_at.name
    guards = trace.stage("guards")
    return "guards" if guards is not None and guards.output is not None else "answer"


def _select_claim(number: int) -> None:
    go(here().model_copy(update={"claim": number}))


def _stage_detail(record: StageRecord, trace: Trace, services: Services) -> None:
    place = f"{trace.trace_id}-{record.name}"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        icon, color = _STATE_BADGE[record.status]
        st.subheader(_(f"stage.{record.name}"), width="content", anchor=False)
        st.badge(_(f"state_title.{record.status}"), icon=icon, color=color)  # type: ignore[arg-type]
        st.space("stretch")
        replay_from(trace, record.name, services)
        view = _view_control(place, calls=len(record.calls))
    if view == "why":
        facts(why_parts(record, services), key=f"why-{place}")
    elif view == "calls":
        facts(call_parts(record.calls), key=f"calls-{place}")
    else:
        _result(record, trace, services, place)


def _view_control(place: str, *, calls: int) -> View:
    key = f"view-{place}"

    def changed() -> None:
        view = st.session_state[key]
        go(here().model_copy(update={"view": None if view == "result" else view}))

    chosen = st.segmented_control(
        _("view.label"),
        get_args(View),
        format_func=lambda view: _(f"view.{view}") + (f" · {calls}" if view == "calls" and calls else ""),
        default=here().view or "result",
        required=True,
        key=key,
        label_visibility="collapsed",
        on_change=changed,
    )
    return cast("View", chosen or "result")


def why_parts(record: StageRecord, services: Services) -> list[Part]:
    """Why a stage came out as it did: a sentence, its warnings, and the code with what it is about."""
    values = _why_values(record)
    rows = [(_("why_detail.code"), record.why.code), *((word("why_param", name), value) for name, value in values.items() if value)]
    warnings = [Note(word("warning", warning), "warning", "alert") for warning in record.warnings]
    return [_why_note(record, services), *warnings, KeyValues(rows)]


def _why_note(record: StageRecord, services: Services) -> Note:
    key = f"why.{record.why.code}"
    sentence = _(key, **_why_values(record)) if knows(key) else labels.rejection(services.ruleset, record.why.code)
    if record.status == "failed":
        return Note(sentence, "warning", "alert")
    return Note(sentence, "missing", "stop") if record.status == "stopped" else Note(sentence)


def _why_values(record: StageRecord) -> dict[str, str]:
    values = dict(record.why.params)
    if "stage" in values:
        values["stage"] = word("stage", values["stage"])
    return values


def _result(record: StageRecord, trace: Trace, services: Services, place: str) -> None:
    bound = _bound_claims(record)
    if bound is None and record.status != "ran":
        cause = record.why.params.get("detail")
        facts([_why_note(record, services), *([Raw(_("why_param.detail"), cause)] if cause else [])], key=f"ended-{place}")
    if bound is not None:
        bindings, checked = bound
        selected = here().claim
        binding_view(
            bindings, checked, trace.evidence, services.ruleset, key=f"binding-{place}", selected=selected, on_select=_select_claim
        )
        _edit_by_hand(bindings[default_claim(bindings, checked, selected)], trace, services, place)
    people = services.judge_confidence() if record.name == "entailment" else None
    parts = output_parts(record, trace, services.ruleset, people)
    if parts:
        facts(parts, key=f"result-{place}")


def _bound_claims(record: StageRecord) -> tuple[Sequence[ClaimBinding], Sequence[CheckedClaim]] | None:
    output = record.output
    if isinstance(output, GroundingOutput | GuardsOutput | RepairOutput) and output.bindings:
        return output.bindings, output.claims
    return None


def _edit_by_hand(binding: ClaimBinding, trace: Trace, services: Services, place: str) -> None:
    """The chosen claim as text to change, checked again on demand: nothing of it is stored."""
    place = f"{place}-{binding.claim_index}"
    result_key = f"rechecked-{place}"
    with st.expander(_("edit.title"), icon=":material/edit:"):
        with st.form(f"edit-form-{place}", border=False):  # what was typed goes with the press, not in a run of its own before it
            text = st.text_area(
                _("edit.label", n=binding.claim_index + 1), value=binding.text, max_chars=1500, key=f"edit-{place}", height=80
            )
            asked = st.form_submit_button(_("edit.check"), icon=":material/fact_check:", key=f"check-{place}")
        if asked and text.strip():
            st.session_state[result_key] = services.recheck(trace, Claim(text=text, citations=binding.citations))
        elif asked:
            st.warning(_("edit.empty"))
        rechecked = st.session_state.get(result_key)
        if rechecked is not None:
            number = {"claim_index": binding.claim_index}
            binding_view(
                [rechecked.binding.model_copy(update=number)],
                [rechecked.checked.model_copy(update=number)],
                trace.evidence,
                services.ruleset,
                key=f"edited-{place}",
                selected=1,
                on_select=lambda _number: None,
                single=True,
            )


def _timeline_on_demand(trace: Trace) -> None:
    expander = st.expander(_("timeline.title"), icon=":material/timeline:", key=f"timeline-open-{trace.trace_id}", on_change="rerun")
    if expander.open:
        with expander:
            timeline(trace, key=f"timeline-{trace.trace_id}")
