"""Guard over drugs that the block names only to forbid them: "glucagon, không dùng epinephrin" told as "glucagon hoặc epinephrin"."""

from __future__ import annotations

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.foreign_terms import is_foreign
from duocthu_core.verification.guards.polarity import Negation, Sentence, polar_sentences
from duocthu_core.verification.model import Finding

_FORBIDDING = ("forbid", "advise_against")


def forbidden_name_findings(comparison: Comparison) -> list[Finding]:
    """``negation_mismatch`` where a sentence that forbids nothing names a drug that stands in the block under prohibitions only."""
    lexicon = comparison.lexicon
    originals = polar_sentences(comparison.block, lexicon)
    for sentence in polar_sentences(comparison.claim, lexicon):
        if sentence.negations:
            continue
        for place in range(sentence.start, sentence.end):
            name = comparison.claim.tokens.words[place]
            if not is_foreign(name, lexicon) or name in comparison.drug_words or name in comparison.heading.content:
                continue
            cue = _forbidden_everywhere(name, originals, comparison)
            if cue is not None:
                there = (cue.start, cue.end)
                return [comparison.finding("negation_mismatch", "negation_dropped", (place, place + 1), there)]
    return []


def _forbidden_everywhere(name: str, originals: list[Sentence], comparison: Comparison) -> Negation | None:
    """The cue that reaches ``name``, where a cue reaches it wherever it stands in the block."""
    words = comparison.block.tokens.words
    found: Negation | None = None
    for sentence in originals:
        cues = [cue for cue in sentence.negations if cue.category in _FORBIDDING and not cue.conditional]
        for place in range(sentence.start, sentence.end):
            if words[place] != name:
                continue
            found = next((cue for cue in cues if place in cue.reach and "," not in words[cue.end : place]), None)
            if found is None:
                return None
    return found
