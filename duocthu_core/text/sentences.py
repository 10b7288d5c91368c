"""Borders of sentences and items in formulary text (spec 04, "Verbatim").

A line always ends a sentence: lists and labels stand on lines of their own. Inside a line a full stop ends one only before white
space and something that can begin a sentence, so that decimals (0,5 · 1.500), genus names (S. aureus) and abbreviations (tr. 5,
p.o.) stay whole. Splitting the text of a sentence again gives that sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from duocthu_core.text.spans import Span

_LINE = re.compile(r"[^\n\r]+")
_STOP = re.compile(r"[.!?…]+[\"”’»)\]]*(?=\s)")
_ITEM_STOP = re.compile(r";(?=\s)")
# Bullets and list numbers before the first word; a hyphen glued to a figure is no bullet when a degree follows (see text/numbers.py).
_HEAD = re.compile(r"(?:[\s•·▪●○◦*+‣⁃\uf0b7\uf02d]|[-–—](?=\D))*+(?:\(?[0-9]{1,2}[.)][ \t]+(?=[^\W\d_]{2}))?")
_BEGINS_SENTENCE = re.compile(r"[\s\"“‘«(\[•▪*–—-]*+(?:[^\w\s]{1,3}+\s*+)?(?:[0-9<>≤≥]|[^\W\d_])")
_NOISE_TO_LINE_END = re.compile(r"\s*+[^\w\s]{0,3}+\s*+\Z")
_CONTENT = re.compile(r"[^\W_]")
_LAST_WORD = re.compile(r"[^\s(\[,;:\"“]*$")


def _listed(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


_ABBREVIATIONS = _listed(
    "tr vd v.d tt bs ts ths gs pgs ths.bs dr no nxb p.o i.v i.m s.c t.m st subsp var cv mr mrs ms fig hình tel đt approx vs",
    "e.g i.e",
)
_SPECIES_CAPITALISED = ("Typhi", "Paratyphi", "Typhimurium", "Enteritidis")


def sentences(text: str) -> list[Span]:
    """Sentences of NFC ``text`` in order, without white space or bullets around them; every line ends one."""
    return list(_kept_sentences(text))


@lru_cache(maxsize=256)
def _kept_sentences(text: str) -> tuple[Span, ...]:
    """:func:`sentences`, kept for the text that is asked about again and again while it is read."""
    return tuple(span for line in _LINE.finditer(text) for span in _split_line(text, line.start(), line.end(), _sentence_stops))


def items(text: str) -> list[Span]:
    """List items of NFC ``text``: its sentences, further parted at semicolons."""
    return [part for span in sentences(text) for part in _split_line(text, span.start, span.end, _item_stops)]


def _split_line(text: str, start: int, end: int, stops: Callable[[str, int, int], list[int]]) -> list[Span]:
    spans: list[Span] = []
    begin = start
    for stop in stops(text, start, end):
        if (span := _trimmed(text, begin, stop)) is not None:
            spans.append(span)
        begin = stop
    if (span := _trimmed(text, begin, end)) is not None:
        spans.append(span)
    return spans


def _sentence_stops(text: str, start: int, end: int) -> list[int]:
    stops: list[int] = []
    for stop in _STOP.finditer(text, start, end):
        if _ends_sentence(text, stops[-1] if stops else start, stop, end):
            stops.append(stop.end())
    return stops


def _item_stops(text: str, start: int, end: int) -> list[int]:
    return [stop.end() for stop in _ITEM_STOP.finditer(text, start, end)]


def _ends_sentence(text: str, start: int, stop: re.Match[str], end: int) -> bool:
    following = _BEGINS_SENTENCE.match(text, stop.end(), end)
    if following is None:
        return _NOISE_TO_LINE_END.match(text, stop.end(), end) is not None
    if stop.group() != ".":
        return stop.group()[0] in "!?" or not following.group()[-1].islower()
    last = _LAST_WORD.search(text, max(start, stop.start() - 24), stop.start())
    word = last.group() if last else ""
    if word.lower() in _ABBREVIATIONS:
        return False
    if following.group()[-1].islower():  # a scan that lost a capital; short words are abbreviations of names (spp., sp., v.v.)
        return len(word) > 3 and word.isalpha() and word.islower()
    head = text[start : stop.start()].strip(" \t•-–*(")
    if head == word and word.isdigit() and len(word) <= 2 and following.group()[-1].isalpha():
        return False  # "1. Người lớn": a list number, not a sentence
    if len(word) == 1 and word.isupper():
        return not text.startswith(_SPECIES_CAPITALISED, following.end() - 1)
    return True


def _trimmed(text: str, start: int, end: int) -> Span | None:
    head = _HEAD.match(text, start, end)
    begin = head.end() if head else start
    while end > begin and text[end - 1].isspace():
        end -= 1
    return Span(begin, end) if _CONTENT.search(text, begin, end) is not None else None
