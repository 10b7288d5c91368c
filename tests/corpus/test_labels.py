"""What a label is about."""

from __future__ import annotations

import pytest

from duocthu_core.corpus.reading.labels import label_grammar

GRAMMAR = label_grammar()


@pytest.mark.parametrize(
    ("text", "chain"),
    [
        ("Người lớn: 5 mg", [("group", "nguoi_lon")]),
        ("Liều trẻ em: 5 mg", [("group", "tre_em")]),
        ("Sơ sinh thiếu tháng (0 - 7 ngày): 5 mg", [("group", "tre_so_sinh_thieu_thang")]),
        ("(7 - 30 ngày): 5 mg", [("group", "")]),
        ("1 - 5 tuổi: 5 mg", [("group", "")]),
        ("Trên 50 kg: 5 mg", [("group", "")]),
        ("Người dưới 40 kg: 5 mg", [("group", "")]),
        ("Với trẻ cân nặng > 21 kg - dưới 30 kg: 5 mg", [("group", "tre_em")]),
        ("Clcr < 10 ml/phút: 5 mg", [("group", "suy_than")]),
        ("Clcr: 10 - 30 ml/phút: 5 mg", [("group", "suy_than")]),
        ("Bệnh nhân thẩm phân máu: 5 mg", [("group", "loc_mau")]),
        ("Người bệnh nghiện rượu: 5 mg", [("group", "")]),
        ("Truyền tĩnh mạch trong 15 phút: 5 mg", [("route", "truyen_tinh_mach")]),
        ("Đường trực tràng: 5 mg", [("route", "truc_trang")]),
        ("Uống, đặt trực tràng: 5 mg", [("route", "uong")]),
        ("Suy thận: Tiêm tĩnh mạch: 5 mg", [("group", "suy_than"), ("route", "tiem_tinh_mach")]),
        ("Sốt sau tiêm chủng ở trẻ nhỏ: Uống: Trẻ nhỏ 2 - 3 tháng tuổi: 5 mg", [("topic", ""), ("route", "uong"), ("group", "tre_em")]),
        ("Nhiễm khuẩn nặng: 5 mg", [("topic", "")]),
        ("Thuốc uống chống đông máu: theo dõi INR", [("topic", "")]),
        ("Thời gian điều trị: 7 ngày", [("note", "")]),
        ("Không dùng trong các trường hợp sau: hen", [("list", "")]),
        ("Uống 5 mg mỗi ngày", []),
        ("Tỷ lệ 2:1 hoặc 4:1", []),
        ("Uống sau ăn. Người lớn: 5 mg", []),
    ],
)
def test_the_labels_at_the_head_of_a_text(text: str, chain: list[tuple[str, str]]) -> None:
    assert [(label.kind, label.key) for label in GRAMMAR.chain_at(text)] == chain


def test_a_measured_value_belongs_to_its_label() -> None:
    label = GRAMMAR.label_at("Clcr: 10 - 30 ml/phút: 5 mg")
    assert label is not None
    assert label.text == "Clcr: 10 - 30 ml/phút"


def test_a_route_label_may_name_a_group_too() -> None:
    label = GRAMMAR.label("Liều uống cho người có chức năng thận bình thường")
    assert (label.kind, label.groups) == ("route", frozenset({"than_binh_thuong"}))


@pytest.mark.parametrize(
    ("line", "is_tier"),
    [
        ("Thường gặp, ADR > 1/100", True),
        ("Ít gặp, 1/1~000 < ADR < 1/100", True),
        ("Hiếm gặp: ADR < 1/1 000", True),
        ("Rất hiếm gặp", True),
        ("Thường gặp ở người bệnh hen nhiều hơn", False),
        ("Thường gặp, ADR > 1/100: Tuần hoàn: đánh trống ngực.", False),
        ("Da: Ban.", False),
    ],
)
def test_a_line_that_names_a_tier(line: str, is_tier: bool) -> None:
    assert GRAMMAR.is_tier(line) is is_tier


def test_groups_lie_in_one_another() -> None:
    assert GRAMMAR.groups.is_inside("tre_so_sinh_thieu_thang", "tre_em")
    assert not GRAMMAR.groups.is_inside("tre_em", "tre_so_sinh")
