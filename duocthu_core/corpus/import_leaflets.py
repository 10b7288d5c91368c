"""Package leaflets, page by page, into monographs and blocks (spec 07: other headings, OCR noise; registration number and page kept).

A file of leaflets has one document a line: ``{"registration_number", "drug_name", "document_type": "leaflet" | "label", "pages": [{"page",
"text"}]}``. Each becomes a monograph whose name says what it is and under which number it is registered; its pages are the leaflet's own.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from duocthu_core.corpus.collection import CorpusError
from duocthu_core.corpus.import_markdown import ChapterRead, clean_text, digits_lost, read_chapter
from duocthu_core.corpus.import_report import (
    FileReport,
    ImportWarning,
    RejectedText,
    RemovedHead,
    excerpt,
    page_tallies,
    quarantined_blocks,
    repaired_blocks,
)
from duocthu_core.corpus.model import Block, Monograph
from duocthu_core.corpus.reading.leaflet_headings import HeadingMarks
from duocthu_core.corpus.reading.monographs import Chapter, Remainder, chapter_of, monograph_of, slug
from duocthu_core.corpus.reading.page_headers import TURN, PagedText, PageHeader
from duocthu_core.corpus.reading.paragraphs import read_passages
from duocthu_core.corpus.reading.passages import UNKNOWN_PAGES, Pages, Passage
from duocthu_core.corpus.reading.quarantine import DIGIT_IN_WORD

_KINDS = {"leaflet": ("tờ hướng dẫn sử dụng", ""), "label": ("nhãn", "-nhan")}
_FOOT = re.compile(r"\A\s*(?:trang\s*)?(?P<page>[1-9][0-9]{0,2})\s*/\s*(?P<pages>[1-9][0-9]{0,2})\s*\Z", re.IGNORECASE)
_NOISY_SHARE = 0.01
"""Words with a digit among their letters, of all words: beyond this nothing of a leaflet is generated over."""
_LEAST_NOISY = 5
_NOISY_NOTE = "Bản nhận dạng chữ của tờ này nhiễu: xem bản gốc."
_LABEL_NOTE = "Chữ trên nhãn không theo thứ tự đọc của một trang sách: xem nhãn gốc."


class _Page(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    page: int = Field(ge=1, le=9999)
    text: str


class _Leaflet(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    registration_number: str = Field(min_length=1, max_length=40)
    drug_name: str = Field(min_length=1, max_length=200)
    document_type: str = "leaflet"
    pages: tuple[_Page, ...]


@dataclass(frozen=True, slots=True)
class LeafletsImport:
    """What a file of leaflets became. ``outside``: every text that stands in no block's text (see import_markdown)."""

    monographs: tuple[Monograph, ...]
    blocks: tuple[Block, ...]
    report: FileReport
    outside: tuple[str, ...]


def is_leaflet(fields: Any) -> bool:
    """Whether the first object of a JSONL file is a leaflet's."""
    return isinstance(fields, dict) and "registration_number" in fields and "pages" in fields


def import_leaflets(text: str, source: str, edition: str) -> LeafletsImport:
    """The monographs and blocks of the leaflets in ``text``, one document a line.

    Raises :class:`CorpusError` with the line for one that is no leaflet. A document in which no section is found gives none; the report
    says so.
    """
    taken: set[str] = set()
    read = [_read_document(number, _leaflet(source, number, line), edition, taken) for number, line in _numbered(text)]
    kept = [document for document in read if document.read.blocks]
    monographs = tuple(document.read.monograph for document in kept)
    blocks = tuple(block for document in kept for block in document.read.blocks)
    heads = tuple(head for document in read for head in document.heads)
    report = FileReport(
        path=source,
        status="accepted" if monographs else "rejected",
        error=None if monographs else "dòng 1: không tờ nào có mục đọc được (Chỉ định, Liều dùng …); nhận dạng chữ lại rồi nhập",
        drugs={monograph.drug_id: monograph.name for monograph in monographs},
        accepted=len(blocks),
        headers=len(heads),
        heads=heads,
        repaired=repaired_blocks(blocks),
        quarantined=quarantined_blocks(blocks),
        rejected=tuple(text for document in read for text in document.rejected),
        warnings=tuple(warning for document in read for warning in document.warnings),
        pages=page_tallies(blocks, by_drug=True),
    )
    return LeafletsImport(monographs, blocks, report, tuple(text for document in read for text in document.outside))


@dataclass(frozen=True, slots=True)
class _Document:
    read: ChapterRead
    heads: tuple[RemovedHead, ...]
    rejected: tuple[RejectedText, ...]
    warnings: tuple[ImportWarning, ...]
    outside: tuple[str, ...]


def _numbered(text: str) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())


def _leaflet(source: str, number: int, line: str) -> _Leaflet:
    try:
        return _Leaflet.model_validate(json.loads(line))
    except (ValueError, RecursionError) as error:
        what = error.errors(include_url=False, include_input=False)[0]["msg"] if isinstance(error, ValidationError) else error
        raise CorpusError(f"{source}, line {number}: is no leaflet ({what}); correct or remove the line") from error


def _read_document(number: int, leaflet: _Leaflet, edition: str, taken: set[str]) -> _Document:
    whole = [clean_text(page.text) for page in leaflet.pages]
    noisy = _is_noisy("\n".join(whole))
    is_label = leaflet.document_type == "label"
    marks = HeadingMarks(leaflet.drug_name, is_label=is_label, is_noisy=noisy)
    paged = _paged(leaflet.pages, marks.marked(whole))
    passages, layout = read_passages(paged)
    remainders: list[Remainder] = []
    chapter = chapter_of(Passage(leaflet.drug_name, 0), passages, remainders, marks.table, strict=noisy)
    monograph = _monograph(leaflet, chapter, edition, taken)
    read = read_chapter(chapter, edition, monograph)
    if noisy:
        read.blocks = [_kept_from_generation(block, "noise_near_digits", _NOISY_NOTE) for block in read.blocks]
    elif is_label:
        read.blocks = [_kept_from_generation(block, "scrambled_columns", _LABEL_NOTE) for block in read.blocks]
    rejected = [_rejected(number, r.passage, r.reason if read.blocks else "no_section_in_leaflet") for r in remainders]
    rejected += (RejectedText(line=number, page=None, reason="layout", text=excerpt(raw)) for _, raw in layout)
    rejected += (_rejected(number, passage, "layout") for passage in read.blank)
    heads = tuple(RemovedHead(text=head.raw, page=pages.first, file_page=pages.first or 0) for head, pages in paged.turns if head.raw)
    warnings = [warning.model_copy(update={"line": number}) for warning in read.warnings]
    warnings += (warning.model_copy(update={"line": number}) for warning in digits_lost("\n".join(whole), paged, passages))
    outside = (*read.outside, *(r.passage.text for r in remainders), *(head.text for head in heads))
    return _Document(read, heads, tuple(rejected), tuple(warnings), outside)


def _monograph(leaflet: _Leaflet, chapter: Chapter, edition: str, taken: set[str]) -> Monograph:
    kind, suffix = _KINDS.get(leaflet.document_type, (leaflet.document_type, f"-{slug(leaflet.document_type)}"))
    trade_name = unicodedata.normalize("NFC", leaflet.drug_name).strip()
    drug_id = f"{slug(trade_name)}-{slug(leaflet.registration_number)}{suffix}"
    if drug_id in taken:
        raise CorpusError(f"{trade_name}, {leaflet.registration_number}: the same document is given twice; keep one")
    taken.add(drug_id)
    return monograph_of(chapter, edition).model_copy(
        update={
            "drug_id": drug_id,
            "name": f"{trade_name} ({kind}, SĐK {leaflet.registration_number})",
            "synonyms": (),
            "brands": (),
            "registration_number": leaflet.registration_number,
        }
    )


def _paged(pages: Sequence[_Page], texts: Sequence[str]) -> PagedText:
    """The pages one after the other; a foot that only counts them ("1/4") is taken out."""
    pieces: list[str] = []
    turns: list[tuple[PageHeader, Pages]] = []
    for page, text in zip(pages, texts, strict=True):
        on = Pages(page.page, page.page)
        body, foot = _without_foot(text, page.page)
        pieces.append(f"{TURN}\n{body}\n")
        turns.append((PageHeader(0, 0, "", ()), on))
        if foot:
            pieces.append(f"{TURN}\n")
            turns.append((PageHeader(0, 0, foot, (page.page,)), on))
    return PagedText("".join(pieces), UNKNOWN_PAGES, tuple(turns), ())


def _without_foot(text: str, page: int) -> tuple[str, str]:
    body, _, last = text.rstrip().rpartition("\n")
    foot = _FOOT.match(last)
    return (body, last.strip()) if foot is not None and int(foot["page"]) == page <= int(foot["pages"]) else (text, "")


def _is_noisy(text: str) -> bool:
    """Whether letters were so often taken for digits ("kh6ng", "thu6c") that no figure of the text can be trusted."""
    found = len(DIGIT_IN_WORD.findall(text))
    return found >= _LEAST_NOISY and found > _NOISY_SHARE * len(text.split())


def _kept_from_generation(block: Block, reason: str, note: str) -> Block:
    update = {"quarantined": True, "quarantine_reason": block.quarantine_reason or reason, "damage_notes": (*block.damage_notes, note)}
    return block.model_copy(update=update)


def _rejected(number: int, passage: Passage, reason: str) -> RejectedText:
    return RejectedText(line=number, page=passage.pages.first, reason=reason, text=excerpt(passage.text))
