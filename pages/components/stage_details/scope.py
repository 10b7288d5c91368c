"""Scope: whether the book is for this question, and what must stand above the answer."""

from __future__ import annotations

from duocthu_core.pipeline.outputs import ScopeOutput
from pages.components.facts.parts import Cell, KeyValues, Note, Part
from pages.components.stage_details.shared import Shown, listed, yes_or_no
from pages.frame.words import _, language, word


def parts(output: ScopeOutput, _shown: Shown) -> list[Part]:
    advice = [Note(flag.advice_en if language() == "en" else flag.advice_vi, "missing", "alert") for flag in output.red_flags]
    rows: list[tuple[str, Cell]] = [
        (_("scope.in_scope"), yes_or_no(output.in_scope, _("scope.yes"), _("scope.no"))),
        (_("scope.red_flags"), listed([f"{word('red_flag', flag.kind)}: “{flag.words}”" for flag in output.red_flags])),
        (_("scope.masked"), listed([word("masked", kind) for kind in output.masked_kinds])),
        (_("scope.injection"), listed([f"“{cue}”" for cue in output.injection_cues])),
    ]
    if output.animal:
        rows.append((_("scope.animal"), output.animal))
    if output.reverse_pattern:
        rows.append((_("scope.reverse"), output.reverse_pattern))
    return [*advice, KeyValues(rows)]
