"""Memory: the conversation's summary before and after, and what left the window."""

from __future__ import annotations

from duocthu_core.pipeline.outputs import MemoryOutput
from pages.components.facts.parts import Cell, KeyValues, Note, Part, Raw
from pages.components.stage_details.shared import Shown
from pages.frame.words import _


def parts(output: MemoryOutput, _shown: Shown) -> list[Part]:
    evicted: list[tuple[str, Cell]] = [(str(number), text) for number, text in enumerate(output.evicted, start=1)]
    found: list[Part] = [
        KeyValues([(_("memory.turn_count"), str(output.turn_count))]),
        KeyValues(evicted, _("memory.evicted")) if evicted else Note(_("memory.nothing_evicted")),
        Raw(_("memory.before"), output.summary_before or _("memory.empty")),
        Raw(_("memory.after"), output.summary_after or _("memory.empty")),
    ]
    return found
