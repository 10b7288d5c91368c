"""What is said beside an answer, in the reader's words: emergencies first, then what was assumed (spec 02, rule 6; spec 03, "Scope")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from duocthu_core.answering.model import Claim, Notice, Plan
from duocthu_core.conversation.model import ConversationState
from duocthu_core.retrieval.model import Evidence, Named, NamedKind
from duocthu_core.retrieval.telling import Language, notice_of, told, words
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.catalogue import sentence
from duocthu_core.text.figures import FigureWords, amounts
from duocthu_core.text.folding import collapse_spaces, strip_marks
from duocthu_core.text.phrases import PhraseMatcher
from duocthu_core.text.sentences import items as line_items
from duocthu_core.understanding.model import MaskedItem, Question, RedFlag, ResolvedQuestion

_HEAD_CHARS, _HEAD_MAX_CHARS, _HEADS_SHOWN = 24, 80, 5
"""A line whose first figure comes this early is named by its label too; no name is longer than that, and no more are listed."""


def turn_notices(
    question: Question,
    resolved: ResolvedQuestion,
    drug_names: Mapping[str, str],
    state: ConversationState,
    ruleset: Ruleset,
    *,
    language: Language = "vi",
) -> tuple[Notice, ...]:
    """Every notice that follows from the question and its focus, the most urgent first. ``state`` is that before the turn."""
    ranked = resolved.intent == "condition_list" and _asks_for_ranking(question.text, ruleset)
    found = (
        *red_flag_notices(question.red_flags, language),
        carry_over_notice(resolved, drug_names, state, ruleset, language),
        unknown_drug_notice(question.unknown_names, ruleset, language),
        stated_band_notice(resolved, ruleset, language),
        ranking_notice(ruleset, language) if ranked else None,
        masked_notice(question.masked, ruleset, language),
        injection_notice(question.injection_cues, ruleset, language),
    )
    return tuple(notice for notice in found if notice is not None)


def red_flag_notices(flags: Sequence[RedFlag], language: Language = "vi") -> tuple[Notice, ...]:
    """The fixed advice of each kind of emergency, once."""
    advice = {(flag.advice_vi if language == "vi" else flag.advice_en): flag.kind for flag in flags}
    return tuple(
        Notice(kind="red_flag", text=text, said=told("emergency", kind=Named(value=kind, kind="emergency")))
        for text, kind in advice.items()
        if text
    )


def carry_over_notice(
    resolved: ResolvedQuestion,
    drug_names: Mapping[str, str],
    state: ConversationState,
    ruleset: Ruleset,
    language: Language = "vi",
) -> Notice | None:
    """Which drug, section, group or values of the patient come from an earlier turn; verbosity is no content and not named."""
    named: dict[str, tuple[str | None, NamedKind]] = {
        "drug_id": (drug_names.get(resolved.drug_id or "") or state.focus.drug_name or resolved.drug_id, "words"),
        "section_key": (resolved.section_key, "section"),
        "population": (resolved.population, "population"),
        "stated": (", ".join(value.text for value in resolved.carried_values), "words"),
    }
    items: list[Named] = []
    for field, (value, kind) in named.items():
        age = resolved.inherited.get(field)
        if age is not None and value:
            # A question and its answer are two turns: an age of 2 is the question before, which needs no more words.
            items.append(Named(value=value, kind=kind, turns_ago=max(1, (age + 1) // 2)))
    return notice_of("carry_over", told("carried_over", items=items), ruleset, language) if items else None


def checks_off_notice(ruleset: Ruleset, language: Language = "vi") -> Notice | None:
    """Which guards are switched off for this answer, by name. The words are the catalogue's: rules cannot take away what warns of them."""
    off = [guard for guard, level in ruleset.guards.items() if level == "off"]
    return Notice(kind="checks_off", text=checks_off_words(off, language)) if off else None


def checks_off_words(guards: Iterable[str], language: Language) -> str:
    """The warning that ``guards`` were switched off when an answer was made."""
    return sentence(language, "rules.checks_off", guards=", ".join(sentence(language, f"reason.{guard}") for guard in guards))


def masked_notice(masked: Sequence[MaskedItem], ruleset: Ruleset, language: Language = "vi") -> Notice | None:
    """Which kinds of personal data were masked; never the values."""
    kinds = words(dict.fromkeys(item.kind for item in masked), "personal_data")
    return notice_of("masked", told("masked", items=kinds), ruleset, language) if kinds else None


def injection_notice(cues: Sequence[str], ruleset: Ruleset, language: Language = "vi") -> Notice | None:
    """That part of the question reads like an order to the model. Display only: the fence protects, not this."""
    return notice_of("injection", told("injection"), ruleset, language) if cues else None


def unknown_drug_notice(names: Sequence[str], ruleset: Ruleset, language: Language = "vi") -> Notice | None:
    """Names of drugs that the book at hand has no monograph of."""
    return notice_of("unknown_drug", told("unknown_drug", items=words(dict.fromkeys(names))), ruleset, language) if names else None


def stated_band_notice(resolved: ResolvedQuestion, ruleset: Ruleset, language: Language = "vi") -> Notice | None:
    """That a stated age or weight chose the lines shown, where the question is about a dose."""
    stated = [value for value in (resolved.stated.age, resolved.stated.weight) if value]
    if not stated or resolved.section_key not in ruleset.tables["answering"]["tones"]["dosage"]:
        return None
    return notice_of("stated_band", told("stated_band", items=words(stated)), ruleset, language)


def ranking_notice(ruleset: Ruleset, language: Language = "vi") -> Notice:
    """That the book lists drugs with an indication and does not rank them."""
    return notice_of("ranking", told("ranking_note"), ruleset, language)


def quarantine_notice(pages: Iterable[int], ruleset: Ruleset, language: Language = "vi") -> Notice:
    """Where in the book the tables and formulas are that were not rewritten."""
    return notice_of("quarantine", told("quarantine"), ruleset, language, pages)


def interaction_absent_notice(other: str, drug: str, ruleset: Ruleset, language: Language = "vi") -> Notice:
    """That the interaction section of ``drug`` does not name ``other``, which is no statement of safety."""
    return notice_of("interaction_absent", told("interaction_absent", other=other, drug=drug), ruleset, language)


def figures_left_out_notice(
    plan: Plan, claims: Sequence[Claim], evidence: Sequence[Evidence], ruleset: Ruleset, language: Language = "vi"
) -> Notice | None:
    """Where figures were suppressed: which lines of the answer's sections were left out for theirs, by their first words, and the pages.

    Suppression keeps needless figures out of an answer; it must not make a threshold ("Clcr < 30 ml/phút") disappear without a word.
    """
    if not plan.suppress_numbers or not claims:
        return None
    blocks = {block.index: block for block in evidence if not block.quarantined}
    cited = [blocks[index] for claim in claims for index in claim.citations if index in blocks]
    sections = {(block.drug_id, block.section_key) for block in cited}
    names = FigureWords(ruleset.tables["answering"])
    said = " ".join(collapse_spaces(claim.text) for claim in claims)
    items: list[str] = []
    pages: set[int] = set()
    for block in blocks.values():
        if (block.drug_id, block.section_key) in sections:
            found = [head for head in _heads_of_figures(block, names) if head not in said]
            items += found
            pages |= {block.page_start} if found and block.page_start is not None else set()
    if not items:
        return None
    distinct = list(dict.fromkeys(items))
    more = words([f"+{len(distinct) - _HEADS_SHOWN}"] if len(distinct) > _HEADS_SHOWN else [])
    heads = (*words(distinct[:_HEADS_SHOWN], "cut"), *more)
    return notice_of("figures_left_out", told("figures_left_out", items=heads), ruleset, language, pages)


def _heads_of_figures(block: Evidence, names: FigureWords) -> list[str]:
    """For each line of a block with an amount: its governing label and its words up to the first amount."""
    start = len(block.label) + 1 if block.label and block.text.startswith(block.label + "\n") else 0
    own = block.text[start:]
    heads: list[str] = []
    for span in line_items(own):
        line = span.of(own)
        found = amounts(line, names)
        if found:
            label = "" if found[0].span.start > _HEAD_CHARS else " ".join(part for part in (block.label or "").splitlines())
            before = line[: found[0].span.start].rstrip(" ,;:(<>≤≥=").strip()
            heads.append(collapse_spaces(f"{label} {before}").strip(" :")[:_HEAD_MAX_CHARS])
    return [head for head in heads if head]


def _asks_for_ranking(text: str, ruleset: Ruleset) -> bool:
    phrases = ruleset.tables["safety"]["condition_list"]["ranking_words_in_question"]
    return bool(_matcher(tuple(map(str, phrases))).find(text))


@lru_cache(maxsize=8)
def _matcher(phrases: tuple[str, ...]) -> PhraseMatcher[bool]:
    """Phrases of two words or more are known without their marks too ("tot nhat")."""
    return PhraseMatcher(dict.fromkeys(phrases, True), {strip_marks(phrase): True for phrase in phrases if " " in phrase})
