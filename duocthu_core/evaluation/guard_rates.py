"""What checks 1 and 1b catch of wrong claims, and reject of true ones, over the corpus itself (spec 04, "What this must reach")."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from pydantic import BaseModel, ConfigDict

from duocthu_core.answering.assembling import missing_label
from duocthu_core.answering.model import Claim
from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.model import Block
from duocthu_core.evaluation.results import Count
from duocthu_core.evaluation.verified_claims import evidence_of
from duocthu_core.pipeline.checking import check_claims
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.sentences import sentences
from duocthu_core.verification.guards import Guards
from duocthu_core.verification.mutation import MUTANT_KINDS, mutants

DEFAULT_CLAIMS = 150
SEED = 20_180


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Survivor(_Frozen):
    """A wrong claim that no check caught."""

    kind: str
    block_id: str
    claim: str
    change: str


class GuardRates(_Frozen):
    """What the checks did to true claims of the corpus and to their mutants."""

    caught: dict[str, Count]
    """Kind of mutant -> rejected of those that are really wrong."""
    false_rejections: Count
    """Rejected of the true claims: whole sentences copied with their label."""
    rejected_claims: tuple[str, ...] = ()
    survivors: tuple[Survivor, ...] = ()


def guard_rates(
    corpus: Corpus, ruleset: Ruleset, guards: Guards | None = None, claims: int = DEFAULT_CLAIMS, seed: int = SEED
) -> GuardRates:
    """Rates over ``claims`` sentences drawn from the dosage, contraindication and interaction sections of ``corpus``, by seed."""
    checks = guards or Guards(ruleset)
    caught = {kind: [0, 0] for kind in MUTANT_KINDS}
    survivors: list[Survivor] = []
    rejected: list[str] = []
    drawn = 0
    for block, sentence, shown in _drawn(corpus, claims, seed):
        claim = Claim(text=_with_label(sentence, block), citations=(1,))
        drawn += 1
        (true,) = check_claims([claim], shown, checks)
        if true.rejected:
            rejected.append(f"{block.block_id}: {claim.text}")
            continue
        wrong = [mutant for mutant in mutants([claim], shown, ruleset, seed) if not mutant.still_true]
        for mutant, checked in zip(wrong, check_claims([mutant.claim for mutant in wrong], shown, checks), strict=True):
            counts = caught[mutant.kind]
            counts[1] += 1
            if checked.rejected:
                counts[0] += 1
            else:
                survivors.append(Survivor(kind=mutant.kind, block_id=block.block_id, claim=mutant.claim.text, change=mutant.change))
    return GuardRates(
        caught={kind: Count(k=k, n=n) for kind, (k, n) in caught.items()},
        false_rejections=Count(k=len(rejected), n=drawn),
        rejected_claims=tuple(rejected),
        survivors=tuple(survivors),
    )


_SECTIONS = ("lieu_luong_cach_dung", "chong_chi_dinh", "tuong_tac_thuoc", "thoi_ky_mang_thai", "qua_lieu_xu_tri")
_NEIGHBOURS = 3


def _drawn(corpus: Corpus, count: int, seed: int) -> Iterator[tuple[Block, str, tuple[Evidence, ...]]]:
    """A sentence of a block, and the evidence around it: the block itself first, neighbours of its section, a block of another drug."""
    dice = random.Random(seed)  # noqa: S311 - repeatable, no secret
    clean = [block for block in corpus.blocks if not block.quarantined and block.section_key in _SECTIONS]
    for block in dice.sample(clean, min(count, len(clean))):
        section = [other for other in corpus.blocks_of(block.drug_id, block.section_key) if not other.quarantined and other != block]
        foreign = [other for other in clean if other.drug_id != block.drug_id and other.section_key == block.section_key]
        shown = (block, *section[:_NEIGHBOURS], *dice.sample(foreign, min(1, len(foreign))))
        spans = sentences(block.text)
        yield block, dice.choice(spans).of(block.text), tuple(evidence_of(index, each, corpus) for index, each in enumerate(shown, 1))


def _with_label(sentence: str, block: Block) -> str:
    """The sentence with what its block's label says and it does not, as an answer prints it."""
    label = missing_label(sentence, block.label)
    return f"{label} {sentence}" if label else sentence


def weak_kinds(rates: GuardRates, least: float) -> Sequence[str]:
    """Kinds of which less than ``least`` were caught; kinds without a mutant are none."""
    return [kind for kind, count in rates.caught.items() if count.n and count.k / count.n < least]
