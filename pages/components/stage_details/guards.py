"""Guards: which of them only warn or are off. Their findings are drawn by the binding view above these parts."""

from __future__ import annotations

from duocthu_core.pipeline.outputs import GuardsOutput
from pages.components.facts.parts import Part, Table
from pages.components.stage_details.shared import Shown
from pages.frame.words import _, word


def parts(output: GuardsOutput, _shown: Shown) -> list[Part]:
    changed = [(word("reason", reason), word("level", level)) for reason, level in output.levels.items() if level != "reject"]
    return [Table((_("guards.guard"), _("guards.level")), changed, _("guards.not_rejecting"))] if changed else []
