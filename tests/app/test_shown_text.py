"""Text from outside is only ever text, and a reader sees every character of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.text.spans import Span
from pages.frame.shown_text import Mark, drawn_by_plotly, pieces, shortened, shown, unmarked

TEXTS = st.text(max_size=60)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\u202e4 g\u202c", "⟨U+202E⟩4 g⟨U+202C⟩"),
        ("5\u200b0 mg", "5⟨U+200B⟩0 mg"),
        ("a\u2066b\u2069", "a⟨U+2066⟩b⟨U+2069⟩"),
        ("a\x00b", "a⟨U+0000⟩b"),
        ("dòng 1\ndòng 2\tcột", "dòng 1\ndòng 2\tcột"),
        ("µg ≤ ½ ⁶ Đường", "µg ≤ ½ ⁶ Đường"),
    ],
)
def test_unseen_and_order_turning_characters_are_written_out(text: str, seen: str) -> None:
    assert shown(text) == seen


@given(TEXTS)
def test_what_is_shown_has_nothing_unseen_left(text: str) -> None:
    assert shown(shown(text)) == shown(text)


@given(TEXTS, st.lists(st.tuples(st.integers(-2, 70), st.integers(-2, 70)), max_size=6))
def test_pieces_lose_nothing_and_carry_the_marks_over_them(text: str, places: list[tuple[int, int]]) -> None:
    marks = [Mark(Span(start, end), str(number)) for number, (start, end) in enumerate(places)]
    cut = pieces(text, marks)
    assert "".join(piece.text for piece in cut) == shown(text)
    for number, (start, end) in enumerate(places):
        covered = "".join(piece.text for piece in cut if str(number) in piece.keys)
        assert covered == (shown(text[start:end]) if 0 <= start < end <= len(text) else "")


def test_spans_count_code_points_and_not_utf16_units() -> None:
    cut = pieces("💊 4 g", [Mark(Span(2, 5), "dose")])
    assert [(piece.text, piece.keys) for piece in cut] == [("💊 ", ()), ("4 g", ("dose",))]


@pytest.mark.parametrize(
    "text", ["**b**", "$x$", ":red[x]", "[x](javascript:alert(1))", "![a](http://x)", "`c`", "<b>", ":material/lock:", "~~x~~"]
)
def test_a_native_label_gets_every_sign_of_markdown_escaped(text: str) -> None:
    escaped = unmarked(text)
    assert escaped.replace("\\", "") == text
    assert all(escaped[at - 1] == "\\" for at, sign in enumerate(escaped) if sign in "*$[]()!`<>~:/")


def test_a_long_text_is_cut_at_a_word() -> None:
    assert shortened("Liều paracetamol uống cho người lớn", 20) == "Liều paracetamol…"


def test_a_chart_draws_no_element_and_no_link() -> None:
    assert drawn_by_plotly('<a href="https://x.vn">a</a> & \u202eb') == '&lt;a href="https://x.vn"&gt;a&lt;/a&gt; &amp; ⟨U+202E⟩b'
