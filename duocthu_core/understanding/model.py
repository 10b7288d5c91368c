"""What a question says (spec 03, "Scope" and "Understanding"): found by rules, each find with its words and place."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from duocthu_core.conversation.model import Verbosity
from duocthu_core.text.spans import Span

Intent = Literal["section", "survey", "compare", "interaction", "condition_list", "smalltalk", "reverse", "out_of_scope"]
StatedKind = Literal["age", "weight", "gestational_age", "clcr"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Mention(_Frozen):
    """Words of the question and what they were taken for."""

    kind: Literal[
        "drug", "brand", "section", "population", "route", "verbosity", "intent", "amount", "age", "weight", "followup", "reference"
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
    """Equal where one value was stated. Ages in months, weights in kg, Clcr in ml/phút, gestational age in weeks."""
    span: Span


class DrugOffer(_Frozen):
    """A drug that the question may have meant: offered, never assumed."""

    words: str
    drug_id: str
    drug_name: str
    why: Literal["misspelling", "look_alike", "combination"]
    score: float = 0.0


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
    offers: tuple[DrugOffer, ...] = ()
    section_keys: tuple[str, ...] = ()
    population: str | None = None
    """One of the base tags of spec 02, or a finer tag of the table."""
    stated: tuple[Stated, ...] = ()
    route: str | None = None
    verbosity: Verbosity | None = None
    intent: Intent = "section"
    is_followup: bool = False
    refers_back: bool = False
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
    route: str | None = None
    verbosity: Verbosity | None = None
    intent: Intent = "section"
    inherited: dict[str, int] = {}
    """Field -> age in turns, for what was carried over."""
