"""The whole report of an import as a text that a pharmacist can read, page by page (spec 07).

:meth:`ImportReport.readable` is the short form for a terminal; this one leaves nothing out, save that a text is quoted by its beginning.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from duocthu_core.corpus.import_report import REASONS, FileReport, ImportReport, PageTally, QuarantinedBlock, RejectedText, RepairedBlock

_REPAIRS = {
    "page_header": "tiêu đề trang",
    "hyphenation": "gạch nối cuối dòng",
    "markup": "dấu trình bày",
    "white_space": "khoảng trắng",
    "line_join": "nối dòng",
    "separator": "dấu ngăn",
}
_Place = tuple[str, int | None]
"""Drug (only where the pages are each drug's own) and printed page."""


def full_text(report: ImportReport) -> str:
    """What came in, what was repaired, what was quarantined and why, what was rejected and why: file by file and page by page."""
    lines = [f"Báo cáo nhập: {report.edition}", f"Bộ: {report.corpus_path}"]
    lines.append(f"Đã ghi: {report.corpus_id}" if report.written else "KHÔNG ghi gì; bộ cũ giữ nguyên.")
    if report.problem:
        lines.append(report.problem)
    for file in report.files:
        lines += ("", *_file_lines(file))
    return "\n".join(lines) + "\n"


def _file_lines(file: FileReport) -> Iterator[str]:
    yield f"TỆP {file.path}"
    if file.error is not None:
        yield f"  KHÔNG nhập: {file.error}"
    else:
        pages = f"{file.file_pages} trang của tệp, " if file.file_pages else ""
        yield (
            f"  {pages}{len(file.drugs)} chuyên luận, {file.accepted} khối, đã sửa {len(file.repaired)}, cách ly {len(file.quarantined)}, "
            f"tiêu đề trang đã bỏ {file.headers}, đoạn không nhập {len(file.rejected)}"
        )
        yield "  Chuyên luận: " + (", ".join(file.drugs.values()) or "không có")
    yield from _page_lines(file)
    if file.rejected:
        yield "  KHÔNG NHẬP"
        yield from (f"    {_where(text, file)}: {REASONS.get(text.reason, text.reason)}: “{text.text}”" for text in file.rejected)
    if file.warnings:
        yield "  CẦN XEM LẠI"
        for warning in file.warnings:
            where = f"trang {warning.file_page} của tệp: " if warning.file_page else f"dòng {warning.line}: " if warning.line else ""
            yield f"    {where}{REASONS.get(warning.reason, warning.reason)}: {warning.detail}"


def _page_lines(file: FileReport) -> Iterator[str]:
    by_drug = any(tally.drug_id for tally in file.pages)
    repaired = _by_place(file.repaired, by_drug=by_drug)
    quarantined = _by_place(file.quarantined, by_drug=by_drug)
    if file.pages:
        yield "  TỪNG TRANG"
    for tally in file.pages:
        place = (tally.drug_id, tally.page)
        yield f"    {_named(tally, file)}: vào {tally.blocks} khối{_counted(repaired[place], tally)}"
        for block in quarantined[place]:
            assert isinstance(block, QuarantinedBlock)
            yield f"      cách ly {block.block_id} ({REASONS.get(block.reason, block.reason)}): “{block.text}”"


def _by_place(
    blocks: Iterable[RepairedBlock | QuarantinedBlock], *, by_drug: bool
) -> defaultdict[_Place, list[RepairedBlock | QuarantinedBlock]]:
    found: defaultdict[_Place, list[RepairedBlock | QuarantinedBlock]] = defaultdict(list)
    for block in blocks:
        found[block.block_id.partition("/")[0] if by_drug else "", block.page].append(block)
    return found


def _named(tally: PageTally, file: FileReport) -> str:
    page = f"trang {tally.page}" if tally.page is not None else "không rõ trang"
    return f"{file.drugs.get(tally.drug_id, tally.drug_id)}, {page}" if tally.drug_id else page


def _counted(blocks: Iterable[RepairedBlock | QuarantinedBlock], tally: PageTally) -> str:
    repairs = (repair for block in blocks if isinstance(block, RepairedBlock) for repair in block.repairs)
    kinds = Counter(_REPAIRS.get(repair.kind, repair.kind) for repair in repairs)
    said = f"; đã sửa {tally.repaired} (" + ", ".join(f"{kind} {count}" for kind, count in kinds.most_common()) + ")" if kinds else ""
    return said + (f"; cách ly {tally.quarantined}" if tally.quarantined else "")


def _where(text: RejectedText, file: FileReport) -> str:
    printed = f"trang in {text.page}" if text.page is not None else ""
    if text.file_page is not None:
        return f"trang {text.file_page} của tệp" + (f" ({printed})" if printed else "")
    return f"dòng {text.line}" + (f", {printed}" if printed and file.pages else "")
