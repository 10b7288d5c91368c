"""``data/corpus/names.csv`` against the lists of names it is derived from (spec 07, "What ships")."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from data.corpus.build_demo import OUTPUT
from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.text.folding import fold, strip_marks

NAMES = OUTPUT.parent / "names.csv"
COLUMNS = ["vi_name", "inn", "brands", "combination_of", "look_alikes"]


def rows() -> list[dict[str, str]]:
    with NAMES.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def listed(cell: str) -> list[str]:
    return cell.split("; ") if cell else []


def letters(name: str) -> str:
    """A name as lists spell it in more than one way: case, marks, spaces, full stops and hyphens apart."""
    return re.sub(r"[\W_]+", "", strip_marks(fold(name)))


def test_the_table_has_the_columns_and_each_name_once() -> None:
    with NAMES.open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file)) == COLUMNS
    counted = Counter(fold(row["vi_name"]) for row in rows())
    assert [name for name, times in counted.items() if times > 1] == []


def test_no_cell_has_a_blank_or_repeated_entry() -> None:
    for row in rows():
        for column in COLUMNS[2:]:
            entries = listed(row[column])
            assert all(entry.strip() == entry != "" for entry in entries), row["vi_name"]
            assert len({letters(entry) for entry in entries}) == len(entries), (row["vi_name"], column)


def test_every_demo_drug_has_a_row_with_its_brands() -> None:
    table = {row["vi_name"]: row for row in rows()}
    for monograph in load_corpus(OUTPUT).monographs.values():
        assert list(monograph.brands) == listed(table[monograph.name]["brands"])


@pytest.mark.parametrize(
    ("name", "substances"),
    [
        ("Amoxicilin và kali clavulanat", ["Amoxicilin", "Kali clavulanat"]),
        ("Cotrimoxazol", ["Sulfamethoxazol", "Trimethoprim"]),
        ("Lopinavir và ritonavir", ["Lopinavir", "Ritonavir"]),
    ],
)
def test_a_combination_names_its_substances(name: str, substances: list[str]) -> None:
    row = next(row for row in rows() if row["vi_name"] == name)
    assert listed(row["combination_of"]) == substances


def test_look_alike_pairs_stand_on_both_sides() -> None:
    table = {row["vi_name"]: listed(row["look_alikes"]) for row in rows()}
    for name, others in table.items():
        for other in others:
            assert other != name
            assert other not in table or name in table[other], (name, other)


@pytest.mark.parametrize(
    ("generic", "brand"),
    [("Vancomycin", "Norcuron"), ("Vancomycin", "Venlixor"), ("Amoxicilin", "Auclanityl"), ("Riboflavin", "2"), ("Paracetamol", "Bé nóng")],
)
def test_junk_and_misplaced_brands_are_left_out(generic: str, brand: str) -> None:
    assert brand not in {b for row in rows() if row["vi_name"] == generic for b in listed(row["brands"])}


def test_every_brand_and_name_comes_from_the_lists(shared_corpus: Path) -> None:
    """A brand is printed whole or, without its strength and dosage form, begins a printed one."""
    with (shared_corpus / "brand_names.csv").open(encoding="utf-8") as file:
        printed = [(letters(row["brand"]), row["generic_vi"]) for row in csv.DictReader(file)]
    with (shared_corpus / "names_vi_inn_page.csv").open(encoding="utf-8") as file:
        generics = {row["vi_name"] for row in csv.DictReader(file)} | {generic for _, generic in printed}
    elsewhere = "".join(
        letters((shared_corpus / name).read_text(encoding="utf-8")) for name in ("facts.jsonl", "raw_paracetamol.md", "raw_amoxicilin.md")
    )
    beginnings = {brand[:end] for brand, _ in printed for end in range(3, len(brand) + 1)}
    for row in rows():
        assert row["vi_name"] in generics or letters(row["vi_name"]) in elsewhere, row["vi_name"]
        for brand in listed(row["brands"]):
            spelled = letters(brand)
            found = spelled in beginnings or f"vien{spelled}" in beginnings or f"viennen{spelled}" in beginnings or spelled in elsewhere
            assert found, (row["vi_name"], brand)
