"""What an import did, file by file: nothing is dropped silently (spec 07, "Importing")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from duocthu_core.corpus.model import Block, Repair

FileStatus = Literal["accepted", "rejected"]
_EXCERPT = 80
_NAMES = 40
"""Names of drugs that a report lists."""

REASONS = {
    "table": "bảng",
    "formula": "công thức",
    "lost_sign": "mất ký hiệu",
    "noise_near_digits": "nhiễu ký tự cạnh chữ số",
    "split_number": "con số bị ngắt giữa hai dòng",
    "scrambled_columns": "dấu hiệu lẫn cột",
    "before_first_monograph": "đứng trước chuyên luận đầu tiên",
    "no_section_under_name": "dưới tên thuốc này không có mục nào",
    "outside_sections": "không thuộc mục nào",
    "no_clinical_section": "mục không có nội dung lâm sàng",
    "unknown_section": "tên mục không biết: không nhập vào mục nào",
    "name_is_missing": "chuyên luận mới không có tên",
    "repeated_drug": "thuốc đã có trong tệp này",
    "layout": "dấu trình bày, không có chữ",
    "empty_section": "mục không có nội dung",
    "page_sequence": "số trang không nối tiếp",
    "numbers_changed": "chữ số trước và sau khi nhập không khớp",
    "no_page": "không có số trang",
    "estimated_pages": "số trang ước lượng",
    "no_text_layer": "trang chỉ có ảnh, không có lớp chữ: không nhập",
    "pages_missing": "trước đó thiếu trang, không rõ thuộc thuốc nào",
    "no_section_in_leaflet": "không nhận ra mục nào trong tờ này: nhận dạng chữ lại",
    "turned_text": "chữ xoay dọc ở lề",
}
"""Vietnamese words for the reason codes of a report."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RepairedBlock(_Part):
    """A block and every change made to its text. A digit is never one of them."""

    block_id: str
    page: int | None
    repairs: tuple[Repair, ...]


class QuarantinedBlock(_Part):
    """A block that is shown but never generated over."""

    block_id: str
    page: int | None
    reason: str
    text: str


class RejectedText(_Part):
    """Text of the source that is in no block."""

    line: int
    page: int | None
    reason: str
    text: str
    """Its beginning."""
    file_page: int | None = None
    """Of a PDF: the page of the file, from 1; ``line`` counts within it."""


class ImportWarning(_Part):
    """Something a person should look at; the text itself is kept."""

    line: int | None
    reason: str
    detail: str
    file_page: int | None = None
    """Of a PDF: the page of the file, from 1; ``line`` counts within it."""


class RemovedHead(_Part):
    """A running head that was taken out of the text and became the page."""

    text: str
    page: int | None
    file_page: int


class PageTally(_Part):
    """What one printed page gave."""

    page: int | None
    blocks: int
    repaired: int
    quarantined: int
    drug_id: str = ""
    """Only where every drug has pages of its own, as leaflets have."""


class FileReport(_Part):
    """One file of an import."""

    path: str
    status: FileStatus
    error: str | None = None
    """Why the file was rejected, with its line; None where it was accepted."""
    drugs: dict[str, str] = Field(default_factory=dict)
    """drug_id to name."""
    accepted: int = 0
    """Blocks made, quarantined ones included."""
    headers: int = 0
    """Running heads taken out."""
    heads: tuple[RemovedHead, ...] = ()
    """Of a PDF: these heads."""
    file_pages: int = 0
    """Of a PDF: pages of the file."""
    repaired: tuple[RepairedBlock, ...] = ()
    quarantined: tuple[QuarantinedBlock, ...] = ()
    rejected: tuple[RejectedText, ...] = ()
    warnings: tuple[ImportWarning, ...] = ()
    pages: tuple[PageTally, ...] = ()

    def lines(self) -> Iterator[str]:
        """The report of this file for a terminal."""
        if self.error is not None:
            yield f"{self.path}: KHÔNG nhập: {self.error}"
            return
        names = ", ".join(tuple(self.drugs.values())[:_NAMES])
        names += f" … và {len(self.drugs) - _NAMES} chuyên luận khác" if len(self.drugs) > _NAMES else ""
        pages = f"{self.file_pages} trang, " if self.file_pages else ""
        yield f"{self.path}: {pages}{len(self.drugs)} chuyên luận ({names}), {self.accepted} khối, {self.headers} tiêu đề trang đã bỏ"
        yield f"  đã sửa (đánh dấu, ngắt dòng, tiêu đề trang): {len(self.repaired)} khối"
        if self.quarantined:
            reasons = Counter(REASONS.get(block.reason, block.reason) for block in self.quarantined)
            yield f"  cách ly {len(self.quarantined)} khối: " + ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
        if self.file_pages:
            yield from self._page_lines()
        else:
            yield from self._rejected_lines()
        yield from self._warning_lines()

    def _rejected_lines(self) -> Iterator[str]:
        """Runs of texts that were not imported for one reason, each by its first."""
        runs = groupby(self.rejected, key=lambda text: (text.page, text.reason))
        for (_, reason), run in runs:
            first, *others = run
            many = f" và {len(others)} đoạn sau" if others else ""
            yield f"  dòng {first.line}: không nhập ({REASONS.get(reason, reason)}): {first.text}{many}"

    def _warning_lines(self) -> Iterator[str]:
        for warning in self.warnings:
            where = f"dòng {warning.line}: " if warning.line is not None else ""
            where = f"trang {warning.file_page} của tệp: " if warning.file_page is not None else where
            yield f"  {where}{REASONS.get(warning.reason, warning.reason)}: {warning.detail}"

    def _page_lines(self) -> Iterator[str]:
        """Of a PDF, page by page: what was quarantined and why, and what was not imported and why."""
        quarantined: dict[int | None, list[str]] = {}
        for block in self.quarantined:
            quarantined.setdefault(block.page, []).append(REASONS.get(block.reason, block.reason))
        for page in sorted(quarantined, key=lambda page: (page is None, page or 0)):
            reasons = ", ".join(f"{reason} {count}" for reason, count in Counter(quarantined[page]).most_common())
            yield f"  trang {page or '?'}: cách ly {len(quarantined[page])} khối: {reasons}"
        rejected: dict[tuple[int, int | None, str], list[str]] = {}
        for text in self.rejected:
            rejected.setdefault((text.file_page or 0, text.page, text.reason), []).append(text.text)
        for (file_page, page, reason), texts in rejected.items():
            printed = f" (trang in {page})" if page is not None else ""
            said = REASONS.get(reason, reason)
            yield f"  trang {file_page} của tệp{printed}: không nhập {len(texts)} đoạn ({said}), từ “{texts[0]}”"


class ImportReport(_Part):
    """An import: whole or not at all. ``written`` is False where a file failed and the old corpus stayed."""

    edition: str
    corpus_path: str
    merged: bool = False
    written: bool = False
    corpus_id: str | None = None
    files: tuple[FileReport, ...] = ()
    problem: str | None = None
    """Why the files together made no corpus."""

    @property
    def failed(self) -> bool:
        """Whether nothing was written."""
        return not self.written

    def readable(self) -> str:
        """The report for a terminal, in Vietnamese."""
        lines = [line for file in self.files for line in file.lines()]
        if self.problem:
            lines.append(self.problem)
        if self.written:
            lines.append(f"Đã ghi {self.corpus_path} ({self.edition}), {self.corpus_id}")
        else:
            lines.append(f"Không ghi gì: {self.corpus_path} giữ nguyên. Sửa các tệp nêu trên rồi nhập lại.")
        return "\n".join(lines)


def excerpt(text: str) -> str:
    """The beginning of a text on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _EXCERPT else flat[: _EXCERPT - 1] + "…"


def old_encoding(rejected: Sequence[RejectedText]) -> str | None:
    """What to say of a source without a monograph whose letters are not those of Vietnamese in Unicode; None where they are.

    In TCVN3 and VNI fonts, and in a broken text layer, letters with marks are other characters: none of ạ … ỹ is among them.
    """
    sample = "".join(text.text for text in rejected[:200])
    if len(sample) <= 60 or sum("ạ" <= letter <= "ỹ" for letter in sample.lower()) >= 0.01 * len(sample):
        return None
    return "chữ không phải tiếng Việt Unicode (có thể là phông cũ TCVN3, VNI, hoặc lớp chữ hỏng); chuyển hoặc xuất lại tệp dạng Unicode"


def repaired_blocks(blocks: Iterable[Block]) -> tuple[RepairedBlock, ...]:
    """The blocks with repairs."""
    return tuple(RepairedBlock(block_id=b.block_id, page=b.page_start, repairs=b.repairs) for b in blocks if b.repairs)


def quarantined_blocks(blocks: Iterable[Block]) -> tuple[QuarantinedBlock, ...]:
    """The blocks in quarantine."""
    return tuple(
        QuarantinedBlock(block_id=b.block_id, page=b.page_start, reason=b.quarantine_reason or "", text=excerpt(b.text))
        for b in blocks
        if b.quarantined
    )


def page_tallies(blocks: Iterable[Block], *, by_drug: bool = False) -> tuple[PageTally, ...]:
    """Counts by the page a block begins on; blocks without a page last. ``by_drug``: every drug has pages of its own (leaflets)."""
    made: Counter[tuple[str, int | None]] = Counter()
    repaired: Counter[tuple[str, int | None]] = Counter()
    quarantined: Counter[tuple[str, int | None]] = Counter()
    for block in blocks:
        place = (block.drug_id if by_drug else "", block.page_start)
        made[place] += 1
        repaired[place] += bool(block.repairs)
        quarantined[place] += block.quarantined
    drugs = {drug_id: number for number, drug_id in enumerate(dict.fromkeys(drug_id for drug_id, _ in made))}
    places = sorted(made, key=lambda place: (drugs[place[0]], place[1] is None, place[1] or 0))
    return tuple(
        PageTally(page=place[1], blocks=made[place], repaired=repaired[place], quarantined=quarantined[place], drug_id=place[0])
        for place in places
    )
