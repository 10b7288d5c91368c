"""Dose arithmetic in a turn (spec 03, "Answer"): beside the answer, with its operands cited, and only for the stated weight."""

from __future__ import annotations

from pathlib import Path

from duocthu_core.bootstrap import Services, bootstrap
from duocthu_core.pipeline.outputs import AnswerOutput
from duocthu_core.settings import load_settings
from pages.components.turn_view.turn_view import working_data


def services(tmp_path: Path) -> Services:
    return bootstrap(load_settings(_env_file=None, DUOCTHU_DATA_DIR=tmp_path))


def test_the_stated_weight_is_worked_with_and_the_limit_of_the_line_is_shown(tmp_path: Path) -> None:
    app = services(tmp_path)
    trace = app.ask("liều paracetamol tiêm truyền tĩnh mạch cho trẻ 8 kg", app.new_conversation_id())
    record = trace.stage("answer")
    assert record is not None
    assert isinstance(record.output, AnswerOutput)
    (working,) = record.output.workings
    assert working.steps == ("10 mg/kg × 8 kg = 80 mg",)
    assert [limit.value for limit in working.limits] == ["240 mg/ngày"]
    block = next(block for block in trace.evidence if block.index == working.operand.index)
    assert working.operand.span.of(block.text) == working.operand.text
    assert all("80 mg" not in claim.text for claim in record.output.claims)
    told = working_data(trace)
    assert told is not None
    assert "tính toán, không có nguyên văn trong sách" in told["note"]


def test_a_weight_of_the_turn_before_is_worked_with_and_named_as_carried_over(tmp_path: Path) -> None:
    app = services(tmp_path)
    conversation = app.new_conversation_id()
    app.ask("liều paracetamol tiêm truyền tĩnh mạch cho trẻ 8 kg", conversation)
    trace = app.ask("nói rõ hơn", conversation)
    record = trace.stage("answer")
    assert record is not None
    assert isinstance(record.output, AnswerOutput)
    assert [working.steps for working in record.output.workings] == [("10 mg/kg × 8 kg = 80 mg",)]
    (notice,) = (notice for notice in trace.answer.notices if notice.kind == "carry_over")
    assert "8 kg" in notice.text


def test_without_a_weight_nothing_is_worked_out(tmp_path: Path) -> None:
    app = services(tmp_path)
    trace = app.ask("chống chỉ định của paracetamol", app.new_conversation_id())
    assert working_data(trace) is None
