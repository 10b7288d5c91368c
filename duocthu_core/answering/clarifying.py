"""A question that the model wants to ask back, made safe to show (spec 03, rules 5, 7 and 8).

No check reads a clarifying question against the book, so it may not carry what only a checked claim may carry: a figure that
neither the reader nor a block has named. Quick replies must be options that the blocks really have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from duocthu_core.answering.model import Draft
from duocthu_core.retrieval.model import Evidence, Named, Said
from duocthu_core.retrieval.telling import told
from duocthu_core.retrieval.telling import words as words_named
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.folding import fold
from duocthu_core.text.numbers import cached_numeric_tokens, numeric_tokens
from duocthu_core.text.phrases import words

_MARK = re.compile(r"\{([a-z_]+)\}")


def safe_clarification(
    draft: Draft, question_text: str, evidence: Sequence[Evidence], ruleset: Ruleset, language: str = "vi"
) -> tuple[str, tuple[str, ...]]:
    """The question to ask and its quick replies.

    A question with a figure from nowhere is replaced by a general one of the ruleset; if one reply stands in no block, none is shown.
    """
    asked = (draft.clarifying_question or "").strip()
    shown = [block for block in evidence if not block.quarantined]
    if not asked or _has_unknown_figure(asked, question_text, shown):
        return str(ruleset.tables["severity"]["common"][f"ask_for_details_{language}"]), ()
    replies = draft.quick_replies if all(_stands_in(reply, shown) for reply in draft.quick_replies) else ()
    return asked, replies


def recognised(asked: str, evidence: Sequence[Evidence], ruleset: Ruleset) -> Said | None:
    """The question as a code, where it is one of the product's own (asked by the offline model, or in place of an unsafe one), so that it
    can be worded in another language; None for words that a model chose."""
    offline = ruleset.tables["answering"]["offline"]
    if asked == str(ruleset.tables["severity"]["common"]["ask_for_details_vi"]):
        return told("ask_for_details")
    for code, template in offline["ask"].items():
        filling = _filling(str(template), asked)
        if filling is not None:
            drugs = list(dict.fromkeys(block.drug_name for block in evidence if block.drug_name))
            params = {mark: _named(value, offline["names"]) for mark, value in filling.items()}
            if params.get("drug") == (Named(value=" và ".join(drugs)),):
                params["drug"] = words_named(drugs)
            return told(code, **params)
    return None


def recognised_reply(reply: str, ruleset: Ruleset) -> Said | None:
    """A quick reply that is nothing but the name of a group or a route, as its key; None for other words of the book."""
    tables = ruleset.tables
    for kind, entries in (("population", tables["populations"]["tags"]), ("route", tables["routes"]["routes"])):
        key = _names_of(kind, ruleset.ruleset_id, _Entries(entries)).get(fold(reply))
        if key is not None:
            return told("reply", name=Named.model_validate({"value": key, "kind": kind}))
    return None


class _Entries:
    """A table that is remembered by the id of its rules."""

    def __init__(self, entries: Mapping[str, Mapping[str, Any]]) -> None:
        self.entries = entries

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Entries)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=8)
def _names_of(kind: str, ruleset_id: str, table: _Entries) -> Mapping[str, str]:
    del kind, ruleset_id
    found: dict[str, str] = {}
    for key, entry in table.entries.items():
        for phrase in (entry["label_vi"], *entry.get("phrases", ())):
            found.setdefault(fold(str(phrase)), key)
    return found


def _filling(template: str, text: str) -> dict[str, str] | None:
    """What fills each mark of ``template`` in ``text``; None where the text was not made from it."""
    literal, *rest = _MARK.split(template)
    if not text.startswith(literal):
        return None
    found: dict[str, str] = {}
    position = len(literal)
    for mark, after in zip(rest[::2], rest[1::2], strict=True):
        end = text.find(after, position) if after else len(text)
        if end < 0:
            return None
        found[mark] = text[position:end]
        position = end + len(after)
    return found if position == len(text) else None


def _named(value: str, names: Mapping[str, str]) -> tuple[Named, ...]:
    """A name that the offline model has for what it cannot name otherwise ("thuốc này"), by its key; else the words themselves."""
    key = next((key for key, name in names.items() if _filling(str(name), value) is not None), None)
    return (Named(value=value),) if key is None else (Named(value=key, kind="topic"),)


def _has_unknown_figure(asked: str, question_text: str, evidence: Sequence[Evidence]) -> bool:
    known = {token.text for token in numeric_tokens(question_text)}
    for block in evidence:
        known.update(token.text for token in cached_numeric_tokens(block.text))
    return any(token.is_fact and token.text not in known for token in numeric_tokens(asked))


def _stands_in(reply: str, evidence: Sequence[Evidence]) -> bool:
    """Whether the words of ``reply`` stand together in one block, whatever signs part them there."""
    wanted = _padded(reply)
    return len(wanted) > 2 and any(wanted in _padded(block.text) for block in evidence)


@lru_cache(maxsize=1024)
def _padded(text: str) -> str:
    return " " + " ".join(word.folded for word in words(text) if word.folded.isalnum() or word.folded in "<>≤≥%") + " "
