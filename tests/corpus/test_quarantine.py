"""What is shown and never generated over."""

from __future__ import annotations

import pytest

from tests.corpus.books import doses


def test_a_table_goes_with_its_caption_and_its_footnote() -> None:
    rows = "| Clcr | Liều |\n|---|---|\n| � 10 | 5 mg |"
    text = f"*Bảng 1: Liều cho người suy thận*\n\n{rows}\n\n<sup>\\*</sup> Chỉ khi cần.\n\nTheo dõi chức năng thận."
    table, after = doses(text)
    assert table.text == "Bảng 1: Liều cho người suy thận\n| Clcr | Liều |\n| � 10 | 5 mg |\n* Chỉ khi cần."
    assert (table.kind, table.quarantined, table.quarantine_reason) == ("table", True, "table")
    assert "Có ký hiệu bị mất (�): xem bản in." in table.damage_notes
    assert (after.text, after.quarantined) == ("Theo dõi chức năng thận.", False)


def test_the_label_above_a_table_governs_it() -> None:
    [table] = doses("*Suy thận:*\n\n| Clcr | Liều |\n|---|---|\n| < 10 | 5 mg |")
    assert table.label == "Suy thận:"


def test_a_line_that_points_to_a_table_stays_text() -> None:
    first, table = doses("Giảm liều theo bảng dưới đây:\n\n| Clcr | Liều |\n|---|---|\n| < 10 | 5 mg |")
    assert (first.text, first.quarantined) == ("Giảm liều theo bảng dưới đây:", False)
    assert table.label is None


def test_a_table_broken_into_loose_lines_goes_with_its_caption() -> None:
    table, after = doses(
        "Bảng 2: Liều theo cân nặng\n\nDưới 10 kg\n\n5 mg\n\n10 kg trở lên\n\n10 mg\n\nUống thuốc sau bữa ăn với nhiều nước."
    )
    assert table.text.split("\n") == ["Bảng 2: Liều theo cân nặng", "Dưới 10 kg", "5 mg", "10 kg trở lên", "10 mg"]
    assert (table.kind, table.quarantined) == ("table", True)
    assert not after.quarantined


def test_a_formula_broken_into_loose_paragraphs_is_one_block() -> None:
    lines = ["(140 - tuổi) x cân nặng (kg)", "Clcr =", "0,8 x creatinin huyết tương (micromol/lít)", "(nếu là nữ thay 0,8 bằng 0,9)"]
    text = "\n\n".join(["Liều được tính theo biểu thức Cockroft.", *lines, "Uống 5 mg."])
    before, formula, after = doses(text)
    assert (before.quarantined, after.quarantined) == (False, False)
    assert (formula.kind, formula.quarantine_reason) == ("formula", "formula")
    assert formula.text.split("\n") == lines


def test_a_formula_inside_a_sentence_quarantines_its_block() -> None:
    [block] = doses("Độ thanh thải tính theo Clcr (ml/phút) = (140 - tuổi) × cân nặng : (72 × creatinin), ở nữ nhân với 0,85.")
    assert (block.kind, block.quarantine_reason) == ("formula", "formula")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Uống � 10 mg mỗi ngày.", "lost_sign"),
        ("Uống 1O mg mỗi ngày.", "noise_near_digits"),
        ("Uống l0 mg mỗi ngày.", "noise_near_digits"),
        ("Uống O,5 mg mỗi ngày.", "noise_near_digits"),
        ("Uống 5 ¦ 10 mg mỗi ngày.", "noise_near_digits"),
        ("Uống ５ mg mỗi ngày.", "noise_near_digits"),
        ("Uống 5**00** mg mỗi ngày.", "noise_near_digits"),
        ("Uống $\\frac{5}{2}$ mg mỗi ngày.", "formula"),
        ("Uống 5 mg      sau ăn      mỗi ngày.", "scrambled_columns"),
    ],
)
def test_signs_of_damage_near_figures_quarantine_the_block(text: str, reason: str) -> None:
    [block] = doses(text)
    assert (block.quarantined, block.quarantine_reason) == (True, reason)


def test_a_figure_split_over_two_lines_quarantines_both() -> None:
    assert [block.quarantine_reason for block in doses("Liều là 1\n\n000 mg mỗi ngày.")] == ["split_number", "split_number"]


@pytest.mark.parametrize(
    "text",
    [
        "Uống 0,5 - 1 g/lần, cách 4 - 6giờ; tối đa 60 mg/ kg/24 giờ.",
        "Dung dịch 3 hoặc 5%; 1 000 mg/200 mg; tỷ lệ 7:1; 30 000 đv; 30000 đv.",
        "Trẻ cân nặng > 21 kg - dưới 30 kg; Clcr < 30 - 5 ml/phút.",
        "Bảo quản dưới 30 o C, trên 39,5 ºC; 92,9 % và 57,1%; 5 tế bào/mm3.",
        "Hấp thu qua CYP3A4, P450, CD4, H2, O2, vitamin B12, I-131.",
        "Liều 2 x 500 mg mỗi ngày, 1 viên x 3 lần; 1 g = 1 000 mg.",
        "Uống 1l nước mỗi ngày; 2.400 mg và 2.5ml.",
    ],
)
def test_real_writings_of_figures_are_no_damage(text: str) -> None:
    [block] = doses(text)
    assert (block.quarantined, block.text) == (False, text)


def test_a_paragraph_without_an_end_is_noted_but_not_quarantined() -> None:
    [block] = doses("Trẻ em không tiêm quá 5 mg/kg một lần và phải truyền tĩnh mạch liên tục thật chậm")
    assert not block.quarantined
    assert block.damage_notes == ("Đoạn không có dấu kết câu: phần cuối có thể bị thiếu.",)


def test_rows_that_were_set_with_spaces_are_a_table_with_the_line_above_it() -> None:
    rows = "Bảng liều theo cân nặng\nCân nặng    Liều sáng    Liều chiều\n10 kg    2,5 mg    2,5 mg\n20 kg    5 mg    5 mg"
    blocks = doses(f"Trẻ em: 0,25 mg/kg/lần.\n\n{rows}")
    assert [(block.kind, block.quarantined) for block in blocks] == [("prose", False), ("table", True)]
    assert blocks[1].text.startswith("Bảng liều theo cân nặng\nCân nặng Liều sáng")


def test_lines_below_one_that_points_to_a_table_are_the_table() -> None:
    blocks = doses("Suy thận: giảm liều theo bảng sau:\n\nĐộ thanh thải Khoảng cách\n\n> 10 ml/phút 6 giờ\n\nKhông quá 3 g/ngày.")
    assert [block.kind for block in blocks] == ["prose", "table", "prose"]


@pytest.mark.parametrize("word", ["thu6c", "kh6ng", "l0i", "u5ng"])
def test_a_letter_that_was_taken_for_a_digit_is_noise(word: str) -> None:
    [block] = doses(f"Uống {word} 2 viên.")
    assert block.quarantine_reason == "noise_near_digits"
