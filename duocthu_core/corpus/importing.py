"""Files into a corpus, whole or not at all (spec 07, "Importing").

A file is read by its suffix: Markdown and text, PDF with a text layer, or JSONL, the product's own or leaflets.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from duocthu_core.corpus.collection import Corpus, CorpusError
from duocthu_core.corpus.import_leaflets import import_leaflets, is_leaflet
from duocthu_core.corpus.import_markdown import import_markdown
from duocthu_core.corpus.import_report import FileReport, ImportReport, page_tallies, quarantined_blocks, repaired_blocks
from duocthu_core.corpus.jsonl import load_corpus, save_corpus
from duocthu_core.corpus.model import Block, Monograph
from duocthu_core.corpus.pdf.import_pdf import PageProgress, forget_reading, import_pdf
from duocthu_core.corpus.pdf.page_reader import PdfError


class ImportStopped(Exception):
    """For a callback to raise when the reader wants to stop. The import ends, the old corpus stays, and what was read of a PDF stays for
    the next run of the same import."""


Progress = Callable[[Path, int, int], None]
"""Called before each file with its path, its number from 1, and how many there are. May raise :class:`ImportStopped`."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """What one file gave."""

    report: FileReport
    monographs: tuple[Monograph, ...] = ()
    blocks: tuple[Block, ...] = ()
    is_demo: bool = False
    notice: str = ""
    journal: Path | None = None
    """What keeps the reading of a PDF until the corpus is written."""


def import_files(
    paths: Sequence[Path],
    edition: str,
    corpus_path: Path,
    progress: Progress | None = None,
    *,
    merge: bool = False,
    on_page: PageProgress | None = None,
) -> ImportReport:
    """Reads ``paths`` into the corpus at ``corpus_path``, under the name ``edition``, and reports file by file.

    Without ``merge`` the new corpus is just these files; with it they replace the drugs they give and the others stay, if the corpus is
    of the same edition. If any file fails, or two give one drug, nothing is written and the old corpus stays as it is. ``on_page`` is
    called after each page of a PDF; an import of a PDF that was killed goes on where it stopped when it is run again.

    Raises only what a callback raises: :class:`ImportStopped` ends the import between two pages or files.
    """
    with _nothing_collected():
        return _import_files(paths, edition, corpus_path, progress, on_page, merge=merge)


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Without the search for unreachable rings of objects: what a book becomes all stays, and going over it again and again costs a fifth
    of the import."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _import_files(
    paths: Sequence[Path], edition: str, corpus_path: Path, progress: Progress | None, on_page: PageProgress | None, *, merge: bool
) -> ImportReport:
    readings: list[_Reading] = []
    for number, path in enumerate(paths, start=1):
        if progress is not None:
            progress(path, number, len(paths))
        if path.suffix.lower() == ".pdf" and edition.strip():
            readings.append(_read_pdf(path, edition, corpus_path, on_page))
        else:
            readings.append(_read(path, edition))
    report = ImportReport(edition=edition, corpus_path=str(corpus_path), merged=merge, files=tuple(reading.report for reading in readings))
    if not edition.strip():
        return report.model_copy(update={"problem": "Chưa nêu tên ấn bản: thêm --edition TÊN."})
    if not readings or any(reading.report.error is not None for reading in readings):
        return report if readings else report.model_copy(update={"problem": "Không có tệp nào để nhập."})
    if (twice := _given_twice(readings)) is not None:
        return report.model_copy(update={"problem": twice})
    try:
        corpus = _assembled(readings, edition, load_corpus(corpus_path) if merge and corpus_path.exists() else None)
        save_corpus(corpus, corpus_path)
    except CorpusError as error:
        return report.model_copy(update={"problem": f"Không ghép được thành một bộ: {error}"})
    except OSError as error:
        return report.model_copy(update={"problem": f"Không ghi được {corpus_path}: {error.strerror or error}"})
    for reading in readings:
        if reading.journal is not None:
            forget_reading(reading.journal)
    return report.model_copy(update={"written": True, "corpus_id": corpus.corpus_id})


def _read(path: Path, edition: str) -> _Reading:
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        known = ", ".join(sorted((*_READERS, ".pdf")))
        return _failed(path, f"không biết cách đọc tệp {path.suffix or 'không có đuôi'}; đọc được: {known}")
    most = _MOST_MEGABYTES[path.suffix.lower()]
    try:
        if (size := path.stat().st_size) > most << 20:
            return _failed(path, f"tệp chữ quá lớn ({size >> 20} MB, nhiều nhất {most} MB); chia thành nhiều tệp theo chuyên luận rồi nhập")
        return reader(path, edition)
    except OSError as error:
        return _failed(path, f"không đọc được ({error.strerror or error}); kiểm tra đường dẫn")
    except UnicodeDecodeError as error:
        return _failed(path, f"byte {error.start} không phải UTF-8; lưu lại tệp dạng UTF-8")
    except CorpusError as error:
        what = str(error).removeprefix(str(path)).lstrip(":, ")
        return _failed(path, f"tệp JSONL không đúng dạng ({what}); sửa chỗ đó hoặc xuất lại tệp")


def _read_markdown(path: Path, edition: str) -> _Reading:
    result = import_markdown(path.read_text(encoding="utf-8-sig"), str(path), edition)
    return _Reading(result.report, result.monographs, result.blocks)


def _read_pdf(path: Path, edition: str, corpus_path: Path, on_page: PageProgress | None) -> _Reading:
    try:
        result = import_pdf(path, edition, corpus_path, on_page)
    except PdfError as error:
        return _failed(path, str(error))
    except OSError as error:
        return _failed(path, f"không đọc được ({error.strerror or error}); kiểm tra đường dẫn")
    return _Reading(result.report, result.monographs, result.blocks, journal=result.journal)


def _read_jsonl(path: Path, edition: str) -> _Reading:
    if _holds_leaflets(path):
        leaflets = import_leaflets(path.read_text(encoding="utf-8-sig"), str(path), edition)
        return _Reading(leaflets.report, leaflets.monographs, leaflets.blocks)
    corpus = load_corpus(path)
    report = FileReport(
        path=str(path),
        status="accepted",
        drugs={drug_id: monograph.name for drug_id, monograph in corpus.monographs.items()},
        accepted=len(corpus.blocks),
        repaired=repaired_blocks(corpus.blocks),
        quarantined=quarantined_blocks(corpus.blocks),
        pages=page_tallies(corpus.blocks),
    )
    return _Reading(report, tuple(corpus.monographs.values()), corpus.blocks, corpus.is_demo, corpus.notice)


def _holds_leaflets(path: Path) -> bool:
    with path.open(encoding="utf-8-sig") as lines:
        first = next((line for line in lines if line.strip()), "")
    try:
        return is_leaflet(json.loads(first))
    except (ValueError, RecursionError):
        return False


_READERS: Mapping[str, Callable[[Path, str], _Reading]] = {
    ".md": _read_markdown,
    ".markdown": _read_markdown,
    ".txt": _read_markdown,
    ".jsonl": _read_jsonl,
}


_MOST_MEGABYTES = {".md": 64, ".markdown": 64, ".txt": 64, ".jsonl": 512}
"""A whole formulary as text has about fifteen: what is larger is something else, and would only fill the memory."""


def _given_twice(readings: Sequence[_Reading]) -> str | None:
    """What to say where two files give one drug; None where none do."""
    givers: dict[str, str] = {}
    for reading in readings:
        for drug in reading.monographs:
            if (other := givers.setdefault(drug.drug_id, reading.report.path)) != reading.report.path:
                names = f"{Path(other).name} và {Path(reading.report.path).name}"
                return f"{drug.name} ({drug.drug_id}) có ở cả {names}; bỏ một trong hai tệp rồi nhập lại."
    return None


def _failed(path: Path, why: str) -> _Reading:
    return _Reading(FileReport(path=str(path), status="rejected", error=why))


def _assembled(readings: Sequence[_Reading], edition: str, old: Corpus | None) -> Corpus:
    new = [(monograph, reading) for reading in readings for monograph in reading.monographs]
    given = {monograph.drug_id for monograph, _ in new}
    if old is not None:
        if old.edition != edition:
            raise CorpusError(f"bộ hiện có là ấn bản {old.edition!r}, không phải {edition!r}; bỏ --merge hoặc dùng đúng tên ấn bản")
        kept = _Reading(FileReport(path="", status="accepted"), tuple(old.monographs.values()), old.blocks, old.is_demo, old.notice)
        kept = replace(
            kept,
            monographs=tuple(monograph for monograph in kept.monographs if monograph.drug_id not in given),
            blocks=tuple(block for block in kept.blocks if block.drug_id not in given),
        )
        readings = (kept, *readings)
    return Corpus.of(
        (monograph for reading in readings for monograph in reading.monographs),
        (block for reading in readings for block in reading.blocks),
        edition,
        is_demo=any(reading.is_demo for reading in readings),
        notice=" ".join(dict.fromkeys(reading.notice for reading in readings if reading.notice)),
    )
