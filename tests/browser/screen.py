"""What a person sees and does on a page. Every wait is for a text or a state that a person would see, never for the run's state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Error, Locator, Request, TimeoutError, expect

_PATIENCE_MS = 60_000  # two cores that also run what the page waits for
expect.set_options(timeout=_PATIENCE_MS)
_LOOKS, _BETWEEN_LOOKS_MS = 8, 250
_PRESSES = 5
_LIST_MS = 10_000
_CHOSEN_MS = 10_000
_PRESSED = (Path(__file__).parent / "pressed.js").read_text(encoding="utf-8")
_FRESH = """element => {
  for (let each = element; each; each = each.getRootNode().host) if (each.closest("[data-stale=true]")) return false;
  return true;
}"""
_CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")


class Screen:
    """One window on one address."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        context.add_init_script(_PRESSED)
        self.page = context.new_page()
        self.page.set_default_timeout(_PATIENCE_MS)
        self.script_errors: list[str] = []
        self.foreign_requests: list[str] = []
        self._host = "/".join(address.split("/")[:3])
        self.page.on("pageerror", lambda error: self.script_errors.append(str(error)))
        self.page.on("request", self._note_foreign)
        self.page.goto(address)

    def _note_foreign(self, request: Request) -> None:
        own = (self._host, self._host.replace("http", "ws", 1), "data:", "blob:")
        if not request.url.startswith(own):
            self.foreign_requests.append(request.url)

    def sees(self, text: str, *, exact: bool = False) -> Locator:
        """Waits until ``text`` can be seen."""
        found = self.page.get_by_text(text, exact=exact).filter(visible=True).first
        expect(found).to_be_visible()
        return found

    def does_not_see(self, text: str) -> None:
        """Waits until ``text`` cannot be seen."""
        expect(self.page.get_by_text(text)).to_have_count(0)

    def ask(self, question: str) -> None:
        """Types ``question`` into the ask box and sends it."""
        box = self.page.get_by_test_id("stChatInputTextArea")
        box.fill(question)
        box.press("Enter")

    def clicks(self, what: Locator) -> None:
        """Clicks ``what``, and again where the page moved under the mouse between press and release: the browser then sends no click to
        it, and a person would click again."""
        for _ in range(_PRESSES):
            self._is_drawn(what)
            what.click()
            if not self._missed():
                return
        pytest.fail(f"{what} moved away from {_PRESSES} clicks")

    def _is_drawn(self, what: Locator) -> None:
        """Waits, not for ever, until ``what`` is no longer pale: what is left of the page before does nothing when it is clicked."""
        for _ in range(_LOOKS * 5):
            if what.evaluate(_FRESH):
                return
            self.page.wait_for_timeout(_BETWEEN_LOOKS_MS)

    def _missed(self) -> bool:
        try:
            return bool(self.page.evaluate("() => window.pressMissed === true"))
        except Error:  # the click led to another document
            return False

    def press(self, name: str, *, exact: bool = False) -> None:
        """Presses the button that is named ``name``."""
        self.clicks(self.page.get_by_role("button", name=name, exact=exact).first)

    def chooses(self, box: str, option: str) -> None:
        """Chooses ``option`` of the select box ``box``; opens the list again where the page was drawn anew and took it away. By the
        keyboard: a click that scrolls the page closes the list that it opens."""
        wanted = self.page.get_by_role("option", name=option, exact=True)
        for _ in range(_PRESSES):
            field = self.page.get_by_role("combobox", name=box)
            field.focus()
            field.press("ArrowDown")
            try:
                wanted.click(timeout=_LIST_MS)
            except TimeoutError:
                continue
            return
        pytest.fail(f"the list of {box!r} closed before {option!r} could be chosen")

    def stage(self, name: str) -> Locator:
        """The cell of a stage."""
        return self.page.get_by_role("tab", name=name)

    def opens_stage(self, name: str) -> None:
        """Chooses a stage and waits until it is the one that is shown."""
        self.clicks(self.stage(name))
        self.shows_stage(name)

    def opens_view(self, name: str) -> None:
        """Chooses what is shown of the stage (Kết quả, Vì sao, Yêu cầu và phản hồi) and waits until it is chosen."""
        choice = self.page.get_by_role("radio", name=name)
        expect(choice).to_have_count(1)  # that of the stage before is gone
        for _ in range(_PRESSES):
            self.clicks(choice)
            try:
                expect(choice).to_have_attribute("aria-checked", "true", timeout=_CHOSEN_MS)
            except AssertionError:  # the page was still being drawn, and drew the choice anew: a person clicks again
                continue
            return
        pytest.fail(f"{name!r} could not be chosen")

    def focuses(self, what: Locator) -> None:
        """Puts the keyboard on ``what``, and again where it was drawn anew meanwhile, as happens while a page is still being drawn."""
        for _ in range(_PRESSES):
            what.focus()
            self.page.wait_for_timeout(_BETWEEN_LOOKS_MS)
            if what.evaluate("element => element === document.activeElement"):
                return
        pytest.fail(f"{what} did not keep the keyboard")

    def shows_stage(self, name: str) -> None:
        """Waits until the stage ``name`` is chosen and its detail is drawn."""
        expect(self.stage(name)).to_have_attribute("aria-selected", "true")
        expect(self.page.get_by_role("heading", name=name, exact=True)).to_be_visible()

    def address_has(self, part: str) -> None:
        """Waits until the address bar holds ``part``."""
        self.page.wait_for_function("part => location.search.includes(part)", arg=part)

    def scrolls_sideways(self) -> bool:
        """Whether the page is wider than its window."""
        return bool(
            self.page.evaluate(
                "() => [document.scrollingElement, ...document.querySelectorAll('[data-testid=stMain]')]"
                ".some(element => element.scrollWidth > element.clientWidth + 1)"
            )
        )

    def pale_texts(self) -> list[dict[str, Any]]:
        """Enabled texts whose contrast with what lies behind them is below 4.5 : 1, and stays below it: colours fade in on a new page."""
        pale = list(self.page.evaluate(_CONTRAST))
        for _ in range(_LOOKS):
            if not pale:
                break
            self.page.wait_for_timeout(_BETWEEN_LOOKS_MS)
            pale = list(self.page.evaluate(_CONTRAST))
        return pale
