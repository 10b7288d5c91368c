"""Đánh giá (spec 06, page 6), without a browser: empty states, addresses, a run from its result to its cases, words for every code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import get_args

import pytest

from duocthu_core.access.model import User
from duocthu_core.bootstrap import Services
from duocthu_core.evaluation.metrics import metrics_of
from duocthu_core.evaluation.results import InMemoryEvalStore, RunStatus
from duocthu_core.jobs.eval_runs import run_subject
from pages.components.eval_parts.cases import case_entry, comparison_parts, turn_faults, wrong_cases
from pages.components.eval_parts.report_parts import metric_words
from pages.components.eval_parts.shared import between, share, statistic
from pages.components.facts.parts import Note
from pages.frame import access, polling
from pages.frame import services as page_services
from pages.frame.eval_address import EvalAddress
from pages.frame.polling import polled
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


def sent_run(app: Services) -> str:
    """A run that another session sent; it waits for its turn. Gives its id."""
    held = replace(app, job_executor=None)
    job_id = held.jobs.submit("eval.run", {"set": "demo"}, by="dong.nghiep@benhvien.vn")
    return str(held.jobs.status(job_id).about["run_id"])


def test_a_run_of_anybody_is_watched_and_stopped(evaluated: Services, open_page: Opening) -> None:
    run_id = sent_run(evaluated)
    at = open_page(PAGE, set="demo", run=run_id)
    assert not at.exception
    assert any("người gửi: dong.nghiep@benhvien.vn" in text.value for text in at.text)
    at.button(key="stop_evaluation").click().run()
    assert any("Đã dừng ở 0/" in info.value for info in at.info)
    assert evaluated.evaluating().found(run_id).status == "stopped"


def test_a_set_whose_run_is_at_work_leads_to_it(evaluated: Services, open_page: Opening) -> None:
    run_id = sent_run(evaluated)
    at = open_page(PAGE, set="demo")
    at.button(key="eval_watch").click().run()
    assert at.query_params["run"] == run_id


def test_a_run_that_failed_says_why_in_one_line(evaluated: Services, open_page: Opening) -> None:
    run_id = sent_run(evaluated)
    job = evaluated.jobs.newest_of(run_subject(run_id))
    assert job is not None
    evaluated.job_store.fail(job.job_id, "the set *demo* is gone")
    at = open_page(PAGE, set="demo", run=run_id)
    assert any(r"the set \*demo\* is gone" in error.value for error in at.error)


def test_a_viewer_may_watch_and_not_stop(evaluated: Services, open_page: Opening, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "_current_user", lambda: User(name="xem@benhvien.vn", role="viewer"))
    run_id = sent_run(evaluated)
    assert open_page(PAGE, set="demo", run=run_id).button(key="stop_evaluation").disabled


def test_a_part_drawn_again_stays_at_the_address_of_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy browser asks for the part with the query it had before a press changed the address."""
    query = {"set": "demo", "run": "a-1"}
    bar = Bar(query)
    monkeypatch.setattr(polling.st, "query_params", bar)
    parts: list[Callable[..., None]] = []

    def fragment(part: Callable[..., None], run_every: float) -> Callable[..., None]:
        assert run_every == 2.0
        parts.append(part)
        return part

    monkeypatch.setattr(polling.st, "fragment", fragment)
    drawn: list[dict[str, str]] = []
    polled(lambda n: drawn.append(bar.to_dict() | {"n": n}), every_s=2.0)("1")
    bar.query = {"set": "demo"}
    parts[0](query, "2")
    assert drawn == [query | {"n": "1"}, query | {"n": "2"}]
    assert bar.query == query


class Bar:
    """The address bar."""

    def __init__(self, query: dict[str, str]) -> None:
        self.query = query

    def to_dict(self) -> dict[str, str]:
        return dict(self.query)

    def from_dict(self, query: dict[str, str]) -> None:
        self.query = dict(query)
