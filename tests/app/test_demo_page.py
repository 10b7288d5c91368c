"""Trình diễn (spec 06, page 9), without a browser."""

from __future__ import annotations

from dataclasses import replace

import pytest

from duocthu_core.bootstrap import Services
from duocthu_core.pipeline.demonstrating import load_scenes, play
from pages.components.demo_scene.demo_scene import Step, always_said, scene_data
from pages.frame import services as page_services
from tests.app.conftest import Opening

PAGE = "demo.py"
SCENES = load_scenes()


def drawn(built: Services, number: int) -> dict:
    played = play(SCENES[number - 1], built.pipeline)
    return scene_data(Step(number, SCENES), played, built.ruleset, always_said(built.corpus, built.ruleset))


def marked(pane: dict, key: str) -> list[str]:
    return [piece["text"] for text in pane["texts"] for piece in text if key in piece["keys"]]


@pytest.mark.parametrize("step", ["1", "2", "3", "4", "5", "6", "0", "99", "<b>", "1e9"])
def test_every_step_and_every_address_opens(open_page: Opening, step: str) -> None:
    assert not open_page(PAGE, step=step).exception


def test_a_shown_scene_leaves_no_turn_in_the_stores(open_page: Opening, services: Services) -> None:
    before = services.traces.count()
    open_page(PAGE, step="2")
    assert services.traces.count() == before


def test_the_wrong_figure_stands_beside_the_one_of_the_book(built: Services) -> None:
    wrong, book = drawn(built, 4)["panes"]
    assert (wrong["tone"], book["tone"]) == ("missing", "found")
    (spoiled,), true = marked(wrong, "missing"), marked(book, "found")
    assert spoiled not in true
    assert any(spoiled.replace("0", "") == figure.replace("0", "") for figure in true)


def test_every_marked_figure_of_the_answer_is_marked_in_the_book(built: Services) -> None:
    answer, book = drawn(built, 1)["panes"]
    assert marked(answer, "found")
    assert set(marked(answer, "found")) <= set(marked(book, "found"))


def test_the_table_is_named_and_not_drawn(built: Services) -> None:
    data = drawn(built, 3)
    locked = data["panes"][1]
    assert locked["tone"] == "locked"
    assert "tr. 382" in str(locked)
    assert "50 - 79" not in str(data)


def test_the_disclaimer_and_the_notice_stand_under_every_scene(built: Services) -> None:
    for number in range(1, 7):
        lines = drawn(built, number)["always"]
        assert "không thay thế chỉ định" in lines[0]
        assert "bộ minh hoạ" in lines[1]


def test_a_book_without_the_drug_says_so(open_page: Opening, services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = type(services.corpus).of([], [], "Sách khác")
    other = replace(services, corpus=empty, pipeline=services.pipeline.with_parts(corpus=empty))
    monkeypatch.setattr(page_services, "services", lambda: other)
    at = open_page(PAGE, step="3")
    assert not at.exception
    assert "không có chuyên luận Cetirizin" in at.info[0].value


def test_the_ends_have_one_way_only(built: Services) -> None:
    assert drawn(built, 1)["previous"] is None
    assert drawn(built, 6)["next"] is None
