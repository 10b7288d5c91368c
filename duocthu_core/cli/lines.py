"""JSON in and JSON out: one object, or one object a line where a bad line answers with its error and the rest goes on."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, TextIO

from duocthu_core.cli.errors import BadInput, one_line

Answerer = Callable[[dict[str, Any]], Any]


def read_object(stream: TextIO) -> dict[str, Any]:
    """The one JSON object on ``stream``; raises BadInput."""
    return parse_object(stream.read(), "standard input")


def parse_object(text: str, where: str) -> dict[str, Any]:
    """``text`` as one JSON object; raises BadInput that names ``where`` and the fault."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{where}: no valid JSON ({one_line(error)}); give one JSON object") from error
    if not isinstance(value, dict):
        raise BadInput(f"{where}: expected a JSON object, got {type(value).__name__}")
    return value


def answer_lines(stream: TextIO, out: TextIO, answer: Answerer) -> None:
    """One output object for each input line, in order; a line that cannot be used gives ``{"error": …}``."""
    for number, line in enumerate(stream, start=1):
        if not line.strip():
            continue
        try:
            result = answer(parse_object(line, f"line {number}"))
        except BadInput as error:
            result = {"error": one_line(error)}
        print_json(result, out)
        out.flush()


def print_json(value: Any, out: TextIO | None = None) -> None:
    """``value`` as one line of JSON on ``out`` (standard output), Vietnamese as it is written."""
    (out or sys.stdout).write(json.dumps(value, ensure_ascii=False) + "\n")
