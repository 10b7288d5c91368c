"""Whether an answer shows a section whole, or a part of it that must be said to be one (spec 03, "Answer"; spec 04, check 3).

A list of contraindications of which a reader sees three items looks as if there were three. Lines that were left because they speak of
something else than was asked are no fault; that there are such lines is said, with the pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from duocthu_core.answering.model import Claim, Notice, Plan
from duocthu_core.answering.planning import tone_of
from duocthu_core.retrieval.model import Evidence, Named
from duocthu_core.retrieval.telling import Language, notice_of, told, words
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.figures import FigureWords, amounts
from duocthu_core.text.phrases import words as words_of
from duocthu_core.text.sentences import items

_SAID_SHARE = 0.7
"""A line counts as said when this share of its words stands in one claim: a model may word it anew."""


def part_shown_notice(
    plan: Plan, claims: Sequence[Claim], evidence: Sequence[Evidence], ruleset: Ruleset, language: Language = "vi"
) -> Notice | None:
    """That the sections cited have more lines than the answer gives, how many, and on which pages; None where all are given.

    Doses of other groups are left out on purpose, and two drugs or a list of drugs are no section: there nothing is said. Lines that were
    left for their figures have a notice of their own.
    """
    if plan.reasoning_mode != "lookup" or not claims:
        return None
    blocks = {block.index: block for block in evidence if not block.quarantined}
    cited = [blocks[index] for claim in claims for index in claim.citations if index in blocks]
    sections = {(block.drug_id, block.section_key) for block in cited if tone_of(block.section_key, ruleset) != "dosage"}
    names = FigureWords(ruleset.tables["answering"])
    said = [_word_set(claim.text) for claim in claims]
    missing = [
        (block, line)
        for block in blocks.values()
        if (block.drug_id, block.section_key) in sections
        for line in _lines(block)
        if not _is_said(line, said) and not (plan.suppress_numbers and amounts(line, names))
    ]
    if not missing:
        return None
    keys = dict.fromkeys(block.section_key or "" for block, _ in missing)
    pages = {block.page_start for block, _ in missing if block.page_start is not None}
    params = {"count": Named(value=str(len(missing))), "section": words(keys, "section")}
    return notice_of("part_shown", told("part_shown", **params), ruleset, language, pages)


def _lines(block: Evidence) -> list[str]:
    start = len(block.label) + 1 if block.label and block.text.startswith(block.label + "\n") else 0
    own = block.text[start:]
    return [line for span in items(own) if any(map(str.isalpha, line := span.of(own)))]


def _is_said(line: str, said: Iterable[frozenset[str]]) -> bool:
    wanted = _word_set(line)
    return any(len(wanted & claim) >= _SAID_SHARE * len(wanted) for claim in said)


def _word_set(text: str) -> frozenset[str]:
    return frozenset(word.folded for word in words_of(text) if word.folded.isalnum())
