"""Masking of personal data before anything is sent, stored or exported (spec 03, "Scope").

What is masked stands in the table ``safety.pii``: ten kinds. Ages, weights, heights, doses, laboratory values, dates of treatment and
drug names are never masked. The value itself is not kept anywhere: only its kind and the mask that stands in its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from duocthu_core.text.folding import nfc, without_invisible
from duocthu_core.text.spans import Span
from duocthu_core.understanding.masking_addresses import AddressFinder
from duocthu_core.understanding.masking_names import PersonNameFinder
from duocthu_core.understanding.masking_numbers import NumberFinder
from duocthu_core.understanding.model import MaskedItem

DrugNameSpans = Callable[[str], Iterable[Span]]

# An earlier kind takes a place before a later one: what a label makes sure before what only a shape suggests.
_ORDER = (
    "email", "mang_xa_hoi", "ngan_hang", "bhyt", "cccd", "ma_benh_an", "ngay_sinh", "dien_thoai", "dia_chi", "ho_ten",
)  # fmt: skip
_PASSES = 6
_FILLER = "\ue000"


class PersonalDataMasker:
    """Compiled once from the table. ``drug_names`` finds the names that must stay readable ("bé Efferalgan" is no person)."""

    def __init__(self, tables: Mapping[str, Mapping[str, Any]], drug_names: DrugNameSpans | None = None) -> None:
        kinds: Mapping[str, Any] = tables["safety"]["pii"]["kinds"]
        self._masks: dict[str, str] = {kind: str(kinds[kind]["mask"]) for kind in _ORDER}
        self._any_mask = re.compile("|".join(re.escape(mask) for mask in self._masks.values()))
        self._numbers = NumberFinder(kinds)
        self._addresses = AddressFinder(kinds["dia_chi"])
        self._names = PersonNameFinder(kinds["ho_ten"], tables["lookalikes"], drug_names or (lambda _: ()))

    def mask(self, text: str) -> tuple[str, tuple[MaskedItem, ...]]:
        """The NFC text without invisible characters, every find replaced by the mask of its kind, and what was masked where (spans into
        the result).

        Masking its own result changes nothing. Time is linear in the length of the text.
        """
        masked = nfc(without_invisible(nfc(text)))
        before = self._masks_in(masked)
        for _ in range(_PASSES):
            found = self._find(masked)
            if not found:
                break
            masked, before = _replaced(masked, found, before, self._masks)
        return masked, tuple(MaskedItem(kind=kind, mask=self._masks[kind], span=span) for span, kind in before if kind)

    def _masks_in(self, text: str) -> list[tuple[Span, str]]:
        """Masks that already stand in the text: places no rule may look into; their kind is left blank, for nothing was masked now."""
        return [(Span(match.start(), match.end()), "") for match in self._any_mask.finditer(text)]

    def _find(self, text: str) -> list[tuple[Span, str]]:
        hidden = self._any_mask.sub(lambda match: _FILLER * len(match.group()), text)
        finders: dict[str, Iterable[Span]] = {
            **self._numbers.find(hidden),
            "dia_chi": self._addresses.find(hidden),
            "ho_ten": self._names.find(hidden),
        }
        taken: list[tuple[Span, str]] = []
        used = bytearray(len(text))
        for kind in _ORDER:
            for span in finders.get(kind, ()):
                if span.end > span.start and not any(used[span.start : span.end]):
                    used[span.start : span.end] = b"\x01" * (span.end - span.start)
                    taken.append((span, kind))
        return sorted(taken)


def _replaced(
    text: str, found: list[tuple[Span, str]], before: list[tuple[Span, str]], masks: Mapping[str, str]
) -> tuple[str, list[tuple[Span, str]]]:
    """``text`` with ``found`` replaced, and the places of all masks, old and new, in the new text."""
    pieces: list[str] = []
    places: list[tuple[Span, str]] = []
    end = shift = 0
    for span, kind, is_new in sorted([(s, k, True) for s, k in found] + [(s, k, False) for s, k in before]):
        start = span.start + shift
        if is_new:
            pieces.extend((text[end : span.start], masks[kind]))
            shift += len(masks[kind]) - (span.end - span.start)
            end = span.end
        places.append((Span(start, span.end + shift), kind))
    pieces.append(text[end:])
    return "".join(pieces), places


_shipped: dict[int, tuple[Mapping[str, Any], PersonalDataMasker]] = {}
_KEPT = 4


def mask_personal_data(text: str, tables: Mapping[str, Mapping[str, Any]]) -> tuple[str, tuple[MaskedItem, ...]]:
    """Masks ``text`` under the tables of a ruleset (``Ruleset.tables``); the compiled masker is kept for the tables seen last."""
    known = _shipped.get(id(tables))
    if known is None or known[0] is not tables:
        if len(_shipped) >= _KEPT:
            _shipped.clear()
        known = _shipped[id(tables)] = (tables, PersonalDataMasker(tables))
    return known[1].mask(text)
