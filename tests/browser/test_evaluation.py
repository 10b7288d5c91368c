"""Đánh giá in a real browser: run the shipped set, stop and go on, open a wrong case, compare two runs; bring a set with mistakes in it."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import Opened
from tests.browser.server import running_server


def test_from_a_set_to_its_cases_and_to_a_comparison(opened: Opened, tmp_path: Path) -> None:
    with running_server(tmp_path) as address:
        screen = opened(f"{address}/danh-gia?set=demo")
        screen.sees("Bộ này chưa chạy lần nào")
        screen.press("Chạy mới")
        screen.address_has("run=")
        screen.press("Dừng")
        screen.sees("Đã dừng ở")
        screen.press("Về danh sách")
        screen.press("Chạy tiếp")
        screen.page.get_by_text("So với mốc", exact=True).first.wait_for(timeout=180_000)
        screen.sees("Đúng kết cục")
        assert screen.pale_texts() == []
        assert not screen.scrolls_sideways()

        wrong = screen.page.get_by_role("list", name="Ca sai").get_by_role("button")
        if wrong.count():
            wrong.first.click()
            screen.address_has("case=")
            screen.sees("Mong đợi")
            screen.page.get_by_role("link", name="Mở lượt này").first.click()
            screen.sees("Lượt đã chạy")
            screen.page.go_back()
            screen.sees("Mong đợi")
            screen.press("Về lần chạy")

        screen.press("Về danh sách")
        screen.press("Chạy mới")
        screen.page.get_by_text("So với lần chạy khác", exact=True).first.wait_for(timeout=180_000)
        choice = screen.page.get_by_role("combobox", name="Lần chạy trước đó")
        choice.click()
        screen.page.get_by_role("option").first.click()
        screen.address_has("other=")
        screen.sees("Chưa thấy khác nhau giữa hai lần chạy.")
        screen.sees("Không ca nào đổi.")


def test_a_set_with_mistakes_is_told_line_by_line(opened: Opened, server: str) -> None:
    screen = opened(f"{server}/danh-gia")
    screen.page.get_by_text("Nhập một bộ khác").click()
    lines = '{"id":"a","turns":[{"q":"Liều?"}]}\n{'
    field = screen.page.get_by_test_id("stFileUploaderDropzoneInput")
    field.set_input_files({"name": "hỏng.jsonl", "mimeType": "application/jsonl", "buffer": lines.encode()})
    screen.sees("có 2 chỗ phải sửa")
    screen.sees("Dòng 1: ")
    expect(screen.page.get_by_text("Dòng 2: ").first).to_be_visible()
