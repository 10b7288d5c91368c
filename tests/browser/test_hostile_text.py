"""Text from people, models and the book is drawn as text everywhere (spec 06, "Access")."""

from __future__ import annotations

import pytest

from duocthu_core.pipeline.trace import STAGE_ORDER
from tests.app import sample_traces as sample
from tests.browser.conftest import Opened
from tests.browser.screen import Screen

SHOWN = sample.HOSTILE.replace("\u202e", "⟨U+202E⟩").replace("\u202c", "⟨U+202C⟩")


def nothing_was_interpreted(screen: Screen) -> None:
    assert screen.page.title() == "Dược Thư Workbench", "the handler of the picture ran"
    foreign = """() => {
      const found = [];
      const walk = root => root.querySelectorAll('*').forEach(element => {
        if (element.shadowRoot) walk(element.shadowRoot);
        if (element.tagName === 'IMG' && element.getAttribute('src') === 'x') found.push('img');
        if (element.tagName === 'A' && /javascript:|example[.]com/.test(element.getAttribute('href') ?? '')) found.push('a');
        if (element.classList.contains('katex')) found.push('katex');
      });
      walk(document.body);
      return found;
    }"""
    assert screen.page.evaluate(foreign) == []


@pytest.mark.parametrize("stage", [stage for stage in STAGE_ORDER if sample.hostile().stage(stage)])
def test_every_stage_draws_it_as_text(opened: Opened, server: str, stage: str) -> None:
    screen = opened(f"{server}/?conversation=hostile1&turn=1&stage={stage}")
    screen.sees(SHOWN[:40])
    screen.sees("Các chặng của lượt 1")
    for view, part in (("Vì sao", "view=why"), ("Yêu cầu và phản hồi", "view=calls")):
        nothing_was_interpreted(screen)
        screen.opens_view(view)
        screen.address_has(part)
    nothing_was_interpreted(screen)


def test_lists_draw_it_as_text(opened: Opened, server: str) -> None:
    screen = opened(f"{server}/luot")
    screen.sees(SHOWN[:40])
    nothing_was_interpreted(screen)


def test_a_question_typed_by_a_person_is_drawn_as_text(opened: Opened, server: str) -> None:
    screen = opened(server)
    screen.ask(sample.HOSTILE)
    screen.sees("Các chặng của lượt 1")
    screen.sees("<img src=x onerror=")
    screen.press("Hội thoại", exact=True)
    screen.sees("câu hỏi ·")
    nothing_was_interpreted(screen)
