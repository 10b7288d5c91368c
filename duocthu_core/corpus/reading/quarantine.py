"""What must not be generated over: tables, formulas, lost signs, noise near digits, mixed columns (spec 07, spec 03).

Tables and formulas are quarantined whatever they look like. A caption, and the loose lines a table was broken into, go with the table;
the lines a formula was broken into go with the formula.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from duocthu_core.corpus.reading.passages import Passage, joined_lines
from duocthu_core.corpus.reading.rules import DIGIT

_CAPTION = re.compile(r"\A(?:Bảng|BẢNG|Sơ đồ|Biểu đồ)\s+(?:số\s+)?[0-9IVX]{1,4}\b")
_INTRODUCES_TABLE = re.compile(r"\bbảng\b[^.;:]{0,40}:\Z", re.IGNORECASE)
"""Ends a line that points to a table: "theo bảng sau:"."""
_FOOTNOTE = re.compile(r"\A(?:\*{1,3}|\(\*{1,3}\)|[†‡§]|\([a-d1-9]\)\s|Ghi chú\s*:|Chú thích\s*:)")
_SENTENCE = re.compile(r"[.!?;:][\"”’»)]*\Z")
_OPERATOR = re.compile(
    r"[)\]\w]\s*[×÷]\s*[(\[\w]|[)\]]\s+[x*/]\s+[(\[\w]|\b[0-9]+(?:[.,][0-9]+)?\s+[x*]\s+(?:[^\W\d_]{3,}|\()|[(\[]\s*[0-9]+\s*[-–]\s*(?:tuổi|age)"
)
_ENDS_EQUAL = re.compile(r"[^\W\d_]{2,}\s*=\s*\Z")
_EQUALS = re.compile(r"(?<![<>≤≥=])=(?!=)")
_ONLY_BRACKETS = re.compile(r"\A\([^()]*[0-9][^()]*\)\.?\Z")
_LOOSE_LINE = 140
_SENTENCE_WORDS = 12

_UNIT_BEHIND = r"\s?(?:mg|g|ml|microgam|mcg|giờ|ngày|lần|tuổi|tháng|kg|%)"
_OCR_DIGITS = re.compile(
    # Every case is told by a figure or one of these signs: named first, so that a search passes over all others without trying the cases.
    r"[0-9?¿§¤¦■□▪�٠-٩۰-۹０-９](?:"
    r"(?<=[OoIl|][.,][0-9])(?<![^\W_][OoIl|][.,][0-9])"  # O,5
    rf"|(?<=[lI|][0-9])(?<![^\W_][lI|][0-9])[0-9]{{0,3}}(?={_UNIT_BEHIND})"  # l0 mg
    rf"|(?<=[0-9])[OIl|](?=[0-9]|{_UNIT_BEHIND}(?![^\W\d_]))"  # 1O mg
    r"|(?<=[0-9])\s?[?¿§¤¦■□▪�]\s?[0-9]|(?<=[?¿§¤¦■□�])\s?[0-9]+(?:[.,][0-9]+)?\s?(?:mg|g|ml|%)"
    r"|(?<=[0-9])[,.]\s[0-9]+\s?(?:mg|microgam|mcg)(?![^\W\d_])(?<!\d{4})"  # 0, 5 mg
    r"|(?<=[٠-٩۰-۹０-９])"
    r")"
)
DIGIT_IN_WORD = re.compile(r"[0-9](?<=[a-zà-ỹ].)(?=[a-zà-ỹ])")
"""A digit among small letters: a letter that was taken for one ("kh6ng", "thu6c")."""
_LOST = "\ufffd"


def with_regions(passages: Sequence[Passage]) -> list[Passage]:
    """``passages`` with every table and formula as one passage of its kind, caption, footnotes and loose lines included."""
    return _formulas_joined(_tables_joined(passages))


def damage(passage: Passage) -> str | None:
    """Why ``passage`` must be quarantined (``table``, ``formula``, ``lost_sign``, ``noise_near_digits``, ``split_number``,
    ``scrambled_columns``); None where it may be generated over."""
    if passage.kind in ("table", "formula"):
        return passage.kind
    text = passage.text
    if _LOST in text:
        return "lost_sign"
    reasons = [sign.reason for sign in passage.signs]
    for reason in ("formula", "split_number", "noise_near_digits"):
        if reason in reasons:
            return reason
    if DIGIT.search(text) is not None:
        if "scrambled_columns" in reasons:
            return "scrambled_columns"
        if _OCR_DIGITS.search(text) or DIGIT_IN_WORD.search(text):
            return "noise_near_digits"
    return "formula" if is_formula(text) else None


def damage_notes(passage: Passage) -> tuple[str, ...]:
    """Signs of damage that a reader should know of, in Vietnamese, whether or not they quarantine."""
    notes = []
    if passage.signs and any(sign.reason == "scrambled_columns" for sign in passage.signs):
        notes.append("Đoạn bắt đầu giữa câu: phần đầu có thể đã lạc sang chỗ khác.")
    if _LOST in passage.text:
        notes.append("Có ký hiệu bị mất (�): xem bản in.")
    if (
        passage.kind not in ("table", "formula")
        and passage.text
        and not _SENTENCE.search(passage.text)
        and len(passage.text.split()) > _SENTENCE_WORDS
    ):
        notes.append("Đoạn không có dấu kết câu: phần cuối có thể bị thiếu.")
    return tuple(notes)


def is_formula(text: str) -> bool:
    """Whether ``text`` states a calculation: an equals sign with an operator between its terms, or nothing behind it."""
    return "=" in text and _EQUALS.search(text) is not None and (_OPERATOR.search(text) is not None or _ENDS_EQUAL.search(text) is not None)


def is_caption(text: str) -> bool:
    """Whether ``text`` is the caption of a table or chart ("Bảng 1: …")."""
    return _CAPTION.match(text) is not None and len(text) < 2 * _LOOSE_LINE


def _tables_joined(passages: Sequence[Passage]) -> list[Passage]:
    joined: list[Passage] = []
    index = 0
    while index < len(passages):
        passage = passages[index]
        parts = [passage]
        index += 1
        if passage.kind == "table":
            index = _take_footnotes(passages, index, parts)
        elif _is_row(passage) and index < len(passages) and _is_row(passages[index]):
            while index < len(passages) and _is_row(passages[index]):
                parts.append(passages[index])
                index += 1
            if joined and _is_title(joined[-1]):
                parts.insert(0, joined.pop())
        elif is_caption(passage.text):
            if index < len(passages) and passages[index].kind == "table":
                parts.append(passages[index])
                index = _take_footnotes(passages, index + 1, parts)
            else:
                index = _take_loose_lines(passages, index, parts)
        else:
            joined.append(passage)
            if not (passage.text.endswith(":") and _flows(passage) and _INTRODUCES_TABLE.search(passage.text)):
                continue
            parts = []
            index = _take_loose_lines(passages, index, parts)
            if not parts:
                continue
        joined.append(joined_lines(parts)._replace(kind="table", level=0, emphasis=()))
    return joined


def _is_row(passage: Passage) -> bool:
    """Whether a line of text is parted by wide gaps: a row of a table that was set with spaces."""
    if not passage.signs or not _flows(passage) or all(sign.reason != "scrambled_columns" for sign in passage.signs):
        return False
    return _SENTENCE.search(passage.text) is None


def _is_title(passage: Passage) -> bool:
    """Whether a line names the table below it without a number ("Bảng liều theo cân nặng")."""
    return _flows(passage) and passage.text.startswith(("Bảng ", "BẢNG ")) and len(passage.text) < _LOOSE_LINE


def _take_footnotes(passages: Sequence[Passage], index: int, parts: list[Passage]) -> int:
    while index < len(passages) and passages[index].kind == "text" and not passages[index].level and _FOOTNOTE.match(passages[index].text):
        parts.append(passages[index])
        index += 1
    return index


def _take_loose_lines(passages: Sequence[Passage], index: int, parts: list[Passage]) -> int:
    """Cells that lost their table: short lines without the end of a sentence, up to the first that reads like text."""
    while index < len(passages):
        passage = passages[index]
        if passage.level or passage.is_emphasised or len(passage.text) > _LOOSE_LINE or _SENTENCE.search(passage.text):
            break
        parts.append(passage)
        index += 1
    return index


def _formulas_joined(passages: list[Passage]) -> list[Passage]:
    seeds = {
        index for index, passage in enumerate(passages) if _flows(passage) and len(passage.text) < _LOOSE_LINE and is_formula(passage.text)
    }
    if not seeds:
        return passages
    loose = {index for index, passage in enumerate(passages) if index in seeds or _is_formula_line(passage)}
    taken = set(seeds)
    for order, step in ((range(len(passages)), -1), (range(len(passages) - 1, -1, -1), 1)):
        for index in order:
            if index in loose and index + step in taken:
                taken.add(index)
    joined: list[Passage] = []
    group: list[Passage] = []
    for index, passage in enumerate(passages):
        if index in taken:
            group.append(passage)
            continue
        joined += _formula(group)
        group = []
        joined.append(passage)
    return joined + _formula(group)


def _flows(passage: Passage) -> bool:
    return passage.kind in ("text", "item") and not passage.level


def _is_formula_line(passage: Passage) -> bool:
    text = passage.text
    if not _flows(passage) or len(text) >= _LOOSE_LINE:
        return False
    return is_formula(text) or _ONLY_BRACKETS.match(text) is not None or (_OPERATOR.search(text) is not None and not _SENTENCE.search(text))


def _formula(group: list[Passage]) -> list[Passage]:
    return [joined_lines(group)._replace(kind="formula")] if group else []
