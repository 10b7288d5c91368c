"""Đánh giá (spec 06, page 6), without a browser: empty states, addresses, a run from its result to its cases, words for every code."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from duocthu_core.bootstrap import Services
from duocthu_core.evaluation.metrics import metrics_of
from duocthu_core.evaluation.results import InMemoryEvalStore, RunStatus
from pages.components.eval_parts.cases import case_entry, comparison_parts, turn_faults, wrong_cases
from pages.components.eval_parts.report_parts import metric_words
from pages.components.eval_parts.shared import between, share, statistic
from pages.components.facts.parts import Note
from pages.frame import services as page_services
from pages.frame.eval_address import EvalAddress
from pages.frame.words import knows
from tests.app.conftest import Opening
from tests.evaluation.scores import result, turn

PAGE = "evaluation.py"


@pytest.fixture
def evaluated(services: Services, monkeypatch: pytest.MonkeyPatch) -> Services:
    fresh = replace(services, evaluations=InMemoryEvalStore())
    monkeypatch.setattr(page_services, "services", lambda: fresh)
    return fresh


def test_an_empty_page_says_what_to_do_first(evaluated: Services, open_page: Opening) -> None:
    at = open_page(PAGE)
    assert not at.exception
    assert any("Bộ này chưa chạy lần nào" in text.value for text in at.text)


@pytest.mark.parametrize("query", [{"set": "$x$"}, {"run": "<b>"}, {"tab": "?"}, {"tab": "people"}, {"tab": "charts"}])
def test_an_address_that_nothing_wrote_is_no_error(evaluated: Services, open_page: Opening, query: dict[str, str]) -> None:
    assert not open_page(PAGE, **query).exception


def test_the_address_is_written_and_read_alike() -> None:
    address = EvalAddress(tab="people", set="demo", run="a-1", other="a-2", case="par", judge="offline/x sha256:p")
    assert EvalAddress.from_query(address.to_query()) == address


def test_every_metric_has_a_name_and_a_line_that_explains_it() -> None:
    found = metrics_of([result("a"), result("b", turn(got="abstained:out_of_scope"))], resamples=10)
    named = [metric_words(metric.name) for metric in (*found.rates, *found.reasons)]
    assert [pair for pair in named if not all(" " in words for words in pair)] == []
    assert all(knows(f"run_status.{status}") for status in get_args(RunStatus))


def test_what_was_not_counted_is_no_number() -> None:
    assert (share(None), between(None), statistic(None)) == ("–", "–", "không xác định")
    assert (share(0.975), between((0.5, 1.0)), statistic(-0.0309)) == ("97,5%", "50,0% - 100,0%", "-0,031")


def test_wrong_cases_name_what_was_expected_and_what_came() -> None:
    crashed, right = result("b", turn(got="missing")), result("a")
    assert [item.item_id for item in wrong_cases([right, crashed])] == ["b"]
    assert "hỏng giữa chừng" in case_entry(crashed).about
    assert turn_faults(right.turns[0]) == []


def test_a_run_against_itself_says_that_nothing_differs() -> None:
    from duocthu_core.evaluation.comparing import compare

    told = comparison_parts(compare([result("a")], [result("a")]))[0]
    assert isinstance(told, Note)
    assert told.text.startswith("Chưa thấy khác nhau")
