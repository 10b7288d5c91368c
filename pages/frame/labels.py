"""Names of the core's keys for a reader: sections, patient groups, routes, drugs. The words stand in the ruleset's tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from duocthu_core.access.model import LOCAL_USER
from duocthu_core.pipeline.outputs import FocusOutput
from duocthu_core.pipeline.trace import Trace
from duocthu_core.rulesets.model import Ruleset
from pages.frame.words import _, language, word

_ID_SHOWN = 8


def section(ruleset: Ruleset, key: str | None) -> str:
    """``lieu_luong_cach_dung`` -> "Liều lượng và cách dùng"."""
    return _label(ruleset.tables["sections"]["sections"], key)


def population(ruleset: Ruleset, key: str | None) -> str:
    """``nguoi_lon`` -> "Người lớn"."""
    return _label(ruleset.tables["populations"]["tags"], key)


def route(ruleset: Ruleset, key: str | None) -> str:
    """``uong`` -> "Uống"."""
    return _label(ruleset.tables["routes"]["routes"], key)


def drug(trace: Trace, drug_id: str | None) -> str:
    """The drug's name as the trace knows it."""
    if drug_id is None:
        return ""
    focus = trace.stage("focus")
    if focus is not None and isinstance(focus.output, FocusOutput):
        known = focus.output.drug_names.get(drug_id)
        if known:
            return known
    return next((item.drug_name for item in trace.evidence if item.drug_id == drug_id and item.drug_name), drug_id)


def focus_value(ruleset: Ruleset, trace: Trace, field: str, value: str | None) -> str:
    """The value of one field of the focus in words."""
    if not value:
        return "–"
    if field == "drug_id":
        return drug(trace, value)
    if field == "section_key":
        return section(ruleset, value)
    if field == "population":
        return population(ruleset, value)
    return value if field == "stated" else word(field, value)


def rejection(ruleset: Ruleset, reason: str | None) -> str:
    """What a reader is told for ``reason``, from the ruleset's one table of messages."""
    entry = ruleset.tables["severity"]["reject_reasons"].get(reason or "", {})
    return str(entry.get(language()) or reason or "")


def ruleset_name(ruleset: Ruleset) -> str:
    """The ruleset's name as shown: the one that ships has a name in the reader's language."""
    return _("ruleset.default") if ruleset.name == "default" else ruleset.name


def person(name: str) -> str:
    """Who did something, for a reader: the one user of a fresh machine has no name of their own."""
    return _("access.local_user") if name == LOCAL_USER.name else name


def told_apart(named: Mapping[str, str]) -> dict[str, str]:
    """``named`` (id -> words of an option) with the beginning of the id behind words that several have: a list of options knows which one
    was chosen by its words alone."""
    often = Counter(named.values())
    return {key: words if often[words] == 1 else f"{words} · {_id_beginning(key, named)}" for key, words in named.items()}


def _id_beginning(key: str, beside: Iterable[str]) -> str:
    alike = [other for other in beside if other[:_ID_SHOWN] == key[:_ID_SHOWN]]
    return key[:_ID_SHOWN] if len(alike) == 1 else key


def short_id(identifier: str) -> str:
    """The first four characters of a hash or id, after its algorithm."""
    return identifier.rsplit(":", 1)[-1][:4]


def _label(table: dict[str, Any], key: str | None) -> str:
    if not key:
        return ""
    entry = table.get(key, {})
    return str(entry.get(f"label_{language()}") or entry.get("label_vi") or key)
