"""The judge against people: cells, weights, expiry, undefined values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest

from duocthu_core.evaluation.judge_agreement import JudgeAgreement, bindings, judge_agreement, may_replace_a_reviewer


@dataclass(frozen=True)
class Said:
    item_id: str
    claim_id: str = "0"
    reviewer: str = "An"
    verdict: Literal["right", "wrong", "cannot_tell"] = "right"
    judge_status: Literal["supported", "unsupported", "not_run"] = "supported"
    judge_model: str = "offline/a"
    prompt_hash: str = "sha256:p"
    stratum: Literal["random", "targeted"] = "random"


def agreement(*verdicts: Said, **more) -> JudgeAgreement:
    return judge_agreement(verdicts, judge_model="offline/a", prompt_hash="sha256:p", resamples=200, **more)


def reference() -> list[Said]:
    """The sample of the reference: 53, 3 / 1, 3 (judge ok and not, by people right and wrong), one claim an item."""
    cells = [("right", "supported", 53), ("wrong", "supported", 3), ("right", "unsupported", 1), ("wrong", "unsupported", 3)]
    return [Said(f"{v}-{j}-{n:02}", verdict=v, judge_status=j) for v, j, times in cells for n in range(times)]


def test_the_sample_of_the_reference() -> None:
    judged_all = [True] * 372 + [False] * 28
    found = agreement(*reference(), judged_all=judged_all)
    assert found.confusion.table == [[53, 1], [3, 3]]
    assert found.accuracy.value == pytest.approx(0.9333, abs=0.00005)
    assert found.majority.value == pytest.approx(0.9)
    assert found.tpr.value == pytest.approx(0.9815, abs=0.00005)
    assert found.tnr.value == 0.5
    assert found.tnr.interval == pytest.approx((0.1876, 0.8124), abs=0.00005)
    assert found.true_rate.value == pytest.approx(0.8967, abs=0.00005)
    assert found.true_rate.interval == pytest.approx((0.8267, 0.9666), abs=0.00005)
    assert found.kappa.value == found.kappa_asymptotic.value
    assert found.kappa.interval is not None


def test_a_long_answer_counts_no_more_than_a_short_one() -> None:
    long = [Said("long", str(claim), verdict="wrong") for claim in range(9)]
    found = agreement(*long, Said("short"))
    assert (found.claims, found.accuracy.value) == (10, 0.5)


def test_what_one_judge_said_tells_nothing_of_another() -> None:
    verdicts = [*reference(), *(Said(f"other-{n}", verdict="wrong", judge_model="openai/b") for n in range(4))]
    assert agreement(*verdicts).items == 60
    assert bindings(verdicts) == [("offline/a", "sha256:p", 60), ("openai/b", "sha256:p", 4)]


def test_agreement_expires_with_the_judge_or_its_prompt() -> None:
    assert agreement(*reference(), current_judge_model="offline/a", current_prompt_hash="sha256:p").expired == ()
    assert agreement(*reference(), current_judge_model="openai/b", current_prompt_hash="sha256:p").expired == ("judge_model",)
    assert agreement(*reference(), current_judge_model="offline/a", current_prompt_hash="sha256:q").expired == ("prompt_hash",)


def test_targeted_items_never_enter_rates() -> None:
    found = agreement(*reference(), *(Said(f"t{n}", verdict="wrong", stratum="targeted") for n in range(20)))
    assert (found.items, found.targeted_left_out) == (60, 20)


def test_cannot_tell_is_no_rating_and_its_share_is_shown() -> None:
    found = agreement(Said("a", verdict="cannot_tell"), Said("b"), Said("c", verdict="wrong"))
    assert (found.cannot_tell.k, found.cannot_tell.n, found.claims) == (1, 3, 2)


def test_a_judge_that_never_ran_is_no_judge_that_said_no() -> None:
    found = agreement(Said("a", judge_status="not_run", verdict="wrong"), Said("b"))
    assert (found.not_run, found.confusion.wrong_unsupported) == (1, 0)


def test_an_even_split_waits_and_a_majority_counts() -> None:
    split = [Said("a", reviewer="An"), Said("a", reviewer="Bình", verdict="wrong")]
    assert (agreement(*split).undecided, agreement(*split).claims) == (1, 0)
    found = agreement(*split, Said("a", reviewer="Chi", verdict="wrong"))
    assert (found.undecided, found.confusion.wrong_supported) == (0, 1)


def test_one_label_only_is_undefined_never_one() -> None:
    found = agreement(*(Said(f"i{n}", reviewer=name) for n in range(12) for name in ("An", "Bình")))
    assert found.accuracy.value == 1.0
    assert (found.kappa.value, found.ac1.value, found.alpha.value) == (None, None, None)
    assert (found.kappa_undefined, found.alpha_undefined) == pytest.approx((1.0, 1.0))
    assert found.tnr.value is None


def test_nobody_reviewed_anything() -> None:
    found = agreement()
    assert (found.items, found.accuracy.value, found.kappa.value, found.alpha.value, found.true_rate.value) == (0, None, None, None, None)


def test_alpha_counts_gaps_and_draws_whole_items() -> None:
    ratings = [("An", "right"), ("Bình", "right"), ("Chi", "wrong")]
    verdicts = [Said(f"i{n}", reviewer=name, verdict=v if n % 3 else "right") for n in range(12) for name, v in ratings[: 2 + n % 2]]  # type: ignore[arg-type]
    found = agreement(*verdicts)
    assert found.reviewers == 3
    assert found.alpha.value is not None
    assert found.alpha.interval is not None
    assert found.alpha.interval[0] <= found.alpha.value <= found.alpha.interval[1] or found.alpha_undefined > 0


def test_a_judge_that_agrees_with_everybody_may_stand_in_for_a_reviewer() -> None:
    names = ("An", "Bình", "Chi")

    def rated(judge: Literal["supported", "unsupported"]) -> list[Said]:
        return [Said(f"i{n:02}", reviewer=name, judge_status=judge) for n in range(40) for name in names]

    good, bad = (may_replace_a_reviewer(rated(status), 0.2) for status in ("supported", "unsupported"))
    assert good is not None
    assert bad is not None
    assert (good.passed, bad.passed) == (True, False)
    assert may_replace_a_reviewer([said for said in rated("supported") if said.reviewer != "Chi"], 0.2) is None
