"""Check 1: every claim cites blocks that exist, and every number of it stands in one of them (spec 04, "Check 1")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from duocthu_core.answering.model import Claim
from duocthu_core.retrieval.model import Evidence
from duocthu_core.text.numbers import NumericToken, cached_numeric_tokens
from duocthu_core.text.spans import Span
from duocthu_core.verification.model import CheckedClaim, EvidenceSpan, Finding

# An index in brackets; "[10; 20]" and "[²]" are text, "[-1]" is a marker that names no block.
_MARKER = re.compile(r"\[[ \u00a0]?([+-]?[0-9]{1,9})[ \u00a0]?\]")
_CONTENT = re.compile(r"[^\W_]")
# What is left of the sentence before, between a group of markers and the next claim.
_LEFT_OVER = " \t\r\n\u00a0.,;:!?…)”»\"'"


@dataclass(frozen=True, slots=True)
class Segment:
    """A claim cut out of an answer: its words, where they stand, and the indices of the group behind them (empty: uncited)."""

    text: str
    citations: tuple[int, ...]
    span: Span


def split_answer(answer: str) -> list[Segment]:
    """The claims of ``answer``: the text before each group of markers, and what stands after the last one.

    Markers with nothing but white space between them are one group. Text without a letter or a digit is no claim.
    """
    segments: list[Segment] = []
    begin = 0
    markers = list(_MARKER.finditer(answer))
    position = 0
    while position < len(markers):
        first = last = markers[position]
        indices = [int(first.group(1))]
        position += 1
        while position < len(markers) and not answer[last.end() : markers[position].start()].strip():
            last = markers[position]
            indices.append(int(last.group(1)))
            position += 1
        _append(segments, answer, begin, first.start(), tuple(indices))
        begin = last.end()
    _append(segments, answer, begin, len(answer), ())
    return segments


def _append(segments: list[Segment], answer: str, begin: int, end: int, indices: tuple[int, ...]) -> None:
    while begin < end and segments and answer[begin] in _LEFT_OVER:
        begin += 1
    while begin < end and answer[begin].isspace():
        begin += 1
    while end > begin and answer[end - 1].isspace():
        end -= 1
    if _CONTENT.search(answer, begin, end):
        segments.append(Segment(answer[begin:end], indices, Span(begin, end)))


def ground_answer(answer: str, evidence: Sequence[Evidence]) -> tuple[CheckedClaim, ...]:
    """Check 1 over an answer string. An answer without any claim fails as ``uncited_claim``."""
    return ground_claims([Claim(text=segment.text, citations=segment.citations) for segment in split_answer(answer)], evidence)


def ground_claims(claims: Sequence[Claim], evidence: Sequence[Evidence]) -> tuple[CheckedClaim, ...]:
    """Check 1 over claims; spans of findings point into the claim's text. No claims at all fail as ``uncited_claim``."""
    if not claims:
        return (CheckedClaim(claim_index=0, text="", citations=(), findings=(Finding(reason="uncited_claim", message="uncited_claim"),)),)
    blocks = {block.index: block for block in evidence if block.index >= 1}
    return tuple(
        CheckedClaim(claim_index=position, text=claim.text, citations=claim.citations, findings=_findings(claim, blocks))
        for position, claim in enumerate(claims)
    )


def _findings(claim: Claim, blocks: dict[int, Evidence]) -> tuple[Finding, ...]:
    if not claim.citations or not _CONTENT.search(claim.text):
        return (Finding(reason="uncited_claim", message="uncited_claim", claim_span=Span(0, len(claim.text))),)
    unknown = [index for index in claim.citations if index not in blocks]
    findings = [
        Finding(
            reason="invalid_citation",
            token=f"[{index}]",
            message="invalid_citation",
            params={"claim": f"[{index}]", "count": str(len(blocks))},
        )
        for index in unknown
    ]
    cited = [blocks[index] for index in dict.fromkeys(claim.citations) if index in blocks]
    if cited:
        missing = [token for token in fact_tokens(claim.text) if not token_is_grounded(token, cited)]
        if missing:
            looked_in = tuple(EvidenceSpan(index=block.index) for block in cited)
            findings += [_ungrounded(token, looked_in) for token in missing]
    return tuple(findings)


def _ungrounded(token: NumericToken, looked_in: tuple[EvidenceSpan, ...]) -> Finding:
    return Finding(
        reason="ungrounded_number",
        token=token.text,
        claim_span=token.span,
        evidence=looked_in,
        message="suspicious_number" if token.kind == "suspicious" else "ungrounded_number",
        params={"claim": token.text, "blocks": ", ".join(f"[{place.index}]" for place in looked_in)},
    )


def fact_tokens(text: str) -> tuple[NumericToken, ...]:
    """The numeric tokens of ``text`` that state something: no list numbers, no units such as m2."""
    return tuple(token for token in cached_numeric_tokens(text) if token.kind not in ("enumerator", "unit"))


def token_is_grounded(token: NumericToken, cited: Sequence[Evidence]) -> bool:
    """Whether ``token`` is a numeric token of one of the cited blocks; a suspicious one never is."""
    return token.kind != "suspicious" and any(token.text in token_places(block.text) for block in cited)


@lru_cache(maxsize=1024)
def token_places(text: str) -> dict[str, tuple[Span, ...]]:
    """Every numeric token a block's ``text`` can ground, with the places where it stands."""
    places: dict[str, list[Span]] = {}
    for token in cached_numeric_tokens(text):
        if token.kind not in ("enumerator", "unit", "suspicious"):
            places.setdefault(token.text, []).append(token.span)
    return {writing: tuple(spans) for writing, spans in places.items()}
