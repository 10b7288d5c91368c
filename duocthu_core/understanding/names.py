"""The index of drug names: Vietnamese names, synonyms, international spellings, brands, combination brands (spec 03, "Understanding").

Names are whole words, longest first. A brand that holds several substances stands for the combination, never for one of them. A name
that two monographs share, or that is known but has no monograph here, is never turned into a drug.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from duocthu_core.corpus.model import Monograph
from duocthu_core.text.folding import fold, strip_marks
from duocthu_core.text.phrases import words
from duocthu_core.text.spans import Span
from duocthu_core.understanding.name_words import NameWord, name_words
from duocthu_core.understanding.spelling import NameKey, combination_keys, components, name_forms, name_key
from duocthu_core.understanding.syllables import is_vietnamese_syllable

MeaningKind = Literal["monograph", "combination", "known"]

# Where one name stands in several lists, the surer list decides: a monograph's own names, then the curated combinations and single
# brands, then brands of monographs and rows, then names that are only known to exist.
_OWN, _COMBINATION, _SINGLE_BRAND, _BRAND, _KNOWN = range(5)
_COMPONENT_ALIASES_MAX = 6


@dataclass(frozen=True, slots=True)
class NameRow:
    """A row of ``data/corpus/names.csv``: one substance or combination and its brands."""

    vi_name: str
    inn: str = ""
    brands: tuple[str, ...] = ()
    combination: tuple[str, ...] = ()
    """The substances, where the row is about a combination."""
    look_alikes: tuple[str, ...] = ()

    @classmethod
    def of(cls, row: Mapping[str, str]) -> NameRow:
        """A CSV row with the columns vi_name, inn, brands, combination_of, look_alikes; lists are parted by ``;`` or ``|``."""
        return cls(
            vi_name=row.get("vi_name", "").strip(),
            inn=row.get("inn", "").strip(),
            brands=_listed(row.get("brands", "")),
            combination=_listed(row.get("combination_of", "").replace("+", ";")),
            look_alikes=_listed(row.get("look_alikes", "")),
        )


@dataclass(frozen=True, slots=True)
class Meaning:
    """What one listed name stands for."""

    kind: MeaningKind
    name: str
    """For a reader: the monograph's name, or the listed name."""
    drug_id: str = ""
    substances: tuple[str, ...] = ()
    """Listed substances of a combination without a monograph of its own."""
    brand: bool = False


@dataclass(frozen=True, slots=True)
class NameHit:
    """A listed name in a text. Several meanings: the name is shared and has to be asked."""

    span: Span
    words: str
    key: NameKey
    meanings: tuple[Meaning, ...]
    first: int
    last: int
    """Name words ``first`` to ``last - 1``."""

    @property
    def drug_id(self) -> str | None:
        """The one monograph this name stands for, if there is exactly one."""
        only = self.meanings[0] if len(self.meanings) == 1 else None
        return only.drug_id if only is not None and only.kind == "monograph" else None

    @property
    def brand(self) -> bool:
        """Whether a trade name was typed."""
        return all(meaning.brand for meaning in self.meanings)


class NameIndex:
    """Compiled once from the monographs of a corpus, the look-alike table of the ruleset, and further name rows."""

    def __init__(
        self, monographs: Iterable[Monograph], lookalikes: Mapping[str, Any], rows: Iterable[NameRow | Mapping[str, str]] = ()
    ) -> None:
        self.monographs: dict[str, Monograph] = {monograph.drug_id: monograph for monograph in monographs}
        self._translations: dict[str, str] = {
            fold(word): fold(vietnamese) for word, vietnamese in lookalikes.get("international_words", {}).items()
        }
        self._everyday = {fold(str(entry["word"])) for entry in lookalikes.get("everyday_words", ())}
        self._table = lookalikes
        self._rows = [row if isinstance(row, NameRow) else NameRow.of(row) for row in rows]
        self._ranked: dict[NameKey, dict[int, list[Meaning]]] = defaultdict(lambda: defaultdict(list))
        self._exact_case: dict[NameKey, set[str]] = defaultdict(set)
        self._brand_forms: dict[NameKey, set[NameKey]] = defaultdict(set)
        self._concepts: dict[NameKey, NameKey] = {}
        self._combinations: set[frozenset[NameKey]] = set()
        self._join_synonyms()
        self._keys_of: dict[NameKey, list[NameKey]] = defaultdict(list)
        for known, concept in self._concepts.items():
            self._keys_of[concept].append(known)
        self._monographs_of: dict[NameKey, list[Monograph]] = defaultdict(list)
        for monograph in self.monographs.values():
            self._monographs_of[self._main_concept(monograph)].append(monograph)
        self._add_all()
        self.meanings: dict[NameKey, tuple[Meaning, ...]] = {
            key: tuple(levels[min(levels)]) for key, levels in self._ranked.items() if not self._is_everyday(key)
        }
        self._bare = self._bare_keys()
        self._lengths = self._lengths_by_first_word()
        self.modifiers = frozenset(fold(str(word)) for word in lookalikes.get("combination_modifiers", ()))

    # --- building -------------------------------------------------------------------------------------------------------------

    def key(self, name: str) -> NameKey:
        """The comparison key of a name."""
        return name_key(name, self._translations)

    def concept(self, name: str) -> NameKey:
        """The substance a name is a name of: one key for all its synonyms; remarks in parentheses do not count."""
        key = self.key(next(name_forms(name), name))
        return self._concepts.get(key, key)

    def _main_concept(self, monograph: Monograph) -> NameKey:
        return self.concept(monograph.name)

    def _join_synonyms(self) -> None:
        for group in self._table.get("synonyms", ()):
            first = self.key(str(group[0]))
            for name in group:
                for form in name_forms(str(name)):
                    self._concepts.setdefault(self.key(form), self._concepts.get(first, first))
        for monograph in self.monographs.values():
            own = self._main_concept(monograph)
            for name in _own_names(monograph):
                self._concepts.setdefault(self.key(name), own)

    def _add_all(self) -> None:
        for monograph in self.monographs.values():
            self._add_monograph(monograph)
        for entry in self._table.get("combinations", ()):
            self._add_combination(entry["brand"], tuple(map(str, entry["generics"])))
            for single in entry.get("single", ()):
                self._add(str(single), _KNOWN, Meaning("known", str(single), brand=True))
        for entry in self._table.get("single_brands", ()):
            for brand in entry["brand"]:
                self._add_brand(str(brand), str(entry["generics"][0]), _SINGLE_BRAND)
        for row in self._rows:
            self._add_row(row)
        for names in (*(entry["drugs"] for entry in self._table.get("groups", ())), *self._table.get("synonyms", ())):
            for name in names:
                self._add_known(str(name))

    def _add_monograph(self, monograph: Monograph) -> None:
        meaning = Meaning("monograph", monograph.name, drug_id=monograph.drug_id)
        for name in _own_names(monograph):
            self._add(name, _OWN, meaning)
        for key in self._keys_of[self._main_concept(monograph)]:
            self._add_key(key, _OWN, meaning)
        parts = components(monograph.name)
        if len(parts) > 1:
            for key in combination_keys(tuple(self._aliases(part, short=len(parts) > 2) for part in parts)):
                self._add_key(key, _OWN, meaning)
        for brand in monograph.brands:
            self._add(brand, _BRAND, Meaning("monograph", monograph.name, drug_id=monograph.drug_id, brand=True))

    def _aliases(self, name: str, *, short: bool) -> frozenset[NameKey]:
        keys = sorted(self._keys_of.get(self.concept(name), ()), key=len)
        limit = 2 if short else _COMPONENT_ALIASES_MAX
        return frozenset((self.key(name), *keys[:limit]))

    def _add_combination(self, brands: Iterable[Any], generics: tuple[str, ...]) -> None:
        self._combinations.add(frozenset(self.concept(generic) for generic in generics))
        monograph = self._combination_monograph(generics)
        for brand in map(str, brands):
            if monograph is not None:
                meaning = Meaning("monograph", monograph.name, drug_id=monograph.drug_id, brand=True)
            else:
                meaning = Meaning("combination", brand, substances=generics, brand=True)
            self._add(brand, _COMBINATION, meaning)

    def _combination_monograph(self, generics: tuple[str, ...]) -> Monograph | None:
        wanted = frozenset(self.concept(generic) for generic in generics)
        for monograph in self.monographs.values():
            parts = frozenset(self.concept(part) for part in components(monograph.name))
            if len(wanted) > 1 and parts == wanted:
                return monograph
        joined = {self.concept(" ".join(order)) for order in (generics, generics[::-1])}
        return next((found[0] for concept in joined if (found := self._monographs_of.get(concept))), None)

    def _add_brand(self, brand: str, generic: str, level: int) -> None:
        monograph = self.monograph_of(generic)
        if monograph is None:
            self._add(brand, _KNOWN, Meaning("known", brand, brand=True))
        else:
            self._add(brand, level, Meaning("monograph", monograph.name, drug_id=monograph.drug_id, brand=True))

    def _add_row(self, row: NameRow) -> None:
        if len(row.combination) > 1:
            self._add_combination((*row.brands, *([row.vi_name] if row.vi_name else [])), row.combination)
            return
        for name in (row.vi_name, row.inn):
            if name:
                self._add_known(name)
        for brand in row.brands:
            self._add_brand(brand, row.vi_name, _BRAND)

    def _add_known(self, name: str) -> None:
        monograph = self.monograph_of(name)
        for form in name_forms(name):
            if monograph is not None:
                self._add(form, _OWN, Meaning("monograph", monograph.name, drug_id=monograph.drug_id))
            else:
                self._add(form, _KNOWN, Meaning("known", next(iter(name_forms(name)))))

    def _add(self, name: str, level: int, meaning: Meaning) -> None:
        key = self.key(name)
        self._add_key(key, level, meaning)
        if meaning.brand:
            self._brand_forms[key].add(_plain_words(name))
        if _needs_exact_case(name, key):
            self._exact_case[key].update({name, name.upper()})

    def _add_key(self, key: NameKey, level: int, meaning: Meaning) -> None:
        if not key or all(word.isdigit() for word in key):
            return
        known = self._ranked[key][level]
        if not any(meaning.kind == other.kind and meaning.drug_id == other.drug_id for other in known):
            known.append(meaning)

    def _is_everyday(self, key: NameKey) -> bool:
        return len(key) == 1 and key[0] in self._everyday

    def _bare_keys(self) -> dict[NameKey, NameKey]:
        """Names with Vietnamese words, as they are typed without marks; one-word names never, since they would be everyday words."""
        bare: dict[NameKey, NameKey] = {}
        for key in self.meanings:
            stripped = tuple(strip_marks(word) for word in key)
            if len(key) > 1 and stripped != key and stripped not in self.meanings:
                bare.setdefault(stripped, key)
        return bare

    def _lengths_by_first_word(self) -> dict[str, tuple[int, ...]]:
        lengths: dict[str, set[int]] = defaultdict(set)
        for key in (*self.meanings, *self._bare):
            lengths[key[0]].add(len(key))
        return {word: tuple(sorted(found, reverse=True)) for word, found in lengths.items()}

    # --- looking up -----------------------------------------------------------------------------------------------------------

    def monograph_of(self, name: str) -> Monograph | None:
        """The one monograph that is about the substance ``name``, or None where there is none or more than one."""
        found = self._monographs_of.get(self.concept(name), [])
        return found[0] if len(found) == 1 else None

    def is_listed_combination(self, one: NameHit, two: NameHit) -> bool:
        """Whether two named substances are all that a listed combination holds."""
        return frozenset(self.concept(hit.meanings[0].name) for hit in (one, two)) in self._combinations

    def combination_of(self, one: NameHit, two: NameHit) -> Monograph | None:
        """The monograph of the combination of two named substances, if this corpus has it."""
        names = tuple(hit.meanings[0].name for hit in (one, two))
        return None if one.brand or two.brand else self._combination_monograph(names)

    def words_of(self, text: str) -> list[NameWord]:
        """The words of ``text`` as names are matched over them."""
        return name_words(text, self._translations)

    def find(self, text: str, text_words: Sequence[NameWord] | None = None) -> list[NameHit]:
        """Every listed name in ``text``, leftmost-longest, in order."""
        tokens = self.words_of(text) if text_words is None else text_words
        found: list[NameHit] = []
        position = 0
        while position < len(tokens):
            hit = self._at(text, tokens, position)
            if hit is None:
                position += 1
            else:
                found.append(hit)
                position = hit.last
        return found

    def spans(self, text: str) -> Iterator[Span]:
        """The places of listed names: what masking must leave alone."""
        return (hit.span for hit in self.find(text))

    def _at(self, text: str, tokens: Sequence[NameWord], position: int) -> NameHit | None:
        for length in self._lengths.get(tokens[position].key, ()):
            last = position + length
            if last > len(tokens) or any(token.starts_clause for token in tokens[position + 1 : last]):
                continue
            key: NameKey = tuple(token.key for token in tokens[position:last])
            span = Span(tokens[position].span.start, tokens[last - 1].span.end)
            typed = span.of(text)
            if key not in self.meanings and key in self._bare and typed == strip_marks(typed):
                key = self._bare[key]
            if key not in self.meanings or not self._is_typed_as_listed(key, typed):
                continue
            return NameHit(span, typed, key, self.meanings[key], position, last)
        return None

    def _is_typed_as_listed(self, key: NameKey, typed: str) -> bool:
        """A substance may be spelt in either language; a trade name has one spelling ("typhi" is not Tiffy), else it is offered."""
        if key in self._exact_case and typed not in self._exact_case[key]:
            return False
        return _plain_words(typed) in self._brand_forms[key] if all(m.brand for m in self.meanings[key]) else True


def _plain_words(name: str) -> NameKey:
    """The words of a name, folded and without marks or signs."""
    return tuple(strip_marks(word.folded) for word in words(unicodedata.normalize("NFKC", name)) if word.folded.isalnum())


def _own_names(monograph: Monograph) -> Iterator[str]:
    for name in (monograph.name, monograph.inn, *monograph.synonyms):
        yield from name_forms(name)


def _needs_exact_case(name: str, key: NameKey) -> bool:
    """Short names and names that look like a Vietnamese word ("NAC" and nạc) count only as they are printed."""
    if len(key) != 1 or name != strip_marks(name):
        return False
    return len(name) < 4 or is_vietnamese_syllable(name)


def _listed(cell: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in cell.replace("|", ";").split(";") if part.strip())
