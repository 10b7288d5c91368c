"""Guards over the drug: a claim about one drug cites a block of another (spec 04, ``unsupported_drug``)."""

from __future__ import annotations

from collections.abc import Sequence

from duocthu_core.answering.model import Claim
from duocthu_core.retrieval.model import Evidence
from duocthu_core.text.folding import fold
from duocthu_core.verification.guards.tokens import read_tokens


def drug_names(block: Evidence) -> tuple[str, ...]:
    """The names a block's drug goes by: its id in words, its printed name, the name in brackets."""
    names = [(block.drug_id or "").replace("-", " ")]
    printed = block.drug_name
    names += [part.strip(" ()*") for part in printed.replace(")", "(").split("(")]
    return tuple(dict.fromkeys(" ".join(read_tokens(fold(name)).words) for name in names if len(name) > 2))


def foreign_drug(claim: Claim, block: Evidence, evidence: Sequence[Evidence], asked: Sequence[str]) -> str | None:
    """The drug the claim is about, when it is not the block's; None where nothing speaks against the block."""
    if block.drug_id is None:
        return None
    if claim.drug_id is not None and claim.drug_id != block.drug_id:
        return claim.drug_id
    own = drug_names(block)
    said = " " + " ".join(read_tokens(claim.text).words) + " "
    if any(f" {name} " in said for name in own):
        return None
    text: str | None = None
    for other in evidence:
        if other.drug_id is None or other.drug_id == block.drug_id:
            continue
        for name in drug_names(other):
            if f" {name} " not in said:
                continue
            text = text or " " + " ".join(read_tokens(block.text).words) + " "
            if f" {name} " not in text and not any(name in mine for mine in own):
                return name
    if asked and block.drug_id not in asked:
        return asked[0]
    return None
