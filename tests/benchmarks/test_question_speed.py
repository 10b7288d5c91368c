"""Reading a question, masking it, and the offline model's answer: what they cost, and that they grow with the text and no faster."""

from __future__ import annotations

import time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from duocthu_core.language_models.errors import scrub
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.understanding.masking import mask_personal_data
from duocthu_core.understanding.reading import Understander
from duocthu_core.understanding.stated import StatedReader
from tests.answering.blocks import block
from tests.benchmarks.limits import hold_linear, hold_within
from tests.language_models.offline_asking import age, asked
from tests.understanding.monographs import small_formulary
from tests.understanding.tables import POPULATIONS, SECTIONS, TABLES

pytestmark = pytest.mark.benchmark(timer=time.process_time, warmup=False)

READER = Understander(shipped_ruleset(), small_formulary())
QUESTIONS = [str(entry["ask"][0]) + " paracetamol cho trẻ em 8 tuổi?" for entry in SECTIONS["sections"].values()]


@pytest.mark.parametrize("unit", ["a", "0", "9 ", "A.", "Nguyễn ", "số 1 ", "bé ", "@a.", "(", "0912345678 ", "\n", "STK "])
def test_masking(benchmark: BenchmarkFixture, unit: str) -> None:
    hold_linear(benchmark, lambda text: mask_personal_data(text, TABLES), lambda length: (unit * length)[:length], 40_000)


@pytest.mark.parametrize(
    "unit", ["thuốc nào gây ", "bé 8 tuổi ", "xyzolamid ", "pa ra xê ", "co giật ", "a", "paracetamol và ", "chó ", "<<<", "không có gây "]
)
def test_reading_a_question(benchmark: BenchmarkFixture, unit: str) -> None:
    hold_linear(benchmark, READER.read, lambda length: (unit * length)[:length], 40_000)


@pytest.mark.parametrize("unit", ["8 tuổi ", "1", "kg ", "Clcr ", "thai ", "bé 3 tháng ", "- "])
def test_reading_values(benchmark: BenchmarkFixture, unit: str) -> None:
    hold_linear(benchmark, StatedReader(POPULATIONS).read, lambda length: (unit * length)[:length], 100_000)


@pytest.mark.parametrize("piece", ["a", "a-", "key=", "http://", "api_key", "0", "Bearer ", "x-amz-", "@", '\\"', "secret"])
def test_scrubbing_an_error(benchmark: BenchmarkFixture, piece: str) -> None:
    hold_linear(benchmark, lambda text: scrub(text, ["canary-secret"]), lambda length: (piece * length)[:length], 200_000)


def test_a_usual_question(benchmark: BenchmarkFixture) -> None:
    benchmark(lambda: [READER.read(question) for question in QUESTIONS])
    hold_within(benchmark, 0.006 * len(QUESTIONS))


def test_an_offline_answer(benchmark: BenchmarkFixture) -> None:
    blocks = [block(n, f"{n} - {n + 1} tuổi: {n * 50} mg; tối đa {n} g/ngày.", label="Trẻ em:\nUống:") for n in range(1, 13)]
    benchmark(lambda: asked("liều uống cho bé 8 tuổi?", blocks, age(8), population="tre_em", route="uong"))
    hold_within(benchmark, 0.05)


def test_an_offline_answer_from_a_long_block(benchmark: BenchmarkFixture) -> None:
    sentence = "Người lớn: uống 500 mg mỗi 6 giờ. "
    hold_linear(
        benchmark, lambda text: asked("liều người lớn?", [block(1, text)], population="nguoi_lon"), lambda n: (sentence * n)[:n], 40_000
    )
