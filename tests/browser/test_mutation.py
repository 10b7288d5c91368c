"""Phòng thử đột biến in a real browser: run the lab, open a survivor, break a claim by hand."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import Opened


def test_from_a_run_to_a_survivor(opened: Opened, server: str) -> None:
    screen = opened(f"{server}/dot-bien?n=4&seed=1&drug=propranolol")
    screen.press("Chạy thử")
    screen.address_has("run=1")
    screen.sees("Loại đột biến và bước kiểm")
    survivors = screen.page.get_by_role("list", name="Lọt lưới").get_by_role("button")
    if survivors.count():
        screen.clicks(survivors.first)
        screen.address_has("survivor=")
        screen.sees("Mệnh đề đột biến")
        screen.press("Về bảng")
        screen.sees("Loại đột biến và bước kiểm")
    assert not screen.scrolls_sideways()
    assert screen.pale_texts() == []


def test_a_claim_broken_by_hand_shows_the_finding(opened: Opened, server: str) -> None:
    screen = opened(f"{server}/dot-bien?view=by_hand&drug=paracetamol&section=lieu_luong_cach_dung")
    screen.sees("Chưa sửa gì")
    box = screen.page.get_by_label("Sửa mệnh đề", exact=True)
    box.fill(box.input_value() + " Uống 987 mg/lần.")
    box.press("Control+Enter")
    screen.sees("Bị chặn")
    expect(screen.page.get_by_text(re.compile("987")).filter(visible=True).last).to_be_visible()
    assert not screen.scrolls_sideways()
