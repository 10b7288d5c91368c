"""Builds ``demo.jsonl`` from the readable sources in ``demo/`` (spec 07, "What ships").

One YAML file a drug, so that a pharmacist can review it section by section; one line a monograph or block, so that the corpus loads
fast. The build is deterministic: the same sources give the same bytes.

A source has the fields of a ``Monograph``, ``pages`` (first and last printed page), optionally ``pages_estimated: true``, and
``sections``: section key → list of blocks. A block has ``page`` (a number, or first and last), ``text``, and where they apply ``label``
(governing labels, outer to inner, separated by `` | ``), ``estimated``, ``kind`` (``table`` and ``formula`` are quarantined) and ``notes``
(what is damaged). Name, code, class and trade name sections are written from the monograph's own fields.

Run from the project root: ``python -m data.corpus.build_demo``.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from duocthu_core.corpus.model import SECTION_KEYS, Block, Monograph

SOURCES = Path(__file__).parent / "demo"
OUTPUT = Path(__file__).parent / "demo.jsonl"
EDITION = "Bộ minh hoạ: diễn đạt lại theo số liệu Dược thư Quốc gia Việt Nam 2018, không phải nguyên văn"
NOTICE = (
    "Bộ minh hoạ: câu chữ do nhóm phát triển tự viết lại, số liệu và số trang lấy theo bản in 2018; trang ghi “khoảng” là trang ước lượng. "
    "Không dùng để quyết định điều trị: hãy đối chiếu với Dược thư Quốc gia Việt Nam."
)
HEADINGS = {
    "ten_chung_quoc_te": "Tên chung quốc tế",
    "ma_atc": "Mã ATC",
    "loai_thuoc": "Loại thuốc",
    "dang_thuoc_ham_luong": "Dạng thuốc và hàm lượng",
    "duoc_ly": "Dược lý và cơ chế tác dụng",
    "duoc_dong_hoc": "Dược động học",
    "chi_dinh": "Chỉ định",
    "chong_chi_dinh": "Chống chỉ định",
    "than_trong": "Thận trọng",
    "thoi_ky_mang_thai": "Thời kỳ mang thai",
    "thoi_ky_cho_con_bu": "Thời kỳ cho con bú",
    "tac_dung_khong_mong_muon": "Tác dụng không mong muốn (ADR)",
    "xu_tri_adr": "Hướng dẫn cách xử trí ADR",
    "lieu_luong_cach_dung": "Liều lượng và cách dùng",
    "tuong_tac_thuoc": "Tương tác thuốc",
    "do_on_dinh_bao_quan": "Độ ổn định và bảo quản",
    "tuong_ky": "Tương kỵ",
    "qua_lieu_xu_tri": "Quá liều và xử trí",
    "thong_tin_qui_che": "Thông tin qui chế",
    "ten_thuong_mai": "Tên thương mại",
}


def demo_lines() -> Iterator[str]:
    """The lines of ``demo.jsonl`` without line ends: the corpus line, then each drug's monograph and blocks, drugs by ``drug_id``."""
    yield _line("corpus", {"format": 1, "edition": EDITION, "demo": True, "notice": NOTICE})
    for path in sorted(SOURCES.glob("*.yaml")):
        source = yaml.safe_load(unicodedata.normalize("NFC", path.read_text(encoding="utf-8")))
        if source["drug_id"] != path.stem:
            raise ValueError(f"{path}: drug_id is {source['drug_id']!r}; name the file after it")
        monograph = _monograph(source)
        yield _line("monograph", monograph.model_dump(mode="json", exclude_defaults=True))
        for block in _blocks(source, monograph, path):
            yield _line("block", block.model_dump(mode="json", exclude_defaults=True, exclude={"content_hash"}))


def _monograph(source: dict[str, Any]) -> Monograph:
    fields = ("drug_id", "name", "inn", "synonyms", "brands", "atc", "drug_class")
    return Monograph(edition=EDITION, **{field: source[field] for field in fields if field in source})


def _blocks(source: dict[str, Any], monograph: Monograph, path: Path) -> Iterator[Block]:
    sections = _identity_sections(source, monograph) | source["sections"]
    unknown = set(sections) - set(SECTION_KEYS)
    if unknown:
        raise ValueError(f"{path}: unknown section {sorted(unknown)}; use one of {', '.join(SECTION_KEYS)}")
    for key in SECTION_KEYS:
        for number, entry in enumerate(sections.get(key, ()), start=1):
            yield _block(entry, key, number, source, path)


def _identity_sections(source: dict[str, Any], monograph: Monograph) -> dict[str, list[dict[str, Any]]]:
    """The sections a monograph opens and closes with. The sheets do not say on which page the trade names stand: the last, estimated."""
    first, last = source["pages"]
    sections = {
        "ten_chung_quoc_te": [{"page": first, "text": f"{monograph.inn}."}],
        "ma_atc": [{"page": first, "text": f"{', '.join(monograph.atc)}."}],
        "loai_thuoc": [{"page": first, "text": f"{monograph.drug_class}."}],
    }
    if monograph.brands:
        sections["ten_thuong_mai"] = [{"page": last, "estimated": True, "text": f"{'; '.join(monograph.brands)}."}]
    return sections


def _block(entry: dict[str, Any], key: str, number: int, source: dict[str, Any], path: Path) -> Block:
    drug_id = source["drug_id"]
    unknown = set(entry) - {"page", "text", "label", "estimated", "kind", "notes"}
    if unknown:
        raise ValueError(f"{path}: {key}/{number}: unknown field {sorted(unknown)}")
    pages = entry["page"] if isinstance(entry["page"], list) else [entry["page"]]
    kind = entry.get("kind", "prose")
    label = entry.get("label")
    return Block(
        block_id=f"{drug_id}/{key}/{number}",
        drug_id=drug_id,
        section_key=key,
        heading=HEADINGS[key],
        text=entry["text"].strip(),
        kind=kind,
        label="\n".join(f"{part.strip()}:" for part in label.split(" | ")) if label else None,
        page_start=pages[0],
        page_end=pages[-1],
        page_estimated=entry.get("estimated", source.get("pages_estimated", False)),
        quarantined=kind != "prose",
        quarantine_reason=kind if kind != "prose" else None,
        damage_notes=tuple(entry.get("notes", ())),
    )


def _line(kind: str, fields: dict[str, Any]) -> str:
    return json.dumps({"type": kind} | fields, ensure_ascii=False)


if __name__ == "__main__":
    OUTPUT.write_text("".join(f"{line}\n" for line in demo_lines()), encoding="utf-8")
