"""The whole report of an import, as a pharmacist reads it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from duocthu_core.corpus.import_report import ImportReport
from duocthu_core.corpus.importing import import_files
from duocthu_core.corpus.report_text import full_text
from tests.corpus.books import book

_TABLE = "| Clcr | Liều |\n|---|---|\n| 10 - 30 | 5 mg |"


def _report(tmp_path: Path, text: str) -> ImportReport:
    path = tmp_path / "sach.md"
    path.write_text(text, encoding="utf-8")
    return import_files([path], "Bản thử", tmp_path / "corpus.jsonl")


@pytest.fixture
def lines(tmp_path: Path) -> list[str]:
    """The report of a book of two pages with a table, a head, markup and a foreword."""
    doses = f"Uống **500 mg** mỗi 8 giờ.\n\n13 **Thuốc thử** DTQGVN 2\n\nTrẻ em: 25 mg/kg.\n\n{_TABLE}"
    text = "Lời nói đầu.\n\n12 **Thuốc thử** DTQGVN 2\n\n" + book(("Chỉ định", "Sốt."), ("Liều lượng và cách dùng", doses))
    return full_text(_report(tmp_path, text)).splitlines()


def test_each_page_says_what_came_in_and_what_was_done(lines: list[str]) -> None:
    [before] = [line for line in lines if "trang 12: " in line]
    assert before.strip() == "trang 12: vào 2 khối; đã sửa 1 (dấu trình bày 2)"
    [after] = [line for line in lines if "trang 13: " in line]
    assert "vào 2 khối" in after
    assert "cách ly 1" in after


def test_what_is_locked_is_quoted_with_its_reason(lines: list[str]) -> None:
    [line] = [line for line in lines if "lieu_luong_cach_dung/3" in line]
    assert line.strip() == "cách ly thuoc-thu/lieu_luong_cach_dung/3 (bảng): “| Clcr | Liều | | 10 - 30 | 5 mg |”"


def test_what_did_not_come_in_is_quoted_with_its_line_and_reason(lines: list[str]) -> None:
    assert "    dòng 1, trang in 11: đứng trước chuyên luận đầu tiên: “Lời nói đầu.”" in lines


def test_a_refused_file_says_why_and_that_the_old_corpus_stays(tmp_path: Path) -> None:
    said = full_text(_report(tmp_path, "Một đoạn văn."))
    assert "KHÔNG ghi gì; bộ cũ giữ nguyên." in said
    assert "KHÔNG nhập: dòng 1: không tìm thấy chuyên luận nào" in said


def test_pages_of_leaflets_are_counted_drug_by_drug(tmp_path: Path) -> None:
    path = tmp_path / "to.jsonl"
    pages = [{"page": 1, "text": "CHỈ ĐỊNH\nSốt."}]
    documents = [{"registration_number": f"89{n}", "drug_name": f"Thửmol {n}", "pages": pages} for n in (1, 2)]
    path.write_text("\n".join(json.dumps(document) for document in documents), encoding="utf-8")
    said = full_text(import_files([path], "Tờ", tmp_path / "c.jsonl"))
    assert "Thửmol 1 (tờ hướng dẫn sử dụng, SĐK 891), trang 1: vào 1 khối" in said
    assert "Thửmol 2 (tờ hướng dẫn sử dụng, SĐK 892), trang 1: vào 1 khối" in said
