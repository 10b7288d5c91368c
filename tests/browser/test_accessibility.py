"""axe-core over every page, and over the states of a page that hold the most: no serious finding, in the light and in the dark."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from axe_playwright_python.sync_playwright import Axe

from tests.app import sample_traces as sample
from tests.browser.conftest import Opened
from tests.browser.screen import Screen
from tests.browser.test_sign_in import addresses

_OPTIONS = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]},
    "resultTypes": ["violations"],
}
_TELLING = ("serious", "critical")
_STATES = [
    f"/?conversation={sample.CONVERSATION}&turn=2&stage=guards&claim=2",
    "/luot?trace=tr-redflag",
    "/huong-dan?reason=unit_mismatch",
    "/trinh-dien?step=4",
    "/duoc-thu?drug=paracetamol",
    "/dot-bien?view=by_hand&drug=paracetamol&section=lieu_luong_cach_dung",
]


def findings(screen: Screen) -> list[str]:
    """Serious findings of axe-core, each with its rule and the element; a page is only looked at once it has been drawn."""
    screen.page.locator("[data-testid=stHeading]").first.wait_for()
    screen.page.wait_for_function("() => document.querySelectorAll('[data-stale=true], [data-testid=stSkeleton]').length === 0")
    found: list[dict[str, Any]] = Axe().run(screen.page, options=_OPTIONS).response["violations"]
    return [
        f"{rule['id']} ({rule['impact']}): {node['target']} {node['html'][:160]}"
        for rule in found
        if rule["impact"] in _TELLING
        for node in rule["nodes"]
    ]


def serious(opened: Opened, server: str, paths: Iterable[str], *, dark: bool) -> dict[str, list[str]]:
    """The pages with serious findings, and which."""
    found: dict[str, list[str]] = {}
    for path in paths:
        screen = opened(server + path, dark=dark)
        if findings_here := findings(screen):
            found[path] = findings_here
        screen.page.context.close()
    return found


def test_no_page_has_a_serious_finding(opened: Opened, server: str) -> None:
    assert serious(opened, server, [*addresses(), *_STATES], dark=False) == {}


def test_nor_has_the_dark_theme(opened: Opened, server: str) -> None:
    assert serious(opened, server, _STATES[:2], dark=True) == {}
