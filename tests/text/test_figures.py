"""Amounts, as against numbers that name something."""

from __future__ import annotations

import pytest

from duocthu_core.text.figures import FigureWords, amounts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Uống 500 mg mỗi 6 giờ.", ["500", "6"]),
        ("Đái tháo đường typ 2.", []),
        ("Blốc nhĩ thất độ 1 hoặc 2", ["2"]),
        ("Không dùng trong 3 tháng cuối thai kỳ.", []),
        ("Dùng trong 3 tháng.", ["3"]),
        ("Cephalosporin thế hệ 3", []),
        ("Chất ức chế CYP3A4, vitamin B12", []),
        ("Nhiệt độ 30 °C", ["30"]),
        ("Tốc độ 5 ml/phút", ["5"]),
        ("Suy thận (Clcr < 30 ml/phút)", ["30"]),
        ("1. Người lớn\n2. Trẻ em", []),
        ("Không có số.", []),
    ],
)
def test_amounts(ruleset, text, found):
    assert [token.text for token in amounts(text, FigureWords(ruleset.tables["answering"]))] == found
