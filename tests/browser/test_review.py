"""Duyệt in browsers: two reviewers and a third, each signed in through a trusted proxy (spec 06, page 3 and "Access")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Browser, Locator, expect

from duocthu_core.bootstrap import Services, bootstrap
from duocthu_core.review.model import NewQueue, QueueFilters, VerdictFilters
from duocthu_core.settings import load_settings
from tests.app import sample_traces as sample
from tests.browser.screen import Screen
from tests.browser.server import running_server
from tests.review.turns import item_of, queue_of

SECRET = "known-to-the-proxy-and-the-server-0123456789"
LAN, MAI, HUE, BINH = "ds.lan@bv.vn", "ds.mai@bv.vn", "bs.hue@bv.vn", "ks.binh@bv.vn"


class Desk(Screen):
    """One reviewer's window."""

    @property
    def note(self) -> Locator:
        return self.page.get_by_label("Ghi chú (không bắt buộc)")

    def begins(self) -> str:
        """Takes the next item of the only queue; its address."""
        self.clicks(self.page.get_by_role("button", name=re.compile("^(.* )?(Bắt đầu duyệt|Duyệt tiếp)$")))
        self.sees("Giữ cho bạn đến")
        return self.page.url

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def shows_claim(self, name: str) -> None:
        expect(self.page.get_by_role("tab", selected=True)).to_have_attribute("aria-label", re.compile(f"^{name}:"))

    def judges_all(self, *, wrong: int | None = None) -> None:
        """Judges every claim and finishes, with the keyboard alone; the ``wrong`` one has a wrong unit, category F."""
        names = [f"Mệnh đề {number}" for number in range(1, 5)]
        for number, name in enumerate(names, 1):
            self.shows_claim(name)
            if number == wrong:
                self.keys("2")
                expect(self.page.get_by_role("radio", name="Số", exact=True)).to_be_focused()
                self.keys("ArrowRight", "Tab", *["ArrowRight"] * 6, "ArrowLeft", "Escape")
            else:
                self.keys("1")
            if number < len(names):
                self.keys("ArrowRight")
        self.keys("Control+Enter")
        self.sees("Đổi ý kiến")


@dataclass
class Ward:
    """A workbench behind a proxy that names its people."""

    address: str
    browser: Browser
    services: Services
    queue_id: str
    desks: list[Desk] = field(default_factory=list)

    def desk(self, email: str, path: str = "/duyet", *, width: int = 1280, dark: bool = False) -> Desk:
        """A window of ``email``."""
        headers = {"X-Forwarded-Email": email, "X-Duocthu-Proxy-Secret": SECRET}
        context = self.browser.new_context(
            viewport={"width": width, "height": 900},
            locale="vi-VN",
            timezone_id="Asia/Ho_Chi_Minh",
            color_scheme="dark" if dark else "light",
            extra_http_headers=headers,
        )
        self.desks.append(Desk(context, self.address + path))
        return self.desks[-1]


@pytest.fixture(scope="module")
def served(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Services]]:
    folder = tmp_path_factory.mktemp("ward")
    services = bootstrap(load_settings(_env_file=None, DUOCTHU_DATA_DIR=folder))
    for number in range(1, 4):
        services.traces.save(sample.answered(f"tr-ward-{number}", number, "ward"))
    services.accounts.set_role(BINH, "admin", by="test")
    for email in (LAN, MAI, HUE):
        services.accounts.set_role(email, "reviewer", by="test")
    with running_server(folder, DUOCTHU_PROXY_USER_HEADER="X-Forwarded-Email", DUOCTHU_PROXY_SECRET=SECRET) as address:
        yield address, services


@pytest.fixture
def ward(served: tuple[str, Services], chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Ward]:
    """The ward with one queue of this test alone: its reviewers have judged nothing yet."""
    address, services = served
    opened = Ward(address, chromium, services, "")
    yield opened
    for desk in opened.desks:
        desk.page.context.close()
    assert [error for desk in opened.desks for error in desk.script_errors] == []


def test_two_reviewers_and_a_third(ward: Ward) -> None:
    """No item twice while it is reserved, blind until the first verdict, a disagreement is adjudicated, history shows everything."""
    ward.queue_id = "ward"
    items = [item_of(sample.answered(f"tr-ward-{number}", number, "ward")) for number in range(1, 4)]
    ward.services.reviewing.store.add_queue(queue_of(ward.queue_id), items)
    lan, mai, hue = (ward.desk(email) for email in (LAN, MAI, HUE))
    first = lan.begins()
    assert mai.begins() == first, "two seats at the first item"
    assert hue.begins() != first, "no third one"
    hue.page.goto(first)
    hue.sees("Mục này đã đủ người đang duyệt")
    lan.judges_all()
    for hidden in (LAN, "Máy chấm:", "Đã gửi cho người hỏi"):
        mai.does_not_see(hidden)
    mai.judges_all(wrong=2)
    mai.clicks(mai.page.get_by_role("tab", name="Mệnh đề 2"))
    mai.sees("Bạn và máy khác ý.")
    mai.sees("Mệnh đề này vào phân xử")
    expect(mai.page.get_by_role("button", name="Số 4: khớp")).to_be_visible()
    hue.press("Mọi hàng đợi")
    hue.press("Phân xử 1 mục")
    hue.shows_claim("Mệnh đề 2")
    hue.sees(LAN)
    hue.keys("1")
    hue.page.get_by_label("Lý do (bắt buộc)").fill("Sách ghi đúng 4 g/ngày.")
    hue.keys("Control+Enter")
    hue.sees("Mệnh đề này đã được phân xử.")
    lan.page.reload()
    lan.clicks(lan.page.get_by_role("tab", name="Mệnh đề 2"))
    lan.clicks(lan.page.get_by_text("Lịch sử"))
    for said in (LAN, MAI, HUE, "Đơn vị · mức F", "Lý do: Sách ghi đúng 4 g/ngày."):
        lan.sees(said)
    verdicts = ward.services.reviewing.blind_verdicts(VerdictFilters(queue_id=ward.queue_id))
    assert len(verdicts) == 8
    assert {line.action for line in ward.services.audit.recent()} >= {"review.finish", "review.adjudicate"}


def test_a_killed_browser_loses_nothing_and_keys_are_silent_in_the_note(ward: Ward, chromium: Browser) -> None:
    asked = NewQueue(name="Ghi chú", size=1, filters=QueueFilters(reject_reasons=("unit_mismatch",)), reviewers_per_item=1)
    ward.queue_id = ward.services.reviewing.make_queue(asked, BINH).queue_id
    with chromium.browser_type.launch(executable_path="/usr/bin/chromium", args=["--headless", "--no-sandbox"]) as doomed:
        window = Ward(ward.address, doomed, ward.services, ward.queue_id).desk(LAN, f"/duyet?queue={ward.queue_id}&item={ward.queue_id}.1")
        window.sees("Giữ cho bạn đến")
        window.note.press_sequentially("123 jk Sách ghi g, không phải mg.", delay=20)
        expect(window.page.locator(".badge.save.found")).to_be_visible()  # everything typed so far is confirmed, and nothing else was done
    again = ward.desk(LAN, f"/duyet?queue={ward.queue_id}&item={ward.queue_id}.1")
    expect(again.note).to_have_value("123 jk Sách ghi g, không phải mg.")
    again.shows_claim("Mệnh đề 1")


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_the_desk_can_be_read_and_does_not_scroll_sideways(ward: Ward, width: int, dark: bool) -> None:
    asked = NewQueue(name="Đọc được", size=1, filters=QueueFilters(reject_reasons=("unit_mismatch",)), reviewers_per_item=9)
    ward.queue_id = ward.services.reviewing.make_queue(asked, BINH).queue_id
    listed = ward.desk(BINH, width=width, dark=dark)
    listed.sees("Đọc được")
    assert listed.pale_texts() == []
    assert not listed.scrolls_sideways()
    desk = ward.desk(BINH, f"/duyet?queue={ward.queue_id}&item={ward.queue_id}.1", width=width, dark=dark)
    desk.sees("Sách ghi")
    desk.keys("2")
    desk.sees("All Rights Reserved")
    assert desk.pale_texts() == []
    assert not desk.scrolls_sideways()
