"""``corpus import``, ``corpus check`` and ``corpus stats`` (spec 07)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from duocthu_core.cli.errors import BAD_INPUT, DONE, FAILED
from duocthu_core.cli.import_bar import ImportBar
from duocthu_core.cli.lines import print_json
from duocthu_core.corpus.checking import check_corpus
from duocthu_core.corpus.importing import import_files
from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.corpus.statistics import corpus_statistics


def run_import(options: argparse.Namespace, corpus_path: Path) -> int:
    """Imports files into a corpus; the report goes to standard error, or to standard output as JSON."""
    target = options.output or corpus_path
    bar = ImportBar(sys.stderr)
    report = import_files([Path(file) for file in options.files], options.edition, target, merge=options.merge, on_page=bar)
    if options.json:
        print_json(report.model_dump(mode="json"))
    else:
        sys.stderr.write(report.readable() + "\n")
    if report.failed:
        return BAD_INPUT
    return DONE


def run_check(options: argparse.Namespace, corpus_path: Path) -> int:
    """Prints every problem of the corpus; fails if there is one."""
    problems = check_corpus(load_corpus(corpus_path))
    if options.json:
        print_json([problem.model_dump(mode="json") for problem in problems])
    else:
        for problem in problems:
            sys.stderr.write(f"{problem.where}: {problem.what}\n")
        sys.stderr.write(f"{len(problems)} problems\n")
    return FAILED if problems else DONE


def run_stats(_options: argparse.Namespace, corpus_path: Path) -> int:
    """Prints counts of the corpus as JSON."""
    statistics = corpus_statistics(load_corpus(corpus_path))
    print_json(statistics.model_dump(mode="json"))
    return DONE
