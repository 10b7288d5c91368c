"""Dose arithmetic (spec 03): the working, its operands and the limits of the same block."""

from __future__ import annotations

import pytest

from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.dose_arithmetic import dose_workings
from tests.verification.evidence import blocks

CHILDREN = (
    "Trẻ em:\nTrẻ em cân nặng < 10 kg: 10 mg/kg cách 4 - 6 giờ/lần; tối đa 30 mg/kg/24 giờ.\n"
    "Trẻ em cân nặng 10 - 50 kg: 15 mg/kg cách 4 - 6 giờ/lần; tối đa 60 mg/kg/24 giờ."
)


def test_the_line_of_the_weight_band_is_worked_out(ruleset: Ruleset) -> None:
    evidence = blocks([CHILDREN])
    (working,) = dose_workings(evidence, ruleset, "12")
    assert working.steps == ("15 mg/kg × 12 kg = 180 mg",)
    assert (working.low, working.high, working.unit) == ("180", None, "mg")
    assert working.operand.span.of(evidence[0].text) == working.operand.text == "15 mg/kg"
    (limit,) = working.limits
    assert (limit.value, limit.applied) == ("720 mg/ngày", False)
    assert limit.operand.text == "60 mg/kg/24 giờ"


def test_a_decimal_weight_and_a_range_stay_exact(ruleset: Ruleset) -> None:
    (working,) = dose_workings(blocks(["Trẻ em: 7,5 - 15 mg/kg/lần, tối đa 100 mg/lần."]), ruleset, "8,5")
    assert working.steps[0] == "7,5 - 15 mg/kg/lần × 8,5 kg = 63,75 - 127,5 mg/lần"
    assert (working.low, working.high) == ("63,75", "100")
    assert working.limits[0].applied


def test_a_limit_in_another_unit_is_applied(ruleset: Ruleset) -> None:
    (working,) = dose_workings(blocks(["Trẻ em: 50 mg/kg/ngày (tối đa 1,5 g/ngày)."]), ruleset, "40")
    assert working.low == "1500"
    assert working.limits[0].value == "1,5 g/ngày"


def test_a_line_without_a_limit_says_so(ruleset: Ruleset) -> None:
    (working,) = dose_workings(blocks(["Trẻ em: 20 mg/kg/ngày chia 3 lần."]), ruleset, "10")
    assert (working.low, working.per_time, working.without_limit) == ("200", "ngay", True)


def test_the_limit_of_another_group_is_not_taken(ruleset: Ruleset) -> None:
    (working,) = dose_workings(blocks(["Trẻ em: 20 mg/kg/ngày. Người lớn: 1 g/ngày, tối đa 2 g/ngày."]), ruleset, "10")
    assert working.without_limit


def test_the_body_surface_needs_a_height(ruleset: Ruleset) -> None:
    evidence = blocks(["Người lớn: 100 mg/m2/ngày."])
    assert dose_workings(evidence, ruleset, "60") == ()
    (working,) = dose_workings(evidence, ruleset, "60", "165")
    assert (working.factor, working.low) == ("1,66", "166")


@pytest.mark.parametrize("weight", ["", "0", "-3", "8.5", "mười"])
def test_a_weight_that_is_no_plain_figure_is_refused(ruleset: Ruleset, weight: str) -> None:
    with pytest.raises(ValueError, match="weight"):
        dose_workings(blocks([CHILDREN]), ruleset, weight)


def test_a_figure_whose_writing_is_open_is_not_worked_out(ruleset: Ruleset) -> None:
    assert dose_workings(blocks(["Trẻ em: 1.500 mg/kg/ngày."]), ruleset, "10") == ()


@pytest.mark.parametrize(("months", "lines"), [(84, ["15 mg/kg"]), (24, []), (None, ["15 mg/kg"])])
def test_a_line_of_another_age_is_not_worked_out(ruleset: Ruleset, months: float | None, lines: list[str]) -> None:
    found = dose_workings(blocks(["Trẻ em 6 - 8 tuổi: 15 mg/kg/lần."]), ruleset, "20", None, months)
    assert [working.operand.text.removesuffix("/lần") for working in found] == lines


def test_a_quarantined_block_is_never_worked_with(ruleset: Ruleset) -> None:
    (block,) = blocks([CHILDREN])
    assert dose_workings([block.model_copy(update={"quarantined": True})], ruleset, "12") == ()
