"""A first deep link to a fresh server runs the shell before the page (spec 06, "Streamlit facts")."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app import sample_traces as sample
from tests.browser.conftest import Opened
from tests.browser.server import running_server


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (f"/?conversation={sample.CONVERSATION}&turn=2&stage=guards&claim=2", "Sai đơn vị: mệnh đề ghi 4 mg/ngày, sách ghi 4 g/ngày."),
        ("/luot?trace=tr-failed&stage=generation&view=calls", "ConnectTimeout"),
        ("/bo-nho-dem?part=lookup&claim=Suy+gan+n%E1%BA%B7ng.&drug=ibuprofen", "Chưa giữ phán quyết nào cho đúng mệnh đề"),
    ],
)
def test_a_cold_deep_link_shows_the_same_thing(opened: Opened, tmp_path: Path, path: str, text: str) -> None:
    with running_server(tmp_path) as address:
        screen = opened(address + path)
        screen.sees(text)
        assert screen.page.title() == "Dược Thư Workbench"
        screen.sees("Lượt đã chạy")
