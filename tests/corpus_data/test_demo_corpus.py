"""The demo corpus against the fact sheets and raw monographs it restates (spec 07, "What ships")."""

from __future__ import annotations

import csv
import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from data.corpus.build_demo import EDITION, OUTPUT, demo_lines
from duocthu_core.corpus.model import SECTION_KEYS, Block, Monograph
from duocthu_core.text.numbers import numeric_tokens

RAW_MONOGRAPHS = {"paracetamol": (1118, 1121), "amoxicilin": (188, 191), "cefazolin": (343, 346)}
"""Drugs whose source is a monograph's text; first and last printed page, read from its page headers."""
COPIED_WORDS = 12
MARKUP = {"1/1~000": "1/1 000", "<br>": " ", "$\\leq 4$": "≤ 4 "}
"""Markup inside figures of the raw monographs, and what stood in print."""
AMOUNT = re.compile(
    r"\d[\d.,]*(?: \d{3})*(?:/\d+(?: \d{3})*)?(?:\s?(?:-|đến|x)\s?\d[\d.,]*(?: \d{3})*)*"
    r"\s?(?:%|(?:mg|g|ml|microgam|microgram|lít|đvqt|giờ|phút|ngày|tuần|tháng|năm|tuổi|lần|liều|kg|giọt|viên|mmol|micromol)\b(?:\s?/\s?\w+)*)"
)
"""A number or range with its whole unit, as it stands."""
DOUBTFUL = [
    ("ibuprofen", "3,2 g/ngày"),
    ("diazepam", "34 - 45 giờ"),
    ("methotrexat", "10 25 mg"),
    ("methotrexat", "300 mg đến 5 g/m2"),
    ("heparin", "250 đvqt/kg"),
    ("amoxicilin-va-kali-clavulanat", "20 mg/ngày"),
    ("amoxicilin-va-kali-clavulanat", "500 mg/100 mg"),
    ("losartan", "250 mmol/lít"),
    ("metoclopramid", "75%"),
    ("clarithromycin", "75%"),
    ("propranolol", "3 - 4 ngày/lần"),
    ("furosemid", "25 - 50 mg"),
    ("salbutamol-ho-hap", "3 - 20 microgam/phút"),
    ("isoniazid", "10 mg/kg, cho tới 300 mg"),
]
"""Figures that a sheet doubts: never shipped, in no block, quarantined or not."""


def entries() -> list[dict[str, Any]]:
    with OUTPUT.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def blocks_of(drug_id: str | None = None) -> list[Block]:
    rows = [{k: v for k, v in row.items() if k != "type"} for row in entries() if row["type"] == "block"]
    return [Block(**row) for row in rows if drug_id in (None, row["drug_id"])]


def monographs() -> list[Monograph]:
    return [Monograph(**{k: v for k, v in row.items() if k != "type"}) for row in entries() if row["type"] == "monograph"]


DRUG_IDS = [monograph.drug_id for monograph in monographs()]


def figures_of(text: str) -> set[str]:
    return {token.text for token in numeric_tokens(text) if token.is_fact}


def amounts_of(text: str) -> set[str]:
    return {match.group() for match in AMOUNT.finditer(spaced(text))}


def spaced(text: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", text).casefold())


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


@pytest.fixture(scope="module")
def sheets(shared_corpus: Path) -> dict[str, dict[str, Any]]:
    with (shared_corpus / "facts.jsonl").open(encoding="utf-8") as lines:
        return {sheet["drug_id"]: sheet for sheet in map(json.loads, lines)}


@pytest.fixture(scope="module")
def brands(shared_corpus: Path) -> dict[int, set[str]]:
    """First page of a monograph → the trade names listed for it."""
    found: dict[int, set[str]] = {}
    with (shared_corpus / "brand_names.csv").open(encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            found.setdefault(int(row["monograph_page"]), set()).add(row["brand"])
    return found


def source_strings(drug_id: str, sheets: dict[str, dict[str, Any]], shared_corpus: Path) -> list[str]:
    """Every string of a drug's sheet except identifiers, or its raw monograph; NFC."""
    if drug_id in RAW_MONOGRAPHS:
        text = (shared_corpus / f"raw_{drug_id}.md").read_text(encoding="utf-8")
        for markup, character in MARKUP.items():
            text = text.replace(markup, character)
        return [unicodedata.normalize("NFC", text)]
    sheet = sheets[drug_id]
    strings = [sheet["drug_class"], *sheet["atc"], *sheet["forms"], *sheet["formulas"], *(table["about"] for table in sheet["tables"])]
    for facts in sheet["sections"].values():
        for fact in facts:
            strings += [fact["label"] or "", fact["fact"], *fact["figures"]]
    return [unicodedata.normalize("NFC", text) for text in strings]


def test_the_shipped_file_is_what_the_sources_build() -> None:
    assert OUTPUT.read_text(encoding="utf-8") == "".join(f"{line}\n" for line in demo_lines())


def test_the_corpus_line_names_the_edition_and_says_that_it_is_a_demonstration() -> None:
    first = entries()[0]
    assert first["type"] == "corpus"
    assert first["format"] == 1
    assert first["demo"] is True
    assert first["edition"] == EDITION == "Bộ minh hoạ: diễn đạt lại theo số liệu Dược thư Quốc gia Việt Nam 2018, không phải nguyên văn"
    assert first["notice"]
    assert {monograph.edition for monograph in monographs()} == {EDITION}


def test_every_drug_stands_once_followed_by_its_own_blocks() -> None:
    rows = entries()[1:]
    order = [row["drug_id"] for row in rows if row["type"] == "monograph"]
    assert len(set(order)) == len(order)
    current = None
    for row in rows:
        current = row["drug_id"] if row["type"] == "monograph" else current
        assert row["drug_id"] == current


@pytest.mark.parametrize("drug_id", DRUG_IDS)
def test_blocks_are_numbered_in_book_order(drug_id: str) -> None:
    numbered: dict[str, int] = {}
    for block in blocks_of(drug_id):
        assert block.section_key in SECTION_KEYS
        numbered[block.section_key] = numbered.get(block.section_key, 0) + 1
        assert block.block_id == f"{drug_id}/{block.section_key}/{numbered[block.section_key]}"
    assert list(numbered) == sorted(numbered, key=SECTION_KEYS.index)


@pytest.mark.parametrize("drug_id", DRUG_IDS)
def test_no_block_is_empty_decomposed_or_without_a_page(drug_id: str) -> None:
    for block in blocks_of(drug_id):
        assert block.text.strip() == block.text != ""
        assert unicodedata.is_normalized("NFC", block.shown_text)
        assert block.label is None or all(line.endswith(":") and len(line) > 1 for line in block.label.split("\n"))
        assert block.page_start is not None
        assert block.page_end is not None


@pytest.mark.parametrize("drug_id", DRUG_IDS)
def test_tables_and_formulas_are_quarantined_and_nothing_else(drug_id: str) -> None:
    for block in blocks_of(drug_id):
        assert block.quarantined == (block.kind != "prose")
        assert block.quarantine_reason == (block.kind if block.quarantined else None)


@pytest.mark.parametrize("drug_id", DRUG_IDS)
def test_every_figure_stands_in_the_source_character_for_character(
    drug_id: str, sheets: dict[str, dict[str, Any]], brands: dict[int, set[str]], shared_corpus: Path
) -> None:
    source = set().union(*(figures_of(text) for text in source_strings(drug_id, sheets, shared_corpus)))
    first_page = RAW_MONOGRAPHS[drug_id][0] if drug_id in RAW_MONOGRAPHS else sheets[drug_id]["pages"][0]
    named = set().union(*(figures_of(brand) for brand in brands.get(first_page, set())))
    for block in blocks_of(drug_id):
        allowed = source | named if block.section_key == "ten_thuong_mai" else source
        assert figures_of(block.shown_text) <= allowed, block.block_id


@pytest.mark.parametrize("drug_id", DRUG_IDS)
def test_every_figure_keeps_its_unit_and_its_section(drug_id: str, sheets: dict[str, dict[str, Any]], shared_corpus: Path) -> None:
    """Not only the number: the range and unit as one string stand in the same section of the sheet, or in the raw monograph."""
    common = ""
    if drug_id in RAW_MONOGRAPHS:
        common = spaced(source_strings(drug_id, sheets, shared_corpus)[0])
    else:
        sheet = sheets[drug_id]
        common = spaced(
            " | ".join([sheet["drug_class"], *sheet["forms"], *sheet["formulas"], *(table["about"] for table in sheet["tables"])])
        )
    for block in blocks_of(drug_id):
        if block.section_key in {"ma_atc", "ten_thuong_mai"}:
            continue
        facts = sheets[drug_id]["sections"].get(block.section_key, []) if drug_id in sheets else []
        section = spaced(" | ".join(text for fact in facts for text in (fact["label"] or "", fact["fact"], *fact["figures"])))
        missing = {amount for amount in amounts_of(block.shown_text) if amount not in common and amount not in section}
        assert missing == set(), block.block_id


@pytest.mark.parametrize(("drug_id", "figure"), DOUBTFUL)
def test_doubtful_figures_are_left_out(drug_id: str, figure: str) -> None:
    assert all(figure.casefold() not in spaced(block.shown_text) for block in blocks_of(drug_id))


@pytest.mark.parametrize("drug_id", DRUG_IDS)
def test_pages_lie_within_the_monograph(drug_id: str, sheets: dict[str, dict[str, Any]]) -> None:
    first, last = RAW_MONOGRAPHS[drug_id] if drug_id in RAW_MONOGRAPHS else sheets[drug_id]["pages"]
    for block in blocks_of(drug_id):
        assert block.page_start is not None
        assert block.page_end is not None
        assert first <= block.page_start <= block.page_end <= last, block.block_id


@pytest.mark.parametrize("drug_id", sorted(RAW_MONOGRAPHS))
def test_no_sentence_is_copied_from_a_raw_monograph(drug_id: str, shared_corpus: Path) -> None:
    """Twelve words in a row are a copy. Dose lines may stay alike: around a figure of the dose section, around two elsewhere."""
    source = words(source_strings(drug_id, {}, shared_corpus)[0])
    copies = {tuple(source[i : i + COPIED_WORDS]) for i in range(len(source) - COPIED_WORDS + 1)}
    copied = []
    for block in blocks_of(drug_id):
        ours = words(block.text) if block.section_key != "ten_thuong_mai" else []
        for i in range(len(ours) - COPIED_WORDS + 1):
            window = tuple(ours[i : i + COPIED_WORDS])
            figures = sum(any(c.isdigit() for c in word) for word in window)
            dose_line = figures >= (1 if block.section_key == "lieu_luong_cach_dung" else 2)
            if not dose_line and window in copies:
                copied.append((block.block_id, " ".join(window)))
    assert copied == []


def test_cefazolin_gives_renal_doses_only_in_quarantine() -> None:
    for block in blocks_of("cefazolin"):
        if block.section_key == "lieu_luong_cach_dung" and "suy thận" in block.shown_text.casefold():
            assert block.quarantined, block.block_id
