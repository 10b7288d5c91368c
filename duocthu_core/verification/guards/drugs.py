"""Guards over the drug: a claim about one drug cites a block of another (spec 04, ``unsupported_drug``)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from duocthu_core.answering.model import Claim
from duocthu_core.retrieval.model import Evidence
from duocthu_core.verification.guards.tokens import read_tokens


@lru_cache(maxsize=2048)
def drug_names(drug_id: str | None, printed: str) -> tuple[str, ...]:
    """The names a drug goes by, folded: its id in words, its printed name, the name in brackets."""
    names = [(drug_id or "").replace("-", " ")]
    names += [part.strip(" ()*") for part in printed.replace(")", "(").split("(")]
    return tuple(dict.fromkeys(" ".join(read_tokens(name).words) for name in names if len(name) > 2))


def foreign_drug(claim: Claim, words: Sequence[str], block: Evidence, evidence: Sequence[Evidence], asked: Sequence[str]) -> str | None:
    """The drug the claim is about, when it is not the block's; None where nothing speaks against the block.

    ``words`` are the claim's folded words; other drugs are known by the names of the evidence shown with it.
    """
    if block.drug_id is None:
        return None
    if claim.drug_id is not None and claim.drug_id != block.drug_id:
        return claim.drug_id
    own = drug_names(block.drug_id, block.drug_name)
    said = f" {' '.join(words)} "
    if any(f" {name} " in said for name in own):
        return None
    for drug_id, printed in {(other.drug_id, other.drug_name) for other in evidence if other.drug_id not in (None, block.drug_id)}:
        for name in drug_names(drug_id, printed):
            if f" {name} " in said and not any(name in mine for mine in own) and not _stands(name, block.text):
                return name
    if asked and block.drug_id not in asked:
        return asked[0]
    return None


@lru_cache(maxsize=4096)
def _stands(name: str, text: str) -> bool:
    return f" {name} " in f" {' '.join(read_tokens(text).words)} "
