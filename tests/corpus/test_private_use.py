"""Bullets and lost signs of symbol fonts (Symbol, Wingdings), in Markdown and in a PDF's text layer alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.corpus.pdf.lines import LOST, Line, cleaned
from duocthu_core.corpus.reading.markup import read_line
from duocthu_core.corpus.reading.page_headers import take_out_headers
from duocthu_core.corpus.reading.paragraphs import read_passages
from duocthu_core.corpus.reading.passages import UNKNOWN_PAGES


@pytest.mark.parametrize(
    ("raw", "text", "inserted"),
    [
        ("\uf0b7Đau đầu", "• Đau đầu", "• "),
        ("\uf0a7 Đau đầu", "• Đau đầu", "•"),
        ("Nghiêm trọng:\uf0a7Hoại tử; \uf0d8 sốc", "Nghiêm trọng: • Hoại tử; • sốc", " • "),
        ("\uf076 Phát ban", "• Phát ban", "•"),
        ("Uống 500 mg \uf0fc 10 viên", "Uống 500 mg • 10 viên", "•"),
    ],
)
def test_a_bullet_of_a_symbol_font_is_a_bullet_and_a_recorded_repair(raw: str, text: str, inserted: str) -> None:
    line, passage = cleaned(Line(raw, 1)), read_line(raw, 1, UNKNOWN_PAGES, iter(()))
    assert line.text == passage.text == text
    assert line.repairs[0][1:] == ("markup", next(c for c in raw if c >= "\ue000"), inserted)
    assert (passage.repairs[0].repair.removed, passage.repairs[0].repair.inserted) == (line.repairs[0][2], inserted)
    assert not line.signs
    assert not passage.signs


@pytest.mark.parametrize("raw", ["Clcr \uf0a3 30 ml/phút", "2 \uf0b7 5 mg", "\uf02d5 °C", "30 \uf0b0C", "dùng \uf06d g", "\uf8ff 5 mg"])
def test_what_may_have_been_a_sign_is_lost_and_not_guessed(raw: str) -> None:
    line, passage = cleaned(Line(raw, 1)), read_line(raw, 1, UNKNOWN_PAGES, iter(()))
    assert line.text == passage.text == "".join(LOST if c >= "\ue000" else c for c in raw)
    assert "lost_sign" in [reason for _, reason in line.signs]
    assert "lost_sign" in [sign.reason for sign in passage.signs]


def test_a_line_behind_such_a_bullet_is_an_item_of_a_list() -> None:
    found = read_passages(take_out_headers("\uf0b7Đau đầu\n\uf0a7  Sốt\n\uf02d Ho\n", (), ()))[0]
    assert [(passage.kind, passage.text) for passage in found] == [("item", "Đau đầu"), ("item", "Sốt"), ("item", "Ho")]
    assert [passage.repairs[0].repair.removed for passage in found] == ["\uf0b7", "\uf0a7  ", "\uf02d "]


@given(st.text(alphabet="a5 \uf0b7\uf0a7\uf0d8\uf02d\uf0a3\uf06d", max_size=30))
def test_every_private_character_is_a_repair(raw: str) -> None:
    private = [character for character in raw if character >= "\ue000"]
    line, passage = cleaned(Line(raw, 1)), read_line(raw, 1, UNKNOWN_PAGES, iter(()))
    assert [removed for _, _, removed, _ in line.repairs if removed >= "\ue000"] == private
    assert [placed.repair.removed for placed in passage.repairs if placed.repair.removed >= "\ue000"] == private
    assert not [character for character in line.text + passage.text if "\ue000" <= character <= "\uf8ff"]
