"""A corpus in our own words that has one of everything: labels, a table, estimated pages, repairs."""

from __future__ import annotations

from typing import Any

from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.model import Block, Monograph, Repair

EDITION = "Bản thử"


def block(section_key: str, number: int, text: str, drug_id: str = "thuoc-thu", **more: Any) -> Block:
    """A block of the made-up drug; page 12 unless told."""
    fields = {"heading": "Mục", "page_start": 12, "page_end": 12} | more
    return Block(block_id=f"{drug_id}/{section_key}/{number}", drug_id=drug_id, section_key=section_key, text=text, **fields)


def monograph(drug_id: str = "thuoc-thu", **more: Any) -> Monograph:
    """A made-up drug."""
    return Monograph.model_validate({"drug_id": drug_id, "name": drug_id.replace("-", " ").capitalize(), "edition": EDITION} | more)


def sample_corpus() -> Corpus:
    """Two drugs, five blocks."""
    return Corpus.of(
        (monograph(synonyms=("Thuốc giả",), brands=("Thửmol",)), monograph("thuoc-kia")),
        (
            block("chi_dinh", 1, "Đau nhẹ.", repairs=(Repair(kind="page_header", removed="12 Thuốc thử DTQGVN 2", page=12),)),
            block("lieu_luong_cach_dung", 1, "Uống 0,5 - 1 g/lần.", label="Người lớn:"),
            block("lieu_luong_cach_dung", 2, "Uống 10 mg/kg.", label="Trẻ em:", page_end=13),
            block(
                "lieu_luong_cach_dung",
                3,
                "| Clcr | Liều |",
                kind="table",
                quarantined=True,
                quarantine_reason="table",
                page_start=13,
                page_end=13,
            ),
            block("chi_dinh", 1, "Sốt.", "thuoc-kia", page_estimated=True),
        ),
        EDITION,
        is_demo=True,
        notice="Bộ thử, không dùng để điều trị.",
    )


def large_corpus(blocks: int, blocks_a_drug: int = 20) -> Corpus:
    """So many blocks of about 750 characters with three repairs each, spread over drugs."""
    text = "Trẻ em 3 - 6 tháng tuổi: 60 mg, uống nhắc lại sau 4 - 6 giờ nếu cần; tối đa 4 liều/24 giờ. " * 8
    repairs = (Repair(kind="markup", removed="**"),) * 3
    drug_ids = [f"thuoc-{number}" for number in range(-(-blocks // blocks_a_drug))]
    places = [(drug_id, number) for drug_id in drug_ids for number in range(1, blocks_a_drug + 1)][:blocks]
    return Corpus.of(
        [monograph(drug_id) for drug_id in drug_ids],
        [block("chi_dinh", number, text, drug_id, label="Trẻ em:", repairs=repairs) for drug_id, number in places],
        EDITION,
    )
