"""One claim read against one block: what every guard needs, and how it says what it found."""

from __future__ import annotations

from dataclasses import dataclass

from duocthu_core.retrieval.model import Evidence
from duocthu_core.text.spans import Span
from duocthu_core.verification.guards.drugs import drug_names
from duocthu_core.verification.guards.lexicon import Lexicon
from duocthu_core.verification.guards.structure import Reading
from duocthu_core.verification.model import EvidenceSpan, Finding, FindingLevel, RejectReason


@dataclass(slots=True)
class Comparison:
    """A claim and one of its cited blocks, both read."""

    claim: Reading
    block: Reading
    evidence: Evidence
    lexicon: Lexicon

    heading: Reading
    """Section and drug of the block: no evidence, but context for who is meant."""

    @property
    def drug_words(self) -> frozenset[str]:
        """The words of the drug's names: everything in its monograph is about it."""
        return frozenset(word for name in drug_names(self.evidence.drug_id, self.evidence.drug_name) for word in name.split(" "))

    def finding(
        self,
        reason: RejectReason,
        message: str,
        claim: tuple[int, int],
        block: tuple[int, int] | None = None,
        level: FindingLevel = "reject",
        **params: str,
    ) -> Finding:
        """A finding about the tokens ``claim`` with the tokens ``block`` on the other side."""
        start, end = self.claim.span(*claim)
        shown = self.claim.text[start:end]
        place = EvidenceSpan(index=self.evidence.index)
        if block is not None:
            begin, finish = self.block.span(*block)
            place = EvidenceSpan(index=self.evidence.index, span=Span(begin, finish), text=self.block.text[begin:finish])
        return Finding(
            reason=reason,
            level=level,
            token=shown,
            claim_span=Span(start, end),
            evidence=(place,),
            message=message,
            params={"claim": shown, "block": place.text, **params},
        )
