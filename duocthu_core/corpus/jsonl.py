"""The product's own form of a corpus, one JSON object a line (spec 07).

First line ``{"type": "corpus", "format": 1, "edition": …, "demo": bool, "notice": …}``, then each monograph
(``{"type": "monograph", …}``) followed by its blocks (``{"type": "block", …}``) in book order. Fields with their default value are
left out. A block may carry its ``content_hash``; it is then checked. Saving what was loaded gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from duocthu_core.corpus.collection import FORMAT, Corpus, CorpusError, placement_problem
from duocthu_core.corpus.model import Block, Monograph

__all__ = ["CorpusError", "load_corpus", "save_corpus"]


def load_corpus(path: Path) -> Corpus:
    """The corpus stored in ``path``.

    Raises :class:`CorpusError` with one line that names file and line: no file, no JSON, a field missing or unknown, text that is
    not NFC, a block given twice, of no drug, of no known section, or whose ``content_hash`` is another text's.
    """
    reader = _Reader(path)
    for number, line in _numbered_lines(path):
        reader.read(number, line)
    return reader.corpus()


def save_corpus(corpus: Corpus, path: Path) -> None:
    """Writes ``corpus`` to ``path`` whole or not at all: a temporary file beside it takes its place only when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    digest = hashlib.sha256()
    try:
        with os.fdopen(handle, "wb") as file:
            for line in corpus.stored_lines():
                stored = line.encode()
                digest.update(stored)
                file.write(stored)
            file.flush()
            os.fsync(file.fileno())
        corpus.know_id(digest)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8-sig") as lines:
            yield from ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read ({error.strerror}); check CORPUS_PATH or import a corpus") from error
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path}: is not UTF-8 at byte {error.start}; give a corpus that `corpus import` wrote") from error


class _Reader:
    """What the lines read so far add up to."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._head: dict[str, Any] | None = None
        self._monographs: dict[str, Monograph] = {}
        self._blocks: dict[str, Block] = {}
        self._lines: dict[str, int] = {}

    def read(self, number: int, line: str) -> None:
        if not unicodedata.is_normalized("NFC", line):
            raise self._error(number, "is not in Unicode form NFC; import the text anew")
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise self._error(number, f"is no JSON ({error}); correct or remove the line") from error
        kind = fields.pop("type", None) if isinstance(fields, dict) else None
        if self._head is None:
            self._read_head(number, kind, fields)
        elif kind == "monograph":
            self._read_monograph(number, fields)
        elif kind == "block":
            self._read_block(number, fields)
        else:
            raise self._error(number, f'has "type" {kind!r}; a line after the first is a monograph or a block')

    def corpus(self) -> Corpus:
        """The whole corpus, once every line was read."""
        if self._head is None:
            raise CorpusError(f"{self._path}: is empty; give a corpus that `corpus import` wrote")
        for block in self._blocks.values():
            if (wrong := placement_problem(block, self._monographs)) is not None:
                raise self._error(self._lines[block.block_id], wrong)
        return Corpus(self._monographs, self._blocks.values(), self._head["edition"], self._head["demo"], str(self._head.get("notice", "")))

    def _read_head(self, number: int, kind: Any, fields: Any) -> None:
        if kind != "corpus":
            raise self._error(number, 'is no {"type": "corpus", …}; a corpus begins with one')
        if fields.get("format") != FORMAT:
            raise self._error(number, f"is of format {fields.get('format')!r}; this version reads format {FORMAT}: import the text anew")
        if not isinstance(fields.get("edition"), str) or not fields["edition"].strip():
            raise self._error(number, "names no edition; add it, every answer shows it")
        if not isinstance(fields.setdefault("demo", False), bool):
            raise self._error(number, '"demo" is neither true nor false; correct it')
        self._head = fields

    def _read_monograph(self, number: int, fields: dict[str, Any]) -> None:
        assert self._head is not None
        try:
            monograph = Monograph.model_validate({"edition": self._head["edition"]} | fields)
        except ValidationError as error:
            raise self._error(number, _first_problem("monograph", fields.get("drug_id"), error)) from error
        if monograph.drug_id in self._monographs:
            raise self._error(number, f"gives drug {monograph.drug_id!r} a second time; keep one")
        self._monographs[monograph.drug_id] = monograph

    def _read_block(self, number: int, fields: dict[str, Any]) -> None:
        assert self._head is not None
        claimed = fields.pop("content_hash", None)
        try:
            block = Block.model_validate({"edition": self._head["edition"]} | fields)
        except ValidationError as error:
            raise self._error(number, _first_problem("block", fields.get("block_id"), error)) from error
        if claimed is not None and claimed != block.content_hash:
            raise self._error(number, f"content_hash of block {block.block_id!r} is another text's; restore the text or drop the hash")
        if block.block_id in self._blocks:
            first = self._lines[block.block_id]
            raise self._error(number, f"gives block {block.block_id!r} a second time, first on line {first}; keep one")
        self._blocks[block.block_id] = block
        self._lines[block.block_id] = number

    def _error(self, number: int, what: str) -> CorpusError:
        return CorpusError(f"{self._path}, line {number}: {what}")


def _first_problem(kind: str, name: Any, error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    return f"{kind} {name!r}: {where}: {first['msg'].lower()}; correct the field"
