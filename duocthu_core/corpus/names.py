"""The list of drug names beside the corpus: Vietnamese names, INN, brands, combinations, look-alikes (spec 07, "What ships")."""

from __future__ import annotations

import csv
import unicodedata
from pathlib import Path

from duocthu_core.corpus.collection import CorpusError

COLUMNS = ("vi_name", "inn", "brands", "combination_of", "look_alikes")


def load_names(path: Path) -> tuple[dict[str, str], ...]:
    """The rows of a CSV file with the columns :data:`COLUMNS`, in NFC; lists inside a cell are parted by ``;``.

    Raises :class:`CorpusError` for a file that cannot be read or has other columns.
    """
    try:
        text = unicodedata.normalize("NFC", path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path}: the list of names cannot be read ({error}); check the path and that it is UTF-8") from error
    reader = csv.DictReader(text.splitlines())
    if missing := [column for column in COLUMNS if column not in (reader.fieldnames or ())]:
        raise CorpusError(
            f"{path}: the list of names lacks the columns {', '.join(missing)}; its first line must name {', '.join(COLUMNS)}"
        )
    return tuple({column: row[column] or "" for column in COLUMNS} for row in reader)
