"""Speed of check 1 and the guards (spec 04, last lines): processor time on one core, so that a busy machine does not count."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from duocthu_core.answering.model import Claim
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.grounding import ground_answer, ground_claims, split_answer
from duocthu_core.verification.guards import Guards
from tests.verification.evidence import blocks

pytestmark = pytest.mark.benchmark(timer=time.process_time, warmup=False)

EVIDENCE = blocks(
    [
        "Người lớn:\nUống: 500 mg/lần, 6 giờ một lần; tối đa 4 g/ngày. Tiêm bắp: 1 g/lần, 12 giờ một lần.",
        "Trẻ em:\nTrẻ em 2 - 6 tuổi: 125 mg/lần; Trẻ em 6 - 12 tuổi: 250 mg/lần; tối đa 4 lần/ngày.",
        "Suy thận:\nClcr 10 - 30 ml/phút: 250 mg mỗi 12 giờ. Clcr < 10 ml/phút: 250 mg mỗi 24 giờ.",
        "Không dùng quá 10 ngày. Không nên dùng cho phụ nữ có thai. Thận trọng ở người suy gan nặng.",
    ]
)
SENTENCES = (
    "Người lớn uống 500 mg mỗi 6 giờ, không quá 4 g/ngày{}",
    "Người lớn tiêm bắp mỗi lần 1 g, cách 12 giờ một lần{}",
    "Trẻ từ 6 đến 12 tuổi dùng 250 mg mỗi lần{}",
    "Khi Clcr từ 10 đến 30 ml/phút, dùng 250 mg mỗi 12 giờ{}",
    "Phụ nữ có thai không nên dùng thuốc này{}",
    "Cần thận trọng khi dùng cho người suy gan nặng{}",
)
TAILS = (
    "",
    " theo sách",
    " như đã ghi",
    " trong mục này",
    " ở phần liều",
    " nêu trên",
    " như trong sách",
    " đã nêu",
    " theo mục này",
    " theo phần trên",
)


def _limit(benchmark: BenchmarkFixture, seconds: float) -> float:
    """The limit when benchmarks are asked for; none in an ordinary run, which holds no timed test."""
    return seconds if benchmark.enabled else float("inf")


def _timed(run: Callable[[], object]) -> float:
    begun = time.process_time()
    run()
    return time.process_time() - begun


def _claims(round_number: int) -> list[Claim]:
    """Sixty true claims, none of them read before: the words are the same, the white space is not."""
    gap = " " * (round_number + 1)
    texts = [sentence.format(tail).replace(" ", gap, 1) + "." for sentence in SENTENCES for tail in TAILS]
    return [Claim(text=text, citations=(1, 2, 3, 4)) for text in texts]


def test_a_thousand_claims_a_second(benchmark: BenchmarkFixture, ruleset: Ruleset) -> None:
    """Claims that are all new, each against four blocks that come again with every claim."""
    guards = Guards(ruleset)
    rounds = iter(range(10_000))

    def check() -> float:
        stated = _claims(next(rounds))

        def run() -> None:
            ground_claims(stated, EVIDENCE)
            guards.check(stated, EVIDENCE)

        return _timed(run)

    check()  # reads the blocks
    best = min(check() for _ in range(6))
    benchmark.extra_info["claims_per_second"] = round(60 / best)
    benchmark.pedantic(check, rounds=2)
    assert best < _limit(benchmark, 60 / 1000), f"{60 / best:.0f} claims a second"


@pytest.mark.parametrize("kind", ["500 mg [1]", "7 mg a [1]", "{} g [1]"], ids=["grounded", "ungrounded", "all_different"])
def test_a_hundred_kilobytes_with_ten_thousand_markers(benchmark: BenchmarkFixture, kind: str, ruleset: Ruleset) -> None:
    """Splitting, check 1 and the guards over one long answer."""
    answer = " ".join(kind.format(place) for place in range(10_000))
    guards = Guards(ruleset)

    def check() -> float:
        def run() -> None:
            assert len(ground_answer(answer, EVIDENCE)) == 10_000
            guards.check([Claim(text=segment.text, citations=segment.citations) for segment in split_answer(answer)], EVIDENCE)

        return _timed(run)

    best = min(check() for _ in range(2))
    benchmark.extra_info["seconds"] = round(best, 3)
    benchmark.pedantic(check, rounds=1)
    assert best < _limit(benchmark, 1)


def test_the_check_of_an_answer_grows_with_its_length(benchmark: BenchmarkFixture) -> None:
    """Ten times the answer takes about ten times as long."""

    def seconds(claims: int) -> float:
        answer = "Người lớn uống 500 mg mỗi 6 giờ [1] [²] [10; 20] " * claims
        return _timed(lambda: ground_answer(answer, EVIDENCE))

    small = max(seconds(500), 0.001)
    assert benchmark.pedantic(seconds, args=(5000,), rounds=1) < _limit(benchmark, 30 * small + 0.2)
