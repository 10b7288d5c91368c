"""The list of names as a file (spec 07)."""

from __future__ import annotations

from pathlib import Path

import pytest

from duocthu_core.corpus.collection import CorpusError
from duocthu_core.corpus.names import load_names
from duocthu_core.settings import DRUG_NAMES

HEADER = "vi_name,inn,brands,combination_of,look_alikes\n"


def test_the_shipped_list_reads() -> None:
    rows = load_names(DRUG_NAMES)
    assert any(row["vi_name"] == "Abacavir" and row["brands"] == "Ziagen" for row in rows)


def test_a_list_saved_by_a_spreadsheet_reads(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_text("\ufeff" + HEADER + "Thuốc,drug,Một; Hai,,\n", encoding="utf-8")
    assert load_names(path)[0]["vi_name"] == "Thuốc"


@pytest.mark.parametrize("content", [b"vi_name,inn\n", b"", b"\xff\xfe\x00"], ids=["columns", "empty", "not UTF-8"])
def test_a_wrong_file_is_one_line_that_names_it(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "names.csv"
    path.write_bytes(content)
    with pytest.raises(CorpusError, match=r"names\.csv"):
        load_names(path)


def test_a_missing_file_is_one_line_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"none\.csv"):
        load_names(tmp_path / "none.csv")
