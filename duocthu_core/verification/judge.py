"""The judge's verdicts, read strictly, and the statuses that a framework makes of them (spec 04, check 2).

"Not run is not no": a reply that cannot be trusted as a whole is :class:`MalformedOutput` and never a verdict about a claim. A verdict
that was read is kept raw, so that other thresholds can be applied later without a new call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast, get_args

from duocthu_core.answering.json_reply import MalformedOutput, read_object
from duocthu_core.answering.model import Claim
from duocthu_core.language_models.port import StopReason
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.model import Thresholds
from duocthu_core.text.folding import nfc
from duocthu_core.verification.judge_prompts import judged_claims
from duocthu_core.verification.model import EvidenceSpan, RawVerdict, Stance, Verdict
from duocthu_core.verification.quotes import find_quote

_STANCES = frozenset(get_args(Stance))


def parse_verdicts(reply: str, stop_reason: StopReason, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> tuple[RawVerdict, ...]:
    """One raw verdict for each claim that was sent, in the order of the claims.

    Raises :class:`MalformedOutput` where the reply is cut off, repeats a key, misses a claim, names one twice or one that was not sent,
    has a stance that is none of the four, a confidence that is no whole number from 0 to 100, or a quote that stands in none of the
    blocks which that claim cites.
    """
    judged = judged_claims(claims, evidence)
    entries = read_object(reply, stop_reason).get("verdicts")
    if not isinstance(entries, list):
        raise MalformedOutput("'verdicts' is no list")
    found: dict[int, RawVerdict] = {}
    for entry in entries:
        verdict = _verdict(entry)
        if verdict.index not in judged:
            raise MalformedOutput(f"a verdict about claim {verdict.index}, which was not asked about")
        if verdict.index in found:
            raise MalformedOutput(f"two verdicts about claim {verdict.index}")
        _, blocks = judged[verdict.index]
        if verdict.evidence_quote.strip() and locate_quote(verdict.evidence_quote, blocks) is None:
            raise MalformedOutput(f"the quote for claim {verdict.index} stands in none of the blocks it cites")
        found[verdict.index] = verdict
    missing = [number for number in judged if number not in found]
    if missing:
        raise MalformedOutput(f"no verdict about claim {', '.join(map(str, missing))}")
    return tuple(found[number] for number in judged)


def statuses(
    raw: Sequence[RawVerdict], thresholds: Thresholds, claims: Sequence[Claim], evidence: Sequence[Evidence]
) -> tuple[Verdict, ...]:
    """The status of every claim under ``thresholds``; ``claim_index`` counts from 0.

    Also used on verdicts out of the cache, so the quote is looked for again in the blocks at hand. A claim without a raw verdict was
    never sent: it is unsupported, because it cites nothing.
    """
    judged = judged_claims(claims, evidence)
    by_number = {verdict.index: verdict for verdict in raw}
    return tuple(
        _status(number - 1, by_number.get(number), thresholds, judged[number][1] if number in judged else ())
        for number in range(1, len(claims) + 1)
    )


def _status(position: int, raw: RawVerdict | None, thresholds: Thresholds, blocks: Sequence[Evidence]) -> Verdict:
    if raw is None:
        return Verdict(claim_index=position, status="unsupported", why="no_quote")
    quote = locate_quote(raw.evidence_quote, blocks)
    why = _objection(raw, quote, thresholds)
    return Verdict(claim_index=position, status="unsupported" if why else "supported", raw=raw, why=why or "supported", quote=quote)


def _objection(raw: RawVerdict, quote: EvidenceSpan | None, thresholds: Thresholds) -> str | None:
    """Why a raw verdict does not make its claim supported, or None where it does."""
    accepted: tuple[Stance, ...] = ("SUPPORTS", "PARTIAL") if thresholds.accept_partial else ("SUPPORTS",)
    if raw.stance not in accepted:
        return "stance"
    if raw.confidence < thresholds.judge_min_confidence:
        return "below_confidence"
    if thresholds.judge_require_quote and quote is None:
        return "quote_not_found" if raw.evidence_quote.strip() else "no_quote"
    return None


def locate_quote(quote: str, blocks: Sequence[Evidence]) -> EvidenceSpan | None:
    """The first place where ``quote`` stands word for word in one of ``blocks``, or None."""
    for block in blocks:
        span = find_quote(quote, block.text)
        if span is not None:
            return EvidenceSpan(index=block.index, span=span, text=span.of(block.text))
    return None


def _verdict(entry: object) -> RawVerdict:
    if not isinstance(entry, dict):
        raise MalformedOutput("a verdict is no object")
    content = cast("dict[str, Any]", entry)
    index, stance, confidence = content.get("index"), content.get("stance"), content.get("confidence")
    if isinstance(index, bool) or not isinstance(index, int):
        raise MalformedOutput("the index of a verdict is no whole number")
    if not isinstance(stance, str) or stance not in _STANCES:
        raise MalformedOutput(f"the stance of claim {index} is none of {', '.join(sorted(_STANCES))}")
    if isinstance(confidence, bool) or not isinstance(confidence, int) or not 0 <= confidence <= 100:
        raise MalformedOutput(f"the confidence of claim {index} is no whole number from 0 to 100")
    quote = _string_or_nothing(content.get("evidence_quote"), f"the quote for claim {index}")
    reasoning = _string_or_nothing(content.get("reasoning"), f"the reasoning about claim {index}")
    return RawVerdict(index=index, stance=cast("Stance", stance), confidence=confidence, evidence_quote=quote, reasoning=reasoning)


def _string_or_nothing(value: object, name: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise MalformedOutput(f"{name} is no string")
    return nfc(value)
