"""Trình diễn in a real browser: the keyboard leads through the steps, and the page is fit for a projector and a telephone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opened


def test_the_keyboard_leads_from_step_to_step(opened: Opened, server: str) -> None:
    screen = opened(f"{server}/trinh-dien?step=3")
    screen.sees("Không viết lại bảng")
    screen.page.keyboard.press("PageDown")
    screen.address_has("step=4")
    screen.sees("Bị giữ lại, người hỏi không thấy")
    screen.page.keyboard.press("ArrowLeft")
    screen.address_has("step=3")
    screen.sees("Không viết lại bảng")
    screen.press("Bước tiếp")
    screen.sees("Bị giữ lại, người hỏi không thấy")
    assert screen.pale_texts() == []


@pytest.mark.parametrize("width", [390, 1280])
def test_targets_are_large_and_nothing_scrolls_sideways(opened: Opened, server: str, width: int) -> None:
    screen = opened(f"{server}/trinh-dien?step=4", width=width, dark=True)
    screen.sees("không thay thế chỉ định")
    ways = screen.page.get_by_role("navigation", name="Các bước trình diễn").get_by_role("button")
    expect(ways).to_have_count(8)
    assert min(min(box["width"], box["height"]) for box in (way.bounding_box() for way in ways.all()) if box) >= 52
    assert not screen.scrolls_sideways()
    assert screen.pale_texts() == []
