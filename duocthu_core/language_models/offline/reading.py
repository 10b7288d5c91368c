"""From a block of evidence to its lines: the smallest stretches that can be quoted without changing what they say.

A line ("item") runs from a border of a sentence or labelled list part to another, with the sentences that go on with it. What governs
it (label lines of the block, headers inside it, its own label) decides for whom it stands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from duocthu_core.language_models.offline.bands import Band, bands_of
from duocthu_core.language_models.offline.lexicon import AGE_AXIS, Lexicon
from duocthu_core.text.folding import fold
from duocthu_core.text.numbers import cached_numeric_tokens
from duocthu_core.text.sentences import items as item_spans
from duocthu_core.text.sentences import sentences
from duocthu_core.text.spans import Span

_LABEL_MAX_CHARS = 110
_LABEL_MAX_WORDS = 18
_LEADING_CLAUSE = 90
_REACHING_LABEL_WORDS = 6
_COLON = re.compile(r":(?=\s|$)")
_UNIT_AFTER_NUMBER = re.compile(r"\s?([^\W\d_]+|%)")
_DENIED_EXCESS = re.compile(r"\bkhông\b[^.;:\d]{0,48}\b(?:quá|vượt)\b[^.;:\d]{0,24}\d")
_INTERVAL = re.compile(r"\b(?:cách|mỗi|cứ)\b|giờ ?/ ?lần|giờ một lần")
_NO_LABEL_END = re.compile(r"(?:tối đa|tối thiểu|là|gồm|như sau|sau|ví dụ|gồm có|bao gồm|thấy|như)$")


@dataclass(frozen=True)
class ShownBlock:
    """A block as the payload gives it; spans of its items point into ``text``."""

    index: int
    drug_id: str | None
    drug_name: str
    section_key: str | None
    label: str
    text: str

    @property
    def label_lines(self) -> tuple[str, ...]:
        """Governing label lines, outer to inner, without their colons."""
        return tuple(line.strip().rstrip(":").strip() for line in self.label.splitlines() if line.strip())

    @property
    def own_start(self) -> int:
        """Where the block's own text begins."""
        return len(self.label) + 1 if self.label and self.text.startswith(self.label + "\n") else 0


@dataclass(frozen=True)
class Item:
    """A quotable line of a block and whom it is about."""

    block: ShownBlock
    span: Span
    heads: tuple[str, ...]
    """Labels that stand outside the line and govern it, outer to inner."""
    labels: tuple[str, ...]
    """Labels at the head of the line itself."""
    populations: Mapping[str, frozenset[str]] = field(hash=False, compare=False)
    """Axis -> tags: whom the line is for; an axis that is missing is left open."""
    routes: frozenset[str]
    bands: tuple[Band, ...]
    is_dose: bool
    is_manner: bool
    """Whether the line says how the drug is taken, given or mixed."""
    has_limit: bool
    sentence_start: int
    """Where the sentence that the line is part of begins."""

    @property
    def text(self) -> str:
        """The line as it stands."""
        return self.span.of(self.block.text)

    @property
    def band_kinds(self) -> frozenset[str]:
        """Kinds of the bands of the line: age, weight, clearance, gestational age."""
        return frozenset(band.kind for band in self.bands)

    @property
    def place(self) -> tuple[int, int]:
        """Order in the evidence."""
        return (self.block.index, self.span.start)

    @property
    def conditions(self) -> tuple[str, ...]:
        """Every label that governs the line, outer to inner."""
        return (*self.heads, *self.labels)


def shown_blocks(payload: Mapping[str, Any]) -> tuple[ShownBlock, ...]:
    """The blocks of a payload's ``evidence``; quarantined kinds are never read."""
    return tuple(
        ShownBlock(
            index=int(entry["index"]),
            drug_id=entry.get("drug_id"),
            drug_name=entry.get("drug_name") or "",
            section_key=entry.get("section_key"),
            label=entry.get("label") or "",
            text=entry["text"],
        )
        for entry in payload.get("evidence", ())
        if entry.get("kind", "prose") == "prose"
    )


class BlockReader:
    """Reads blocks into items; what was read is kept, because one turn asks for the same blocks several times."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._read = lru_cache(maxsize=1024)(self._items)

    def read(self, block: ShownBlock) -> tuple[Item, ...]:
        """The items of ``block`` in the order of the book."""
        return self._read(block)

    def _items(self, block: ShownBlock) -> tuple[Item, ...]:
        own = block.text[block.own_start :]
        found: list[Item] = []
        headers: list[str] = []
        inline_route = inline_group = ""
        line_labels: tuple[str, ...] = ()
        for part in self._parts(own, block):
            text = part.span.of(own)
            if part.is_header:
                for header in (label.strip() for label in text.rstrip(":").split(": ")):
                    headers = [*self._headers_before(headers, header), header]
                inline_route = inline_group = ""
                line_labels = ()
                continue
            kind = self._kind_of(part.labels[0]) if part.labels else ""
            if part.opens_line:
                if kind and kind != "condition":
                    headers = self._headers_before(headers, part.labels[0])
                # "Tiêm bắp: …" governs the lines "Người lớn: …", "Trẻ em: …" below it, until a line without a label or another route.
                inline_route = part.labels[0] if kind == "route" else inline_route if kind in (AGE_AXIS, "band") else ""
                inline_group = ""
                line_labels = ()
            governed: list[str] = []
            if inline_route and kind in (AGE_AXIS, "band"):
                governed.append(inline_route)
            # "Liều người lớn: Nhiễm khuẩn nhẹ: …. Nhiễm khuẩn nặng: …": the group holds to the end of its line.
            if inline_group and kind in ("band", "condition"):
                governed.append(inline_group)
            if kind == AGE_AXIS:
                inline_group = part.labels[0]
            if part.labels:
                line_labels = (*governed, *part.labels)
            else:  # a sentence without a label stands under those of its line, unless it names patients of its own
                names_patients = not part.switches and self._names_patients(text)
                kinds = {label: self._kind_of(label) for label in line_labels if self._reaches_on(label)}
                governed += [
                    label
                    for label in kinds
                    if (not names_patients or kinds[label] in ("route", "condition")) and not (part.switches and kinds[label] == "route")
                ]
            found.append(self._item(block, own, part, (*headers, *governed)))
        return tuple(found)

    def _parts(self, own: str, block: ShownBlock) -> list[_Part]:
        """Sentences and labelled list parts, those that only go on joined to what they go on with."""
        parts: list[_Part] = []
        for sentence in sentences(own):
            opens_line = _opens_line(own, sentence.start)
            pieces = self._pieces(own, sentence, block)
            for number, piece in enumerate(pieces):
                labels = self._labels_of(piece.of(own))
                begins_line = opens_line and number == 0
                header = self._is_header(own, piece, opens_line)
                switches = not labels and not header and self._switches_route(piece.of(own))
                part = _Part(piece, labels, begins_line, sentence.start, header, switches)
                if parts and not part.is_header and number == 0 and (_is_torn(parts[-1], part, own) or self._goes_on(parts[-1], part, own)):
                    parts[-1] = parts[-1].extended(piece.end)
                else:
                    parts.append(part)
        return parts

    def _pieces(self, own: str, sentence: Span, block: ShownBlock) -> list[Span]:
        """The sentence, parted at semicolons where every part has a label of its own that needs nothing from the part before."""
        pieces = [Span(span.start + sentence.start, span.end + sentence.start) for span in item_spans(sentence.of(own))]
        if len(pieces) < 2:
            return [sentence]
        governing = self._tags_of(" ".join(block.label_lines))
        first = self._labels_of(pieces[0].of(own))
        first_tags = self._tags_of(" ".join(first))
        parted: list[Span] = [pieces[0]]
        for piece in pieces[1:]:
            labels = self._labels_of(piece.of(own))
            own_tags = self._tags_of(" ".join(labels))
            stands_alone = bool(labels) and not labels[0].startswith("(") and bool(own_tags or not first_tags or first_tags <= governing)
            if stands_alone and (own_tags or bands_of(labels[0], about_children=True) or not first_tags):
                parted.append(piece)
            else:
                parted[-1] = Span(parted[-1].start, piece.end)
        return parted

    def _goes_on(self, before: _Part, part: _Part, own: str) -> bool:
        """Whether a sentence only goes on with the one before it: it must stand in its line and name no patient of its own."""
        if before.is_header or part.opens_line or part.labels:
            return False
        text = part.span.of(own)
        if self._lexicon.starts_with(self._lexicon.contrasts, text) or (before.switches and not part.switches):
            return True
        if self._lexicon.starts_with(self._lexicon.continuations, text):
            return not self._names_patients(text)
        # Under a label of its own line, a further dose belongs to that label ("Trẻ em 6 - 12 tuổi: 250 mg. 500 mg khi nặng.").
        return bool(before.labels) and _has_dose(text, self._lexicon) and not self._names_patients(text)

    def _switches_route(self, text: str) -> bool:
        """ "Nếu uống, ở trẻ em, …": the sentence leaves the route of its line's label, and what follows it in the line stays with it."""
        clause = text.split(",", 1)[0][:_LEADING_CLAUSE]
        return self._lexicon.starts_with(self._lexicon.switches, clause) and bool(self._lexicon.routes.find(clause))

    def _names_patients(self, text: str) -> bool:
        return bool(self._lexicon.own_groups.find(text)) or bool(self._lexicon.populations.tags(text))

    def _labels_of(self, text: str) -> tuple[str, ...]:
        """Labels at the head of a line: "Tiêm bắp: Người lớn: 2 g/ngày" has two."""
        labels: list[str] = []
        start = 0
        while (colon := _COLON.search(text, start)) is not None:
            label = text[start : colon.start()].strip()
            if not self._is_label(label) or colon.end() >= len(text.rstrip()):
                break
            labels.append(label)
            start = colon.end()
        return tuple(labels)

    def _is_label(self, text: str) -> bool:
        if not text or len(text) > _LABEL_MAX_CHARS or len(text.split()) > _LABEL_MAX_WORDS or "\n" in text or ". " in text:
            return False
        if self._lexicon.starts_with(self._lexicon.continuations, text):
            return False
        return not _NO_LABEL_END.search(fold(text)) and not _has_dose(text, self._lexicon)

    def _is_header(self, own: str, piece: Span, opens_line: bool) -> bool:
        """Whether a line only labels what follows: it ends in a colon, or names a frequency tier and stands alone without a full stop."""
        text = piece.of(own)
        if len(text) > 2 * _LABEL_MAX_CHARS:
            return False
        alone = opens_line and own[piece.end : piece.end + 1] == "\n" and text[-1] not in ".;!?"
        return text.endswith(":") or (alone and self._lexicon.starts_with(self._lexicon.tier_names, text))

    def _item(self, block: ShownBlock, own: str, part: _Part, headers: tuple[str, ...]) -> Item:
        text = part.span.of(own)
        heads = (*block.label_lines, *headers)
        return Item(
            block=block,
            span=Span(part.span.start + block.own_start, part.span.end + block.own_start),
            heads=heads,
            labels=part.labels,
            populations=self._populations(heads, part.labels, text),
            routes=self._routes((*heads, *part.labels), text),
            bands=bands_of(text, about_children=self._about_children(heads)) or _head_bands(heads),
            is_dose=_has_dose(text, self._lexicon),
            is_manner=any(self._lexicon.starts_with(self._lexicon.manner_labels, label) for label in (*heads, *part.labels))
            or self._lexicon.starts_with(self._lexicon.manner_openers, text),
            has_limit=has_limit(text, self._lexicon),
            sentence_start=part.sentence_start + block.own_start,
        )

    def _populations(self, heads: tuple[str, ...], own: tuple[str, ...], text: str) -> dict[str, frozenset[str]]:
        """Per axis the groups of the innermost label that names one; of the line itself where no label does."""
        found: dict[str, frozenset[str]] = {}
        for label in (*heads, *own):
            for axis, tags in self._by_axis(self._tags_of(label)).items():
                found[axis] = tags
        # "Người lớn: 2 g/ngày chia 2 lần, trẻ em: 50 mg/kg/ngày" is a line for both.
        rest = text[sum(len(label) + 2 for label in own) :]
        inside = frozenset(hit.value for hit in self._lexicon.populations.find(rest) if rest[hit.span.end : hit.span.end + 1] == ":")
        if AGE_AXIS in found and (also := self._by_axis(inside).get(AGE_AXIS)):
            found[AGE_AXIS] = found[AGE_AXIS] | also
        if AGE_AXIS not in found:
            tags = self._by_axis(self._tags_of(text)).get(AGE_AXIS)
            if tags:
                found[AGE_AXIS] = tags
        # "Với người bệnh suy giảm chức năng gan, …": whom a sentence begins with it is about.
        clause = text.split(",", 1)[0][:_LEADING_CLAUSE]
        if self._lexicon.starts_with(self._lexicon.own_groups, clause):
            found = {**self._by_axis(self._tags_of(clause)), **found}
        return found

    def _by_axis(self, tags: frozenset[str]) -> dict[str, frozenset[str]]:
        grouped: dict[str, set[str]] = {}
        for tag in tags:
            grouped.setdefault(self._lexicon.axis_of(tag), set()).add(tag)
        return {axis: frozenset(found) for axis, found in grouped.items()}

    def _tags_of(self, text: str) -> frozenset[str]:
        return self._lexicon.populations.tags(text) if text else frozenset()

    def _about_children(self, heads: tuple[str, ...]) -> bool:
        return any("tre_em" in self._lexicon.lineage(tag) for tag in self._tags_of(" ; ".join(heads)))

    def _routes(self, labels: tuple[str, ...], text: str) -> frozenset[str]:
        """The routes of the innermost label that names one; without one, those named before the first number of the line."""
        for label in reversed(labels):
            if found := self._lexicon.routes.tags(label):
                return found
        tokens = [token for token in cached_numeric_tokens(text) if token.is_quantity]
        head = text[: tokens[0].span.start] if tokens else ""
        return self._lexicon.routes.tags(head)

    def _headers_before(self, headers: list[str], label: str) -> list[str]:
        kind = self._kind_of(label)
        for position, header in enumerate(headers):
            if self._kind_of(header) == kind:
                return headers[:position]
        return headers

    def _reaches_on(self, label: str) -> bool:
        """Whether a label also governs the sentences after its own: a short heading does, half a sentence before a colon does not."""
        return self._kind_of(label) not in ("condition", "route") or len(label.split()) <= _REACHING_LABEL_WORDS

    @lru_cache(maxsize=4096)  # noqa: B019 - one reader lives as long as its model
    def _kind_of(self, label: str) -> str:
        axes = sorted({self._lexicon.axis_of(tag) for tag in self._tags_of(label)})
        if axes:
            return axes[0]
        if self._lexicon.routes.tags(label):
            return "route"
        return "band" if bands_of(label, about_children=True) else "condition"


@dataclass(frozen=True)
class _Part:
    span: Span
    labels: tuple[str, ...]
    opens_line: bool
    sentence_start: int
    is_header: bool
    switches: bool = False
    """Begins with a route of its own, without a colon."""

    def extended(self, end: int) -> _Part:
        return replace(self, span=Span(self.span.start, end))


def _opens_line(own: str, position: int) -> bool:
    """Whether nothing but white space and a bullet stands before ``position`` in its line."""
    while position > 0 and own[position - 1] in " \t•-–*":
        position -= 1
    return position == 0 or own[position - 1] == "\n"


def _is_torn(before: _Part, part: _Part, own: str) -> bool:
    """Whether a line break fell inside a sentence: the line before has no full stop and this one begins with a small letter."""
    first = own[part.span.start]
    return part.opens_line and not before.is_header and own[before.span.end - 1] not in ".;:!?" and first.isalpha() and first.islower()


def has_limit(text: str, lexicon: Lexicon) -> bool:
    """Whether a number of ``text`` is bounded from above (tối đa, không quá, không vượt): what may never be left out of a dose."""
    folded = fold(text)
    if not any(character.isdigit() for character in folded):
        return False
    return any(word in folded for word in lexicon.rules["limits"]) or _DENIED_EXCESS.search(folded) is not None


def _head_bands(heads: tuple[str, ...]) -> tuple[Band, ...]:
    for head in reversed(heads):
        if found := bands_of(head, about_children=True):
            return found
    return ()


def _has_dose(text: str, lexicon: Lexicon) -> bool:
    """Whether a number of ``text`` stands with a unit of a dose (a body weight, an age or a clearance is none)."""
    folded = fold(text)
    for token in cached_numeric_tokens(text):
        if not token.is_quantity:
            continue
        unit = _UNIT_AFTER_NUMBER.match(folded, token.span.end)
        word = unit.group(1) if unit else ""
        if word == "ml" and re.match(r"\s?/\s?phút", folded[unit.end() :] if unit else ""):
            continue
        if word in lexicon.dose_units or (word == "giờ" and _INTERVAL.search(folded)):
            return True
    return False
