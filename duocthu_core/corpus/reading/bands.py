"""A paragraph that is a run of bands becomes one block for each: "Trẻ em 3 - 6 tháng tuổi: 60 mg; Trẻ em 6 tháng - 2 tuổi: 120 mg; …".

Only when every sentence of it names its own group. A sentence without one may be a limit for all of them; then the paragraph stays whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from duocthu_core.corpus.model import Repair
from duocthu_core.corpus.reading.labels import Label, LabelGrammar
from duocthu_core.corpus.reading.passages import Passage, PlacedRepair
from duocthu_core.corpus.reading.rules import reading_words
from duocthu_core.text.phrases import PhraseMatcher
from duocthu_core.text.sentences import sentences
from duocthu_core.text.spans import Span

LEAST_ITEMS = 3


class BandItem(NamedTuple):
    """One item of a run: the labels in front of the run that govern it, and its own text."""

    labels: tuple[str, ...]
    passage: Passage


@dataclass(slots=True)
class _Cut:
    start: int
    labels: tuple[str, ...]
    is_band: bool
    leads: list[Span] = field(default_factory=list)
    """Stretches before ``start`` that became labels."""


class BandRun(NamedTuple):
    """A paragraph in items, and the labels that were taken out of it, each once."""

    items: tuple[BandItem, ...]
    labels: tuple[str, ...]


def split_bands(passage: Passage, grammar: LabelGrammar) -> BandRun | None:
    """The items of ``passage``; None where it is no run of at least three bands, or where a sentence of it names no group."""
    cuts = _cuts(passage.text, grammar)
    if cuts is None or sum(cut.is_band for cut in cuts) < LEAST_ITEMS:
        return None
    items: list[BandItem] = []
    taken: list[str] = []
    for index, cut in enumerate(cuts):
        end = _end_of(cuts, index, len(passage.text))
        lead_start = cut.leads[0].start if cut.leads else cut.start
        item = _without_separator(passage.part(cut.start, end))
        lost = passage.part(lead_start, cut.start) if lead_start < cut.start else None
        if lost is not None:
            moved = tuple(PlacedRepair(0, placed.repair) for placed in lost.repairs)
            item = item._replace(repairs=(*moved, *item.repairs), signs=(*lost.signs, *item.signs))
        items.append(BandItem(cut.labels, item))
        taken += (f"{span.of(passage.text).strip().rstrip(' :')}:" for span in cut.leads)
    return BandRun(tuple(items), tuple(taken))


def _end_of(cuts: list[_Cut], index: int, length: int) -> int:
    if index + 1 == len(cuts):
        return length
    following = cuts[index + 1]
    return following.leads[0].start if following.leads else following.start


def _cuts(text: str, grammar: LabelGrammar) -> list[_Cut] | None:
    cuts: list[_Cut] = []
    leading: tuple[str, ...] = ()
    for index, sentence in enumerate(sentences(text)):
        start, leads = _after_leading_labels(text, sentence, grammar, first=index == 0)
        if leads:
            leading = tuple(f"{span.of(text).strip().rstrip(' :')}:" for span in leads)
        label = grammar.label_at(text, start)
        names_group = (label is not None and label.kind == "group") or _opens_with_group(text[start : sentence.end], grammar)
        if not names_group:
            if any(cut.is_band for cut in cuts) or (leads and index) or _holds_for_all(text[start : sentence.end]):
                return None
            cuts.append(_Cut(start, leading, False, leads))
            continue
        is_dose_item = (label is not None and label.kind == "group") or _has_comma_label(text[start : sentence.end], grammar)
        cuts.append(_Cut(start, leading, is_dose_item, leads))
        cuts += (_Cut(at, leading, True) for at in _items_inside(text, start, sentence.end, grammar))
    return cuts


def _after_leading_labels(text: str, sentence: Span, grammar: LabelGrammar, *, first: bool) -> tuple[int, list[Span]]:
    """Where a sentence's own item begins, behind labels that govern the items after them ("Đặt trực tràng: Sơ sinh …: …")."""
    position = sentence.start
    leads: list[Span] = []
    while (label := grammar.label_at(text, position)) is not None and label.end < sentence.end:
        if not (label.kind == "route" or (first and label.kind in ("topic", "group") and _next_is_group(text, label, grammar))):
            break
        leads.append(Span(position, label.end))
        position = label.end
    return position, leads


def _next_is_group(text: str, label: Label, grammar: LabelGrammar) -> bool:
    following = grammar.label_at(text, label.end)
    if following is None:
        return False
    return following.kind == "group" or (following.kind == "route" and _next_is_group(text, following, grammar))


def _items_inside(text: str, start: int, end: int, grammar: LabelGrammar) -> list[int]:
    """Where further items begin behind semicolons of a sentence: only where a group with a colon stands there."""
    found: list[int] = []
    position = text.find(";", start, end)
    while position >= 0:
        begin = position + 1
        while begin < end and text[begin].isspace():
            begin += 1
        label = grammar.label_at(text, begin) if begin < end else None
        if label is not None and label.kind == "group" and label.end <= end and not text.startswith("(", begin):
            found.append(begin)
        position = text.find(";", position + 1, end)
    return found


def _opens_with_group(sentence: str, grammar: LabelGrammar) -> bool:
    opening = grammar.opening(sentence)
    return opening is not None and opening.kind == "group"


def _has_comma_label(sentence: str, grammar: LabelGrammar) -> bool:
    """ "Sơ sinh thiếu tháng trên 32 tuần chỉnh theo tuổi thai, 7,5 mg/kg …": a band whose dose follows a comma."""
    opening = grammar.opening(sentence)
    head, comma, dose = sentence.partition(", ")
    return opening is not None and opening.has_band and bool(comma) and len(head) > opening.end and dose[:1].isdigit()


@lru_cache(maxsize=1)
def _limits() -> PhraseMatcher[bool]:
    return PhraseMatcher(dict.fromkeys(reading_words()["labels"]["limits"], True))


def _holds_for_all(sentence: str) -> bool:
    return any(map(str.isdigit, sentence)) or bool(_limits().find(sentence))


def _without_separator(item: Passage) -> Passage:
    if not item.text.endswith(";"):
        return item
    cut = item.part(0, len(item.text) - 1)
    behind = item.part(len(item.text) - 1, len(item.text))
    repairs = (*cut.repairs, *(PlacedRepair(len(cut.text), r.repair) for r in behind.repairs))
    removed = PlacedRepair(len(cut.text), Repair(kind="separator", removed=";"))
    return cut._replace(repairs=(*repairs, removed), signs=(*cut.signs, *behind.signs))
