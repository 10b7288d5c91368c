"""Dược thư in a real browser: from a search to the turn that cites a block, and a book that is imported and put to use."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import Opened
from tests.browser.server import running_server

BOOK = """1120 **Thuocthu** DTQGVN 2

# THUOCTHU

## Chỉ định

Dùng thử khi kiểm tra việc nhập sách :red[đậm].

## Liều lượng và cách dùng

Người lớn: 250 mg/lần, ngày 2 lần.

| Tuổi | Liều |
|---|---|
| 1 - 5 | 10 mg |
"""


def test_from_a_search_to_the_turn_that_cites_a_block(opened: Opened, server: str) -> None:
    screen = opened(f"{server}/duoc-thu")
    screen.sees("theo thứ tự của sách")
    box = screen.page.get_by_label("Tìm trong Dược thư")
    box.fill("chống chỉ định paracetamol")
    box.press("Enter")
    screen.sees("Suy gan nặng.")
    screen.does_not_see("theo thứ tự của sách")  # the whole list is gone, and only what was found can be pressed
    screen.clicks(screen.page.get_by_role("list", name="Thuốc").get_by_role("button").first)
    screen.address_has("section=chong_chi_dinh")
    screen.clicks(screen.page.get_by_role("button", name="Liều lượng và cách dùng"))
    screen.address_has("section=lieu_luong_cach_dung")
    screen.sees("Không cho trẻ quá 5 liều trong vòng 24 giờ")  # the blocks of the section, no longer those of the one before
    screen.press("Xem chi tiết: Khối 1")
    screen.address_has("block=")
    screen.sees("Địa chỉ của khối")
    assert not screen.scrolls_sideways()
    assert screen.pale_texts() == []


def test_a_block_leads_to_the_turn_that_cites_it(opened: Opened, server: str) -> None:
    screen = opened(f"{server}/")
    screen.ask("Chống chỉ định của paracetamol?")
    screen.sees("Đã trả lời")
    screen.page.goto(f"{server}/duoc-thu?block=paracetamol/chong_chi_dinh/1")
    screen.sees("Lượt trả lời có dẫn khối này")
    screen.clicks(screen.page.get_by_role("link", name="Chống chỉ định của paracetamol?").first)
    screen.page.wait_for_url("**/luot?trace=*")
    screen.sees("Chống chỉ định của paracetamol?")


def test_a_locked_block_is_not_drawn_on_a_narrow_dark_screen(opened: Opened, server: str) -> None:
    screen = opened(f"{server}/duoc-thu?drug=cefazolin&section=lieu_luong_cach_dung", width=390, height=844, dark=True)
    screen.sees("Không hiện chữ của khối này: xem sách")
    assert not screen.scrolls_sideways()
    assert screen.pale_texts() == []


def test_a_book_is_imported_seen_and_put_to_use(opened: Opened, tmp_path: Path) -> None:
    file = tmp_path / "thuoc-thu.md"
    file.write_text(BOOK, encoding="utf-8")
    with running_server(tmp_path) as address:
        screen = opened(f"{address}/duoc-thu?view=import")
        screen.page.locator("input[type=file]").set_input_files(file)
        screen.sees("thuoc-thu.md")
        screen.page.get_by_label("Tên ấn bản").fill("Bản thử 2026")
        screen.press("Nhập", exact=True)
        screen.sees("Bộ này chưa được dùng")
        screen.address_has("book=")
        screen.sees("Khối cách ly · 1")
        screen.press("Dùng bộ này")
        screen.sees("Mọi câu hỏi từ nay được trả lời từ “Bản thử 2026”")
        screen.press("Xác nhận dùng bộ này")
        screen.sees("Bộ này đang được dùng để trả lời.")
        screen.page.goto(f"{address}/duoc-thu?drug=thuocthu&section=chi_dinh")
        screen.sees(":red[đậm]")
        screen.page.goto(f"{address}/duoc-thu?view=import")
        screen.press("Trở lại bộ mặc định")
        screen.press("Dùng bộ mặc định")
        expect(screen.page.get_by_text("Đang trả lời từ: Bộ minh hoạ").first).to_be_visible()
