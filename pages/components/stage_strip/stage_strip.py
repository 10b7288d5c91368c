"""The stages of a turn as a strip of cells in five phases: name, state, time, calls. It is also drawn while the turn runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from duocthu_core.pipeline.trace import OPTIONAL_STAGES, STAGE_ORDER, StageName, StageRecord
from pages.components.base.registration import component
from pages.frame import formats
from pages.frame.words import _, _n, language

PHASES: tuple[tuple[str, tuple[StageName, ...]], ...] = (
    ("understand", ("scope", "understanding", "focus")),
    ("search", ("retrieval", "decision", "sufficiency", "plan")),
    ("draft", ("generation",)),
    ("check", ("grounding", "guards", "cache", "entailment", "completeness", "repair")),
    ("finish", ("answer", "memory")),
)
_draw = component(Path(__file__).parent)


def stage_strip(
    records: Sequence[StageRecord],
    *,
    key: str,
    selected: StageName | None,
    on_select: Callable[[StageName], None],
    running_ms: float | None = None,
) -> None:
    """Draws ``records``. While the turn runs (``running_ms``: for how long), the first stage without a record is the one at work."""

    def selection_changed() -> None:
        stage = st.session_state.get(key, {}).get("stage")
        if stage in STAGE_ORDER:
            on_select(stage)

    _draw(key=key, data=strip_data(records, selected=selected, running_ms=running_ms), on_stage_change=selection_changed)


def strip_data(records: Sequence[StageRecord], *, selected: StageName | None, running_ms: float | None = None) -> dict[str, Any]:
    """What the component draws. Optional stages have a cell only where they ran."""
    known = {record.name: record for record in records}
    is_running = running_ms is not None
    at_work = next((name for name in STAGE_ORDER if name not in known and name not in OPTIONAL_STAGES), None) if is_running else None
    cells: dict[StageName, dict[str, str]] = {record.name: _cell(record) for record in records}
    for name in STAGE_ORDER:
        if name not in cells and name not in OPTIONAL_STAGES:
            cells[name] = _coming_cell(name, running_ms if name == at_work else None)
    phases = [
        {
            "name": _(f"phase.{phase}"),
            "stages": [cells[name] for name in names if name in cells],
        }
        for phase, names in PHASES
    ]
    return {"language": language(), "label": _("strip.label"), "phases": phases, "selected": selected}


def _cell(record: StageRecord) -> dict[str, str]:
    word = _(f"state.{record.status}")
    return {
        "id": record.name,
        "name": _(f"stage.{record.name}"),
        "state": record.status,
        "word": word,
        "time": formats.seconds(record.duration_ms) if record.status == "ran" else word,
        "calls": _n("strip.calls", len(record.calls)) if record.calls else "",
    }


def _coming_cell(name: StageName, running_ms: float | None) -> dict[str, str]:
    state = "waiting" if running_ms is None else "running"
    word = _(f"state.{state}")
    time = word if running_ms is None else formats.whole_seconds(running_ms)
    return {"id": name, "name": _(f"stage.{name}"), "state": state, "word": word, "time": time, "calls": ""}
