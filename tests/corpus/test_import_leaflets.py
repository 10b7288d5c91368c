"""Package leaflets: their own headings, their own pages, the number they are registered under, and the noise of scans."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from duocthu_core.corpus.checking import check_corpus
from duocthu_core.corpus.collection import Corpus, CorpusError
from duocthu_core.corpus.import_leaflets import LeafletsImport, import_leaflets
from duocthu_core.corpus.importing import import_files
from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.corpus.model import Block
from duocthu_core.text.numbers import numeric_tokens

_FIRST = """Thửmol 500
THÀNH PHẦN CÔNG THỨC THUỐC:
Mỗi viên chứa paracetamol 500 mg.
CHỈ ĐỊNH: Giảm đau, hạ sốt ở người lớn và trẻ em trên 12 tuổi có cân nặng trên 40 kg.
3. LIỀU DÙNG, CÁCH DÙNG
Người lớn: Uống 1 viên/lần, cách nhau ít nhất 4 giờ, tối đa 6 viên trong 24 giờ và không quá
10 ngày liền.
1/2"""
_SECOND = """. Chống chỉ định
Quá mẫn với paracetamol.
ẢNH HƯỞNG CỦA THUỐC LÊN KHẢ NĂNG LÁI XE,
VẬN HÀNH MÁY MÓC
Không ảnh hưởng.
ĐẶC TÍNH DƯỢC LỰC HỌC
Nhóm dược lý: Thuốc giảm đau.
Mã ATC: N02BE01.
Paracetamol hạ sốt nhờ tác động lên vùng dưới đồi và hầu như không làm thay đổi thân nhiệt bình thường.
2/2"""


def _document(*pages: str, **more: Any) -> dict[str, Any]:
    fields = {"registration_number": "893100000001", "drug_name": "Thửmol 500", "document_type": "leaflet"} | more
    return fields | {"pages": [{"page": number, "text": text} for number, text in enumerate(pages, start=1)]}


def _read(*documents: dict[str, Any]) -> LeafletsImport:
    text = "\n".join(json.dumps(document, ensure_ascii=False) for document in documents)
    return import_leaflets(text, "to.jsonl", "Tờ hướng dẫn")


def _section(read: LeafletsImport, key: str) -> list[Block]:
    return [block for block in read.blocks if block.section_key == key]


def test_the_number_and_the_kind_of_document_go_with_every_citation() -> None:
    read = _read(_document(_FIRST, _SECOND), _document(_FIRST, document_type="label"))
    assert [(drug.drug_id, drug.name, drug.registration_number) for drug in read.monographs] == [
        ("thumol-500-893100000001", "Thửmol 500 (tờ hướng dẫn sử dụng, SĐK 893100000001)", "893100000001"),
        ("thumol-500-893100000001-nhan", "Thửmol 500 (nhãn, SĐK 893100000001)", "893100000001"),
    ]


def test_headings_in_capitals_with_numbers_over_two_lines_and_before_a_colon() -> None:
    read = _read(_document(_FIRST, _SECOND))
    assert list(dict.fromkeys(block.section_key for block in read.blocks)) == [
        "dang_thuoc_ham_luong",
        "chi_dinh",
        "lieu_luong_cach_dung",
        "chong_chi_dinh",
        "than_trong",
        "loai_thuoc",
        "ma_atc",
        "duoc_ly",
    ]
    assert _section(read, "chi_dinh")[0].text.startswith("Giảm đau, hạ sốt")


def test_a_line_of_names_inside_a_section_does_not_end_it() -> None:
    read = _read(_document(_FIRST, _SECOND))
    assert [block.text for block in _section(read, "ma_atc")] == ["N02BE01."]
    assert _section(read, "duoc_ly")[0].text.startswith("Paracetamol hạ sốt")
    assert read.monographs[0].atc == ("N02BE01",)


def test_pages_are_the_leaflets_and_their_feet_are_out_of_the_text() -> None:
    read = _read(_document(_FIRST, _SECOND))
    assert {block.section_key: block.page_start for block in read.blocks}["chong_chi_dinh"] == 2
    assert [(head.text, head.page) for head in read.report.heads] == [("1/2", 1), ("2/2", 2)]
    assert not [block.text for block in read.blocks if "1/2" in block.text]


def test_a_fraction_that_is_no_foot_stays() -> None:
    read = _read(_document("CHỈ ĐỊNH\nSốt.\nLIỀU DÙNG, CÁCH DÙNG\nTrẻ em uống\n1/2\nviên.", "TƯƠNG KỴ\nKhông.\n1/4"))
    texts = " ".join(block.text for block in read.blocks)
    assert "1/2" in texts
    assert "1/4" in texts


def test_a_table_that_was_broken_into_lines_is_quarantined() -> None:
    rows = "Độ thanh thải Khoảng cách\n> 10 ml/phút 6 giờ\n10 ml/phút 8 giờ"
    table = f"LIỀU DÙNG, CÁCH DÙNG\nSuy thận: giảm liều theo bảng sau:\n{rows}\nKhông quá 3 g/ngày."
    blocks = _section(_read(_document(table)), "lieu_luong_cach_dung")
    assert [(block.kind, block.quarantined) for block in blocks] == [("prose", False), ("table", True), ("prose", False)]
    assert blocks[1].text.count("giờ") == 2


def test_letters_that_were_taken_for_digits_keep_a_block_from_generation() -> None:
    read = _read(_document("CHỈ ĐỊNH\nSốt.\nLIỀU DÙNG, CÁCH DÙNG\nU6ng thu6c 2 viên mỗi ngày.\n\nCác trường hợp khác theo lời thầy thuốc."))
    [noisy, clean] = _section(read, "lieu_luong_cach_dung")
    assert (noisy.quarantined, noisy.quarantine_reason) == (True, "noise_near_digits")
    assert not clean.quarantined


@pytest.mark.parametrize("text", ["CYP2D6 và CYP3A4", "vitamin B12", "HbA1c dưới 7%", "thụ thể H2", "1,2 m2 da", "interleukin-6"])
def test_names_with_a_digit_are_no_noise(text: str) -> None:
    [block] = _read(_document(f"CHỈ ĐỊNH\nTheo {text} của người bệnh.")).blocks
    assert not block.quarantined


def test_a_leaflet_full_of_noise_is_kept_from_generation_as_a_whole() -> None:
    noise = "Thu6c n2y kh6ng d0ng cho tr3 em c6 b3nh.\n" * 3
    read = _read(_document(f"CHỈ ĐỊNH\nSốt cao.\nCHỐNG CHỈ ĐỊNH\n{noise}"))
    assert all(block.quarantined for block in read.blocks)
    assert "nhiễu" in read.blocks[0].damage_notes[-1]


def test_a_document_without_sections_is_reported_and_the_others_come_in() -> None:
    read = _read(_document("Thdnh phin hogt chiit"), _document(_FIRST, registration_number="893100000002"))
    assert [drug.registration_number for drug in read.monographs] == ["893100000002"]
    assert {(text.line, text.page, text.reason) for text in read.report.rejected if text.line == 1} == {(1, 1, "no_section_in_leaflet")}


def test_nothing_readable_at_all_is_refused() -> None:
    assert "nhận dạng chữ lại" in (_read(_document("a b c")).report.error or "")


@pytest.mark.parametrize("wrong", [{"registration_number": ""}, {"pages": [{"page": 0, "text": "x"}]}, {"pages": None}])
def test_what_is_no_leaflet_is_named_with_its_line(wrong: dict[str, Any]) -> None:
    with pytest.raises(CorpusError, match=r"to.jsonl, line 2: is no leaflet"):
        _read(_document(_FIRST), _document(_FIRST) | wrong)


def test_a_document_given_twice_is_refused() -> None:
    with pytest.raises(CorpusError, match="given twice"):
        _read(_document(_FIRST), _document(_SECOND))


def test_a_file_of_leaflets_becomes_a_corpus(tmp_path: Path) -> None:
    path = tmp_path / "to.jsonl"
    path.write_text(json.dumps(_document(_FIRST, _SECOND), ensure_ascii=False) + "\n", encoding="utf-8")
    report = import_files([path], "Tờ hướng dẫn", tmp_path / "c.jsonl")
    assert report.written
    corpus = load_corpus(tmp_path / "c.jsonl")
    assert corpus.monographs["thumol-500-893100000001"].registration_number == "893100000001"
    assert check_corpus(corpus) == []


@pytest.mark.corpus
@pytest.mark.parametrize(("file", "leaflets"), [("leaflets_text", 7), ("leaflets_ocr", 24)])
def test_real_leaflets(shared_corpus: Path, file: str, leaflets: int) -> None:
    text = (shared_corpus / f"{file}.jsonl").read_text(encoding="utf-8")
    documents = [json.loads(line) for line in text.splitlines()]
    read = import_leaflets(text, file, "Tờ hướng dẫn")
    assert len(read.monographs) == leaflets
    assert check_corpus(Corpus.of(read.monographs, read.blocks, "Tờ hướng dẫn")) == []
    pages = {(drug.registration_number, drug.drug_id.endswith("-nhan")): drug.drug_id for drug in read.monographs}
    for document in documents:
        drug_id = pages.get((document["registration_number"], document.get("document_type") == "label"))
        found = {block.page_start for block in read.blocks if block.drug_id == drug_id}
        assert found <= {page["page"] for page in document["pages"]}
    assert not [warning for warning in read.report.warnings if warning.reason == "numbers_changed"]
    lines = (line for document in documents for page in document["pages"] for line in page["text"].split("\n"))
    figures = _figures(re.sub(r"/uni([0-9A-F]{4})", lambda name: chr(int(name[1], 16)), line) for line in lines)
    kept = _figures((*(block.text for block in read.blocks), *read.outside))
    twice = _figures(block.text for block in read.blocks if any("mở hai mục" in note for note in block.damage_notes))
    names = _figures(document["drug_name"] for document in documents)
    # A word that a line had broken is one token again, with what it was joined to.
    assert all(any(token in made for made in kept - figures) for token in figures - kept)
    assert sum((figures - kept).values()) <= 2
    made = kept - figures - twice - names
    assert all(any(token in whole for token in figures - kept) for whole in made)


@pytest.mark.corpus
def test_headings_of_real_leaflets(shared_corpus: Path) -> None:
    """Numbers without a space, headings over two lines and run into text, for two sections at once, with slips of a scan."""
    read = [import_leaflets((shared_corpus / f"leaflets_{kind}.jsonl").read_text(encoding="utf-8"), kind, "Tờ") for kind in ("text", "ocr")]
    sections = {
        drug.drug_id: {block.section_key for block in found.blocks if block.drug_id == drug.drug_id}
        for found in read
        for drug in found.monographs
    }
    clinical = {"chi_dinh", "lieu_luong_cach_dung", "chong_chi_dinh", "than_trong", "tac_dung_khong_mong_muon", "qua_lieu_xu_tri"}
    assert clinical | {"tuong_tac_thuoc", "tuong_ky", "thoi_ky_mang_thai"} <= sections["shinmus-893100284125"]
    scanned = [sections[drug.drug_id] for drug in read[1].monographs]
    assert sum(clinical <= found for found in scanned) >= 23
    noisy = [block for block in read[0].blocks if block.drug_id in ("zusbrone-840100058826", "locabis-893100467525")]
    assert {"chi_dinh", "chong_chi_dinh", "tac_dung_khong_mong_muon"} <= {block.section_key for block in noisy}
    assert all(block.quarantined for block in noisy)


def test_numbers_without_a_space_and_headings_run_into_text() -> None:
    page = (
        "1.THÀNH PHẦN\nParacetamol 500 mg.\n2.CHỈ ĐỊNH\nSốt.\n9, TƯƠNG TÁC, TƯƠNG KY CUA THUỐC\nWarfarin.\n"
        "8. ẢNH HƯỞNG CỦA THUỐC LÊN KHẢ NĂNG LÁI XE, VẬN HÀNH\nMÁY MÓCChưa có bằng chứng.\nKHOA HỌC10. QUÁ LIỀU VÀ CÁCH XỬ TRÍ\nRửa dạ dày."
    )
    read = _read(_document(page))
    assert [(block.section_key, block.text) for block in read.blocks] == [
        ("dang_thuoc_ham_luong", "Paracetamol 500 mg."),
        ("chi_dinh", "Sốt."),
        ("tuong_tac_thuoc", "Warfarin."),
        ("tuong_ky", "Warfarin."),
        ("than_trong", "Chưa có bằng chứng."),
        ("than_trong", "KHOA HỌC10."),
        ("qua_lieu_xu_tri", "Rửa dạ dày."),
    ]


@pytest.mark.parametrize(
    ("heading", "key"),
    [
        ("Thửmol 500 là thuốc gì và được dùng để làm gì?", "chi_dinh"),
        ("2. Trước khi dùng thuốc này", "than_trong"),
        ("TRƯỚC KHI DÙNG THỬMOL 500", "than_trong"),
        ("Khi nào không nên dùng thuốc này?", "chong_chi_dinh"),
        ("Cần làm gì khi một lần quên không dùng thuốc?", "lieu_luong_cach_dung"),
        ("Cần bảo quản thuốc này như thế nào?", "do_on_dinh_bao_quan"),
        ("Cần phải làm gì khi dùng thuốc quá liều khuyến cáo?", "qua_lieu_xu_tri"),
        ("7.SỬ DỤNG THUỐC Ở PHỤ NỮ CÓ THAI VÀ CHO CON BÚ", "thoi_ky_mang_thai"),
        ("8.TÁC ĐỘNG LÊN KHẢ NĂNG LÁI XE VÀ VẬN HÀNH MÁY MÓC", "than_trong"),
    ],
)
def test_the_questions_that_leaflets_for_patients_are_made_of(heading: str, key: str) -> None:
    assert key in {block.section_key for block in _read(_document(f"{heading}\nNội dung của mục này.")).blocks}


def test_small_letters_before_a_colon_open_what_no_capitals_open() -> None:
    page = "CHỐNG CHỈ ĐỊNH\nQuá mẫn.\nChống chỉ định: suy gan nặng.\nBảo quản: nơi khô.\nMã ATC: N02BE01\nTránh ẩm."
    assert [(block.section_key, block.text) for block in _read(_document(page)).blocks] == [
        ("chong_chi_dinh", "Quá mẫn.\nChống chỉ định: suy gan nặng."),
        ("do_on_dinh_bao_quan", "nơi khô."),
        ("ma_atc", "N02BE01"),
        ("do_on_dinh_bao_quan", "Tránh ẩm."),
    ]


def test_letters_that_were_given_by_their_glyphs_are_read_and_recorded() -> None:
    [block] = _read(_document("CH/uni1EC8 Đ/uni1ECANH\nNg/dslasháy 5 m/uni1ED7i.")).blocks
    assert (block.section_key, block.heading, block.text) == ("chi_dinh", "CHỈ ĐỊNH", "Ngđáy 5 mỗi.")
    assert [(repair.removed, repair.inserted) for repair in block.repairs] == [("/dslash", "đ"), ("/uni1ED7", "ỗ")]


def test_a_glyphs_name_never_becomes_a_figure_or_a_sign() -> None:
    [block] = _read(_document("CHỈ ĐỊNH\nUống /uni0035 mg, /uni2264 3 lần.")).blocks
    assert block.text == "Uống /uni0035 mg, /uni2264 3 lần."


_SCAN = "CHiBlNH\nDi6u tr1 ti6u ch4y.\nCIIoNG CHi DINH\nM6n c4m v6i thu6c.\neuA LrEU VA CAcSXRLRNI\nR6a d4 day 20 mg.\n"


def test_a_noisy_scan_is_read_by_the_shape_of_its_headings_and_an_unknown_one_ends_the_section() -> None:
    read = _read(_document(_SCAN))
    assert [(block.section_key, block.text) for block in read.blocks] == [
        ("chi_dinh", "Di6u tr1 ti6u ch4y."),
        ("chong_chi_dinh", "M6n c4m v6i thu6c."),
    ]
    assert all(block.quarantined for block in read.blocks)
    assert "R6a d4 day 20 mg." in [text.text for text in read.report.rejected if text.reason == "unknown_section"]


def test_what_stands_on_a_label_is_shown_and_never_generated_over() -> None:
    read = _read(_document("Thành phần: Paracetamol 500 mg\nBảo quản: dưới 30 °C.\nNhà sản xuất: X", document_type="label"))
    assert [(block.section_key, block.quarantine_reason) for block in read.blocks] == [
        ("dang_thuoc_ham_luong", "scrambled_columns"),
        ("do_on_dinh_bao_quan", "scrambled_columns"),
    ]
    assert "nhãn" in read.blocks[0].damage_notes[-1]


def _figures(texts: Iterable[str]) -> Counter[str]:
    return Counter(token.text for text in texts for token in numeric_tokens(unicodedata.normalize("NFC", text)))


def test_figures_are_those_of_the_leaflet() -> None:
    read = _read(_document(_FIRST, _SECOND))
    kept = _figures((*(block.text for block in read.blocks), *read.outside))
    assert kept == _figures(("Thửmol 500", *_FIRST.split("\n"), *_SECOND.split("\n")))
