"""A real server, a real browser (Debian's chromium): what no test without a browser can see."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.model_server import ModelServer
from tests.browser.screen import Screen
from tests.browser.server import running_server

CHROMIUM = "/usr/bin/chromium"
_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
Opened = Callable[..., Screen]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser; a test is skipped where there is none, and fails in CI."""
    if shutil.which(CHROMIUM) is None:
        if os.environ.get("CI"):
            pytest.fail(f"{CHROMIUM} is missing in CI")
        pytest.skip(f"{CHROMIUM} is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with the offline model and the sample turns."""
    with running_server(tmp_path_factory.mktemp("workbench")) as address:
        yield address


@pytest.fixture(scope="session")
def slow_server(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server whose model takes its time to answer."""
    with (
        ModelServer(delay_s=3.0) as model,
        running_server(
            tmp_path_factory.mktemp("slow"),
            ANSWER_PROVIDER="openai",
            JUDGE_PROVIDER="offline",
            ANSWER_MODEL="slow",
            OPENAI_BASE_URL=model.address,
        ) as address,
    ):
        yield address


@pytest.fixture
def opened(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Opened]:
    """Opens an address in a window of its own. At the end no script error may have happened, and no request to a foreign host."""
    screens: list[Screen] = []

    def open_screen(address: str, *, width: int = 1280, height: int = 800, dark: bool = False) -> Screen:
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            locale="vi-VN",
            timezone_id="Asia/Ho_Chi_Minh",
            permissions=["clipboard-write"],
        )
        screens.append(Screen(context, address))
        return screens[-1]

    yield open_screen
    for screen in screens:
        screen.page.context.close()
    assert [error for screen in screens for error in screen.script_errors] == []
    assert [url for screen in screens for url in screen.foreign_requests] == []
