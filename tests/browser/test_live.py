"""Hỏi đáp in a browser: asking, the stages, an edited claim, keys, stopping."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.app import sample_traces as sample
from tests.browser.conftest import Opened

QUESTION = "Liều paracetamol uống cho người lớn là bao nhiêu?"
STAGES = {
    "Phạm vi": "Thuộc phạm vi",
    "Hiểu câu": "Tìm thấy trong câu hỏi",
    "Tiêu điểm": "Câu hỏi sau khi điền",
    "Truy hồi": "khối đã xem.",
    "Chọn hướng": "Trang có bảng, công thức",
    "Kế hoạch": "Cách trình bày",
    "Soạn câu": "Mệnh đề đọc được",
    "Gắn số liệu": "Chuỗi câu trả lời được kiểm",
    "Rào chắn": "Khối được dẫn",
    "Bộ nhớ đệm": "Nhờ bộ nhớ đệm",
    "Đối chiếu": "Máy nói, nguyên văn",
    "Đầy đủ": "Máy chấm không nêu ý nào.",
    "Trả lời": "Đã gửi cho người hỏi",
    "Trí nhớ": "Tóm tắt trước lượt này",
}


def test_a_question_is_answered_and_every_stage_can_be_opened(opened: Opened, server: str) -> None:
    screen = opened(server)
    screen.sees("Chưa có lượt nào. Hỏi thử:")
    screen.ask(QUESTION)
    screen.sees("Các chặng của lượt 1")
    screen.sees("Đã trả lời")
    screen.sees("không thay thế chỉ định của bác sĩ")
    screen.address_has("turn=1")
    for name, text in STAGES.items():
        screen.opens_stage(name)
        screen.sees(text)


def test_the_request_and_the_response_of_a_call_are_there_as_text(opened: Opened, server: str) -> None:
    screen = opened(f"{server}/?conversation={sample.CONVERSATION}&turn=1&stage=generation")
    screen.shows_stage("Soạn câu")
    screen.opens_view("Yêu cầu và phản hồi · 1")
    screen.sees("Lời nhắc hệ thống")
    screen.sees("<<<NGUOI_DUNG_HOI>>>")
    screen.address_has("view=calls")


def test_a_claim_changed_by_hand_shows_the_missing_mark(opened: Opened, server: str) -> None:
    screen = opened(server)
    screen.ask(QUESTION)
    screen.sees("Các chặng của lượt 1")
    screen.opens_stage("Rào chắn")
    screen.clicks(screen.page.get_by_role("button", name="Mệnh đề 2 dẫn"))
    screen.address_has("claim=2")
    screen.clicks(screen.page.get_by_text("Sửa mệnh đề bằng tay để thử"))
    area = screen.page.get_by_label("Mệnh đề 2 (chỉ để thử, không lưu)")
    expect(area).to_be_visible()
    area.fill(area.input_value().replace("4 g/ngày", "40 g/ngày"))
    screen.press("Kiểm lại")
    screen.sees("Số 40 không có trong khối")
    expect(screen.page.get_by_role("button", name="Số 40: lệch")).to_be_visible()


def test_a_citation_marks_the_words_it_stands_for(opened: Opened, server: str) -> None:
    screen = opened(f"{server}/luot?trace=tr-answered")
    screen.clicks(screen.page.get_by_role("button", name="Xem khối 2"))
    expect(screen.page.locator("mark.cited")).to_have_text("không quá 3 g/ngày")
    screen.clicks(screen.page.get_by_role("button", name="Xem khối 2"))
    expect(screen.page.locator("mark.cited")).to_have_count(0)


def test_an_offered_reply_is_asked(opened: Opened, server: str) -> None:
    screen = opened(server)
    screen.ask("Liều paracetamol cho người lớn?")
    screen.sees("Hỏi lại")
    reply = screen.page.get_by_role("group", name="Chọn nhanh một câu trả lời").get_by_role("button").first
    words = reply.inner_text()
    screen.clicks(reply)
    screen.sees("Các chặng của lượt 2")
    screen.sees(words)


def test_a_sentence_leads_to_the_stage_that_raised_it(opened: Opened, server: str) -> None:
    screen = opened(f"{server}/?conversation={sample.CONVERSATION}&turn=2&stage=scope")
    screen.shows_stage("Phạm vi")
    screen.press("Mở chặng “Rào chắn”")
    screen.shows_stage("Rào chắn")


def test_going_back_shows_what_was_there(opened: Opened, server: str) -> None:
    screen = opened(f"{server}/?conversation={sample.CONVERSATION}&turn=2")
    screen.shows_stage("Rào chắn")
    screen.opens_stage("Truy hồi")
    screen.address_has("stage=retrieval")
    screen.page.go_back()
    screen.shows_stage("Rào chắn")


def test_a_conversation_can_be_opened_again(opened: Opened, server: str) -> None:
    screen = opened(server)
    screen.ask(QUESTION)
    screen.sees("Các chặng của lượt 1")
    screen.press("Hội thoại mới")
    screen.sees("Chưa có lượt nào. Hỏi thử:")
    screen.press("Hội thoại", exact=True)
    screen.clicks(screen.page.get_by_role("list", name="Các hội thoại đã lưu").get_by_role("button").first)
    screen.sees("Các chặng của lượt 1")


def test_english_is_a_switch_that_stays_in_the_address(opened: Opened, server: str) -> None:
    screen = opened(f"{server}/?conversation={sample.CONVERSATION}&turn=2")
    screen.sees("Các chặng của lượt 2")
    screen.clicks(screen.page.get_by_text("EN", exact=True))
    screen.sees("Stages of turn 2")
    screen.sees("Wrong unit: the claim has 4 mg/ngày")
    screen.address_has("lang=en")


def test_stages_appear_while_a_turn_runs_and_it_can_be_stopped(opened: Opened, slow_server: str) -> None:
    screen = opened(slow_server)
    screen.ask(QUESTION)
    expect(screen.stage("Soạn câu")).to_contain_text("đang chạy")
    expect(screen.stage("Truy hồi")).to_contain_text("đã chạy")
    expect(screen.stage("Trả lời")).to_contain_text("chờ")
    screen.press("Dừng", exact=True)
    screen.sees("Đã dừng lượt này")
    screen.sees("Chưa có lượt nào. Hỏi thử:")


def test_a_slow_turn_is_shown_when_it_has_ended(opened: Opened, slow_server: str) -> None:
    screen = opened(slow_server)
    screen.ask(QUESTION)
    screen.sees("Đang chạy")
    screen.sees("Bạn hỏi cho ai?")
    screen.shows_stage("Soạn câu")


class TestKeys:
    """The whole page can be used without a pointer (spec 06; design, "Keys")."""

    def test_arrows_move_along_the_strip(self, opened: Opened, server: str) -> None:
        screen = opened(f"{server}/?conversation={sample.CONVERSATION}&turn=2")
        screen.shows_stage("Rào chắn")
        screen.stage("Rào chắn").focus()
        screen.page.keyboard.press("ArrowLeft")
        screen.shows_stage("Gắn số liệu")
        expect(screen.stage("Gắn số liệu")).to_be_focused()
        screen.page.keyboard.press("Home")
        screen.shows_stage("Phạm vi")
        screen.page.keyboard.press("End")
        screen.shows_stage("Trí nhớ")

    def test_the_place_of_the_keyboard_is_seen_on_the_navigation(self, opened: Opened, server: str) -> None:
        screen = opened(server)
        screen.sees("Chưa có lượt nào. Hỏi thử:")
        link = screen.page.get_by_test_id("stTopNavLink").filter(has_text="Hướng dẫn")
        screen.page.keyboard.press("Tab")  # from here on the browser shows where the keyboard stands
        screen.focuses(link)
        expect(link).to_have_css("outline-style", "solid")

    def test_letters_move_along_the_claims_and_arrows_along_the_details(self, opened: Opened, server: str) -> None:
        screen = opened(f"{server}/?conversation={sample.CONVERSATION}&turn=1&stage=guards&claim=1")
        head = screen.page.get_by_role("button", name="Mệnh đề 1 dẫn")
        head.focus()
        screen.page.keyboard.press("j")
        expect(screen.page.get_by_role("button", name="Mệnh đề 2 dẫn")).to_have_attribute("aria-expanded", "true")
        screen.address_has("claim=2")
        screen.page.keyboard.press("ArrowRight")
        first = screen.page.get_by_role("button", name="Nhóm người Người lớn: khớp")
        expect(first).to_be_focused()
        expect(screen.page.locator(".block-text .lit")).to_have_text("Người lớna")
        screen.page.keyboard.press("Enter")
        screen.page.keyboard.press("ArrowRight")
        expect(screen.page.locator(".block-text .lit")).to_have_text("tối đab")
        screen.page.keyboard.press("k")
        expect(head).to_have_attribute("aria-expanded", "true")

    def test_escape_takes_the_pin_away(self, opened: Opened, server: str) -> None:
        screen = opened(f"{server}/?conversation={sample.CONVERSATION}&turn=2&stage=guards")
        expect(screen.page.locator(".block-text .lit")).to_have_text("g/ngàyd")
        screen.page.get_by_role("button", name="Mệnh đề 2 dẫn").focus()
        screen.page.keyboard.press("Escape")
        expect(screen.page.locator(".lit")).to_have_count(0)

    def test_keys_are_silent_in_a_text_field(self, opened: Opened, server: str) -> None:
        screen = opened(f"{server}/?conversation={sample.CONVERSATION}&turn=1&stage=guards&claim=1")
        screen.sees("Mệnh đề 1")
        screen.clicks(screen.page.get_by_text("Sửa mệnh đề bằng tay để thử"))
        area = screen.page.get_by_label("Mệnh đề 1 (chỉ để thử, không lưu)")
        area.fill("")
        area.press_sequentially("jk123")
        expect(area).to_have_value("jk123")
        expect(screen.page.get_by_role("button", name="Mệnh đề 1 dẫn")).to_have_attribute("aria-expanded", "true")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("path", ["/", f"/?conversation={sample.CONVERSATION}&turn=2", "/luot?trace=tr-redflag&stage=cache", "/luot"])
def test_every_text_can_be_read(opened: Opened, server: str, path: str, dark: bool) -> None:
    screen = opened(server + path, dark=dark)
    screen.sees("Mô hình ngoại tuyến: đối chiếu câu chữ, không dùng mô hình ngôn ngữ")
    screen.sees({"/": "Hỏi thử", "/luot": "mới nhất ở trên"}.get(path, "Các chặng của lượt"))
    assert screen.pale_texts() == []


@pytest.mark.parametrize(
    "path",
    ["/", f"/?conversation={sample.CONVERSATION}&turn=2", "/luot?trace=tr-answered&stage=retrieval", "/luot?trace=tr-hostile", "/luot"],
)
def test_nothing_scrolls_sideways(opened: Opened, server: str, path: str) -> None:
    screen = opened(server + path, width=390, height=844)
    for width in (390, 640, 1024, 1280):
        screen.page.set_viewport_size({"width": width, "height": 844})
        screen.sees("Mô hình ngoại tuyến")
        screen.sees({"/": "Hỏi thử", "/luot": "mới nhất ở trên"}.get(path, "Các chặng của lượt"))
        assert not screen.scrolls_sideways(), width
