"""Đánh giá in a real browser: bring a small set, run it, open a wrong case, compare two runs, stop one; a set with mistakes in it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import Opened
from tests.browser.screen import Screen
from tests.jobs.installation import many_cases

DEMO = Path(__file__).resolve().parents[2] / "data" / "evals" / "demo.jsonl"
WRONG = {"id": "sai", "turns": [{"q": "Liều paracetamol uống cho người lớn?", "expect": {"outcome": ["clarification"]}}], "author": "thử"}


def small_set() -> bytes:
    """Five cases that ship, and one whose expectation is wrong."""
    lines = DEMO.read_text(encoding="utf-8").splitlines()[:5]
    return "\n".join([*lines, json.dumps(WRONG | {"second_reader": None, "tags": []}, ensure_ascii=False)]).encode()


def bring(screen: Screen, name: str, content: bytes) -> None:
    """Gives the page a file as a set."""
    screen.clicks(screen.page.get_by_text("Nhập một bộ khác"))
    field = screen.page.get_by_test_id("stFileUploaderDropzoneInput")
    field.set_input_files({"name": name, "mimeType": "application/jsonl", "buffer": content})


def test_a_run_is_stopped_and_can_go_on(opened: Opened, server: str, tmp_path: Path) -> None:
    """Stopped from another window than the one that began it, while its address stays the run's in both."""
    screen = opened(f"{server}/danh-gia")
    bring(screen, "dài.jsonl", many_cases(tmp_path / "many.jsonl", 400).read_bytes())
    screen.sees("Đã nhận bộ dài: 400 ca")
    screen.press("Chạy mới")
    screen.address_has("run=")
    other = opened(screen.page.url)
    other.sees("người gửi")
    other.press("Dừng", exact=True)
    screen.sees("Đã dừng ở")
    other.sees("Đã dừng ở")
    assert "run=" in screen.page.url
    assert "run=" in other.page.url
    screen.press("Về danh sách")
    screen.sees("Các lần chạy")
    screen.sees("Chạy tiếp")


def test_from_a_set_to_its_cases_and_to_a_comparison(opened: Opened, server: str) -> None:
    screen = opened(f"{server}/danh-gia")
    bring(screen, "nho.jsonl", small_set())
    screen.address_has("set=nho")
    screen.sees("Đã nhận bộ nho: 6 ca")
    screen.press("Chạy mới")
    screen.sees("Đúng kết cục")
    screen.sees("So với mốc")
    assert screen.pale_texts() == []
    assert not screen.scrolls_sideways()

    screen.clicks(screen.page.get_by_role("list", name="Ca sai").get_by_role("button").first)
    screen.address_has("case=sai")
    screen.sees("Mong đợi")
    screen.clicks(screen.page.get_by_role("link", name="Mở lượt này").first)
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
    screen.sees("Đúng kết cục")
    screen.page.goto(f"{server}/danh-gia?set=nho&run={again}&other={first[1]}")
    screen.sees("Chưa thấy khác nhau giữa hai lần chạy.")
    screen.sees("Không ca nào đổi.")


def test_a_set_with_mistakes_is_told_line_by_line(opened: Opened, server: str) -> None:
    screen = opened(f"{server}/danh-gia")
    bring(screen, "hỏng.jsonl", '{"id":"a","turns":[{"q":"Liều?"}]}\n{'.encode())
    screen.sees("có 2 chỗ phải sửa")
    screen.sees("Dòng 1: ")
    expect(screen.page.get_by_text("Dòng 2: ").first).to_be_visible()
