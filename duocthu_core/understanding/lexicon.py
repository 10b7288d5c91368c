"""One compiled lexicon over many phrase tables: a question is read once, and every table's hits fall out of that one pass.

Unlike :class:`~duocthu_core.text.phrases.PhraseMatcher`, which consumes words, this reports *every* occurrence, because the tables
need to see one another: "người lớn" inside "người lớn tuổi", a hit inside a phrase that cancels it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from duocthu_core.text.folding import collapse_spaces, fold, has_marks, nfc, strip_marks
from duocthu_core.text.phrases import Word, words
from duocthu_core.text.spans import Span


@dataclass(frozen=True, slots=True)
class Entry:
    """A phrase of a table and what it stands for."""

    table: str
    value: str
    phrase: str
    case_sensitive: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """One occurrence: words ``first`` to ``last - 1`` of the text."""

    entry: Entry
    first: int
    last: int
    span: Span
    words: str
    """As typed."""
    with_marks: bool = True

    @property
    def value(self) -> str:
        """What the phrase stands for."""
        return self.entry.value

    def covers(self, other: Hit) -> bool:
        """Whether ``other`` lies wholly inside this hit."""
        return self.first <= other.first and other.last <= self.last

    def overlaps(self, other: Hit) -> bool:
        """Whether the two hits share a word."""
        return self.first < other.last and other.first < self.last


class Places:
    """Places of a text, asked by bisection, so that many of them cost no more than few."""

    def __init__(self, spans: Iterable[Span]) -> None:
        merged: list[Span] = []
        for span in sorted(spans):
            if merged and span.start < merged[-1].end:
                merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
            else:
                merged.append(span)
        self._spans = merged
        self._starts = [span.start for span in merged]

    def __bool__(self) -> bool:
        return bool(self._spans)

    def overlap(self, span: Span) -> bool:
        """Whether any place shares a character with ``span``."""
        position = bisect_left(self._starts, span.end)
        return position > 0 and self._spans[position - 1].end > span.start

    def cover(self, span: Span) -> bool:
        """Whether ``span`` lies inside one place."""
        position = bisect_right(self._starts, span.start)
        return position > 0 and self._spans[position - 1].end >= span.end


class TextWords:
    """A text cut into words once, for every table."""

    def __init__(self, text: str, spellings: Mapping[str, str] | None = None) -> None:
        """``spellings``: chat spellings of single words ("ko") -> what they are compared as ("không")."""
        self.text = text
        self.words: list[Word] = words(text)
        if spellings:
            self.words = [Word(spellings[word.folded], word.span) if word.folded in spellings else word for word in self.words]
        self.unmarked = not has_marks(text)
        """The whole text was typed without Vietnamese marks."""

    def without(self, places: Places) -> TextWords:
        """The same text with the words of ``places`` left out: "uống hapacol bao nhiêu" is asked like "uống bao nhiêu"."""
        rest = TextWords.__new__(TextWords)
        rest.text, rest.unmarked = self.text, self.unmarked
        rest.words = [word for word in self.words if not places.overlap(word.span)]
        return rest

    def span(self, first: int, last: int) -> Span:
        """The span of words ``first`` to ``last - 1``."""
        return Span(self.words[first].span.start, self.words[last - 1].span.end)

    def typed(self, first: int, last: int) -> str:
        """Those words as typed."""
        return self.span(first, last).of(self.text)


class Lexicon:
    """Phrases of many tables, filled with :meth:`add`, then :meth:`find`.

    Within one table the first entry of a phrase wins. ``accentless`` forms are matched against words typed without marks anywhere;
    in a text that carries no mark at all every phrase of two words or more whose bare form is its table's alone is matched too
    (spec 02, "Text rules").
    """

    def __init__(self) -> None:
        self._marked: dict[tuple[str, ...], list[Entry]] = defaultdict(list)
        self._accentless: dict[tuple[str, ...], list[Entry]] = defaultdict(list)
        self._bare: dict[tuple[str, ...], list[Entry]] = defaultdict(list)
        self._lengths: dict[str, tuple[int, ...]] = {}

    def add(self, table: str, value: str, phrases: Iterable[str], accentless: Iterable[str] = (), *, case_sensitive: bool = False) -> None:
        """Adds ``phrases`` of ``table`` that stand for ``value``."""
        for phrase in phrases:
            entry = Entry(table, value, str(phrase), case_sensitive)
            key = phrase_key(str(phrase))
            _append(self._marked, key, entry)
            if len(key) > 1 and not case_sensitive:
                _append(self._bare, tuple(strip_marks(word) for word in key), entry)
        for phrase in accentless:
            _append(self._accentless, phrase_key(strip_marks(str(phrase))), Entry(table, value, str(phrase)))
        self._lengths = {}

    def find(self, text: TextWords, tables: Sequence[str] = ()) -> dict[str, list[Hit]]:
        """Every hit by table (of ``tables`` only, where given), in order of place, longer before shorter at one place."""
        lengths = self._lengths or self._count_lengths()
        found: dict[str, list[Hit]] = defaultdict(list)
        folded = [word.folded for word in text.words]
        for position, first_word in enumerate(folded):
            for length in lengths.get(first_word, ()):
                last = position + length
                if last > len(folded):
                    continue
                key = tuple(folded[position:last])
                seen: set[str] = set()
                for entries, with_marks in self._entries(key, text.unmarked):
                    for entry in entries:
                        if tables and entry.table not in tables:
                            continue
                        if entry.table in seen or (entry.case_sensitive and text.typed(position, last) != entry.phrase):
                            continue
                        seen.add(entry.table)
                        found[entry.table].append(
                            Hit(entry, position, last, text.span(position, last), text.typed(position, last), with_marks)
                        )
        return found

    def _entries(self, key: tuple[str, ...], unmarked: bool) -> Iterable[tuple[Sequence[Entry], bool]]:
        if key in self._marked:
            yield self._marked[key], True
        if key in self._accentless:
            yield self._accentless[key], False
        if unmarked and key in self._bare:
            yield [entry for entry in self._bare[key] if self._bare_is_sure(key, entry)], False

    def _bare_is_sure(self, key: tuple[str, ...], entry: Entry) -> bool:
        return all(other.value == entry.value for other in self._bare[key] if other.table == entry.table)

    def _count_lengths(self) -> dict[str, tuple[int, ...]]:
        lengths: dict[str, set[int]] = defaultdict(set)
        for table in (self._marked, self._accentless, self._bare):
            for key in table:
                if key:
                    lengths[key[0]].add(len(key))
        self._lengths = {word: tuple(sorted(found, reverse=True)) for word, found in lengths.items()}
        return self._lengths

    @property
    def vocabulary(self) -> frozenset[str]:
        """Every single word of every phrase, folded and without marks."""
        return frozenset(strip_marks(word) for key in self._marked for word in key)


def phrase_key(phrase: str) -> tuple[str, ...]:
    """The words of a phrase, folded: what is compared."""
    return tuple(word.folded for word in words(fold(collapse_spaces(nfc(phrase)))))


def longest(hits: Iterable[Hit]) -> list[Hit]:
    """Leftmost-longest choice among ``hits``: none of the result overlaps another (spec 02, "longest phrase first")."""
    chosen: list[Hit] = []
    end = 0
    for hit in sorted(hits, key=lambda hit: (hit.first, -(hit.last - hit.first))):
        if hit.first >= end:
            chosen.append(hit)
            end = hit.last
    return chosen


def uncancelled(hits: Iterable[Hit], cancels: Sequence[Hit]) -> list[Hit]:
    """``hits`` that no hit of ``cancels`` covers."""
    by_first = sorted(cancels, key=lambda hit: hit.first)
    if not by_first:
        return list(hits)
    kept: list[Hit] = []
    for hit in hits:
        if not any(cancel.covers(hit) for cancel in _near(by_first, hit)):
            kept.append(hit)
    return kept


_LONGEST_PHRASE = 16


def _near(by_first: Sequence[Hit], hit: Hit) -> Iterable[Hit]:
    """The hits that begin close enough before ``hit`` to cover it, so that a long text stays linear."""
    low, high = 0, len(by_first)
    while low < high:
        middle = (low + high) // 2
        if by_first[middle].first < hit.first - _LONGEST_PHRASE:
            low = middle + 1
        else:
            high = middle
    for cancel in by_first[low:]:
        if cancel.first > hit.first:
            return
        yield cancel


def _append(table: dict[tuple[str, ...], list[Entry]], key: tuple[str, ...], entry: Entry) -> None:
    if key and not any(
        known.table == entry.table and known.value == entry.value and known.case_sensitive == entry.case_sensitive for known in table[key]
    ):
        table[key].append(entry)
