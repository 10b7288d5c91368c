"""A question with what it left blank taken from the focus (spec 02, rules 3 - 7). Rules only.

When is what inherited?
- **drug**: by a turn that names none and clearly goes on about one: it opens as a follow-up, refers back, or names a section, a group, a
  route, an age, a weight, an amount or a verbosity. Not by a turn that names a drug this corpus lacks, or a word that may be one, or
  another subject ("tác dụng phụ của vắc xin"), nor by a general question: none of these may be answered with an earlier drug.
- **section**: by a turn that names none, except a wish for the whole monograph, an interaction, a list. A group with a section of its own
  (có thai, cho con bú) named together with a drug asks for that section.
- **group**: by a turn that names and states none, except where every group is wanted.
- **age, weight and other values**: as the group, by a turn that states none itself; a new group makes them void.
- **verbosity**: until it is changed.
A turn about two drugs leaves no drug in the focus: which of them a later turn means has to be asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from duocthu_core.conversation.focus import EVERYTHING, FOCUS_FIELDS, Mentioned, expire, inherit, is_fresh
from duocthu_core.conversation.model import ConversationState, Focus, FocusField, PatientValue
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.understanding.model import Intent, Mention, Question, ResolvedQuestion, Stated, StatedValues

Origin = Literal["this_turn", "inherited", "expired", "none"]
_TWO_DRUG_INTENTS = frozenset({"interaction", "compare"})
_NO_DRUG_INTENTS = frozenset({"smalltalk", "out_of_scope", "reverse", "condition_list"})


class FieldOrigin(BaseModel):
    """One field as the turn uses it, and where it comes from."""

    model_config = ConfigDict(frozen=True)

    field: FocusField
    value: str | None
    origin: Origin
    age: int = 0
    """Turns since it was mentioned."""
    expires_in: int = 0
    """Turns for which it still holds."""
    from_turn: int | None = None
    """Running number (from 1) of the question that set it."""
    phrase: str = ""


class Resolution(BaseModel):
    """What a turn is about, and the focus after it."""

    model_config = ConfigDict(frozen=True)

    before: Focus
    focus: Focus
    resolved: ResolvedQuestion
    fields: tuple[FieldOrigin, ...]
    drug_names: dict[str, str] = Field(default_factory=dict)


class _Said(NamedTuple):
    """The question's own drugs, section and group, and from which turn they are."""

    drug_ids: tuple[str, ...]
    section_key: str | None
    mentioned: Mentioned
    stamps: dict[FocusField, int]
    """For fields that stand only in the earlier question which this turn's reply continues: when that was said."""


def resolve(question: Question, state: ConversationState, ruleset: Ruleset, drug_names: Mapping[str, str]) -> Resolution:
    """Fills the blanks of ``question`` from the focus of ``state`` while it is fresh. ``drug_names``: drug id -> name, for the reader."""
    before, turn_count, ttl = state.focus, state.turn_count, ruleset.conversation.focus_ttl_turns
    if question.intent in ("smalltalk", "out_of_scope", "reverse"):
        focus = expire(before, turn_count, ttl)
        resolved = ResolvedQuestion(drug_ids=question.drug_ids, route=question.route, intent=question.intent)
        return _resolution(focus, resolved, state, ruleset, drug_names)
    said = _said(question, before, turn_count, ttl, drug_names)
    partner = _partner(question, said, before, turn_count, ttl)
    mentioned = said.mentioned if partner is None else _without_drug(said.mentioned)
    own_section = _section_of_group(question, said, state, ruleset)
    inheritable = _inheritable(question, said, own_section is not None)
    focus, taken_over = inherit(before, mentioned, turn_count, ttl, inheritable)
    inherited: dict[str, int] = {name: turns for name, turns in taken_over.items()}  # noqa: C416 - widens the key type
    focus = focus.model_copy(update={"set_at_turn": focus.set_at_turn | said.stamps})
    inherited |= {name: turn_count - stamp for name, stamp in said.stamps.items()}
    drug_ids = said.drug_ids
    if partner is not None:
        drug_ids = (partner, *drug_ids)
        inherited["drug_id"] = turn_count - before.set_at_turn["drug_id"]
    elif "drug_id" in inherited and not drug_ids and focus.drug_id is not None:
        drug_ids = (focus.drug_id,)
    carried_values = (focus.stated or ()) if "stated" in inherited and mentioned.stated is None else ()
    if (kept := _kept_values(question, before, turn_count, ttl)) and mentioned.stated:
        # "9 tuổi", then "nặng 28kg": the same patient, of whom one thing more is known.
        carried_values = kept
        focus = focus.model_copy(update={"stated": (*mentioned.stated, *kept)})
        inherited["stated"] = turn_count - min(value.said_at or 0 for value in kept)
    resolved = ResolvedQuestion(
        drug_ids=drug_ids,
        drug_id=drug_ids[0] if len(drug_ids) == 1 else None,
        section_key=said.section_key or own_section or (focus.section_key if "section_key" in inherited else None),
        population=mentioned.population or (focus.population if "population" in inherited else None),
        stated=_stated((*question.stated, *carried_values)),
        carried_values=carried_values,
        route=question.route,
        verbosity=mentioned.verbosity or (focus.verbosity if "verbosity" in inherited else None),
        intent=_intent(question, drug_ids),
        inherited=inherited,
    )
    return _resolution(focus, resolved, state, ruleset, drug_names)


# --- what this turn said --------------------------------------------------------------------------------------------------------


def _said(question: Question, before: Focus, turn_count: int, ttl: int, drug_names: Mapping[str, str]) -> _Said:
    stamps: dict[FocusField, int] = {}
    gone: set[FocusField] = set()
    section = question.section_keys[0] if question.section_keys else None
    values: dict[FocusField, str | None] = {
        "drug_id": question.drug_ids[0] if len(question.drug_ids) == 1 else None,
        "section_key": section,
        "population": question.population,
        "verbosity": question.verbosity,
    }
    patient = _patient(question)
    said: dict[FocusField, str | tuple[PatientValue, ...] | None] = {**values, "stated": patient}
    for name, value in said.items():
        if value is None or _said_now(question, name, value):
            continue
        stamp = before.set_at_turn.get(name) if getattr(before, name) == value else question.continues_turn
        stamp = turn_count if stamp is None else stamp
        if turn_count - stamp > ttl:
            gone.add(name)
        else:
            stamps[name] = stamp
    drug_ids = () if "drug_id" in gone else question.drug_ids
    speaks_of_more = (
        len(drug_ids) > 1
        or bool(question.unknown_names or question.offers)
        or (bool(question.unrecognised_names) and not drug_ids and not question.refers_back)
    )
    speaks_of_more = speaks_of_more or question.intent == "condition_list"
    drug_id = None if speaks_of_more or "drug_id" in gone else values["drug_id"]
    cleared: set[FocusField] = set()
    if speaks_of_more and not question.joins_focus:
        cleared.add("drug_id")
    if question.intent == "condition_list" or question.wants_whole_monograph:
        cleared.add("section_key")
    if question.population is None and _speaks_of_groups(question):
        cleared.add("population")
    if patient is None and (_speaks_of_groups(question) or question.stated):
        cleared.add("stated")
    if question.resets_verbosity:
        cleared.add("verbosity")
    mentioned = Mentioned(
        drug_id=drug_id,
        drug_name=drug_names.get(drug_id, drug_id) if drug_id is not None else None,
        section_key=None if "section_key" in gone else section,
        population=None if "population" in gone else question.population,
        stated=None if "stated" in gone else patient,
        verbosity=None if "verbosity" in gone else question.verbosity,
        phrase=_phrases(question, values),
        cleared=frozenset(cleared),
    )
    return _Said(drug_ids, mentioned.section_key, mentioned, {name: stamps[name] for name in stamps if mentioned.value(name)})


_KINDS: dict[FocusField, tuple[str, ...]] = {
    "drug_id": ("drug", "brand"),
    "section_key": ("section", "intent"),
    "population": ("population", "age", "weight"),
    "stated": ("age", "weight"),
    "verbosity": ("verbosity",),
}


def _patient(question: Question) -> tuple[PatientValue, ...] | None:
    """The values of the patient that the turn states and that are sure enough to be taken over; None for none."""
    sure = [value for value in question.stated if not value.unsure]
    return tuple(PatientValue(kind=value.kind, text=value.text, low=value.low, high=value.high) for value in sure) or None


def _kept_values(question: Question, before: Focus, turn_count: int, ttl: int) -> tuple[PatientValue, ...]:
    """Values of the patient from earlier turns that a turn which states another kind of value leaves as they are; each keeps the stamp of
    the turn that stated it (spec 02, rule 4)."""
    stamp = before.set_at_turn.get("stated")
    stated = {value.kind for value in question.stated}
    if stamp is None or before.stated is None or not stated or question.drug_ids or question.reply_start:
        return ()
    if "age" in stated or question.populations:  # another age or group is another patient
        return ()
    dated = (value.model_copy(update={"said_at": value.said_at if value.said_at is not None else stamp}) for value in before.stated)
    return tuple(value for value in dated if value.kind not in stated and 0 <= turn_count - (value.said_at or 0) <= ttl)


def _said_now(question: Question, name: FocusField, value: object) -> bool:
    """Whether a field stands in this turn's own words, and not only in the earlier question that they answer."""
    if not question.reply_start:
        return True
    if name in ("population", "stated") and any(stated.span.start >= question.reply_start for stated in question.stated):
        return True
    return any(
        mention.span.start >= question.reply_start and mention.kind in _KINDS[name] and mention.value in (value, "all")
        for mention in question.mentions
    )


def _phrases(question: Question, values: Mapping[FocusField, str | None]) -> dict[FocusField, str]:
    """The words that set each field; for a group that an age gave, the age."""
    found: dict[FocusField, str] = {}
    for name, value in values.items():
        if value is None:
            continue
        own = [mention for mention in question.mentions if mention.kind in _KINDS[name]]
        exact = [mention for mention in own if mention.value == value]
        found[name] = _words(exact or own) or (question.stated[0].text if name == "population" and question.stated else "")
    if question.stated:
        found["stated"] = ", ".join(value.text for value in question.stated)
    return found


def _words(mentions: Sequence[Mention]) -> str:
    return mentions[0].words if mentions else ""


# --- what it takes over ---------------------------------------------------------------------------------------------------------


def _partner(question: Question, said: _Said, before: Focus, turn_count: int, ttl: int) -> str | None:
    """The drug of the conversation where the turn asks about it together with the one it names."""
    if not question.joins_focus or not is_fresh(before, "drug_id", turn_count, ttl):
        return None
    return before.drug_id if before.drug_id not in said.drug_ids else None


def _without_drug(mentioned: Mentioned) -> Mentioned:
    return Mentioned(
        section_key=mentioned.section_key,
        population=mentioned.population,
        stated=mentioned.stated,
        verbosity=mentioned.verbosity,
        phrase=mentioned.phrase,
        cleared=mentioned.cleared | frozenset[FocusField]({"drug_id"}),
    )


def _section_of_group(question: Question, said: _Said, state: ConversationState, ruleset: Ruleset) -> str | None:
    """The section that a group has for itself, where the turn names the group and a drug, or no section is fresh."""
    if said.section_key is not None or question.intent != "section" or question.population is None:
        return None
    if not said.drug_ids and is_fresh(state.focus, "section_key", state.turn_count, ruleset.conversation.focus_ttl_turns):
        return None
    sections = ruleset.tables["sections"]["sections"]
    return next((key for key, entry in sections.items() if entry.get("from_population") == question.population), None)


def _inheritable(question: Question, said: _Said, has_own_section: bool) -> frozenset[FocusField]:
    left_out: set[FocusField] = set()
    goes_on = _goes_on(question)
    takes_drug = not said.drug_ids and goes_on and not _names_something_else(question)
    if not takes_drug:
        left_out.add("drug_id")
    names_or_takes_drug = bool(said.drug_ids) or takes_drug
    if not names_or_takes_drug and not (question.is_followup or question.refers_back):
        left_out |= {"section_key", "population", "stated"}
    if (
        has_own_section
        or question.wants_whole_monograph
        or question.intent in ("interaction", "condition_list")
        or (question.intent == "survey" and said.drug_ids)
    ):
        left_out.add("section_key")
    if _speaks_of_groups(question):
        left_out |= {"population", "stated"}
    if question.stated:
        left_out.add("stated")
    if question.intent in _NO_DRUG_INTENTS:
        left_out |= {"drug_id", "section_key", "population", "stated"}
    return EVERYTHING - left_out


def _speaks_of_groups(question: Question) -> bool:
    """Whether the turn itself says whom it is about: one group, several, all of them, or an age that may be child or adult."""
    return question.wants_all_groups or bool(question.populations) or any(stated.kind == "age" for stated in question.stated)


def _goes_on(question: Question) -> bool:
    """Whether a turn that names no drug speaks of the drug of the conversation."""
    return bool(
        question.is_followup
        or question.refers_back
        or question.section_keys
        or question.populations
        or question.routes
        or question.stated
        or question.verbosity
        or question.resets_verbosity
        or question.asks_amounts
        or question.intent in ("survey", *_TWO_DRUG_INTENTS)
    )


def _names_something_else(question: Question) -> bool:
    """Whether the turn is about a drug that this corpus lacks, a word that may be one, or another subject."""
    if question.joins_focus:
        return False
    if question.unknown_names or question.offers:
        return True
    if question.refers_back:
        return False
    return bool(question.unrecognised_names) or (question.other_subject is not None and not question.is_followup)


# --- what comes out -------------------------------------------------------------------------------------------------------------


def _intent(question: Question, drug_ids: Sequence[str]) -> Intent:
    """Two drugs are needed for an interaction; with one, its section answers ("uống chung với ibuprofen" and no drug in the focus)."""
    others = len(question.unknown_names) + len(question.unrecognised_names) + len({offer.words for offer in question.offers})
    if question.intent in _TWO_DRUG_INTENTS and len(drug_ids) + others < 2:
        return "section"
    return question.intent


def _stated(values: Sequence[Stated | PatientValue]) -> StatedValues:
    def first(kind: str) -> str | None:
        return next((value.text for value in values if value.kind == kind), None)

    return StatedValues(age=first("age"), weight=first("weight"))


def _resolution(
    focus: Focus, resolved: ResolvedQuestion, state: ConversationState, ruleset: Ruleset, drug_names: Mapping[str, str]
) -> Resolution:
    names = {drug_id: drug_names.get(drug_id, drug_id) for drug_id in resolved.drug_ids}
    fields = tuple(_origin(name, focus, resolved, state, ruleset.conversation.focus_ttl_turns) for name in FOCUS_FIELDS)
    return Resolution(before=state.focus, focus=focus, resolved=resolved, fields=fields, drug_names=names)


def _origin(name: FocusField, focus: Focus, resolved: ResolvedQuestion, state: ConversationState, ttl: int) -> FieldOrigin:
    before, now = state.focus, state.turn_count
    value = _values_used(focus, resolved, now) if name == "stated" else getattr(resolved, name)
    if name == "drug_id" and value is None and resolved.drug_ids:
        value = ", ".join(resolved.drug_ids)
    if value is not None:
        age = resolved.inherited.get(name)
        return FieldOrigin(
            field=name,
            value=value,
            origin="this_turn" if age is None else "inherited",
            age=age or 0,
            expires_in=ttl - (age or 0),
            from_turn=(now - (age or 0)) // 2 + 1,
            phrase=focus.phrase.get(name) or (before.phrase.get(name, "") if age is not None else ""),
        )
    if getattr(before, name) is None or is_fresh(before, name, now, ttl):
        return FieldOrigin(field=name, value=None, origin="none")
    stamp = before.set_at_turn.get(name, 0)
    return FieldOrigin(
        field=name,
        value=_shown_values(before.stated) if name == "stated" else getattr(before, name),
        origin="expired",
        age=now - stamp,
        from_turn=stamp // 2 + 1,
        phrase=before.phrase.get(name, ""),
    )


def _values_used(focus: Focus, resolved: ResolvedQuestion, now: int) -> str | None:
    """The patient's values where this turn goes by them: stated now or taken over."""
    return _shown_values(focus.stated) if "stated" in resolved.inherited or focus.set_at_turn.get("stated") == now else None


def _shown_values(values: Sequence[PatientValue] | None) -> str | None:
    return ", ".join(value.text for value in values) if values else None
