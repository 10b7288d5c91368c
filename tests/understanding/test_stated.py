"""Ages, weights, heights, gestation and clearance as people write them (table ``populations``)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duocthu_core.understanding.model import Stated
from duocthu_core.understanding.reading import Understander
from duocthu_core.understanding.stated import OLDEST_MONTHS, StatedReader
from tests.understanding.tables import POPULATIONS

READER = StatedReader(POPULATIONS)
MONTHS = {"năm": 12.0, "tháng": 1.0, "tuần": 7 * 12 / 365.25, "ngày": 12 / 365.25}
# Two of the examples are ages only "near by": their words stand here.
NEAR_BY = {"ngoài 70": "ông ngoài 70", "3200 gram": "bé 3200 gram"}


def in_place(example: dict[str, Any]) -> str:
    """The example's text, near the words that it needs."""
    text = str(example["text"])
    return NEAR_BY.get(text, text)


def read(text: str, kind: str) -> Stated:
    found = [stated for stated in READER.read(text) if stated.kind == kind]
    assert len(found) == 1, f"{text}: {found}"
    return found[0]


def number(value: str) -> float:
    return float(value.replace(",", "."))


@pytest.mark.parametrize("example", POPULATIONS["age_examples"], ids=lambda example: example["text"])
def test_every_age_example_of_the_table(example: dict[str, Any]) -> None:
    stated = read(in_place(example), "age")
    if example["unit"] == "hỗn hợp":
        assert (stated.low, stated.high) == (27, 27)
        return
    factor = MONTHS[example["unit"]]
    if example["op"] == "range":
        low, high = example["value"].split("..")
        assert (stated.low, stated.high) == (number(low) * factor, number(high) * factor)
        return
    value = pytest.approx(number(example["value"]) * factor, abs=0.01)
    if example["op"] == "eq":
        assert stated.high == value
        assert stated.unsure or stated.low == value
    elif example["op"] in ("lt", "le"):
        assert stated.low < stated.high
        assert stated.high == value
    else:
        assert stated.low == value
        assert stated.high > stated.low


@pytest.mark.parametrize("example", POPULATIONS["age_examples"], ids=lambda example: example["text"])
def test_every_age_example_gives_its_group(understander: Understander, example: dict[str, Any]) -> None:
    text = in_place(example)
    assert understander.read(text).population == example["tag"]


@pytest.mark.parametrize("example", POPULATIONS["age_not"], ids=lambda example: example["text"])
def test_what_the_table_calls_no_age_is_none(example: dict[str, Any]) -> None:
    assert not [stated for stated in READER.read(example["text"]) if stated.kind == "age"]


@pytest.mark.parametrize("example", POPULATIONS["weight_examples"], ids=lambda example: example["text"])
def test_every_weight_example_of_the_table(understander: Understander, example: dict[str, Any]) -> None:
    text = in_place(example)
    if "value" in example:
        stated = read(text, "weight")
        kilograms = number(example["value"]) / (1000 if example["unit"] == "g" else 1)
        assert (stated.low, stated.high) == (kilograms, kilograms)
    if "height" in example:
        height = read(text, "height")
        assert (height.low, height.high) == (number(example["height"].split()[0]),) * 2
    if example.get("tag") == "tre_em":
        assert understander.read(text).population == "tre_em"


@pytest.mark.parametrize("example", POPULATIONS["weight_not"], ids=lambda example: example["text"])
def test_what_the_table_calls_no_weight_is_none(example: dict[str, Any]) -> None:
    assert not [stated for stated in READER.read(example["text"]) if stated.kind == "weight"]


@pytest.mark.parametrize("example", POPULATIONS["tags"]["phu_nu_co_thai"]["gestation_examples"], ids=lambda example: example["text"])
def test_gestation_is_no_age_and_a_newborn_is_no_mother(understander: Understander, example: dict[str, Any]) -> None:
    question = understander.read(example["text"])
    assert [stated.kind for stated in question.stated] == ["gestational_age"]
    assert question.population == example["tag"]


@pytest.mark.parametrize(
    ("text", "kind", "low", "high"),
    [
        ("2 tháng tuổi", "age", 2, 2),
        ("1 tuổi rưỡi", "age", 18, 18),
        ("từ 2 đến 3 tuổi", "age", 24, 36),
        ("trẻ 6 tháng - 2 tuổi", "age", 6, 24),
        ("6 tháng tuổi đến 12 tuổi", "age", 6, 144),
        ("bé 1,5 tuổi", "age", 18, 18),
        ("be 3 tuoi nang 12kg", "age", 36, 36),
        ("bé hai mươi tháng", "age", 20, 20),
        ("trẻ >= 6 tuổi", "age", 72, OLDEST_MONTHS),
        ("bé Na hơn 2 tuổi", "age", 24, 36),
        ("bé hơn 2 tuổi", "age", 0, 36),
        ("18 tháng", "age", 18, 18),
        ("trẻ em cân nặng 10 - 50 kg", "weight", 10, 50),
        ("bé 9 ký 2 ngày nay sốt", "weight", 9, 9),
        ("bé 10kg 2 tuổi", "weight", 10, 10),
        ("10 mg/kg cho bé 12kg", "weight", 12, 12),
        ("Clcr 10 - 30 ml/phút", "clcr", 10, 30),
        ("bn Clcr 25", "clcr", 25, 25),
        ("eGFR < 30", "clcr", 0, 30),
        ("độ thanh thải creatinin 45 ml/phút", "clcr", 45, 45),
        ("MLCT = 28", "clcr", 28, 28),
        ("sinh non 32 tuần", "gestational_age", 32, 32),
    ],
)
def test_values_of_questions(text: str, kind: str, low: float, high: float) -> None:
    stated = read(text, kind)
    assert (stated.low, stated.high) == (low, high)


@pytest.mark.parametrize(
    "text",
    [
        "ho 3 tháng nay",
        "con 3 ngày nay sốt",
        "uống 3 ngày",
        "mang thai 3 tháng đầu",
        "sau tuần đầu",
        "creatinin máu 120",
        "tiêm 5t",
        "15 mg/kg/ngày",
        "500 mg",
        "tăng 2kg",
        "0912345678",
    ],
)
def test_durations_doses_and_levels_are_no_values_of_the_patient(text: str) -> None:
    assert READER.read(text) == ()


def test_a_t_that_may_mean_months_or_years_spans_both_and_says_so() -> None:
    """ "bé 9t": nine months and nine years differ tenfold in dose."""
    stated = read("bé 9t sốt", "age")
    assert stated.unsure
    assert (stated.low, stated.high) == (9, 108)
    assert not read("BN nữ 67t", "age").unsure


def test_a_weight_at_birth_is_unsure() -> None:
    assert read("bé 2,8kg lúc sinh", "weight").unsure


def test_the_text_stays_as_typed_and_the_span_points_at_it() -> None:
    text = "Bé nhà em 8,5 kg, 10 tháng tuổi"
    assert [(stated.text, stated.span.of(text)) for stated in READER.read(text)] == [("8,5 kg",) * 2, ("10 tháng tuổi",) * 2]


@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from(["bé", "8", "tuổi", "kg", "tháng", "-", "Clcr", "<", "thai", "tuần", ","]), max_size=12).map(" ".join)
)
@settings(max_examples=300, deadline=None)
def test_reading_values_never_raises_and_keeps_ranges_in_order(text: str) -> None:
    for stated in READER.read(text):
        assert 0 <= stated.low <= stated.high
        assert stated.text == stated.span.of(text)
