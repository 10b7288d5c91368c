"""The strip: every stage in its phase, with its state in words."""

from __future__ import annotations

from typing import Any

from duocthu_core.pipeline import outputs
from duocthu_core.pipeline.trace import STAGE_ORDER
from pages.components.stage_strip.stage_strip import PHASES, strip_data
from tests.app import sample_traces as sample


def cells(data: dict[str, Any]) -> dict[str, dict[str, str]]:
    return {cell["id"]: cell for phase in data["phases"] for cell in phase["stages"]}


def test_the_phases_hold_every_stage_in_order() -> None:
    assert tuple(name for _phase, names in PHASES for name in names) == STAGE_ORDER


def test_a_stopped_turn_shows_where_it_stopped_and_what_was_skipped() -> None:
    drawn = cells(strip_data(sample.stopped().stages, selected="guards"))
    assert len(drawn) == 14
    assert (drawn["guards"]["state"], drawn["guards"]["time"]) == ("stopped", "dừng lượt")
    assert (drawn["entailment"]["state"], drawn["entailment"]["word"]) == ("skipped", "bỏ qua")
    assert (drawn["generation"]["time"], drawn["generation"]["calls"]) == ("2,3 s", "1 gọi")


def test_an_optional_stage_has_a_cell_only_where_it_ran() -> None:
    repair = sample.record("repair", outputs.RepairOutput(accepted=True), "repaired")
    assert "repair" in cells(strip_data([*sample.answered().stages, repair], selected=None))
    assert "sufficiency" not in cells(strip_data(sample.answered().stages, selected=None))


def test_while_running_the_next_stage_is_at_work_and_the_others_wait() -> None:
    drawn = cells(strip_data(sample.answered().stages[:3], selected=None, running_ms=3400))
    assert (drawn["retrieval"]["state"], drawn["retrieval"]["time"]) == ("running", "3 s")
    assert drawn["decision"]["state"] == "waiting"
    assert drawn["focus"]["state"] == "ran"
