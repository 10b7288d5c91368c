"""Two turns side by side: where they part and why, stage by stage, claim by claim (spec 06, page 2; the first difference comes first)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duocthu_core.pipeline.comparing import ComparedClaim, ComparedStage, Comparison
from duocthu_core.pipeline.trace import STAGE_ORDER, StageStatus
from duocthu_core.verification.model import RejectReason, VerdictStatus
from pages.components.base.registration import component
from pages.components.facts.parts import Pill
from pages.components.turn_view.turn_view import outcome_pill
from pages.frame import formats
from pages.frame.shown_text import shown
from pages.frame.words import _, language, word

_draw = component(Path(__file__).parent)
SIDES = ("A", "B")
_STATE_LOOK: dict[StageStatus, tuple[str, str]] = {
    "ran": ("found", "check"),
    "skipped": ("quiet", "dash"),
    "stopped": ("missing", "stop"),
    "failed": ("warning", "alert"),
}
_VERDICT_LOOK: dict[VerdictStatus, tuple[str, str]] = {"supported": ("found", "check"), "unsupported": ("missing", "cross")}


@dataclass(frozen=True)
class SideName:
    """What stands over a column: the rules, what else tells the side apart, and what warns of them."""

    title: str
    about: str = ""
    warning: str = ""


def compare_view(comparison: Comparison, names: tuple[SideName, SideName], causes: Sequence[str], *, key: str) -> None:
    """Draws ``comparison``; ``causes`` are the sentences that say what the two turns did not have in common."""
    _draw(key=key, data=view_data(comparison, names, causes))


def view_data(comparison: Comparison, names: tuple[SideName, SideName], causes: Sequence[str]) -> dict[str, Any]:
    """What the component draws."""
    return {
        "language": language(),
        "banner": _banner(comparison, causes),
        "stages": [_stage(stage) for stage in comparison.stages],
        "sides": [_side(comparison, names, place) for place in (0, 1)],
        "claims": [_claim(claim) for claim in comparison.claims],
        "words": {
            "stages": _("compare.stages"),
            "stage": _("compare.stage"),
            "claims": _("compare.claims"),
            "none": _("compare.no_claims"),
            "differs": _("compare.differs"),
            "first": _("compare.differs_first"),
            "removed": _("compare.removed"),
            "added": _("compare.added"),
        },
    }


def _banner(comparison: Comparison, causes: Sequence[str]) -> dict[str, Any]:
    first = comparison.first_difference
    if first is None:
        return {"tone": "same", "icon": "check", "title": _("compare.all_same"), "lines": [shown(line) for line in causes]}
    title = _("compare.first", n=STAGE_ORDER.index(first) + 1, stage=_(f"stage.{first}"))
    return {"tone": "differs", "icon": "diamond", "title": title, "lines": [shown(line) for line in causes]}


def _stage(stage: ComparedStage) -> dict[str, Any]:
    return {
        "name": _(f"stage.{stage.name}"),
        "first": stage.is_first_difference,
        "differs": not stage.same,
        "cells": [_cell(stage.status[place], stage.duration_ms[place]) for place in (0, 1)],
    }


def _cell(status: StageStatus | None, duration_ms: float) -> dict[str, str]:
    if status is None:
        return {"tone": "quiet", "icon": "dash", "text": _("compare.not_there")}
    tone, sign = _STATE_LOOK[status]
    return {"tone": tone, "icon": sign, "text": formats.seconds(duration_ms) if status == "ran" else _(f"state.{status}")}


def _side(comparison: Comparison, names: tuple[SideName, SideName], place: int) -> dict[str, Any]:
    pill = outcome_pill(comparison.outcomes[place], comparison.reasons[place])
    return {
        "letter": SIDES[place],
        "title": shown(names[place].title),
        "about": shown(names[place].about),
        "outcome": pill,
        "warning": shown(names[place].warning),
    }


def _claim(claim: ComparedClaim) -> dict[str, Any]:
    alone = next((SIDES[place] for place in (0, 1) if claim.text[1 - place] is None), None)
    same_words = claim.text[0] == claim.text[1]
    if alone is not None and claim.part_of is not None:
        label = _("compare.part_of", side=SIDES[1 - SIDES.index(alone)], n=claim.part_of + 1)
    elif alone is not None:
        label = _("compare.only_in", side=alone)
    elif same_words and not claim.citations_same:
        label = _("compare.other_citations")
    elif same_words:
        label = _("compare.turned") if claim.flipped else _("compare.same")
    else:
        label = _("compare.changed")
    if claim.moved:
        label += " · " + _("compare.moved")
    sides = [_claim_side(claim, place, alone) for place in (0, 1)]
    return {"label": label, "same": claim.is_same and not claim.flipped, "sides": sides}


def _claim_side(claim: ComparedClaim, place: int, alone: str | None) -> dict[str, Any]:
    text, number = claim.text[place], claim.index[place]
    if text is None or number is None:
        if claim.part_of is not None:
            return {"missing": _("compare.within", side=SIDES[place], n=claim.part_of + 1)}
        return {"missing": _("compare.no_counterpart", side=SIDES[place])}
    if alone is not None or claim.text[0] == claim.text[1]:
        pieces = [{"kind": "same", "text": shown(text)}]
    else:
        other = "added" if place == 0 else "removed"
        pieces = [{"kind": piece.kind, "text": shown(piece.text)} for piece in claim.pieces if piece.kind != other]
    marks = claim_marks(claim.verdict[place], claim.findings[place], unchecked=claim.unchecked[place])
    return {"number": number + 1, "pieces": pieces, "marks": [mark.data() for mark in marks]}


def claim_marks(verdict: VerdictStatus | None, findings: Sequence[RejectReason], *, unchecked: bool = False) -> list[Pill]:
    """What judge and checks made of a claim: refusals first; a claim that was never judged, or that no guard came to, says so."""
    marks = [Pill(_("compare.refused", reason=word("reason", reason)), "missing", "stop") for reason in findings]
    if verdict is not None:
        tone, sign = _VERDICT_LOOK.get(verdict, ("warning", "alert"))
        marks.append(Pill(word("status", verdict), tone, sign))  # type: ignore[arg-type]
    elif not findings:
        marks.append(Pill(_("compare.not_checked" if unchecked else "compare.not_judged"), "quiet", "dash"))
    return marks
