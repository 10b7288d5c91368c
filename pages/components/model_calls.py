"""The calls that a stage made to a model: the exact request, the raw response or the provider's error, all as text."""

from __future__ import annotations

import json
from collections.abc import Sequence

from duocthu_core.pipeline.trace import ModelCall
from pages.components.facts.parts import Cell, Figure, Group, KeyValues, Note, Part, Pill, Raw
from pages.frame import formats
from pages.frame.words import _, word

_LONG = 900


def call_parts(calls: Sequence[ModelCall]) -> list[Part]:
    """One framed group a call, or a sentence that no model was asked."""
    if not calls:
        return [Note(_("calls.none"))]
    return [_call(number, call) for number, call in enumerate(calls, start=1)]


def _call(number: int, call: ModelCall) -> Group:
    request, response = call.request, call.response
    most, temperature = formats.number(request.max_output_tokens), formats.number(request.temperature, 2)
    limits = _("calls.limits_are", tokens=most, temperature=temperature)
    rows: list[tuple[str, Cell]] = [
        (_("calls.model"), Figure(f"{call.provider}/{call.model}")),
        (_("calls.time"), _("calls.started_and_took", at=formats.clock(call.started_at), duration=formats.seconds(call.duration_ms))),
        (_("calls.limits"), limits),
        (_("calls.fingerprint"), Figure(request.fingerprint())),
    ]
    if response is not None:
        tokens = _("calls.tokens_are", sent=formats.number(response.input_tokens), received=formats.number(response.output_tokens))
        rows += [
            (_("calls.tokens"), tokens),
            (_("calls.cost"), formats.money(call.cost_usd)),
            (_("calls.stop_reason"), word("stop_reason", response.stop_reason)),
        ]
    parts: list[Part] = [KeyValues(rows)]
    if call.error is not None:
        parts.append(Note(_("calls.failed", kind=word("error_kind", call.error_kind or "")), "warning", "alert"))
        parts.append(Raw(_("calls.error"), call.error))
    if response is not None:
        parts.append(Raw(_("calls.response"), response.text))
    parts += [Raw(_("calls.system"), request.system, folded=len(request.system) > _LONG), Raw(_("calls.user"), request.user)]
    if request.json_schema is not None:
        parts.append(Raw(_("calls.schema"), _json(request.json_schema), folded=True))
    if request.payload:
        parts.append(Raw(_("calls.payload"), _json(request.payload), folded=True))
    state = Pill(_("calls.answered"), "found", "check") if call.error is None else Pill(_("calls.not_answered"), "warning", "alert")
    return Group(_("calls.call", n=number, purpose=word("purpose", request.purpose)), parts, state)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
