"""What is told to a reader beside an answer, as a code and what fills it, so that it can be worded when it is drawn (spec 06, languages).

A trace keeps the Vietnamese words as they were said and, beside them, this: another language words the same thing anew. Names of sections,
groups and routes are kept as keys; words of the reader and of the book, and names of drugs, stay as they are in every language.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from duocthu_core.retrieval.model import Named, NamedKind, Notice, NoticeKind, Said
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.templates import filled

Language = Literal["vi", "en"]
_LISTED = frozenset({"names", "drug"})
"""What fills these marks is listed with "và"."""
_APART = frozenset({("carried_over", "items"), ("figures_left_out", "items"), ("conditions_stated", "items")})
"""These hold items that have commas of their own."""


def told(code: str, **params: str | Named | Sequence[Named]) -> Said:
    """A sentence with its marks filled by words, by one named thing, or by several."""
    return Said(code=code, params={name: _several(value) for name, value in params.items()})


def words(values: Iterable[str], kind: NamedKind = "words") -> tuple[Named, ...]:
    """Several things of one kind."""
    return tuple(Named(value=value, kind=kind) for value in values)


def worded(said: Said | None, ruleset: Ruleset, language: Language, otherwise: str = "") -> str:
    """``said`` in ``language`` by the texts of ``ruleset``; ``otherwise`` where there is nothing to word, or these rules do not know it."""
    if said is None:
        return otherwise
    texts = Texts(ruleset, language)
    template = texts.template(said)
    if template is None:
        return otherwise
    values = {name: texts.joined(said.code, name, named) for name, named in said.params.items()}
    values |= {name: filled(values[name], **values) for name, named in said.params.items() if any(one.kind == "topic" for one in named)}
    return filled(template, **values)


def notice_of(kind: NoticeKind, said: Said, ruleset: Ruleset, language: Language = "vi", pages: Iterable[int] = ()) -> Notice:
    """A notice that says ``said``; ``pages`` are named in it and kept beside it."""
    ordered = tuple(sorted(set(pages)))
    if ordered:
        said = said.model_copy(update={"params": said.params | {"pages": (Named(value=", ".join(map(str, ordered))),)}})
    return Notice(kind=kind, text=worded(said, ruleset, language), pages=ordered, said=said)


def notice_text(notice: Notice, ruleset: Ruleset, language: Language) -> str:
    """A stored notice in ``language``: in Vietnamese as it was said, else worded anew where it was kept how."""
    return notice.text if language == "vi" else worded(notice.said, ruleset, language, otherwise=notice.text)


class Texts:
    """The reader's texts of one ruleset in one language."""

    def __init__(self, ruleset: Ruleset, language: Language) -> None:
        self._tables: Mapping[str, Any] = ruleset.tables
        self._language: Language = language
        severity = ruleset.tables["severity"]
        self._common: Mapping[str, Any] = severity["common"]
        self._messages: Mapping[str, Any] = severity["reader_messages"]

    def template(self, said: Said) -> str | None:
        """The template of a sentence; None where these rules have none."""
        code, language = said.code, self._language
        if code == "ranking_note":
            return str(self._tables["safety"]["condition_list"][f"ranking_note_{language}"])
        if code == "section_title":
            return "{section}"
        if code == "reply":
            return "{name}"
        if code == "emergency":
            return "{kind}"
        asked = self._tables["answering"]["offline"]["ask" if language == "vi" else "ask_en"]
        found = self._messages.get(code, {}).get(language) or self._common.get(f"{code}_{language}") or asked.get(code)
        return None if found is None else str(found)

    def joined(self, code: str, mark: str, named: Sequence[Named]) -> str:
        """What fills one mark."""
        names = [self._aged(one) for one in named]
        if mark in _LISTED:
            return self.listed(names)
        return ("; " if (code, mark) in _APART else ", ").join(names)

    def listed(self, names: Sequence[str]) -> str:
        """ "A, B và C"."""
        if len(names) < 2:
            return "".join(names)
        return ", ".join(names[:-1]) + str(self._messages["and"][self._language]) + names[-1]

    def _aged(self, named: Named) -> str:
        name = self._name(named)
        if named.turns_ago < 2:
            return name
        template = str(self._common[f"carried_age_{self._language}"])
        return filled(template, item=name, age=str(named.turns_ago))

    def _name(self, named: Named) -> str:
        value, tables = named.value, self._tables
        if named.kind == "quoted":
            return f"“{value}”"
        if named.kind == "cut":
            return f"“{value} …”"
        if named.kind == "section":
            return self._label(tables["sections"]["sections"], value)
        if named.kind == "population":
            return self._label(tables["populations"]["tags"], value)
        if named.kind == "route":
            return self._label(tables["routes"]["routes"], value)
        if named.kind == "personal_data":
            return str(tables["severity"]["masked_kinds"].get(value, {}).get(self._language) or value)
        if named.kind == "emergency":
            return str(tables["safety"]["red_flags"].get(value, {}).get(f"advice_{self._language}") or value)
        if named.kind == "topic":
            return str(tables["answering"]["offline"]["names" if self._language == "vi" else "names_en"].get(value, value))
        return value

    def _label(self, table: Mapping[str, Any], key: str) -> str:
        entry = table.get(key, {})
        return str(entry.get(f"label_{self._language}") or entry.get("label_vi") or key)


def _several(value: str | Named | Sequence[Named]) -> tuple[Named, ...]:
    if isinstance(value, str):
        return (Named(value=value),)
    return (value,) if isinstance(value, Named) else tuple(value)
