"""``review queues``, ``export`` and ``import``: review sets on the command line (spec 06, "Traces, exports")."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from duocthu_core.bootstrap import Services
from duocthu_core.cli.errors import DONE, BadInput, one_line
from duocthu_core.cli.exporting import written
from duocthu_core.cli.lines import print_json
from duocthu_core.review.errors import ReviewError
from duocthu_core.review.exporting import export_csv, export_jsonl, import_jsonl


def run_action(options: argparse.Namespace, services: Services) -> int:
    """One action; an unknown queue or a line that cannot be read is bad input."""
    try:
        if options.action == "queues":
            return _queues(services)
        return _export(options, services) if options.action == "export" else _import(options.file, services)
    except ReviewError as error:
        raise BadInput(f"{one_line(error)}; list the queues with: python -m duocthu_core review queues") from None


def _queues(services: Services) -> int:
    progress = services.reviewing.progress("")
    for queue in services.reviewing.queues():
        how_far = progress[queue.queue_id].model_dump(exclude={"mine"})
        print_json({"queue_id": queue.queue_id, "name": queue.name, "stratum": queue.stratum, "progress": how_far})
    return DONE


def _export(options: argparse.Namespace, services: Services) -> int:
    store = services.reviewing.store
    data = export_csv(store, options.queue) if options.format == "csv" else export_jsonl(store, options.queue).encode()
    with written(options.output) as file:
        file.write(data)
    return DONE


def _import(path: Path, services: Services) -> int:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: cannot be read ({one_line(error)}); give an exported JSONL file") from None
    try:
        new = import_jsonl(services.reviewing.store, text.split("\n"))
    except ReviewError as error:
        raise BadInput(f"{path}: {one_line(error)}") from None
    sys.stderr.write(f"{new} new verdicts\n")
    return DONE
