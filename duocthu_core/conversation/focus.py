"""The focus of a conversation (spec 02, rules 2 - 7): which drug, section, group and verbosity it is about. Pure functions.

Times are counts of turns; a question and its answer are two. A stamp is the ``turn_count`` at which the question came in that *mentioned*
the field, before it was appended, so that a drug named in the first question (stamp 0) is 6 turns old, and still fresh under the default
TTL, when the fourth question comes in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from duocthu_core.conversation.model import Focus, FocusField, PatientValue, Verbosity

FOCUS_FIELDS: tuple[FocusField, ...] = ("drug_id", "section_key", "population", "stated", "verbosity")
NOTHING: frozenset[FocusField] = frozenset()
EVERYTHING: frozenset[FocusField] = frozenset(FOCUS_FIELDS)


@dataclass(frozen=True, slots=True)
class Mentioned:
    """What one turn said outright."""

    drug_id: str | None = None
    drug_name: str | None = None
    section_key: str | None = None
    population: str | None = None
    stated: tuple[PatientValue, ...] | None = None
    verbosity: Verbosity | None = None
    phrase: Mapping[FocusField, str] = field(default_factory=dict)
    """The words that said it."""
    cleared: frozenset[FocusField] = NOTHING
    """Fields that the turn makes void without a new value: it named two drugs, or one that this corpus lacks; it reset the verbosity."""

    def value(self, name: FocusField) -> str | tuple[PatientValue, ...] | None:
        """The mentioned value of a field."""
        return getattr(self, name)


def age(focus: Focus, name: FocusField, turn_count: int) -> int | None:
    """How many turns ago a field was last mentioned; None where it is empty."""
    stamp = focus.set_at_turn.get(name)
    return None if stamp is None or getattr(focus, name) is None else turn_count - stamp


def is_fresh(focus: Focus, name: FocusField, turn_count: int, ttl: int) -> bool:
    """Whether a field still holds: ``turn_count - set_at <= ttl``. A stamp of the future does not."""
    turns = age(focus, name, turn_count)
    return turns is not None and 0 <= turns <= ttl


def expire(focus: Focus, turn_count: int, ttl: int) -> Focus:
    """``focus`` without its stale fields and their stamps; drug_id and drug_name go together (rules 2 and 5)."""
    return without(focus, frozenset(name for name in FOCUS_FIELDS if not is_fresh(focus, name, turn_count, ttl)))


def without(focus: Focus, names: frozenset[FocusField]) -> Focus:
    """``focus`` with some fields empty, their stamps and phrases gone."""
    update: dict[str, object] = {}
    update.update(dict.fromkeys(names))
    if "drug_id" in names:
        update["drug_name"] = None
    update["set_at_turn"] = {name: stamp for name, stamp in focus.set_at_turn.items() if name not in names}
    update["phrase"] = {name: words for name, words in focus.phrase.items() if name not in names}
    return focus.model_copy(update=update)


def inherit(
    focus: Focus, mentioned: Mentioned, turn_count: int, ttl: int, inheritable: frozenset[FocusField] = EVERYTHING
) -> tuple[Focus, dict[FocusField, int]]:
    """The focus after a turn, and the fields that the turn takes over from before with their ages in turns.

    An explicit mention always wins (rule 3), and it alone stamps a field (rule 4): what is inherited keeps its old stamp, so that a chain
    of follow-ups cannot keep a drug alive. ``inheritable`` says which blank fields this turn may take over at all; a field that it may
    not stays in the focus for the next turn, as long as it is fresh.
    """
    fresh = without(expire(focus, turn_count, ttl), mentioned.cleared)
    said: list[FocusField] = [name for name in FOCUS_FIELDS if mentioned.value(name) is not None]
    update: dict[str, object] = {name: mentioned.value(name) for name in said}
    if "drug_id" in said:
        update["drug_name"] = mentioned.drug_name
    update["set_at_turn"] = fresh.set_at_turn | dict.fromkeys(said, turn_count)
    update["phrase"] = fresh.phrase | {name: mentioned.phrase.get(name, "") for name in said}
    inherited: dict[FocusField, int] = {
        name: turn_count - fresh.set_at_turn[name]
        for name in FOCUS_FIELDS
        if name not in said and name in inheritable and getattr(fresh, name) is not None
    }
    return fresh.model_copy(update=update), inherited
