"""axe-core over every page, and over the states of a page that hold the most: no serious finding, in the light and in the dark. The same
walk is done in English and looks for sentences that stayed Vietnamese."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from axe_playwright_python.sync_playwright import Axe

from tests.app import sample_traces as sample
from tests.browser.conftest import Opened
from tests.browser.language_leaks import leaks, stayed_vietnamese
from tests.browser.screen import Screen
from tests.browser.test_sign_in import addresses

_OPTIONS = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]},
    "resultTypes": ["violations"],
}
_DRAWN = """() => document.querySelectorAll(
  '[data-stale=true], [data-testid=stSkeleton], [data-testid=stStatusWidget]').length === 0"""
_LOOKS, _BETWEEN_LOOKS_MS = 3, 500
_TELLING = ("serious", "critical")
_STATES = [
    f"/?conversation={sample.CONVERSATION}&turn=2&stage=guards&claim=2",
    "/luot?trace=tr-redflag",
    "/huong-dan?reason=unit_mismatch",
    "/trinh-dien?step=4",
    "/duoc-thu?drug=paracetamol",
    "/dot-bien?view=by_hand&drug=paracetamol&section=lieu_luong_cach_dung",
    "/so-sanh?a=tr-answered&b=tr-stopped",
    "/quy-tac?section=tables",
]


def findings(screen: Screen) -> list[str]:
    """Serious findings of axe-core, each with its rule and the element; a page is only looked at once it has been drawn."""
    screen.page.locator("[data-testid=stHeading]").first.wait_for()
    screen.page.wait_for_function(_DRAWN)
    found = _serious(screen)
    for _ in range(_LOOKS):
        if not found:
            break
        screen.page.wait_for_timeout(_BETWEEN_LOOKS_MS)  # colours fade in on a new page
        found = _serious(screen)
    return found


def _serious(screen: Screen) -> list[str]:
    found: list[dict[str, Any]] = Axe().run(screen.page, options=_OPTIONS).response["violations"]
    return [
        f"{rule['id']} ({rule['impact']}): {node['target']} {node['html'][:160]}"
        for rule in found
        if rule["impact"] in _TELLING
        for node in rule["nodes"]
    ]


def serious(opened: Opened, server: str, paths: Iterable[str], *, dark: bool = False, english: bool = False) -> dict[str, list[str]]:
    """The pages with serious findings, and which; in English also what stayed Vietnamese."""
    found: dict[str, list[str]] = {}
    for path in paths:
        asked = f"{path}{'&' if '?' in path else '?'}lang=en" if english else path
        screen = opened(server + asked, dark=dark)
        here = findings(screen) + (leaks(screen.page) if english else [])
        if here:
            found[path] = here
        screen.page.context.close()
    return found


def test_no_page_in_english_has_a_serious_finding_or_a_sentence_that_stayed_vietnamese(opened: Opened, server: str) -> None:
    assert serious(opened, server, [*addresses(), *_STATES], english=True) == {}


def test_a_sentence_that_stayed_vietnamese_is_known_among_the_words_of_the_book() -> None:
    known = ["Chưa dùng cho mọi người. Đang dùng: mặc định.", "Khác nhau từ chặng 10: Rào chắn", "Lưu thành bản mới"]
    assert [stayed_vietnamese(text) for text in known] == [True] * len(known)
    assert not stayed_vietnamese("Liều lượng và cách dùng")
    assert not stayed_vietnamese("0,5 - 1 g/lần, cách 4 - 6 giờ một lần; tối đa 4 g/ngày.")


def test_nor_has_the_dark_theme_in_vietnamese(opened: Opened, server: str) -> None:
    assert serious(opened, server, _STATES[:2], dark=True) == {}
