"""Package leaflets: their own headings, their own pages, the number they are registered under, and the noise of scans."""

from __future__ import annotations

import json
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
@pytest.mark.parametrize(("file", "leaflets"), [("leaflets_text", 4), ("leaflets_ocr", 24)])
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
    figures = _figures(line for document in documents for page in document["pages"] for line in page["text"].split("\n"))
    kept = _figures((*(block.text for block in read.blocks), *read.outside))
    twice = _figures(block.text for block in read.blocks if any("mở hai mục" in note for note in block.damage_notes))
    names = _figures(document["drug_name"] for document in documents)
    # A word that a line had broken is one token again, with what it was joined to.
    assert all(any(token in made for made in kept - figures) for token in figures - kept)
    assert sum((figures - kept).values()) <= 2
    made = kept - figures - twice - names
    assert all(any(token in whole for token in figures - kept) for whole in made)


def _figures(texts: Iterable[str]) -> Counter[str]:
    return Counter(token.text for text in texts for token in numeric_tokens(unicodedata.normalize("NFC", text)))


def test_figures_are_those_of_the_leaflet() -> None:
    read = _read(_document(_FIRST, _SECOND))
    kept = _figures((*(block.text for block in read.blocks), *read.outside))
    assert kept == _figures(("Thửmol 500", *_FIRST.split("\n"), *_SECOND.split("\n")))
