"""``corpus import``, ``corpus check`` and ``corpus stats`` (spec 07)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from duocthu_core.cli.errors import BAD_INPUT, DONE, FAILED
from duocthu_core.cli.import_bar import ImportBar
from duocthu_core.cli.lines import print_json
from duocthu_core.corpus.checking import check_corpus
from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.import_report import ImportReport
from duocthu_core.corpus.importing import import_files
from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.corpus.names import load_names
from duocthu_core.corpus.reading.monographs import slug
from duocthu_core.corpus.report_text import full_text
from duocthu_core.corpus.shelf import CorpusShelf
from duocthu_core.corpus.statistics import corpus_statistics
from duocthu_core.settings import Settings


def run_import(options: argparse.Namespace, corpus_path: Path) -> int:
    """Imports files into a corpus; the report goes to standard error, or to standard output as JSON."""
    target = options.output or corpus_path
    bar = ImportBar(sys.stderr)
    try:
        report = import_files([Path(file) for file in options.files], options.edition, target, bar.begin, merge=options.merge, on_page=bar)
    except KeyboardInterrupt:
        bar.end()
        sys.stderr.write(f"Đã dừng: {target} giữ nguyên; chạy lại lệnh này để đi tiếp.\n")
        return FAILED
    if options.report is not None:
        try:
            _write_report(report, options.report)
        except OSError as error:
            sys.stderr.write(f"Không ghi được báo cáo {options.report}: {error.strerror or error}\n")
            return FAILED
    if options.json:
        print_json(report.model_dump(mode="json"))
    else:
        sys.stderr.write(report.readable() + "\n")
    if report.failed:
        return BAD_INPUT
    return DONE


def _write_report(report: ImportReport, path: Path) -> None:
    """The whole report: JSON for a name that ends so, else a text page by page."""
    is_json = path.suffix.lower() == ".json"
    path.write_text(report.model_dump_json(indent=2) + "\n" if is_json else full_text(report), encoding="utf-8")


def run_check(options: argparse.Namespace, settings: Settings) -> int:
    """Prints every problem of the corpus that answers; fails if there is one. Numbers of ``--source`` must be kept, ``--names`` must have
    drugs."""
    corpus = _answering_corpus(settings)
    try:
        sources = {str(path): path.read_text(encoding="utf-8-sig") for path in options.source}
        names = {row["vi_name"]: slug(row["vi_name"]) for row in load_names(options.names)} if options.names is not None else {}
    except (OSError, UnicodeDecodeError) as error:
        sys.stderr.write(f"{getattr(error, 'filename', None) or 'source'}: cannot be read as UTF-8 text; check the path\n")
        return BAD_INPUT
    problems = check_corpus(corpus, names, sources)
    if options.json:
        print_json([problem.model_dump(mode="json") for problem in problems])
    else:
        for problem in problems:
            sys.stderr.write(f"{problem.where}: {problem.what}\n")
        sys.stderr.write(f"{len(problems)} problems\n")
    return FAILED if problems else DONE


def _answering_corpus(settings: Settings) -> Corpus:
    """The corpus that answers questions: the one chosen on the corpus page, else the configured one. Standard error says which."""
    shelf = CorpusShelf(settings.data_dir)
    chosen = shelf.load_chosen()
    corpus = chosen or load_corpus(settings.corpus_path)
    where = f"đã chọn ở trang Dược thư, {shelf.folder / (shelf.chosen() or '')}" if chosen else str(settings.corpus_path)
    sys.stderr.write(f"Bộ sách đang trả lời: {corpus.edition} ({where})\n")
    return corpus


def run_stats(_options: argparse.Namespace, settings: Settings) -> int:
    """Prints counts of the corpus that answers as JSON."""
    statistics = corpus_statistics(_answering_corpus(settings))
    print_json(statistics.model_dump(mode="json"))
    return DONE
