"""From checked claims to the blocks a reader sees (spec 03, "Answer").

Title and tone of a block come from the section key of the cited block of the book, the governing label from that block too:
nothing that a model wrote decides under which heading a claim stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from duocthu_core.answering.model import Answer, AnswerBlock, AnswerClaim, Citation, Claim
from duocthu_core.answering.planning import tone_of
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.phrases import words
from duocthu_core.text.sentences import sentences
from duocthu_core.text.spans import Span

_LABEL_REACH = 12
"""A label counts as said only near the head of a claim, this many words after the label's own: "không vượt liều người lớn" further
on names a reference, not the group."""


class EvidencePlace(Protocol):
    """A place in a block of the evidence."""

    @property
    def index(self) -> int: ...

    @property
    def span(self) -> Span | None: ...


class BoundDetail(Protocol):
    """One detail of a claim and where it stands in a cited block."""

    @property
    def found(self) -> bool: ...

    @property
    def evidence(self) -> EvidencePlace | None: ...


class BoundClaim(Protocol):
    """A claim bound to its blocks, as the verification room makes it."""

    @property
    def claim_index(self) -> int: ...

    @property
    def details(self) -> Sequence[BoundDetail]: ...


def assemble(
    claims: Sequence[Claim],
    evidence: Sequence[Evidence],
    bindings: Sequence[BoundClaim],
    ruleset: Ruleset,
    language: str = "vi",
) -> Answer:
    """Blocks for ``claims``, which passed every check: one block a drug and section, in the order in which the claims first name them.

    A claim that cites several sections stands under that of its first citation. Indices outside the evidence, which the checks never let
    through, are skipped.
    """
    blocks = {block.index: block for block in evidence}
    details = {binding.claim_index: binding.details for binding in bindings}
    grouped: dict[tuple[str | None, str | None], list[AnswerClaim]] = {}
    heads: dict[tuple[str | None, str | None], Evidence] = {}
    for position, claim in enumerate(claims):
        cited = [blocks[index] for index in dict.fromkeys(claim.citations) if index in blocks]
        if not cited:
            continue
        key = (cited[0].drug_id, cited[0].section_key)
        heads.setdefault(key, cited[0])
        spans = _spans_by_block(details.get(position, ()))
        citations = tuple(_citation(block, spans.get(block.index) or _whole_sentence(claim.text, block.text)) for block in cited)
        grouped.setdefault(key, []).append(
            AnswerClaim(text=claim.text, citations=citations, label=missing_label(claim.text, cited[0].label))
        )
    several_drugs = len({drug_id for drug_id, _ in grouped}) > 1
    return Answer(blocks=tuple(_block(heads[key], found, several_drugs, ruleset, language) for key, found in grouped.items()))


def extractive(evidence: Sequence[Evidence], ruleset: Ruleset, language: str = "vi") -> Answer:
    """Whole blocks as they stand, for the mode without a generator; quarantined blocks are not shown."""
    shown = [block for block in evidence if not block.quarantined]
    grouped: dict[tuple[str | None, str | None], list[Evidence]] = {}
    for block in shown:
        grouped.setdefault((block.drug_id, block.section_key), []).append(block)
    several_drugs = len({drug_id for drug_id, _ in grouped}) > 1
    return Answer(
        blocks=tuple(_block(found[0], [_quoted(block) for block in found], several_drugs, ruleset, language) for found in grouped.values())
    )


def missing_label(claim_text: str, label: str | None) -> str | None:
    """The lines of a block's governing label that ``claim_text`` does not say, joined for print, or None where it says them all."""
    if not label:
        return None
    claim_words = [word.folded for word in words(claim_text)]
    labelled = len(words(claim_text[: claim_text.rfind(": ") + 1]))
    lines = [line.strip().rstrip(":").strip() for line in label.splitlines()]
    missing = [line for line in lines if line and not _says(claim_words, line, labelled)]
    return joined_label(missing) if missing else None


def joined_label(lines: Iterable[str]) -> str:
    """Label lines, outer to inner, as they are printed in front of a claim: "Trẻ em: Uống:"."""
    return " ".join(f"{line.strip().rstrip(':').strip()}:" for line in lines)


def _says(claim_words: Sequence[str], line: str, labelled: int) -> bool:
    """Whether the words of ``line`` stand together among the claim's own labels, ``labelled`` words, or near its head."""
    wanted = [word.folded for word in words(line)]
    reach = min(len(claim_words), max(labelled, len(wanted) + _LABEL_REACH))
    return any(list(claim_words[start : start + len(wanted)]) == wanted for start in range(reach - len(wanted) + 1))


def _spans_by_block(details: Sequence[BoundDetail]) -> Mapping[int, tuple[Span, ...]]:
    found: dict[int, set[Span]] = {}
    for detail in details:
        place = detail.evidence
        if detail.found and place is not None and place.span is not None:
            found.setdefault(place.index, set()).add(place.span)
    return {index: tuple(sorted(spans)) for index, spans in found.items()}


def _whole_sentence(claim_text: str, block_text: str) -> tuple[Span, ...]:
    """For a claim without bound details: the sentence of the block that shares most words with it."""
    wanted = {word.folded for word in words(claim_text) if word.folded.isalnum()}
    best, best_shared = None, 0
    for span in sentences(block_text):
        shared = len(wanted & {word.folded for word in words(span.of(block_text))})
        if shared > best_shared:
            best, best_shared = span, shared
    return (best,) if best is not None else ()


def _citation(block: Evidence, spans: tuple[Span, ...]) -> Citation:
    return Citation(
        index=block.index,
        block_id=block.block_id,
        drug_id=block.drug_id,
        drug_name=block.drug_name,
        section_key=block.section_key,
        section_title=block.section_title,
        page_start=block.page_start,
        page_end=block.page_end,
        page_estimated=block.page_estimated,
        edition_mark=block.edition_mark,
        spans=spans,
    )


def _quoted(block: Evidence) -> AnswerClaim:
    start = len(block.label) + 1 if block.label and block.text.startswith(block.label + "\n") else 0
    label = joined_label(line for line in block.label.splitlines() if line.strip()) if start and block.label else None
    return AnswerClaim(text=block.text[start:], citations=(_citation(block, (Span(start, len(block.text)),)),), label=label)


def _block(head: Evidence, claims: Sequence[AnswerClaim], several_drugs: bool, ruleset: Ruleset, language: str) -> AnswerBlock:
    section = ruleset.tables["sections"]["sections"].get(head.section_key or "", {})
    title = str(section.get(f"label_{language}") or head.section_title or head.section_key or "")
    return AnswerBlock(
        title=f"{head.drug_name}: {title}" if several_drugs and head.drug_name else title,
        kind=tone_of(head.section_key, ruleset),
        claims=tuple(claims),
        drug_id=head.drug_id,
        section_key=head.section_key,
    )
