"""What is said beside an answer, in the reader's words: emergencies first, then what was assumed (spec 02, rule 6; spec 03, "Scope")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from duocthu_core.answering.messages import Language
from duocthu_core.answering.model import Claim, Notice, NoticeKind, Plan
from duocthu_core.answering.templates import filled
from duocthu_core.conversation.model import ConversationState
from duocthu_core.retrieval.model import Evidence
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
    advice = dict.fromkeys(flag.advice_vi if language == "vi" else flag.advice_en for flag in flags)
    return tuple(Notice(kind="red_flag", text=text) for text in advice if text)


def carry_over_notice(
    resolved: ResolvedQuestion,
    drug_names: Mapping[str, str],
    state: ConversationState,
    ruleset: Ruleset,
    language: Language = "vi",
) -> Notice | None:
    """Which drug, section, group or values of the patient come from an earlier turn; verbosity is no content and not named."""
    tables = ruleset.tables
    drug = drug_names.get(resolved.drug_id or "") or state.focus.drug_name or resolved.drug_id
    section = tables["sections"]["sections"].get(resolved.section_key or "", {}).get(f"label_{language}") or resolved.section_key
    population = tables["populations"]["tags"].get(resolved.population or "", {}).get(f"label_{language}") or resolved.population
    values = ", ".join(value.text for value in resolved.carried_values)
    named = {"drug_id": drug, "section_key": section, "population": population, "stated": values}
    items: list[str] = []
    for field, name in named.items():
        age = resolved.inherited.get(field)
        if age is None or not name:
            continue
        # A question and its answer are two turns: an age of 2 is the question before, which needs no more words.
        asked_ago = max(1, (age + 1) // 2)
        template = tables["severity"]["common"][f"carried_age_{language}"] if asked_ago > 1 else "{item}"
        items.append(filled(template, item=name, age=str(asked_ago)))
    return _notice("carry_over", "carried_over", ruleset, language, items="; ".join(items)) if items else None


def checks_off_notice(ruleset: Ruleset, language: Language = "vi") -> Notice | None:
    """Which guards are switched off for this answer, by name. The words are the catalogue's: rules cannot take away what warns of them."""
    off = [guard for guard, level in ruleset.guards.items() if level == "off"]
    return Notice(kind="checks_off", text=checks_off_words(off, language)) if off else None


def checks_off_words(guards: Iterable[str], language: Language) -> str:
    """The warning that ``guards`` were switched off when an answer was made."""
    return sentence(language, "rules.checks_off", guards=", ".join(sentence(language, f"reason.{guard}") for guard in guards))


def masked_notice(masked: Sequence[MaskedItem], ruleset: Ruleset, language: Language = "vi") -> Notice | None:
    """Which kinds of personal data were masked; never the values."""
    names = ruleset.tables["severity"]["masked_kinds"]
    kinds = dict.fromkeys(str(names.get(item.kind, {}).get(language) or item.kind) for item in masked)
    return _notice("masked", "masked", ruleset, language, items=", ".join(kinds)) if kinds else None


def injection_notice(cues: Sequence[str], ruleset: Ruleset, language: Language = "vi") -> Notice | None:
    """That part of the question reads like an order to the model. Display only: the fence protects, not this."""
    return _notice("injection", "injection", ruleset, language) if cues else None


def unknown_drug_notice(names: Sequence[str], ruleset: Ruleset, language: Language = "vi") -> Notice | None:
    """Names of drugs that the book at hand has no monograph of."""
    return _notice("unknown_drug", "unknown_drug", ruleset, language, items=", ".join(dict.fromkeys(names))) if names else None


def stated_band_notice(resolved: ResolvedQuestion, ruleset: Ruleset, language: Language = "vi") -> Notice | None:
    """That a stated age or weight chose the lines shown, where the question is about a dose."""
    stated = [value for value in (resolved.stated.age, resolved.stated.weight) if value]
    if not stated or resolved.section_key not in ruleset.tables["answering"]["tones"]["dosage"]:
        return None
    return _notice("stated_band", "stated_band", ruleset, language, items=", ".join(stated))


def ranking_notice(ruleset: Ruleset, language: Language = "vi") -> Notice:
    """That the book lists drugs with an indication and does not rank them."""
    return Notice(kind="ranking", text=str(ruleset.tables["safety"]["condition_list"][f"ranking_note_{language}"]))


def quarantine_notice(pages: Iterable[int], ruleset: Ruleset, language: Language = "vi") -> Notice:
    """Where in the book the tables and formulas are that were not rewritten."""
    return _paged("quarantine", "quarantine", pages, ruleset, language)


def interaction_absent_notice(other: str, drug: str, ruleset: Ruleset, language: Language = "vi") -> Notice:
    """That the interaction section of ``drug`` does not name ``other``, which is no statement of safety."""
    return _notice("interaction_absent", "interaction_absent", ruleset, language, other=other, drug=drug)


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
    more = f"; +{len(distinct) - _HEADS_SHOWN}" if len(distinct) > _HEADS_SHOWN else ""
    shown = "; ".join(f"“{item} …”" for item in distinct[:_HEADS_SHOWN]) + more
    notice = _paged("figures_left_out", "figures_left_out", pages, ruleset, language)
    return notice.model_copy(update={"text": filled(notice.text, items=shown)})


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
            words = line[: found[0].span.start].rstrip(" ,;:(<>≤≥=").strip()
            heads.append(collapse_spaces(f"{label} {words}").strip(" :")[:_HEAD_MAX_CHARS])
    return [head for head in heads if head]


def _paged(kind: NoticeKind, key: str, pages: Iterable[int], ruleset: Ruleset, language: Language) -> Notice:
    ordered = tuple(sorted(set(pages)))
    notice = _notice(kind, key, ruleset, language, pages=", ".join(map(str, ordered)))
    return notice.model_copy(update={"pages": ordered})


def _notice(kind: NoticeKind, key: str, ruleset: Ruleset, language: Language, **params: str) -> Notice:
    return Notice(kind=kind, text=filled(str(ruleset.tables["severity"]["common"][f"{key}_{language}"]), **params))


def _asks_for_ranking(text: str, ruleset: Ruleset) -> bool:
    phrases = ruleset.tables["safety"]["condition_list"]["ranking_words_in_question"]
    return bool(_matcher(tuple(map(str, phrases))).find(text))


@lru_cache(maxsize=8)
def _matcher(phrases: tuple[str, ...]) -> PhraseMatcher[bool]:
    """Phrases of two words or more are known without their marks too ("tot nhat")."""
    return PhraseMatcher(dict.fromkeys(phrases, True), {strip_marks(phrase): True for phrase in phrases if " " in phrase})
