"""Claims that are true, for the mutation lab to spoil: sentences of the book with their labels, or delivered claims of stored turns."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from duocthu_core.answering.assembling import missing_label
from duocthu_core.answering.model import Claim
from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.model import Block
from duocthu_core.pipeline.checking import context_of_trace
from duocthu_core.pipeline.outputs import AnswerOutput
from duocthu_core.pipeline.trace import Trace
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.sentences import sentences
from duocthu_core.verification.guards import GuardContext
from duocthu_core.verification.guards.readings import readings_of

_NEIGHBOURS = 3
_LONGEST = 1_500
"""Characters of a claim (spec 04)."""
_SHORTEST = 12
_LABELS_PRINTED = 3
_LABEL_LENGTH = 80


@dataclass(frozen=True, slots=True)
class VerifiedClaim:
    """A true claim with the blocks that were shown for it, and what the turn asked for."""

    claim: Claim
    shown: tuple[Evidence, ...]
    context: GuardContext

    @property
    def cited(self) -> tuple[Evidence, ...]:
        """The blocks that it cites."""
        return tuple(block for block in self.shown if block.index in self.claim.citations)


def claims_of_book(
    corpus: Corpus, ruleset: Ruleset, seed: int, drug_id: str | None = None, section_key: str | None = None
) -> Iterator[VerifiedClaim]:
    """Sentences of the clean blocks of ``corpus`` (of one drug, of one section) in an order that ``seed`` decides, each with the labels
    that govern it printed in front, as an answer prints them.

    With each go blocks to cite wrongly: neighbours of its section, and one of another drug.
    """
    dice = random.Random(f"{seed}/book")  # noqa: S311 - repeatable, no secret
    clean = [block for block in corpus.blocks if not block.quarantined]
    chosen = [block for block in clean if drug_id in (None, block.drug_id) and section_key in (None, block.section_key)]
    by_section: dict[str, list[Block]] = {}
    for block in clean:
        by_section.setdefault(block.section_key, []).append(block)
    places = [(block, number) for block in chosen for number in range(len(sentences(block.shown_text)))]
    for block, number in dice.sample(places, len(places)):
        text = _labelled(block, number, ruleset)
        if text is not None:
            yield VerifiedClaim(
                Claim(text=text, citations=(1,), drug_id=block.drug_id),
                _shown(block, corpus, by_section[block.section_key], clean, dice),
                GuardContext(asked_drug_ids=(block.drug_id,)),
            )


def claims_of_turn(trace: Trace) -> tuple[VerifiedClaim, ...]:
    """The delivered claims of a stored turn, with its evidence."""
    record = trace.stage("answer")
    if record is None or not isinstance(record.output, AnswerOutput):
        return ()
    shown, context = tuple(block for block in trace.evidence if not block.quarantined), context_of_trace(trace)
    return tuple(VerifiedClaim(claim, shown, context) for claim in record.output.claims)


def _labelled(block: Block, number: int, ruleset: Ruleset) -> str | None:
    """A sentence with the labels of earlier lines over it; None for a line that is a label and nothing else, or too long for a claim."""
    span = sentences(block.shown_text)[number]
    sentence = span.of(block.shown_text)
    if sentence.rstrip().endswith(":"):
        return None
    reading = readings_of(ruleset).of(block.shown_text)
    inside = next((clause for clause in reading.clauses if span.start <= reading.tokens.starts[clause.start] < span.end), None)
    before = [label for label in (inside.labels if inside else ()) if reading.tokens.starts[label.start] < span.start]
    printed = dict.fromkeys(reading.words_of(label.start, label.end) for label in before[:_LABELS_PRINTED])
    text = "".join(f"{label}: " for label in printed if len(label) < _LABEL_LENGTH) + sentence
    missing = missing_label(text, block.label)
    text = f"{missing} {text}" if missing else text
    return text if _SHORTEST < len(text) <= _LONGEST else None


def _shown(block: Block, corpus: Corpus, of_section: Sequence[Block], clean: Sequence[Block], dice: random.Random) -> tuple[Evidence, ...]:
    near = [other for other in corpus.blocks_of(block.drug_id, block.section_key) if not other.quarantined and other != block]
    near = near or [other for other in corpus.blocks_of(block.drug_id) if not other.quarantined and other != block]
    foreign = [other for other in of_section if other.drug_id != block.drug_id]
    foreign = foreign or [other for other in clean if other.drug_id != block.drug_id]
    blocks = (block, *near[:_NEIGHBOURS], *([dice.choice(foreign)] if foreign else []))
    return tuple(evidence_of(index, each, corpus) for index, each in enumerate(blocks, 1))


def evidence_of(index: int, block: Block, corpus: Corpus) -> Evidence:
    """A block of the book as the checks see it, under the number ``index``."""
    return Evidence(
        index=index,
        block_id=block.block_id,
        drug_id=block.drug_id,
        drug_name=corpus.name_of(block.drug_id),
        section_key=block.section_key,
        section_title=corpus.section_title(block.section_key),
        label=block.label,
        page_start=block.page_start,
        page_end=block.page_end,
        page_estimated=block.page_estimated,
        kind=block.kind,
        quarantined=block.quarantined,
        text=block.shown_text,
        url=block.url(corpus.edition),
    )
