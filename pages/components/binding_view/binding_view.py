"""Claims at the left, the blocks they cite at the right: every number, unit, bound, group and route has a letter at both its ends, and a
miss says what stands in the book instead (spec 06, page 1, "binding"; design: both ends visible, readable without colour)."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.spans import Span
from duocthu_core.verification.model import BoundDetail, CheckedClaim, ClaimBinding, Finding
from pages.components.base.registration import component
from pages.frame import formats, labels
from pages.frame.shown_text import shortened, shown
from pages.frame.words import _, _n, knows, language

_SHORT_LENGTH = 30
_PARAM_LENGTH = 110
_RANGE_SIGNS = frozenset({"-", "–", "/"})
_TOGETHER_LENGTH = 26
"""Marks with at most one character or the sign of a range between them stay on one line up to this many characters: a dose is never
split."""
_CONTEXT = 16
_draw = component(Path(__file__).parent)


@dataclass(frozen=True)
class _Place:
    """A marked place in a text, with the letters that stand for it."""

    span: Span
    letters: tuple[str, ...]
    found: bool


def binding_view(
    bindings: Sequence[ClaimBinding],
    checked: Sequence[CheckedClaim],
    evidence: Sequence[Evidence],
    ruleset: Ruleset,
    *,
    key: str,
    selected: int | None,
    on_select: Callable[[int], None],
    single: bool = False,
) -> None:
    """Draws the claims of ``bindings`` with what the checks said of them. ``selected`` and ``on_select`` count claims from 1.

    With ``single`` there is one claim and no overview: the view of a claim that was edited by hand.
    """

    def selection_changed() -> None:
        number = st.session_state.get(key, {}).get("claim")
        if isinstance(number, int) and 1 <= number <= len(bindings):
            on_select(number)

    data = binding_data(bindings, checked, evidence, ruleset, selected=selected, single=single)
    _draw(key=key, data=data, on_claim_change=selection_changed)


def binding_data(
    bindings: Sequence[ClaimBinding],
    checked: Sequence[CheckedClaim],
    evidence: Sequence[Evidence],
    ruleset: Ruleset,
    *,
    selected: int | None,
    single: bool,
) -> dict[str, Any]:
    """What the component draws."""
    blocks = {block.index: block for block in evidence}
    findings = {claim.claim_index: claim.findings for claim in checked}
    bad = sum(1 for binding in bindings if _misses(binding, findings.get(binding.claim_index, ())))
    return {
        "language": language(),
        "words": _words(),
        "single": single,
        "selected": default_claim(bindings, checked, selected),
        "summary": None if single else _summary(len(bindings), bad),
        "claims": [_claim(binding, findings.get(binding.claim_index, ()), blocks, ruleset) for binding in bindings],
        "matrix": None if single or not bindings else _matrix(bindings),
        "keys": _keys(many=len(bindings) > 1),
    }


def default_claim(bindings: Sequence[ClaimBinding], checked: Sequence[CheckedClaim], selected: int | None) -> int:
    """The position of the claim to open: the selected one (counted from 1), else the first with a miss, else the first."""
    if selected and selected <= len(bindings):
        return selected - 1
    findings = {claim.claim_index: claim.findings for claim in checked}
    return next((n for n, binding in enumerate(bindings) if _misses(binding, findings.get(binding.claim_index, ()))), 0)


def _words() -> dict[str, Any]:
    names = ("claims", "blocks", "claim", "found", "differs", "matrix", "not_cited", "legend")
    ledger = [_("binding.column_mark"), _("binding.column_kind"), _("binding.column_claim"), _("binding.column_book")]
    return {name: _(f"binding.{name}") for name in names} | {"ledger": ledger}


def _keys(*, many: bool) -> list[list[str]]:
    moves = [["J", _("keys.next_claim")], ["K", _("keys.previous_claim")]] if many else []
    return [*moves, ["← →", _("keys.detail")], ["Enter", _("keys.pin")], ["Esc", _("keys.unpin")]]


def _summary(claims: int, bad: int) -> dict[str, str]:
    if bad:
        return {"tone": "missing", "icon": "cross", "text": _n("binding.some_differ", claims, bad=bad)}
    return {"tone": "found", "icon": "check", "text": _n("binding.all_found", claims)}


def _misses(binding: ClaimBinding, findings: Sequence[Finding]) -> int:
    missing = sum(1 for detail in binding.details if not detail.found)
    return max(missing, sum(1 for finding in findings if finding.level == "reject"))


def _claim(binding: ClaimBinding, findings: Sequence[Finding], blocks: dict[int, Evidence], ruleset: Ruleset) -> dict[str, Any]:
    lettered = list(zip(_letters(len(binding.details)), binding.details, strict=True))
    in_claim = [_Place(detail.claim_span, (letter,), detail.found) for letter, detail in lettered]
    cited = [blocks[index] for index in dict.fromkeys(binding.citations) if index in blocks]
    return {
        "title": _("binding.claim_number", n=binding.claim_index + 1),
        "cites": _cites(binding.citations),
        "state": _claim_state(binding, findings),
        "runs": _runs(binding.text, in_claim),
        "notes": [_note(finding, ruleset) for finding in findings],
        "details": [_detail(letter, detail, blocks) for letter, detail in lettered],
        "blocks": [_block(block, lettered) for block in cited],
    }


def _letters(count: int) -> list[str]:
    alphabet = string.ascii_lowercase
    return [alphabet[n] if n < 26 else alphabet[n // 26 - 1] + alphabet[n % 26] for n in range(min(count, 26 * 27))]


def _cites(citations: Sequence[int]) -> str:
    return _("binding.cites", blocks=" ".join(f"[{index}]" for index in citations)) if citations else _("binding.cites_nothing")


def _claim_state(binding: ClaimBinding, findings: Sequence[Finding]) -> dict[str, str]:
    misses = _misses(binding, findings)
    if misses:
        return {"tone": "missing", "icon": "cross", "text": _n("binding.n_missing", misses)}
    if any(finding.level == "warn" for finding in findings):
        return {"tone": "warning", "icon": "alert", "text": _("binding.warned")}
    if not binding.details:
        return {"tone": "quiet", "icon": "dash", "text": _("binding.no_details")}
    return {"tone": "found", "icon": "check", "text": _n("binding.n_found", len(binding.details))}


def _note(finding: Finding, ruleset: Ruleset) -> dict[str, str]:
    key = f"finding.{finding.message or finding.reason}"
    params = {name: shortened(value, _PARAM_LENGTH) for name, value in finding.params.items()}
    text = _(key, **params) if knows(key) else labels.rejection(ruleset, finding.reason)
    return {"tone": "warning" if finding.level == "warn" else "missing", "text": shown(text)}


def _detail(letter: str, detail: BoundDetail, blocks: dict[int, Evidence]) -> dict[str, Any]:
    kind = _(f"detail.{detail.kind}")
    state = _("binding.found") if detail.found else _("binding.differs")
    return {
        "letter": letter,
        "kind": kind,
        "text": shown(detail.text),
        "book": shown(_in_book(detail)),
        "found": detail.found,
        "spoken": shown(_("binding.spoken", kind=kind, text=detail.text, state=state, place=_place(detail, blocks))),
    }


def _in_book(detail: BoundDetail) -> str:
    if detail.evidence is None or detail.evidence.span is None:
        return _("binding.not_in_book")
    return detail.evidence.text


def _place(detail: BoundDetail, blocks: dict[int, Evidence]) -> str:
    end = detail.evidence
    if end is None or end.span is None or end.index not in blocks:
        return _("binding.not_in_book")
    text = blocks[end.index].text
    around = text[max(0, end.span.start - _CONTEXT) : end.span.end + _CONTEXT]
    return f"[{end.index}] …{' '.join(around.split())}…"


def _block(block: Evidence, lettered: Sequence[tuple[str, BoundDetail]]) -> dict[str, Any]:
    drawn = {
        "index": block.index,
        "heading": shown(block.section_title),
        "page": formats.pages(block.page_start, block.page_end, estimated=block.page_estimated),
        "locked": "",
        "runs": [],
    }
    if block.quarantined:
        return drawn | {"locked": _("book.locked")}
    places = [
        _Place(detail.evidence.span, (letter,), detail.found)
        for letter, detail in lettered
        if detail.evidence is not None and detail.evidence.index == block.index and detail.evidence.span is not None
    ]
    return drawn | {"runs": _runs(block.text, places)}


def _runs(text: str, places: Iterable[_Place]) -> list[list[dict[str, Any]]]:
    """``text`` as runs that do not break over a line, each of plain and marked pieces; places that overlap become one mark."""
    merged: list[_Place] = []
    for place in sorted((p for p in places if 0 <= p.span.start < p.span.end <= len(text)), key=lambda p: p.span):
        if merged and merged[-1].span.overlaps(place.span):
            last = merged[-1]
            span = Span(last.span.start, max(last.span.end, place.span.end))
            merged[-1] = _Place(span, (*last.letters, *place.letters), last.found and place.found)
        else:
            merged.append(place)
    runs: list[list[dict[str, Any]]] = []
    position, run_length = 0, 0
    for place in merged:
        gap, marked = text[position : place.span.start], place.span.of(text)
        close = (len(gap) <= 1 and gap != "\n") or gap.strip() in _RANGE_SIGNS
        joined = bool(runs) and position > 0 and close and run_length + len(gap) + len(marked) <= _TOGETHER_LENGTH
        if joined:
            run_length += len(gap) + len(marked)
            runs[-1] += [*_plain(gap), _marked(marked, place)]
        else:
            runs += [_plain(gap)] if gap else []
            runs.append([_marked(marked, place)])
            run_length = len(marked)
        position = place.span.end
    return [*runs, _plain(text[position:])] if position < len(text) else runs


def _plain(text: str) -> list[dict[str, Any]]:
    return [{"text": shown(text), "keys": [], "found": True}] if text else []


def _marked(text: str, place: _Place) -> dict[str, Any]:
    return {"text": shown(text), "keys": list(place.letters), "found": place.found}


def _matrix(bindings: Sequence[ClaimBinding]) -> dict[str, Any]:
    columns = sorted({index for binding in bindings for index in binding.citations})
    rows = []
    for binding in bindings:
        counts = {count.index: {"found": count.found, "total": count.total} for count in binding.counts}
        rows.append(
            {
                "number": str(binding.claim_index + 1),
                "short": shown(shortened(binding.text, _SHORT_LENGTH)),
                "cells": [counts.get(index) if index in binding.citations else None for index in columns],
            }
        )
    return {"columns": columns, "rows": rows}
