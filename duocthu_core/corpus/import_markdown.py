"""Markdown or text with page headers into monographs and blocks (spec 07, "Importing").

Reads a text, returns what it became and a report; touches no file. Any text can be given: what is no monograph is in the report.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from duocthu_core.corpus.import_report import (
    FileReport,
    ImportWarning,
    RejectedText,
    excerpt,
    old_encoding,
    page_tallies,
    quarantined_blocks,
    repaired_blocks,
)
from duocthu_core.corpus.model import Block, Monograph
from duocthu_core.corpus.reading.blocks import blocks_of_section
from duocthu_core.corpus.reading.grouping import SectionDrafts, section_drafts
from duocthu_core.corpus.reading.monographs import Chapter, Chapters, Remainder, monograph_of, split_into_chapters
from duocthu_core.corpus.reading.page_headers import TURN, PagedText, take_out_headers
from duocthu_core.corpus.reading.paragraphs import read_passages
from duocthu_core.corpus.reading.passages import Passage
from duocthu_core.corpus.reading.rules import reading_words
from duocthu_core.text.folding import nfc
from duocthu_core.text.numbers import numeric_tokens

_SURROGATE = re.compile("[\ud800-\udfff]")
_DIGIT = re.compile(r"\d")
_FIGURE_RUN = re.compile(r"\d(?:[\d.,/~^\u00a0\u2009\u202f ]*\d)?")
_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1d\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class MarkdownImport:
    """What one text became."""

    monographs: tuple[Monograph, ...]
    blocks: tuple[Block, ...]
    report: FileReport
    outside: tuple[str, ...]
    """Every text of the source that stands in no block's text, once where it stood: names, headings, labels, and what was rejected.
    Their numeric tokens, those of the blocks' texts and those of the running heads are the source's, one for one."""


@dataclass(slots=True)
class ChapterRead:
    """What one monograph became."""

    monograph: Monograph
    blocks: list[Block] = field(default_factory=list)
    warnings: list[ImportWarning] = field(default_factory=list)
    blank: list[Passage] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)


def import_markdown(text: str, source: str, edition: str) -> MarkdownImport:
    """The monographs and blocks of ``text``. ``source`` names it in the report; ``edition`` goes into every part.

    Never raises on any text. A text without a monograph gives none, and a report with status ``rejected``.
    """
    headers = reading_words()["page_headers"]
    paged = take_out_headers(clean_text(text), headers["marks"], headers["page_words"])
    passages, layout = read_passages(paged)
    chapters = split_into_chapters(passages)
    read = [read_chapter(chapter, edition) for chapter in chapters.chapters]
    for chapter, found in zip(chapters.chapters, read, strict=True):
        layout += ((passage.line, passage.text) for passage in found.blank)
        if not found.blocks:
            chapters.remainders.append(Remainder(chapter.passage, "no_section_under_name"))
    monographs = tuple(found.monograph for found in read if found.blocks)
    blocks = tuple(block for found in read for block in found.blocks)
    rejected = _rejected(chapters, layout)
    report = FileReport(
        path=source,
        status="accepted" if monographs else "rejected",
        error=None if monographs else _no_monograph(rejected),
        drugs={monograph.drug_id: monograph.name for monograph in monographs},
        accepted=len(blocks),
        headers=len(paged.turns),
        repaired=repaired_blocks(blocks),
        quarantined=quarantined_blocks(blocks),
        rejected=rejected,
        warnings=(
            *(ImportWarning(line=line, reason="page_sequence", detail=what) for line, what in paged.problems),
            *(warning for found in read for warning in found.warnings),
            *_page_warnings(blocks),
            *digits_lost(text, paged, passages),
        ),
        pages=page_tallies(blocks),
    )
    outside = (*(piece for found in read for piece in found.outside), *(r.passage.text for r in chapters.remainders))
    return MarkdownImport(monographs, blocks, report, outside)


def clean_text(text: str) -> str:
    """NFC text with line feeds only and without the character that stands for a running head. Surrogates of broken input are marked."""
    whole = text.encode("utf-8", "replace").decode("utf-8") if _SURROGATE.search(text) else text
    return _LINE_ENDS.sub("\n", nfc(whole).replace(TURN, " ").removeprefix("\ufeff"))


def read_chapter(chapter: Chapter, edition: str, monograph: Monograph | None = None) -> ChapterRead:
    """The monograph and the blocks of one chapter, whatever file it was read from. ``monograph``: where the source names it itself."""
    read = ChapterRead(monograph or monograph_of(chapter, edition))
    numbers: Counter[str] = Counter()
    for section in chapter.sections:
        found = section_drafts(section)
        read.blank += found.blank
        made = blocks_of_section(section, found.drafts, read.monograph.drug_id, edition, numbers[section.key] + 1)
        changed = changed_numbers((p.text for p in section.passages), texts_of(made, found))
        if changed:  # never happens while reading is right; if it does, nothing of the section is generated over
            made = [block.model_copy(update={"quarantined": True, "quarantine_reason": "numbers_changed"}) for block in made]
            read.warnings.append(ImportWarning(line=section.line, reason="numbers_changed", detail=f"{section.heading.printed}: {changed}"))
        numbers[section.key] += len(made)
        read.blocks += made
        if section.copy_of is None:
            heading = () if section.goes_on else (section.heading.printed,)
            read.outside += (*heading, *found.labels, *found.subheadings, *(passage.text for passage in found.blank))
        if not made:
            detail = f"{read.monograph.name}: {section.heading.printed}"
            read.warnings.append(ImportWarning(line=section.line, reason="empty_section", detail=detail))
    if read.blocks:
        read.outside.insert(0, chapter.printed_name)
    return read


def texts_of(blocks: Iterable[Block], found: SectionDrafts) -> list[str]:
    """Every text a section became, each once: its blocks, the labels outside them, its subheadings."""
    return [*(block.text for block in blocks), *found.labels, *found.subheadings]


def changed_numbers(before: Iterable[str], after: Iterable[str]) -> str:
    """The numeric tokens that one side has and the other has not; empty where they are the same."""
    there, here = Counter(before), Counter(after)
    before, after = list((there - here).elements()), list((here - there).elements())  # most texts are the same on both sides
    if _figures(before) == _figures(after):
        return ""
    there = Counter(token.text for text in before for token in numeric_tokens(text))
    here = Counter(token.text for text in after for token in numeric_tokens(text))
    parts = [f"mất {token} (×{count})" for token, count in (there - here).items()]
    parts += [f"thêm {token} (×{count})" for token, count in (here - there).items()]
    return "; ".join(parts)


def _figures(texts: Iterable[str]) -> Counter[str]:
    """Runs of digits with what may stand inside a number: the same runs are the same tokens."""
    return Counter(run for text in texts for run in _FIGURE_RUN.findall(text))


def digits_lost(text: str, paged: PagedText, passages: Sequence[Passage]) -> tuple[ImportWarning, ...]:
    """Checks that the digits of the source are the digits of the passages, the running heads and what repairs took out."""
    source = _digits([text])
    kept = _digits(passage.text for passage in passages) + _digits(header.raw for header, _ in paged.turns)
    repairs = [placed.repair for passage in passages for placed in passage.repairs if placed.repair.kind != "page_header"]
    kept = kept + _digits(repair.removed for repair in repairs) - _digits(repair.inserted for repair in repairs)
    if source == kept:
        return ()
    detail = ", ".join(f"{digit}: {source[digit]} → {kept[digit]}" for digit in sorted(source | kept) if source[digit] != kept[digit])
    return (ImportWarning(line=None, reason="numbers_changed", detail=detail),)


def _digits(texts: Iterable[str]) -> Counter[str]:
    return Counter(digit for text in texts for digit in _DIGIT.findall(text))


def _page_warnings(blocks: Sequence[Block]) -> tuple[ImportWarning, ...]:
    without = sum(block.page_start is None for block in blocks)
    return (ImportWarning(line=None, reason="no_page", detail=f"{without} khối"),) if without else ()


def _rejected(chapters: Chapters, layout: Sequence[tuple[int, str]]) -> tuple[RejectedText, ...]:
    texts = [
        RejectedText(line=r.passage.line, page=r.passage.pages.first, reason=r.reason, text=excerpt(r.passage.text))
        for r in chapters.remainders
    ]
    texts += [RejectedText(line=line, page=None, reason="layout", text=excerpt(raw)) for line, raw in layout]
    return tuple(sorted(texts, key=lambda text: text.line))


def _no_monograph(rejected: Sequence[RejectedText]) -> str:
    if not rejected:
        return "dòng 1: tệp không có chữ nào; cần tên thuốc viết hoa và các mục của chuyên luận"
    if (told := old_encoding(rejected)) is not None:
        return f"dòng {rejected[0].line}: {told}"
    return f"dòng {rejected[0].line}: không tìm thấy chuyên luận nào; cần một dòng tên thuốc viết hoa, dưới đó có các mục (Chỉ định …)"
