"""Đánh giá in a real browser: run the shipped set, stop and go on, open a wrong case, compare two runs; bring a set with mistakes in it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import Opened
from tests.browser.server import running_server

DEMO = Path(__file__).resolve().parents[2] / "data" / "evals" / "demo.jsonl"
WRONG = {"id": "sai", "turns": [{"q": "Liều paracetamol uống cho người lớn?", "expect": {"outcome": ["clarification"]}}], "author": "thử"}


def small_set() -> bytes:
    """Five cases that ship, and one whose expectation is wrong."""
    lines = DEMO.read_text(encoding="utf-8").splitlines()[:5]
    return "\n".join([*lines, json.dumps(WRONG | {"second_reader": None, "tags": []}, ensure_ascii=False)]).encode()


def test_a_run_is_stopped_and_can_go_on(opened: Opened, tmp_path: Path) -> None:
    with running_server(tmp_path) as address:
        screen = opened(f"{address}/danh-gia?set=demo")
        screen.sees("Bộ này chưa chạy lần nào")
        screen.press("Chạy mới")
        screen.address_has("run=")
        screen.press("Dừng")
        screen.sees("Đã dừng ở")
        screen.press("Về danh sách")
        screen.sees("Các lần chạy")
        screen.sees("Chạy tiếp")


def test_from_a_set_to_its_cases_and_to_a_comparison(opened: Opened, tmp_path: Path) -> None:
    with running_server(tmp_path) as address:
        screen = opened(f"{address}/danh-gia")
        screen.page.get_by_text("Nhập một bộ khác").click()
        field = screen.page.get_by_test_id("stFileUploaderDropzoneInput")
        field.set_input_files({"name": "nho.jsonl", "mimeType": "application/jsonl", "buffer": small_set()})
        screen.address_has("set=nho")
        screen.sees("Đã nhận bộ nho: 6 ca")
        screen.press("Chạy mới")
        screen.sees("Đúng kết cục")
        screen.sees("So với mốc")
        assert screen.pale_texts() == []
        assert not screen.scrolls_sideways()

        screen.page.get_by_role("list", name="Ca sai").get_by_role("button").first.click()
        screen.address_has("case=sai")
        screen.sees("Mong đợi")
        screen.page.get_by_role("link", name="Mở lượt này").first.click()
        screen.page.wait_for_url("**/luot?trace=*")
        screen.sees("Các chặng của lượt 1")
        screen.page.go_back()
        screen.address_has("case=sai")
        screen.sees("Mong đợi")
        screen.press("Về lần chạy")

        first = re.search(r"run=([\w-]+)", screen.page.url)
        assert first is not None
        screen.press("Về danh sách")
        screen.sees("Các lần chạy")
        screen.press("Chạy mới")
        again = first[1].removesuffix("-1") + "-2"
        screen.sees(again)
        screen.page.goto(f"{address}/danh-gia?set=nho&run={again}&other={first[1]}")
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
