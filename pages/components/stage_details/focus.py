"""Focus: which drug, section and group the turn is about; from this turn or carried over, how old, how long it still holds, and the words
that set it."""

from __future__ import annotations

from duocthu_core.pipeline.outputs import FocusField, FocusOutput
from pages.components.facts.parts import Cell, KeyValues, Part, Pill, Table
from pages.components.stage_details.shared import Shown, listed
from pages.frame import labels
from pages.frame.words import _, _n, word

_LOOK = {"this_turn": ("found", "check"), "inherited": ("accent", "back"), "expired": ("warning", "clock"), "none": ("quiet", "dash")}


def parts(output: FocusOutput, shown: Shown) -> list[Part]:
    columns = tuple(_(f"focus.{name}") for name in ("field", "value", "origin", "age", "expires", "phrase"))
    rows = [_row(field, shown) for field in output.fields]
    resolved = output.resolved
    asked: list[tuple[str, Cell]] = [
        (_("focus.resolved_drugs"), listed([labels.drug(shown.trace, drug) for drug in resolved.drug_ids])),
        (_("focus.resolved_section"), labels.section(shown.ruleset, resolved.section_key) or "–"),
        (_("focus.resolved_population"), labels.population(shown.ruleset, resolved.population) or "–"),
        (_("focus.resolved_route"), labels.route(shown.ruleset, resolved.route) or "–"),
        (_("focus.resolved_stated"), listed([value for value in (resolved.stated.age, resolved.stated.weight) if value])),
        (_("focus.resolved_intent"), word("intent", resolved.intent)),
    ]
    return [Table(columns, rows), KeyValues(asked, _("focus.resolved"))]


def _row(field: FocusField, shown: Shown) -> tuple[Cell, ...]:
    tone, icon = _LOOK[field.origin]
    origin = _(f"origin.{field.origin}")
    if field.from_turn and field.origin in ("inherited", "expired"):
        origin = _("focus.origin_from", origin=origin, turn=field.from_turn)
    lives = field.origin in ("this_turn", "inherited")
    return (
        word("focus_field", field.field),
        labels.focus_value(shown.ruleset, shown.trace, field.field, field.value),
        Pill(origin, tone, icon),  # type: ignore[arg-type]
        _n("focus.turns", field.age) if field.origin != "none" else "–",
        _n("focus.turns", field.expires_in) if lives else "–",
        f"“{field.phrase}”" if field.phrase else "–",
    )
