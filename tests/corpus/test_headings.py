"""Section headings in all their writings."""

from __future__ import annotations

import pytest

from duocthu_core.corpus.model import SECTION_KEYS
from duocthu_core.corpus.reading.headings import heading_table
from duocthu_core.rulesets.loading import shipped_ruleset
from tests.corpus.books import book, read

SECTIONS = shipped_ruleset().tables["sections"]["sections"]
HEADINGS = [(key, heading) for key in SECTION_KEYS for heading in SECTIONS[key]["headings"]]
SLIPS = [(key, heading) for key in SECTION_KEYS for heading in SECTIONS[key].get("headings_ocr", ())]


@pytest.mark.parametrize(("key", "heading"), [*HEADINGS, *SLIPS])
@pytest.mark.parametrize("shape", ["{}", "{}:", "3. {}", "4.2 {}"], ids=["plain", "colon", "numbered", "twice numbered"])
def test_every_heading_of_the_table_opens_its_section(key: str, heading: str, shape: str) -> None:
    found = heading_table().whole(shape.format(heading), None, marked=True)
    assert found is not None
    assert key in found.keys


@pytest.mark.parametrize(("key", "heading"), HEADINGS)
@pytest.mark.parametrize("shape", ["# **{}**", "#### *{}*", "###### {}", "**{}**", "**{}:**"])
def test_a_heading_is_known_in_any_markup(key: str, heading: str, shape: str) -> None:
    result = read(f"# **THUỐC THỬ**\n\n{shape.format(heading)}\n\nNội dung của mục này, dài hơn một nhãn.")
    assert key in {block.section_key for block in result.blocks}


@pytest.mark.parametrize(("key", "heading"), HEADINGS)
def test_a_heading_in_capitals_is_known_without_markup(key: str, heading: str) -> None:
    found = heading_table().whole(heading.upper(), None, marked=False)
    assert found is not None
    assert key in found.keys


@pytest.mark.parametrize(
    ("printed", "key"), [("Chông chỉ đinh", "chong_chi_dinh"), ("Tuơng tác thuôc", "tuong_tac_thuoc"), ("Thận trọmg", "than_trong")]
)
def test_a_slip_that_is_not_listed_is_known_in_a_heading(printed: str, key: str) -> None:
    found = heading_table().whole(printed, None, marked=True)
    assert found is not None
    assert (found.keys, found.certain) == ((key,), False)


def test_a_slip_in_a_heading_is_noted_with_the_block() -> None:
    [block] = read("# **THUỐC THỬ**\n\n#### Thận trọmg\n\nTheo dõi chức năng gan.").blocks
    assert block.damage_notes == ("Tên mục trong bản nguồn có lỗi chữ: Thận trọmg",)


def test_a_heading_and_its_text_on_one_line_after_another_section() -> None:
    result = read("# **THUỐC THỬ**\n\n**Loại thuốc:** Hạ sốt. **Dạng thuốc và hàm lượng** Nang: 50 mg.\n\nViên: 20 mg.")
    assert [(b.section_key, b.text) for b in result.blocks] == [
        ("loai_thuoc", "Hạ sốt."),
        ("dang_thuoc_ham_luong", "Nang: 50 mg.\nViên: 20 mg."),
    ]


def test_plain_front_lines_open_their_sections() -> None:
    result = read("# **THUỐC THỬ**\n\nTên chung quốc tế: Testum.\n\nMã ACT: N02BE99.\n\nLoai thuốc: Hạ sốt.")
    assert [(b.section_key, b.text) for b in result.blocks] == [
        ("ten_chung_quoc_te", "Testum."),
        ("ma_atc", "N02BE99."),
        ("loai_thuoc", "Hạ sốt."),
    ]


def test_a_heading_and_a_subheading_on_one_line() -> None:
    result = read("# **THUỐC THỬ**\n\n# **Liều lượng và cách dùng** *Cách dùng:*\n\nUống sau ăn.")
    assert [(b.heading, b.text) for b in result.blocks] == [("Liều lượng và cách dùng > Cách dùng", "Uống sau ăn.")]


def test_a_heading_named_in_a_sentence_opens_nothing() -> None:
    text = "Pha loãng với dung môi đã ghi ở mục: *Dạng thuốc và hàm lượng.*\n\nQuá liều: xin đọc phần *Quá liều và xử trí*."
    result = read(book(("Liều lượng và cách dùng", text)))
    assert {block.section_key for block in result.blocks} == {"lieu_luong_cach_dung"}


def test_an_item_of_a_list_opens_no_section() -> None:
    result = read(book(("Chống chỉ định", "Quá mẫn với thuốc.\n\nPhụ nữ mang thai.\n\nPhụ nữ cho con bú")))
    assert [block.section_key for block in result.blocks] == ["chong_chi_dinh"]
    assert "Phụ nữ mang thai." in result.blocks[0].text
    assert "Phụ nữ cho con bú" in result.blocks[0].text


def test_a_subheading_of_the_section_at_hand_opens_nothing() -> None:
    result = read(book(("Liều lượng và cách dùng", "**Liều dùng**\n\nUống 5 mg.\n\n**Cách dùng**\n\nNuốt cả viên.")))
    assert [(b.section_key, b.heading) for b in result.blocks] == [
        ("lieu_luong_cach_dung", "Liều lượng và cách dùng > Liều dùng"),
        ("lieu_luong_cach_dung", "Liều lượng và cách dùng > Cách dùng"),
    ]


def test_a_heading_for_two_sections_gives_its_text_to_both() -> None:
    result = read(book(("Sử dụng thuốc cho phụ nữ có thai và cho con bú", "Không dùng.")))
    assert [(b.section_key, b.text) for b in result.blocks] == [("thoi_ky_mang_thai", "Không dùng."), ("thoi_ky_cho_con_bu", "Không dùng.")]
    assert result.blocks[1].damage_notes == ("Một tên mục mở hai mục trong bản nguồn: đoạn này đứng ở cả hai.",)


def test_headings_without_clinical_text_end_the_section_before() -> None:
    result = read(book(("Quá liều và cách xử trí", "Rửa dạ dày."), ("Tiêu chuẩn chất lượng", "TCCS.")))
    assert [block.text for block in result.blocks] == ["Rửa dạ dày."]
    assert [(text.reason, text.text) for text in result.report.rejected] == [
        ("no_clinical_section", "Tiêu chuẩn chất lượng"),
        ("no_clinical_section", "TCCS."),
    ]


def test_a_heading_inside_a_paragraph_without_markup() -> None:
    result = read("# **THUỐC THỬ**\n\nLoại thuốc: Hạ sốt. Dạng thuốc và hàm lượng Viên nén 50 mg.")
    assert [(b.section_key, b.text) for b in result.blocks] == [("loai_thuoc", "Hạ sốt."), ("dang_thuoc_ham_luong", "Viên nén 50 mg.")]


@pytest.mark.parametrize(
    ("printed", "key"),
    [
        ("III. LIỀU DÙNG - CÁCH DÙNG:", "lieu_luong_cach_dung"),
        ("Liều lượng & cách dùng", "lieu_luong_cach_dung"),
        ("Liều dùng/Cách dùng", "lieu_luong_cach_dung"),
        ("Liều lượng, và cách dùng", "lieu_luong_cach_dung"),
        ("4. Dạng bào chế - hàm lượng", "dang_thuoc_ham_luong"),
        ("Quá liều – xử trí", "qua_lieu_xu_tri"),
        (". Chống chỉ định", "chong_chi_dinh"),
        ("8. Tác dụng ngoại ý", "tac_dung_khong_mong_muon"),
        ("9. Lưu ý khi dùng", "than_trong"),
    ],
)
def test_connectors_stand_one_for_another(printed: str, key: str) -> None:
    found = heading_table().whole(printed, None, marked=True)
    assert found is not None
    assert found.keys == (key,)


def test_a_numbered_heading_may_open_its_line() -> None:
    result = read("CARBIMOL\n\n1. Tên chung quốc tế: Carbimol.\n2. Mã ATC: H03BB99\n3. Loại thuốc: Kháng giáp.\n\n4. Chỉ định\nCường giáp")
    [drug] = result.monographs
    assert (drug.inn, drug.atc, drug.drug_class) == ("Carbimol", ("H03BB99",), "Kháng giáp")
    assert not [block for block in result.blocks if block.quarantined]


_NUMBERED = "# **THUỐC THỬ**\n\nII. CHỐNG CHỈ ĐỊNH\n\nLoét dạ dày.\n\n{}\n\nNgười lớn: uống 80 mg/lần.\n\nIV. TƯƠNG KỴ\n\nKhông trộn."


@pytest.mark.parametrize("unknown", ["III. CHẾ ĐỘ ĐIỀU TRỊ", "III. Chế độ điều trị:", "**III. Chế độ điều trị**"])
def test_doses_under_a_heading_nobody_knows_never_go_into_the_section_before(unknown: str) -> None:
    result = read(_NUMBERED.format(unknown))
    assert [(block.section_key, block.text) for block in result.blocks] == [("chong_chi_dinh", "Loét dạ dày."), ("tuong_ky", "Không trộn.")]
    assert {text.reason for text in result.report.rejected} == {"unknown_section"}
    assert any("80 mg" in text.text for text in result.report.rejected)


def test_numbered_items_of_a_section_are_no_headings() -> None:
    result = read("# **THUỐC THỬ**\n\n1. Chỉ định\n\n1. Đau nhẹ\n\n2. Sốt cao\n\n2. Chống chỉ định\n\nSuy gan.")
    assert [block.section_key for block in result.blocks] == ["chi_dinh", "chong_chi_dinh"]
    assert "Sốt cao" in result.blocks[0].text
