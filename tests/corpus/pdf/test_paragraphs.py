"""Lines into passages: what a line's end broke is joined and recorded, what began anew stays apart, no figure is put together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.corpus.model import Repair
from duocthu_core.corpus.pdf.lines import BOLD, ITALIC, LOST, Line, cleaned
from duocthu_core.corpus.pdf.page_numbers import Head
from duocthu_core.corpus.pdf.paragraphs import Arrival, passages_of
from duocthu_core.corpus.reading.passages import Emphasis, Pages, PageTurn
from duocthu_core.text.spans import Span
from tests.corpus.pdf.lines import SHORT, line, passages, placed, texts


def test_a_sentence_goes_on_over_the_end_of_a_line() -> None:
    [passage] = passages("Uống 500 mg mỗi 6 giờ khi", "cần, tối đa 4 g mỗi ngày.")
    assert passage.text == "Uống 500 mg mỗi 6 giờ khi cần, tối đa 4 g mỗi ngày."
    assert [placed.repair for placed in passage.repairs] == [Repair(kind="line_join", removed="\n", inserted=" ")]


def test_a_line_with_room_for_the_next_word_ended_on_purpose() -> None:
    assert texts(line("Đau đầu", room=SHORT), line("Sốt cao", room=SHORT)) == ["Đau đầu", "Sốt cao"]


def test_a_small_letter_goes_on_with_the_line_before() -> None:
    assert texts(line("Dùng cho người lớn hoặc", room=SHORT), "trẻ em trên 12 tuổi.") == ["Dùng cho người lớn hoặc trẻ em trên 12 tuổi."]


def test_a_name_with_a_stop_in_it_is_not_parted() -> None:
    assert texts("Không tác dụng trên chủng S.", "aureus kháng methicilin.") == ["Không tác dụng trên chủng S. aureus kháng methicilin."]


def test_a_line_set_apart_begins_anew() -> None:
    assert len(texts("Uống khi đói.", line("Không uống cùng sữa.", apart=True))) == 2


def test_a_label_behind_a_whole_sentence_begins_anew() -> None:
    assert texts("Uống 500 mg mỗi 6 giờ.", "Suy thận: giảm nửa liều.") == ["Uống 500 mg mỗi 6 giờ.", "Suy thận: giảm nửa liều."]


def test_a_colon_inside_a_paragraph_does_not_end_it() -> None:
    assert texts("Viêm đại tràng màng giả. Da:", "ban, ngứa.") == ["Viêm đại tràng màng giả. Da: ban, ngứa."]


def test_a_label_alone_stays_alone() -> None:
    assert texts(line("Người lớn:", room=SHORT), "Uống 500 mg.") == ["Người lớn:", "Uống 500 mg."]


def test_a_range_broken_at_its_dash_is_no_list_item() -> None:
    assert texts("Gắn protein: amoxicilin 17", "- 20%, acid clavulanic 22 - 30%.") == [
        "Gắn protein: amoxicilin 17 - 20%, acid clavulanic 22 - 30%."
    ]


def test_items_of_a_list_stay_apart_and_lose_their_bullets() -> None:
    found = passages(line("- Đau đầu.", room=SHORT), line("- Sốt.", room=SHORT), line("• Phù.", room=SHORT))
    assert [(passage.text, passage.kind) for passage in found] == [("Đau đầu.", "item"), ("Sốt.", "item"), ("Phù.", "item")]
    assert found[0].repairs[0].repair == Repair(kind="markup", removed="- ")


@pytest.mark.parametrize(
    ("first", "second"),
    [("tối đa 2", "500 mg/ngày"), ("ADR < 1/1", "000 người"), ("liều 0,", "5 mg"), ("tỷ lệ 1/", "100 người"), ("uống 1", ",5 mg")],
)
def test_a_figure_is_never_put_together_from_two_lines(first: str, second: str) -> None:
    found = passages(f"Dùng liều {first}", f"{second} mỗi ngày khi cần.")
    assert [passage.text for passage in found] == [f"Dùng liều {first}", f"{second} mỗi ngày khi cần."]
    assert all(any(sign.reason == "split_number" for sign in passage.signs) for passage in found)


def test_two_figures_of_two_paragraphs_are_no_broken_figure() -> None:
    found = passages(line("Tên khác: H2", room=SHORT), line("5 ngày sau thì thôi.", apart=True))
    assert not any(passage.signs for passage in found)


def test_a_hyphen_goes_where_the_whole_word_stands_elsewhere() -> None:
    found = passages("Dùng paraceta-", "mol khi sốt.", line("Không dùng paracetamol quá 4 g.", apart=True))
    assert found[0].text == "Dùng paracetamol khi sốt."
    assert found[0].repairs[0].repair == Repair(kind="hyphenation", removed="-\n")


def test_a_hyphen_stays_where_the_word_is_not_known() -> None:
    [passage] = passages("Thuốc nhóm beta-", "lactam kháng penicilinase.")
    assert passage.text == "Thuốc nhóm beta-lactam kháng penicilinase."


def test_known_words_come_from_the_list_of_names_too() -> None:
    [passage] = passages_of(placed("Dùng ibupro-", "fen khi sốt."), frozenset({"ibuprofen"}))
    assert passage.text == "Dùng ibuprofen khi sốt."


def test_a_heading_in_bold_stands_alone() -> None:
    found = passages("Uống khi đói.", line("Chỉ định", room=SHORT, style=BOLD), "Sốt cao.")
    assert [passage.text for passage in found] == ["Uống khi đói.", "Chỉ định", "Sốt cao."]
    assert found[1].is_strong


def test_a_heading_on_two_lines_is_one() -> None:
    assert texts(line("Ảnh hưởng của thuốc lên khả năng lái xe,", style=BOLD), line("vận hành máy móc", room=SHORT, style=BOLD)) == [
        "Ảnh hưởng của thuốc lên khả năng lái xe, vận hành máy móc"
    ]


def test_a_bold_label_begins_a_paragraph() -> None:
    found = passages(
        line("Tên chung quốc tế: Amoxicillin and potassium", emphasis=((0, 18, BOLD),)), line("Mã ATC: J01CR02.", emphasis=((0, 7, BOLD),))
    )
    assert [passage.text for passage in found] == ["Tên chung quốc tế: Amoxicillin and potassium", "Mã ATC: J01CR02."]
    assert found[1].emphasis == (Emphasis(Span(0, 7), True),)


def test_a_label_in_italics_over_two_lines_is_one_stretch() -> None:
    first = line("Viêm xoang, nhiễm khuẩn hô hấp dưới, nhiễm khuẩn", style=ITALIC)
    [passage] = passages(first, line("nặng: 45 mg/kg mỗi ngày.", emphasis=((0, 5, ITALIC),)))
    assert passage.emphasis == (Emphasis(Span(0, 54), False),)


def test_text_that_goes_on_over_a_page_knows_where_it_turns() -> None:
    lines = placed("Uống 500 mg mỗi 6 giờ khi", more=[(13, line("cần, tối đa 4 g.", opens=True))])
    lines[1] = lines[1]._replace(arrival=Arrival(heads=(Head("13 Amoxicilin DTQGVN 2", 2, 13),)))
    [passage] = passages_of(lines)
    assert passage.printed_pages == (12, 13)
    assert passage.turns == (PageTurn(26, Pages(13, 13)),)
    assert Repair(kind="page_header", removed="13 Amoxicilin DTQGVN 2", page=13) in [placed.repair for placed in passage.repairs]


def test_a_paragraph_that_begins_inside_a_sentence_is_a_sign_of_mixed_columns() -> None:
    found = passages(line("Uống khi đói.", room=SHORT), line("và cách bữa ăn ít nhất 2 giờ.", opens=True))
    assert [sign.reason for sign in found[1].signs] == ["scrambled_columns"]


def test_the_rows_of_a_table_are_one_passage() -> None:
    [before, table, after] = passages(
        "Liều theo bảng:", line("> 50 | 250 mg", kind="table"), line("10 | 125 mg", kind="table"), "Uống khi đói."
    )
    assert (table.text, table.kind) == ("> 50 | 250 mg\n10 | 125 mg", "table")
    assert (before.kind, after.kind) == ("text", "text")


def test_a_formula_takes_the_rest_of_its_line_with_it() -> None:
    found = texts(
        "Tính theo công thức.",
        line("Cân nặng tính liều = cân nặng lý tưởng + 1,33 x phần", apart=True),
        line("vượt quá cân nặng lý tưởng", room=SHORT),
    )
    assert found == ["Tính theo công thức.", "Cân nặng tính liều = cân nặng lý tưởng + 1,33 x phần vượt quá cân nặng lý tưởng"]


# Single lines


def test_what_nobody_can_see_is_taken_out_and_recorded() -> None:
    found = cleaned(Line("Uống\u200b 5\u00ad mg", 1))
    assert (found.text, found.repairs) == ("Uống 5 mg", ((4, "white_space", "\u200b", ""), (6, "hyphenation", "\u00ad", "")))


def test_figures_that_come_together_when_something_is_taken_out_are_marked() -> None:
    found = cleaned(Line("Uống 1\u200b0 mg", 1))
    assert (found.text, found.signs) == ("Uống 10 mg", ((6, "noise_near_digits"),))


def test_a_sign_of_a_symbol_font_is_lost_and_not_guessed() -> None:
    found = cleaned(Line("Clcr \uf0a3 30 ml/phút", 1))
    assert found.text == f"Clcr {LOST} 30 ml/phút"
    assert (found.repairs, found.signs) == (((5, "markup", "\uf0a3", LOST),), ((5, "lost_sign"),))


def test_a_bullet_of_a_symbol_font_is_a_bullet() -> None:
    assert cleaned(Line("\uf0b7 Đau đầu", 1)).text == "• Đau đầu"


def test_letters_written_as_two_characters_become_one() -> None:
    found = cleaned(Line("U\u00f4\u0301ng 5 mg", 1, emphasis=((0, 5, ITALIC),)))
    assert (found.text, found.emphasis) == ("Uống 5 mg", ((0, 4, ITALIC),))


_LINES = st.builds(
    Line,
    text=st.text(min_size=1, max_size=40).map(lambda text: cleaned(Line(text, 1)).text or "x"),
    number=st.integers(1, 90),
    emphasis=st.just(()),
    signs=st.just(()),
    repairs=st.just(()),
    kind=st.sampled_from(["text", "text", "text", "table", "formula"]),
    style=st.integers(0, 3),
    room=st.floats(0, 50),
    apart=st.booleans(),
    opens=st.booleans(),
    hyphen=st.booleans(),
)


@given(st.lists(_LINES, max_size=12))
def test_any_lines_become_passages_with_all_their_digits(lines: list[Line]) -> None:
    found = passages_of(placed(*lines))
    before = sorted(character for each in lines for character in each.text if character.isdigit())
    assert sorted(character for passage in found for character in passage.text if character.isdigit()) == before


@given(st.text(max_size=60))
def test_any_text_can_be_cleaned_and_keeps_its_digits(text: str) -> None:
    found = cleaned(Line(text, 1, emphasis=((0, len(text), BOLD),), signs=((0, "noise_near_digits"),)))
    assert [c for c in found.text if c.isdigit()] == [c for c in text if c.isdigit()]
    assert cleaned(Line(found.text, 1)).text == found.text
