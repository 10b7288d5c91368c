"""Monographs among the passages of a source."""

from __future__ import annotations

import pytest

from duocthu_core.corpus.reading.monographs import drug_names, slug
from tests.corpus.books import book, read


@pytest.mark.parametrize(
    ("printed", "name", "synonyms"),
    [
        ("PARACETAMOL (Acetaminophen)", "Paracetamol", ("Acetaminophen",)),
        ("AMOXICILIN VÀ KALI CLAVULANAT", "Amoxicilin và kali clavulanat", ()),
        ("AMPHOTERICIN B", "Amphotericin B", ()),
        ("VITAMIN B12", "Vitamin B12", ()),
        ("SẮT (II) SULFAT", "Sắt (II) sulfat", ()),
        ("TIMOLOL (thuốc nhỏ mắt)", "Timolol (thuốc nhỏ mắt)", ()),
        ("SALBUTAMOL (DÙNG TRONG HÔ HẤP)", "Salbutamol (dùng trong hô hấp)", ()),
        ("PETHIDIN HYDROCLORID (Meperidin hydroclorid; Dolantin)", "Pethidin hydroclorid", ("Meperidin hydroclorid", "Dolantin")),
    ],
)
def test_names_and_synonyms_of_a_printed_name(printed: str, name: str, synonyms: tuple[str, ...]) -> None:
    assert drug_names(printed) == (name, synonyms)


@pytest.mark.parametrize(
    ("name", "drug_id"),
    [("Paracetamol", "paracetamol"), ("Amoxicilin và kali clavulanat", "amoxicilin-va-kali-clavulanat"), ("Đồng sulfat", "dong-sulfat")],
)
def test_the_drug_id_is_the_name_without_marks(name: str, drug_id: str) -> None:
    assert slug(name) == drug_id


def test_the_front_and_last_sections_fill_the_monograph() -> None:
    text = book(
        ("Tên chung quốc tế", "Testum."),
        ("Mã ATC", "N02BE01, A01AD05."),
        ("Loại thuốc", "Hạ sốt; giảm đau."),
        ("Tên thương mại", "*Ace kid 80; Thử; Ace kid 80.*"),
    )
    [monograph] = read(text).monographs
    assert (monograph.inn, monograph.atc, monograph.drug_class) == ("Testum", ("N02BE01", "A01AD05"), "Hạ sốt; giảm đau")
    assert monograph.brands == ("Ace kid 80", "Thử")


def test_the_next_monograph_ends_the_one_before_it() -> None:
    result = read(book(("Chỉ định", "Sốt.")) + "\n\n" + book(("Chỉ định", "Ho."), name="THUỐC KIA"))
    assert [(block.drug_id, block.text) for block in result.blocks] == [("thuoc-thu", "Sốt."), ("thuoc-kia", "Ho.")]


def test_the_name_of_a_monograph_that_is_not_in_the_file_is_kept_as_a_remainder() -> None:
    result = read(book(("Chỉ định", "Sốt.")) + "\n\n# **THUỐC KIA LỎNG**")
    assert [block.text for block in result.blocks] == ["Sốt."]
    assert [(text.line, text.reason, text.text) for text in result.report.rejected] == [(7, "no_section_under_name", "THUỐC KIA LỎNG")]


def test_text_before_the_first_monograph_is_a_remainder() -> None:
    result = read("Phần cuối của thuốc trước, 5 mg.\n\n" + book(("Chỉ định", "Sốt.")))
    assert [(text.line, text.reason) for text in result.report.rejected] == [(1, "before_first_monograph")]


def test_a_monograph_whose_name_was_lost_does_not_count_as_the_one_before() -> None:
    text = book(("Tên chung quốc tế", "Testum."), ("Chỉ định", "Sốt.")) + "\n\n**Tên chung quốc tế:** Aliud.\n\n#### Chỉ định\n\nHo ra máu."
    result = read(text)
    assert [block.text for block in result.blocks] == ["Testum.", "Sốt."]
    assert "name_is_missing" in {text.reason for text in result.report.rejected}
    assert "Ho ra máu." in {text.text for text in result.report.rejected}


def test_a_drug_that_stands_twice_in_a_file_is_taken_once_and_reported() -> None:
    result = read(book(("Chỉ định", "Sốt.")) + "\n\n" + book(("Chỉ định", "Ho.")))
    assert [block.text for block in result.blocks] == ["Sốt."]
    assert {text.reason for text in result.report.rejected} == {"repeated_drug"}


def test_a_group_in_capitals_is_no_drug() -> None:
    result = read(book(("Liều lượng và cách dùng", "**TRẺ EM**\n\nUống 5 mg/kg."), ("Tương kỵ", "Không trộn chung.")))
    assert list(result.report.drugs) == ["thuoc-thu"]
    assert [(b.label, b.text) for b in result.blocks] == [("TRẺ EM:", "Uống 5 mg/kg."), (None, "Không trộn chung.")]


def test_a_name_in_plain_capitals_needs_its_front_sections() -> None:
    result = read("THUỐC THỬ\n\nTên chung quốc tế: Testum.\n\nCHỈ ĐỊNH\n\nSốt.")
    assert [(b.section_key, b.text) for b in result.blocks] == [("ten_chung_quoc_te", "Testum."), ("chi_dinh", "Sốt.")]
    assert read("THUỐC THỬ\n\nMột đoạn văn không có mục nào.").monographs == ()
