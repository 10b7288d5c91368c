"""Reading eval sets: JSONL, every line checked against the corpus, each error one line with its number."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import get_args

from pydantic import ValidationError

from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.model import SECTION_KEYS
from duocthu_core.evaluation.gold import GoldError, ResolvedItem, resolve
from duocthu_core.evaluation.model import EvalItem, hash_of_items
from duocthu_core.pipeline.trace import Outcome
from duocthu_core.verification.model import RejectReason

EVALS_FOLDER = Path(__file__).resolve().parents[2] / "data" / "evals"


class EvalSetError(Exception):
    """A set that cannot be used; ``problems`` are one line each, with the line of the file."""

    def __init__(self, name: str, problems: Iterable[str]) -> None:
        self.problems = list(problems)
        more = f" (and {len(self.problems) - 1} more)" if len(self.problems) > 1 else ""
        super().__init__(f"eval set {name}: {self.problems[0]}{more}")


@dataclass(frozen=True)
class EvalSet:
    """A checked set: its items with their gold in one corpus."""

    name: str
    items: tuple[ResolvedItem, ...]
    corpus_id: str
    text: str = field(default="", repr=False)
    """The JSONL it was read from."""

    @cached_property
    def set_hash(self) -> str:
        """``sha256:…`` over what is run and expected."""
        return hash_of_items(resolved.item for resolved in self.items)

    @cached_property
    def gold_hashes(self) -> Mapping[str, str]:
        """Block id -> content hash, for every block that the gold stands in."""
        return {block_id: digest for resolved in self.items for block_id, digest in sorted(resolved.block_hashes.items())}

    @property
    def second_read(self) -> int:
        """How many items a second person read."""
        return sum(1 for resolved in self.items if resolved.item.second_reader)

    def item(self, item_id: str) -> ResolvedItem | None:
        """The item of this id."""
        return self._by_id.get(item_id)

    @cached_property
    def _by_id(self) -> Mapping[str, ResolvedItem]:
        return {resolved.item.id: resolved for resolved in self.items}


def stale_blocks(gold_hashes: Mapping[str, str], corpus: Corpus) -> tuple[str, ...]:
    """Blocks that gold stood in when ``gold_hashes`` were taken, and whose text is another (or gone) in ``corpus``."""
    now = {block_id: corpus.block(block_id) for block_id in gold_hashes}
    return tuple(sorted(block_id for block_id, block in now.items() if block is None or block.content_hash != gold_hashes[block_id]))


def load_set(place: str | Path, corpus: Corpus) -> EvalSet:
    """The set in a JSONL file, or of a name in ``data/evals``; raises :class:`EvalSetError` with every problem found."""
    path = Path(place)
    if not path.is_file() and (shipped := EVALS_FOLDER / f"{place}.jsonl").is_file():
        path = shipped
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join(shipped_sets()) or "none"
        raise EvalSetError(str(place), [f"cannot be read ({error}); give a JSONL file or one of: {known}"]) from None
    return read_set(path.stem, text, corpus)


def shipped_sets() -> tuple[str, ...]:
    """Names of the sets in ``data/evals``."""
    return tuple(sorted(path.stem for path in EVALS_FOLDER.glob("*.jsonl")))


def read_set(name: str, text: str, corpus: Corpus) -> EvalSet:
    """A set from JSONL; raises :class:`EvalSetError` with every problem found, one line each.

    The sets read last are kept: pages list them at every press, and a corpus of one id never changes.
    """
    key = (name, text, corpus.corpus_id)
    with _kept_lock:
        if (known := _kept_sets.get(key)) is not None:
            _kept_sets.move_to_end(key)
            return known
    found = _read(name, text, corpus)
    with _kept_lock:
        _kept_sets[key] = found
        while len(_kept_sets) > _SETS_KEPT:
            _kept_sets.popitem(last=False)
    return found


_SETS_KEPT = 8
_kept_sets: OrderedDict[tuple[str, str, str], EvalSet] = OrderedDict()
_kept_lock = threading.Lock()


def _read(name: str, text: str, corpus: Corpus) -> EvalSet:
    problems: list[str] = []
    kept: list[ResolvedItem] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            item = _item(line)
            if item.id in seen:
                raise GoldError(f"id {item.id!r} stands on line {seen[item.id]} already; give every item an id of its own")
            seen[item.id] = number
            _check_words(item)
            kept.append(resolve(item, corpus, number))
        except GoldError as error:
            problems.append(f"line {number}: {error}")
    if not kept and not problems:
        problems.append("holds no item; add a line")
    if problems:
        raise EvalSetError(name, problems)
    return EvalSet(name, tuple(kept), corpus.corpus_id, text)


def _item(line: str) -> EvalItem:
    try:
        given = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise GoldError(f"no valid JSON ({error}); give one object a line") from None
    try:
        return EvalItem.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise GoldError(f"{'.'.join(map(str, first['loc'])) or 'the item'}: {first['msg']}") from None


_OUTCOMES = frozenset(get_args(Outcome))
_REASONS = frozenset(get_args(RejectReason)) | {"*"}


def _check_words(item: EvalItem) -> None:
    if not item.scored_turns:
        raise GoldError("no turn has an expect; give at least the last one what is expected of it")
    for number, turn in enumerate(item.turns, 1):
        for pattern in turn.expect.outcome if turn.expect else ():
            outcome, _, reason = pattern.partition(":")
            if outcome not in _OUTCOMES or (outcome == "abstained") != bool(reason) or (reason and reason not in _REASONS):
                raise GoldError(
                    f"turn {number}: outcome {pattern!r} is unknown; give one of {', '.join(sorted(_OUTCOMES))}, abstained:REASON"
                )
        section = turn.expect.section if turn.expect else None
        if section is not None and section not in SECTION_KEYS:
            raise GoldError(f"turn {number}: section {section!r} is unknown; use one of {', '.join(SECTION_KEYS)}")
