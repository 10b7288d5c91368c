"""Check 3: what an answer leaves out (spec 04). An objection is itself a claim about the evidence and is checked before it counts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, cast

from duocthu_core.answering.fence import fenced
from duocthu_core.answering.json_reply import MalformedOutput, read_object
from duocthu_core.answering.model import Claim
from duocthu_core.answering.planning import plan
from duocthu_core.answering.prompts import evidence_payload, evidence_text, one_line
from duocthu_core.answering.templates import filled
from duocthu_core.language_models.port import ModelRequest, StopReason
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.rulesets.model import Ruleset, Thresholds
from duocthu_core.text.content_words import ContentWords
from duocthu_core.text.folding import nfc
from duocthu_core.text.numbers import numeric_tokens
from duocthu_core.understanding.model import Question, ResolvedQuestion, patient_values
from duocthu_core.verification.judge import locate_quote
from duocthu_core.verification.model import CheckedObjection, MissingEvidence
from duocthu_core.verification.quotes import find_quote

COMPLETENESS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["complete", "missing_evidence"],
    "properties": {
        "complete": {"type": "boolean"},
        "missing_evidence": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["description", "evidence_quote"],
                "properties": {"description": {"type": "string"}, "evidence_quote": {"type": "string"}},
            },
        },
    },
}
"""JSON schema of the reply, for providers with structured output."""

_ALREADY_SAID_SHARE = 0.8
"""A claim says an objection already where it has every number and negation of the quote and this share of its content words."""


def completeness_request(
    question: Question, resolved: ResolvedQuestion, claims: Sequence[Claim], evidence: Sequence[Evidence], ruleset: Ruleset
) -> ModelRequest:
    """Asks over all shown blocks whether ``claims`` leave out what the question needs; a call of its own, after entailment.

    Where the plan of the turn suppresses figures, the judge is told so: a figure that may not be said is not missing.
    """
    shown = [block for block in evidence if not block.quarantined]
    prompts = ruleset.prompts
    made = plan(question, resolved, evidence, ruleset)
    no_figures = [str(ruleset.tables["answering"]["plan_words"]["completeness_no_figures"])] if made.suppress_numbers else []
    answer = "\n".join(f"- {one_line(claim.text)}" for claim in claims)
    return ModelRequest(
        purpose="completeness",
        system="\n\n".join([prompts.completeness_system, *no_figures, prompts.untrusted]),
        user=filled(prompts.completeness_user, evidence=evidence_text(shown), claims=answer, question=fenced(question.text)),
        json_schema=COMPLETENESS_SCHEMA,
        max_output_tokens=ruleset.generation.max_output_tokens,
        payload={
            "question": question.text,
            "mentions": [mention.model_dump(mode="json") for mention in question.mentions],
            "stated": [stated.model_dump(mode="json") for stated in patient_values(question, resolved)],
            "resolved": resolved.model_dump(mode="json"),
            "plan": made.model_dump(mode="json"),
            "claims": [claim.model_dump(mode="json") for claim in claims],
            "evidence": evidence_payload(shown),
        },
    )


def parse_completeness(reply: str, stop_reason: StopReason) -> tuple[bool, tuple[MissingEvidence, ...]]:
    """Whether the answer is said to be complete, and the objections as they were made; raises :class:`MalformedOutput`.

    A reply that calls the answer complete and objects all the same is read as it stands: each objection is checked on its own.
    """
    content = read_object(reply, stop_reason)
    complete, entries = content.get("complete"), content.get("missing_evidence", [])
    if not isinstance(complete, bool):
        raise MalformedOutput("'complete' is neither true nor false")
    if not isinstance(entries, list):
        raise MalformedOutput("'missing_evidence' is no list")
    return complete, tuple(map(_objection, entries))


def check_objections(
    objections: Sequence[MissingEvidence],
    claims: Sequence[Claim],
    evidence: Sequence[Evidence],
    thresholds: Thresholds,
    *,
    ruleset: Ruleset | None = None,
) -> tuple[CheckedObjection, ...]:
    """Each objection with whether it counts, and why not.

    It counts where its quote stands word for word in a block that was shown, shares at least ``objection_overlap_min`` of the
    description's content words, holds every number of the description, and says what no claim says yet. ``ruleset`` gives the function
    words, which no content word is; those that ship where it is not given.
    """
    shown = [block for block in evidence if not block.quarantined]
    words = _words_of(ruleset or shipped_ruleset())
    return tuple(_checked(objection, claims, shown, thresholds, words) for objection in objections)


class _Words(NamedTuple):
    content: ContentWords
    polarity: frozenset[str]
    """Syllables that turn a sentence round; they must stand on both sides before one sentence counts as said by another."""


def _words_of(ruleset: Ruleset) -> _Words:
    table = ruleset.tables["function_words"]
    return _compiled(tuple(map(str, table["grammar"])), frozenset(map(str, table["polarity"])))


@lru_cache(maxsize=4)
def _compiled(grammar: tuple[str, ...], polarity: frozenset[str]) -> _Words:
    return _Words(ContentWords(grammar), polarity)


def _checked(
    objection: MissingEvidence, claims: Sequence[Claim], evidence: Sequence[Evidence], thresholds: Thresholds, words: _Words
) -> CheckedObjection:
    place = locate_quote(objection.evidence_quote, evidence)
    if place is None:
        why = "quote_not_in_evidence"
    elif not _overlaps(objection, thresholds.objection_overlap_min, words.content):
        why = "too_little_overlap"
    elif _numbers(objection.description) - _numbers(objection.evidence_quote):
        why = "number_not_in_quote"
    elif any(_says(claim.text, objection.evidence_quote, words) for claim in claims):
        why = "already_said"
    else:
        why = "accepted"
    return CheckedObjection(objection=objection, accepted=why == "accepted", why=why, quote=place)


def _overlaps(objection: MissingEvidence, least: float, finder: ContentWords) -> bool:
    described = finder.set_of(objection.description)
    shared = described & finder.set_of(objection.evidence_quote)
    return bool(described) and len(shared) >= least * len(described)


def _says(claim: str, quote: str, words: _Words) -> bool:
    if find_quote(quote.strip().rstrip(".;,"), claim) is not None:
        return True
    if _numbers(quote) - _numbers(claim):
        return False
    wanted, said = words.content.set_of(quote), words.content.set_of(claim)
    if (wanted & words.polarity) - said:
        return False
    return bool(wanted) and len(wanted & said) >= _ALREADY_SAID_SHARE * len(wanted)


def _numbers(text: str) -> frozenset[str]:
    return frozenset(token.text for token in numeric_tokens(text) if token.is_fact)


def _objection(entry: object) -> MissingEvidence:
    if not isinstance(entry, dict):
        raise MalformedOutput("an objection is no object")
    content = cast("dict[str, Any]", entry)
    description, quote = content.get("description"), content.get("evidence_quote")
    if not isinstance(description, str) or not isinstance(quote, str):
        raise MalformedOutput("an objection has no description or no quote")
    return MissingEvidence(description=nfc(description), evidence_quote=nfc(quote))
