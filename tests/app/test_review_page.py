"""Duyệt without a browser: the list of queues, making one, opening an item, what stops a person."""

from __future__ import annotations

from dataclasses import replace

import pytest

from duocthu_core.bootstrap import Services
from duocthu_core.review.in_memory import InMemoryReviewStore
from duocthu_core.review.model import NewQueue
from duocthu_core.review.reviewing import Reviewing
from duocthu_core.storage.errors import StorageUnavailable
from pages.components.review_desk.review_desk import Saving, desk_data
from pages.frame import services as page_services
from tests.app.conftest import Opening


@pytest.fixture
def reviewed(services: Services, monkeypatch: pytest.MonkeyPatch) -> Services:
    """The services of this test with an empty review store."""
    fresh = replace(services, reviewing=Reviewing(InMemoryReviewStore(), services.traces))
    monkeypatch.setattr(page_services, "services", lambda: fresh)
    return fresh


def make(services: Services, **asked: object) -> str:
    return services.reviewing.make_queue(NewQueue(name="Liều người lớn", size=50, **asked), "local").queue_id  # type: ignore[arg-type]


def test_an_empty_page_says_what_to_do_first(reviewed: Services, open_page: Opening) -> None:
    at = open_page("review.py")
    assert not at.exception
    assert "Chưa có hàng đợi nào. Hãy tạo một hàng đợi từ các lượt đã chạy." in [text.value for text in at.text]


def test_a_queue_is_made_from_stored_turns(reviewed: Services, open_page: Opening) -> None:
    at = open_page("review.py")
    at.text_input(key="nq_name").set_value("Liều của trẻ em")
    at.multiselect(key="nq_outcomes").set_value(["abstained"])
    next(button for button in at.button if button.label == "Tạo hàng đợi").click()
    at.run()
    (queue,) = reviewed.reviewing.queues()
    assert (queue.name, queue.filters.outcomes, queue.reviewers_per_item, queue.created_by) == (
        "Liều của trẻ em",
        ("abstained",),
        2,
        "local",
    )
    assert "Đã tạo hàng đợi" in at.success[0].value
    assert reviewed.audit.recent()[0].action == "review.make_queue"


def test_a_queue_without_a_name_or_turns_is_refused_in_words(reviewed: Services, open_page: Opening) -> None:
    at = open_page("review.py")
    next(button for button in at.button if button.label == "Tạo hàng đợi").click()
    at.run()
    assert at.warning[0].value == "Hãy đặt tên cho hàng đợi."
    assert reviewed.reviewing.queues() == []


def test_beginning_reserves_an_item_and_puts_it_into_the_address(reviewed: Services, open_page: Opening) -> None:
    queue_id = make(reviewed)
    at = open_page("review.py")
    at.button(key=f"review-{queue_id}").click().run()
    assert not at.exception
    assert at.query_params["item"] == f"{queue_id}.1"
    assert reviewed.reviewing.progress("local")[queue_id].reserved == 1


def test_an_item_that_others_hold_says_until_when_and_offers_the_next(reviewed: Services, open_page: Opening) -> None:
    queue_id = make(reviewed, reviewers_per_item=1)
    reviewed.reviewing.open(f"{queue_id}.1", "ds.lan@bv.vn")
    at = open_page("review.py", queue=queue_id, item=f"{queue_id}.1")
    assert "Mục này đã đủ người đang duyệt" in at.warning[0].value
    at.button(key="take_next").click().run()
    assert at.query_params["item"] == f"{queue_id}.2"


def test_an_unknown_queue_says_so(reviewed: Services, open_page: Opening) -> None:
    at = open_page("review.py", queue="nothing", item="nothing.1")
    assert at.warning[0].value == "Không có hàng đợi ở địa chỉ này."


def test_what_is_on_the_desk_stays_while_the_database_is_away(
    reviewed: Services, open_page: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue_id = make(reviewed)
    at = open_page("review.py", queue=queue_id, item=f"{queue_id}.1")

    def away(*_args: object, **_more: object) -> None:
        raise StorageUnavailable("the database cannot be used")

    for name in ("open", "queues", "renew", "save_draft", "finish"):
        monkeypatch.setattr(Reviewing, name, away)
    at.session_state["review_view_is_stale"] = True
    at.run()
    assert not at.exception
    assert at.session_state["review_saving"].problem
    monkeypatch.undo()


def test_what_is_blind_never_reaches_the_browser(reviewed: Services) -> None:
    queue_id = make(reviewed)
    store = reviewed.reviewing.store
    item = next(item.item_id for item in store.items(queue_id) if item.trace_id == "tr-stopped")
    data = desk_data(reviewed.reviewing.open(item, "ds.lan@bv.vn"), reviewed.ruleset, Saving(), selected=0)
    assert [claim["said"] for claim in data["claims"]] == [[]] * 5
    assert not any(claim["reasoning"] or claim["events"] or claim["bound"] for claim in data["claims"])
    assert "unit_mismatch" not in str(data)


def test_a_button_pressed_twice_makes_one_queue(reviewed: Services, open_page: Opening) -> None:
    at = open_page("review.py")
    for _press in range(2):
        at.text_input(key="nq_name").set_value("Đúp")
        next(button for button in at.button if button.label == "Tạo hàng đợi").click().run()
    assert [queue.name for queue in reviewed.reviewing.queues()] == ["Đúp"]
    at.text_input(key="nq_name").set_value("Khác")
    next(button for button in at.button if button.label == "Tạo hàng đợi").click().run()
    assert len(reviewed.reviewing.queues()) == 2
