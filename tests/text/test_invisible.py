"""Characters that show nothing (spec 02 "Text rules", 04 "Check 1")."""

from __future__ import annotations

import sys

import pytest

from duocthu_core.text.folding import has_invisible, is_invisible, without_invisible


def test_the_quick_search_finds_every_invisible_character_and_no_other() -> None:
    characters = [chr(point) for point in range(sys.maxunicode + 1)]
    assert [c for c in characters if has_invisible(c)] == [c for c in characters if is_invisible(c)]


@pytest.mark.parametrize(
    "text", ["5\u200b0", "a\u202eb", "\x00", "x\ufe0f", "\u00ad", "\U000e0001", "\ue000", "\u2060", "\ufeff", "\u3164"]
)
def test_invisible_characters_are_found_and_dropped(text: str) -> None:
    assert has_invisible(text)
    assert without_invisible(f"liều {text} mg") == "liều " + "".join(c for c in text if not is_invisible(c)) + " mg"


@pytest.mark.parametrize("text", ["Liều 5 mg\t\n", "đ\u00a0x \u2009 \u202f ½ µ ≤ ⁶ –", "", "“Uống” … 37 ºC"])
def test_what_a_reader_sees_is_left_alone(text: str) -> None:
    assert not has_invisible(text)
    assert without_invisible(text) == text
