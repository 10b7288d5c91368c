"""Quy tắc in a real browser: an edit is tried from a stage that is chosen, beside the page; of two tabs the second is told."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import Opened
from tests.browser.screen import Screen

_A_TRIAL_MS = 60_000
"""Rules that were never used before are made ready first."""


def set_guard(screen: Screen, guard: str, level: str) -> None:
    """Chooses the level of a guard."""
    screen.chooses(guard, level)


def name_it(screen: Screen, name: str) -> None:
    """Says under which name the edit is saved."""
    box = screen.page.get_by_role("textbox", name="Lưu với tên")
    box.fill(name)
    box.press("Enter")


def test_an_edit_is_tried_and_saved_and_the_second_tab_is_told_and_keeps_its_text(opened: Opened, server: str) -> None:
    first = opened(server + "/quy-tac?trace=tr-answered&from=guards")
    first.sees("Chưa sửa gì")
    set_guard(first, "sai đơn vị", "Tắt")
    first.sees("guards.unit_mismatch")
    first.press("Chạy lại lượt này")
    expect(first.page.get_by_role("link", name="Mở lượt vừa chạy")).to_be_visible(timeout=_A_TRIAL_MS)
    first.sees("Khác nhau từ chặng")
    name_it(first, "nhóm thử")
    first.press("Lưu thành bản mới")
    first.sees("Đã lưu “nhóm thử”, bản 1.")

    second = opened(server + "/quy-tac?ruleset=nhóm thử")
    second.sees("Chưa sửa gì")
    set_guard(first, "sai đơn vị", "Chặn")
    first.sees("+ reject")
    first.press("Lưu thành bản mới")
    first.sees("Đã lưu “nhóm thử”, bản 2.")
    set_guard(second, "sai mức chặn", "Tắt")
    second.sees("guards.comparator_mismatch")
    second.press("Lưu thành bản mới")
    second.sees("trong lúc bạn sửa. Chưa ghi gì.")
    second.sees("guards.comparator_mismatch")
