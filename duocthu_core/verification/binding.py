"""Bindings: every number, unit, bound, population and route of a claim with its place in a cited block, or the miss."""

from __future__ import annotations

from collections.abc import Sequence

from duocthu_core.answering.model import Claim
from duocthu_core.retrieval.model import Evidence
from duocthu_core.text.numbers import NumericToken
from duocthu_core.text.spans import Span
from duocthu_core.verification.grounding import fact_tokens, token_places
from duocthu_core.verification.model import BlockCount, BoundDetail, CheckedClaim, ClaimBinding, EvidenceSpan


def bind(claims: Sequence[Claim], evidence: Sequence[Evidence], checked: Sequence[CheckedClaim] = ()) -> tuple[ClaimBinding, ...]:
    """The details of each claim with both their ends, and how many of them each cited block has.

    ``checked`` are findings of check 1 and the guards, so that a miss names its reason.
    """
    blocks = {block.index: block for block in evidence if block.index >= 1}
    return tuple(_bound(position, claim, blocks) for position, claim in enumerate(claims))


def _bound(position: int, claim: Claim, blocks: dict[int, Evidence]) -> ClaimBinding:
    cited = [blocks[index] for index in dict.fromkeys(claim.citations) if index in blocks]
    details: list[BoundDetail] = []
    found = dict.fromkeys((block.index for block in cited), 0)
    for token in fact_tokens(claim.text):
        places = (
            []
            if token.kind == "suspicious"
            else [(b, token_places(b.text)[token.text][0]) for b in cited if token.text in token_places(b.text)]
        )
        for block, _ in places:
            found[block.index] += 1
        end = EvidenceSpan(index=places[0][0].index, span=places[0][1], text=places[0][1].of(places[0][0].text)) if places else None
        details.append(
            BoundDetail(
                kind="number",
                text=token.span.of(claim.text),
                claim_span=token.span,
                found=end is not None,
                evidence=end,
                reason=None if end else "ungrounded_number",
            )
        )
    counts = tuple(BlockCount(index=index, found=count, total=len(details)) for index, count in found.items())
    return ClaimBinding(claim_index=position, text=claim.text, citations=claim.citations, details=tuple(details), counts=counts)


def _places(token: NumericToken, cited: Sequence[Evidence]) -> list[tuple[Evidence, Span]]:
    """The first place of ``token`` in each cited block that has it."""
    if token.kind == "suspicious":
        return []
    return [(block, places[token.text][0]) for block in cited if token.text in (places := token_places(block.text))]
