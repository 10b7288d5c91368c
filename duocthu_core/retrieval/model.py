"""Evidence and how it was chosen (spec 03, "Retrieval and decision")."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from duocthu_core.corpus.model import BlockKind

DecisionKind = Literal["ANSWER", "CLARIFY", "VERIFY_PDF", "ABSTAIN"]
NoticeKind = Literal[
    "checks_off",
    "carry_over",
    "red_flag",
    "quarantine",
    "interaction_absent",
    "interaction_class",
    "injection",
    "ranking",
    "masked",
    "stated_band",
    "unknown_drug",
    "figures_left_out",
    "part_shown",
    "left_out",
    "missing_section",
    "not_stated",
    "route_open",
]

CandidateWhy = Literal[
    "section",
    "band",
    "population",
    "route",
    "mention",
    "related",
    "wording",
    "condition",
    "names_other",
    "names_class",
    "reused",
    "other_band",
    "other_population",
    "other_route",
    "general_dose",
    "other_condition",
    "no_mention",
    "not_named",
    "condition_not_held",
    "little_overlap",
    "no_page",
    "quarantined",
    "limit",
]
"""Every code of :attr:`Candidate.why`.

Kept: ``section`` it is of the section asked about · ``band`` the stated age, weight or clearance lies in its band · ``population`` its
label is the patient's group · ``route`` its label is the route asked about · ``mention`` its text names the patient's group · ``related``
a section that goes with the group · ``wording`` it holds the words of a free question · ``condition`` its indications hold the condition
· ``names_other``, ``names_class`` an interaction section names the other drug or its class · ``reused`` it answered the turn before.

Left: ``other_band``, ``other_population``, ``other_route``, ``other_condition`` its label speaks of somebody or something else ·
``general_dose`` a dose under no label, and the patient's group has its own · ``no_mention`` it does not speak of the group ·
``not_named`` it does not name the other drug, and another block does · ``condition_not_held``, ``little_overlap`` the words are not
really there · ``no_page`` it has no printed page · ``quarantined`` a table or formula, set apart · ``limit`` it fits, and more relevant
blocks fill the room.
"""


class Evidence(BaseModel):
    """One block as the generator, the judge and every check see it. ``index`` is what a citation names (from 1)."""

    model_config = ConfigDict(frozen=True)

    index: int
    block_id: str
    drug_id: str | None
    drug_name: str = ""
    section_key: str | None
    section_title: str = ""
    label: str | None = None
    page_start: int | None = None
    page_end: int | None = None
    page_estimated: bool = False
    edition_mark: str = ""
    """Said beside the page where the text is not the book's own ("Bộ minh hoạ"); empty for the book itself."""
    kind: BlockKind = "prose"
    quarantined: bool = False
    text: str
    """Label lines and text (``Block.shown_text``): every span of a citation, finding or quote points into this string."""
    url: str = ""


class Candidate(BaseModel):
    """A block that retrieval looked at: its score, and why it was kept or left."""

    model_config = ConfigDict(frozen=True)

    block_id: str
    drug_id: str
    section_key: str
    label: str | None = None
    score: float
    how: Literal["lookup", "search", "reuse"]
    kept: bool
    why: str
    """One of :data:`CandidateWhy`."""


NamedKind = Literal["words", "quoted", "cut", "section", "population", "route", "personal_data", "emergency", "topic"]
"""``quoted`` stands in quotation marks, ``cut`` as the beginning of a line; ``topic`` is the offline model's name for what was asked."""


class Named(BaseModel):
    """One thing that fills a mark of a sentence: words as they are, or the key of something that every language names for itself."""

    model_config = ConfigDict(frozen=True)

    value: str
    kind: NamedKind = "words"
    turns_ago: int = 0
    """Questions since it was named, where it was carried over from before the last one."""


class Said(BaseModel):
    """A sentence of the product: the key of its template and what fills the marks."""

    model_config = ConfigDict(frozen=True)

    code: str
    params: dict[str, tuple[Named, ...]] = {}


class Notice(BaseModel):
    """Something said beside the answer: carried over, quarantined pages, an emergency.

    It stands here, below answering, because a decision says some too.
    """

    model_config = ConfigDict(frozen=True)

    kind: NoticeKind
    text: str
    """In Vietnamese, as it was said."""
    pages: tuple[int, ...] = ()
    said: Said | None = None
    """The same for wording it in another language; None in a trace of a version that did not keep it."""


class InteractionNaming(BaseModel):
    """One direction of an interaction question: whether the interaction section of ``drug_id`` names the other drug."""

    model_config = ConfigDict(frozen=True)

    drug_id: str
    other_id: str | None
    """None where the other drug has no monograph in this corpus."""
    other_name: str
    named_by: Literal["name", "class"] | None
    words: tuple[str, ...] = ()
    """The words of the section that name it."""
    block_ids: tuple[str, ...] = ()
    has_section: bool = True
    """False where the monograph has no interaction section that can be read at all."""


class BlockFit(BaseModel):
    """How one kept or quarantined block answers the patient of the question: what the decision goes by."""

    model_config = ConfigDict(frozen=True)

    block_id: str
    specific: bool
    """Its label, an item in it, or for a table its text, speaks of this patient."""
    mentions_patient: bool
    carries_dose: bool
    asked_section: bool
    """It is of a section that was asked about, not of one shown beside."""
    route_open: bool = False
    """A route was asked about and it names none."""


class Retrieval(BaseModel):
    """What was found for one question."""

    model_config = ConfigDict(frozen=True)

    query: str
    """What was looked up or searched for, in words."""
    candidates: tuple[Candidate, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    """Clean blocks with a printed page, numbered from 1, in the order of the book."""
    quarantined: tuple[Evidence, ...] = ()
    """Tables and formulas that belong to the question: never generated over. Numbered on after the evidence."""
    without_page: tuple[str, ...] = ()
    """Block ids that fit and were dropped because they have no printed page."""
    reused_ids: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    """Sections that were asked about, or taken for the question."""
    is_dosing: bool = False
    """Whether figures must belong to the patient's own group (dosage sections)."""
    names_group: bool = False
    """Whether the patient is of a group whose doses are nobody else's (suy_than, phu_nu_co_thai, …)."""
    is_child: bool = False
    """Whether the patient is surely no adult: doses under no label are then nobody's own."""
    words: tuple[str, ...] = ()
    """The question's own content words, where it was searched by them."""
    names_patient: bool = False
    """Whether anything about the patient is known."""
    fits: tuple[BlockFit, ...] = ()
    namings: tuple[InteractionNaming, ...] = ()
    allergies: tuple[InteractionNaming, ...] = ()
    """For each drug asked about and each named allergen: whether the sections looked up name it."""
    allergy_words: tuple[str, ...] = ()
    """By which lines about these allergies are known: the allergens, their classes, the book's words for allergies."""
    drugs_without: tuple[str, ...] = ()
    """Drugs asked about for which nothing was found in the sections."""
    condition_lacking: str = ""
    """The condition of a dosing question that no fitting block of its sections names; empty where there is none, or one does."""
    conditions_stated: tuple[str, ...] = ()
    """Then the headings of the lines that were left because they are for other conditions."""
    bands_left: tuple[str, ...] = ()
    """Labels of the blocks that were left because the stated value lies outside their band."""

    @property
    def class_words(self) -> tuple[str, ...]:
        """How the interaction sections name the class of a drug that they do not name itself."""
        return tuple(dict.fromkeys(word for naming in self.namings if naming.named_by == "class" for word in naming.words))

    @property
    def left_by_limit(self) -> tuple[Candidate, ...]:
        """Blocks that fit and were not shown for want of room."""
        return tuple(candidate for candidate in self.candidates if candidate.why == "limit")

    def fit_of(self, block_id: str) -> BlockFit | None:
        """How the block answers the patient."""
        return next((fit for fit in self.fits if fit.block_id == block_id), None)
