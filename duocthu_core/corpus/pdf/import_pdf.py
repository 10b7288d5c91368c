"""A PDF with a text layer into monographs and blocks, with a report (spec 07, "Importing").

The book is read page by page and drug by drug; what is done is kept in a journal beside the corpus, so that a run that was killed is
gone on with. Nothing is written to the corpus here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from duocthu_core.corpus.collection import CorpusError
from duocthu_core.corpus.import_markdown import read_chapter
from duocthu_core.corpus.import_report import (
    FileReport,
    ImportWarning,
    RejectedText,
    RemovedHead,
    excerpt,
    old_encoding,
    page_tallies,
    quarantined_blocks,
    repaired_blocks,
)
from duocthu_core.corpus.model import Block, Monograph
from duocthu_core.corpus.names import load_names
from duocthu_core.corpus.pdf.journal import Journal, Resume, SlabRecord
from duocthu_core.corpus.pdf.page_numbers import Head, NumberedSheet, PageNumbers, prints_numbers
from duocthu_core.corpus.pdf.page_reader import PdfError, PdfPages, ReadPage
from duocthu_core.corpus.pdf.paragraphs import LINES_A_PAGE, Arrival, Note, PlacedLine, passages_of
from duocthu_core.corpus.pdf.slabs import Notes, Slab, placed_lines, slabs_of
from duocthu_core.corpus.reading.monographs import Chapter, Chapters, split_into_chapters
from duocthu_core.corpus.reading.passages import Passage
from duocthu_core.rulesets.loading import RULESETS_FOLDER

PageProgress = Callable[[Path, int, int], None]
"""Called after each page with the file's path, the pages read, and how many there are."""
_PAGES_BEFORE = 8
"""Pages that are read again before the place where a run goes on, so that running heads are known by their neighbours."""
_NAMES = RULESETS_FOLDER.parent / "corpus" / "names.csv"
_CHANGED = "numbers_changed"


@dataclass(frozen=True, slots=True)
class PdfImport:
    """What a PDF became. ``outside``: every text that stands in no block's text, once where it stood (see import_markdown).
    ``journal``: the file that keeps what was read until the corpus is written (see :func:`forget_reading`)."""

    monographs: tuple[Monograph, ...]
    blocks: tuple[Block, ...]
    report: FileReport
    outside: tuple[str, ...]
    journal: Path


def import_pdf(path: Path, edition: str, corpus_path: Path, progress: PageProgress | None = None) -> PdfImport:
    """The monographs and blocks of the PDF at ``path``, on its way into the corpus at ``corpus_path``.

    Raises :class:`PdfError` with one line for a file that is no PDF, is broken, is locked with a password, or has no text layer.
    A PDF without a monograph gives none, and a report with status ``rejected``.
    """
    with Journal.of(path, edition, corpus_path) as journal:
        reading = _Reading(path, edition, journal, progress)
        try:
            result = reading.result()
        except PdfError:
            journal.remove()
            raise
        if not result.monographs:
            journal.remove()
        return result


def forget_reading(journal: Path) -> None:
    """Removes the journal of an import, once its corpus is written. Its name depends on the rules: it is the one that was read with,
    though the rules may have been changed since."""
    journal.unlink(missing_ok=True)


class _Reading:
    """One run over a file."""

    def __init__(self, path: Path, edition: str, journal: Journal, progress: PageProgress | None) -> None:
        self._path = path
        self._edition = edition
        self._journal = journal
        self._progress = progress
        self._records: list[SlabRecord] = list(journal.done)
        self._seen = {monograph.drug_id for record in self._records for monograph in record.monographs}
        self._notes = Notes()
        self._places: deque[tuple[int, int, int | None]] = deque()
        """(page of the file, sheet index, offset before it) of the sheets so far."""

    def result(self) -> PdfImport:
        """Reads what is not yet read, and puts all of it together."""
        resume = self._journal.resume
        with PdfPages(self._path, resume.file_page if resume else 0) as pages:
            sampled = [[lines for _, sheets in run for _, lines in sheets] for run in pages.samples]
            estimated = not prints_numbers(sampled)
            numbers = PageNumbers(numbered=not estimated, known=(resume.sheet, resume.offset) if resume else None)
            watched = self._notes.watched(self._counted(pages, pages.count))
            sheets = self._remembered(numbers.numbered(watched, resume.first_sheet if resume else 0))
            lines = _from_place(placed_lines(sheets, self._notes), resume)
            self._read_slabs(slabs_of(lines), estimated=estimated)
            if resume is None and not self._notes.with_text:
                raise PdfError("PDF không có lớp chữ (bản quét ảnh); chạy nhận dạng chữ (OCR) rồi nhập lại")
            return self._put_together(pages.count, estimated=estimated)

    def _counted(self, pages: Iterable[ReadPage], count: int) -> Iterator[ReadPage]:
        for page in pages:
            yield page
            if self._progress is not None:
                self._progress(self._path, page.index + 1, count)

    def _remembered(self, sheets: Iterable[NumberedSheet]) -> Iterator[NumberedSheet]:
        for sheet in sheets:
            self._places.append((sheet.file_page - 1, sheet.index, sheet.offset_before))
            yield sheet

    def _read_slabs(self, slabs: Iterable[Slab], *, estimated: bool) -> None:
        """Reads every slab; what it became is kept once the next one begins."""
        before: SlabRecord | None = None
        for slab in slabs:
            if before is not None:
                self._journal.add(before, self._resume_at(slab.lines[0]))
            before = self._record(slab, estimated=estimated)
            self._records.append(before)

    def _resume_at(self, first: PlacedLine) -> Resume:
        places = self._places
        while len(places) > 1 and places[1][0] <= first.file_page - 1 - _PAGES_BEFORE:
            places.popleft()
        page, sheet, _ = places[0]
        behind = first.sheet - sheet  # the sheets stand in a row, without a gap
        offset = places[behind][2] if 0 <= behind < len(places) else None
        return Resume(page, sheet, first.sheet, first.place, offset)

    # A slab

    def _record(self, slab: Slab, *, estimated: bool) -> SlabRecord:
        arrivals = list(slab.arrivals())
        passages = passages_of(slab.lines, _drug_words())
        changed = any(note.reason == _CHANGED for arrival in arrivals for note in arrival.notes)
        chapters = Chapters() if slab.orphaned else split_into_chapters(passages, front_needed=slab.named)
        monographs: list[Monograph] = []
        blocks: list[Block] = []
        rejected = [_rejected(remainder.passage, remainder.reason) for remainder in chapters.remainders]
        if slab.orphaned:
            rejected += (_rejected(passage, "pages_missing") for passage in passages)
        outside = [*(remainder.passage.text for remainder in chapters.remainders), *(p.text for p in passages if slab.orphaned)]
        warnings: list[ImportWarning] = []
        for chapter in chapters.chapters:
            read = read_chapter(chapter, self._edition)
            reason = "repeated_drug" if read.monograph.drug_id in self._seen else None if read.blocks else "no_section_under_name"
            if reason is not None:
                texts = list(_passages_of(chapter)) if read.blocks else [chapter.passage]
                rejected += (_rejected(passage, reason) for passage in texts)
                outside += (*(block.text for block in read.blocks), *read.outside, *([] if read.blocks else [chapter.printed_name]))
                continue
            self._seen.add(read.monograph.drug_id)
            monographs.append(read.monograph)
            blocks += read.blocks
            outside += read.outside
            warnings += (_warning(warning) for warning in read.warnings)
            rejected += (_rejected(passage, "layout") for passage in read.blank)
        blocks = [_marked(block, estimated=estimated, changed=changed) for block in blocks] if estimated or changed else blocks
        return SlabRecord(
            monographs=tuple(monographs),
            blocks=tuple(blocks),
            heads=tuple(_removed(head) for arrival in arrivals for head in arrival.heads),
            rejected=tuple(sorted((*rejected, *_turned(arrivals)), key=lambda text: (text.file_page or 0, text.line))),
            warnings=(*warnings, *_noted(note for arrival in arrivals for note in arrival.notes)),
            outside=tuple(outside),
        )

    # All of it

    def _put_together(self, file_pages: int, *, estimated: bool) -> PdfImport:
        left = self._notes.left_over
        records = [
            *self._records,
            SlabRecord(heads=tuple(map(_removed, left.heads)), rejected=tuple(_turned([left])), warnings=tuple(_noted(left.notes))),
        ]
        monographs = tuple(monograph for record in records for monograph in record.monographs)
        blocks = tuple(block for record in records for block in record.blocks)
        rejected = tuple(text for record in records for text in record.rejected)
        warnings = [warning for record in records for warning in record.warnings]
        if estimated and monographs:
            detail = "sách không in số trang ở đầu hay chân trang: dùng số thứ tự trang của tệp, hiện kèm chữ “khoảng”"
            warnings.append(ImportWarning(line=None, reason="estimated_pages", detail=detail))
        without = sum(block.page_start is None for block in blocks)
        if without:
            warnings.append(ImportWarning(line=None, reason="no_page", detail=f"{without} khối"))
        heads = tuple(head for record in records for head in record.heads)
        report = FileReport(
            path=str(self._path),
            status="accepted" if monographs else "rejected",
            error=None if monographs else _no_monograph(rejected),
            drugs={monograph.drug_id: monograph.name for monograph in monographs},
            accepted=len(blocks),
            headers=len(heads),
            heads=heads,
            file_pages=file_pages,
            repaired=repaired_blocks(blocks),
            quarantined=quarantined_blocks(blocks),
            rejected=rejected,
            warnings=tuple(warnings),
            pages=page_tallies(blocks),
        )
        return PdfImport(monographs, blocks, report, tuple(text for record in records for text in record.outside), self._journal.path)


def _from_place(lines: Iterable[PlacedLine], resume: Resume | None) -> Iterator[PlacedLine]:
    """``lines`` from the one on which an earlier run left off."""
    start = (resume.sheet, resume.place) if resume else (0, 0)
    return (placed for placed in lines if (placed.sheet, placed.place) >= start)


def _passages_of(chapter: Chapter) -> Iterator[Passage]:
    yield chapter.passage
    for section in chapter.sections:
        if section.copy_of is None:
            yield from section.passages


def _marked(block: Block, *, estimated: bool, changed: bool) -> Block:
    update: dict[str, object] = {"page_estimated": True} if estimated and block.page_start is not None else {}
    if changed:  # never happens while reading is right; if it does, nothing of the slab is generated over
        update |= {"quarantined": True, "quarantine_reason": _CHANGED}
    return block.model_copy(update=update)


# Parts of the report


def _rejected(passage: Passage, reason: str) -> RejectedText:
    file_page, line = divmod(passage.line, LINES_A_PAGE)
    return RejectedText(line=line, page=passage.pages.first, file_page=file_page, reason=reason, text=excerpt(passage.text))


def _warning(warning: ImportWarning) -> ImportWarning:
    if warning.line is None:
        return warning
    file_page, line = divmod(warning.line, LINES_A_PAGE)
    return warning.model_copy(update={"line": line, "file_page": file_page})


def _turned(arrivals: Sequence[Arrival]) -> Iterator[RejectedText]:
    for note in (note for arrival in arrivals for note in arrival.notes if note.reason == "turned_text"):
        yield RejectedText(line=0, page=note.page, file_page=note.file_page, reason=note.reason, text=excerpt(note.detail))


def _noted(notes: Iterable[Note]) -> Iterator[ImportWarning]:
    for note in notes:
        if note.reason != "turned_text":
            yield ImportWarning(line=None, file_page=note.file_page, reason=note.reason, detail=note.detail)


def _removed(head: Head) -> RemovedHead:
    return RemovedHead(text=head.text, page=head.page, file_page=head.file_page)


def _no_monograph(rejected: Sequence[RejectedText]) -> str:
    return (
        old_encoding(rejected)
        or "không tìm thấy chuyên luận nào; cần tên thuốc viết hoa, dưới đó có các mục (Tên chung quốc tế, Chỉ định …)"
    )


@lru_cache(maxsize=1)
def _drug_words() -> frozenset[str]:
    """Words of drug names, folded: whole words that a line may have broken."""
    try:
        rows = load_names(_NAMES)
    except CorpusError:
        return frozenset()
    names = " ".join(f"{row['vi_name']} {row['inn']}" for row in rows)
    return frozenset(word.casefold() for word in names.split() if len(word) > 6 and word.isalpha())
