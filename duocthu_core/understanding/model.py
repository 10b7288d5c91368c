"""What a question says (spec 03, "Scope" and "Understanding"): found by rules, each find with its words and place."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from duocthu_core.conversation.model import PatientValue, PatientValueKind, Verbosity
from duocthu_core.text.spans import Span

Intent = Literal["section", "survey", "compare", "interaction", "condition_list", "smalltalk", "reverse", "out_of_scope"]
StatedKind = PatientValueKind


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Mention(_Frozen):
    """Words of the question and what they were taken for."""

    kind: Literal[
        "drug",
        "brand",
        "section",
        "population",
        "route",
        "verbosity",
        "intent",
        "amount",
        "age",
        "weight",
        "followup",
        "reference",
        "allergen",
    ]
    value: str
    words: str
    span: Span
    with_marks: bool = True


class Stated(_Frozen):
    """A value of the patient that the reader stated. Numbers stay as typed; ``low`` and ``high`` are for choosing bands only."""

    kind: StatedKind
    text: str
    """As typed: "8 tuổi", "12 kg"."""
    low: float
    high: float
    """Equal where one value was stated. Ages in months, weights in kg, heights in cm, Clcr in ml/phút, gestational age in weeks."""
    span: Span
    unsure: bool = False
    """The writing leaves open what is meant ("bé 9t": tháng or tuổi; a weight at birth): worth asking; both readings lie in the range."""


class DrugOffer(_Frozen):
    """A drug that the question may have meant: offered, never assumed."""

    words: str
    drug_id: str
    drug_name: str
    why: Literal["misspelling", "look_alike", "combination"]
    score: float = 0.0


class Allergen(_Frozen):
    """What the patient is allergic to, or had to stop: no drug that is asked about."""

    words: str
    span: Span
    drug_id: str | None = None
    """None where it has no monograph here."""


class RedFlag(_Frozen):
    """A sign of an emergency in the question and the fixed advice that stands above the answer."""

    kind: str
    words: str
    span: Span
    advice_vi: str
    advice_en: str


class MaskedItem(_Frozen):
    """Personal data that was replaced before anything else saw the question: its kind and mask, never the value."""

    kind: str
    mask: str
    span: Span
    """Place of the mask in the masked question."""


class Question(_Frozen):
    """A question after masking and cleaning, and everything the rules found in it."""

    text: str
    """NFC, personal data masked, invisible characters removed: the text every span points into."""
    masked: tuple[MaskedItem, ...] = ()
    mentions: tuple[Mention, ...] = ()
    drug_ids: tuple[str, ...] = ()
    """Drugs named outright, in order of first mention."""
    unknown_names: tuple[str, ...] = ()
    """Drug-like names that are in the name list but have no monograph in this corpus (a brand or drug the book at hand lacks)."""
    unrecognised_names: tuple[str, ...] = ()
    """Words that look like a drug name and are in no list at all. Like an unknown name they keep an earlier drug from being taken."""
    offers: tuple[DrugOffer, ...] = ()
    allergens: tuple[Allergen, ...] = ()
    section_keys: tuple[str, ...] = ()
    population: str | None = None
    """One of the base tags of spec 02, or a finer tag of the table; None also where several groups are asked about."""
    populations: tuple[str, ...] = ()
    """Every group that was named or stated, in order."""
    stated: tuple[Stated, ...] = ()
    route: str | None = None
    """None also where several routes are asked about."""
    routes: tuple[str, ...] = ()
    verbosity: Verbosity | None = None
    resets_verbosity: bool = False
    intent: Intent = "section"
    is_followup: bool = False
    refers_back: bool = False
    joins_focus: bool = False
    """The one named drug is to be taken with, or compared to, the drug of the conversation ("uống chung với ibuprofen được không?")."""
    other_subject: str | None = None
    """What is no drug of this corpus and yet asked about: "vắc xin", "thuốc nam"."""
    wants_whole_monograph: bool = False
    """"giới thiệu thuốc", "tổng quan": no section of an earlier turn applies."""
    wants_all_groups: bool = False
    """"mọi lứa tuổi", "các đối tượng": no group of an earlier turn applies."""
    reply_start: int = 0
    """Where this turn's own words begin, when they answer a question that we asked back; what stands before is the earlier question."""
    continues_turn: int | None = None
    """``turn_count`` at which that earlier question came in. Where it is asked back once more, the next ``asked_at_turn`` is this one."""
    asks_amounts: bool = False
    """liều, bao nhiêu, tần suất … (spec 03, numeric suppression)."""
    suppress_numbers: bool = False
    """The reader asked for no figures."""
    red_flags: tuple[RedFlag, ...] = ()
    reverse_pattern: str | None = None
    condition: str | None = None
    """What condition_list asks about: "tăng huyết áp"."""
    animal: str | None = None
    injection_cues: tuple[str, ...] = ()

    @property
    def is_smalltalk(self) -> bool:
        """Whether the turn is social and nothing else."""
        return self.intent == "smalltalk"


class StatedValues(_Frozen):
    """The patient's values as ``resolved.stated`` shows them."""

    age: str | None = None
    weight: str | None = None


class ResolvedQuestion(_Frozen):
    """The question with what it left blank taken from the focus (spec 02, rule 3; field names of spec 01, "Trace as JSON")."""

    drug_ids: tuple[str, ...] = ()
    drug_id: str | None = None
    section_key: str | None = None
    population: str | None = None
    stated: StatedValues = StatedValues()
    carried_values: tuple[PatientValue, ...] = ()
    """The patient's values from an earlier turn, where this one states none."""
    route: str | None = None
    verbosity: Verbosity | None = None
    intent: Intent = "section"
    inherited: dict[str, int] = {}
    """Field -> age in turns, for what was carried over."""


def patient_values(question: Question, resolved: ResolvedQuestion) -> tuple[Stated, ...]:
    """What is known of the patient in figures: what the turn states, and what was carried over beside it, with an empty span."""
    nowhere = Span(0, 0)
    stated = {value.kind for value in question.stated}
    carried = (value for value in resolved.carried_values if value.kind not in stated)
    return question.stated + tuple(
        Stated(kind=value.kind, text=value.text, low=value.low, high=value.high, span=nowhere) for value in carried
    )
