"""Drafts into blocks: identity, pages, quarantine, repairs (spec 07, "Model")."""

from __future__ import annotations

from collections.abc import Iterable

from duocthu_core.corpus.model import Block, BlockKind
from duocthu_core.corpus.reading.grouping import Draft
from duocthu_core.corpus.reading.monographs import Section
from duocthu_core.corpus.reading.quarantine import damage, damage_notes

HEADING_SLIP = "Tên mục trong bản nguồn có lỗi chữ: "
_COPY = "Một tên mục mở hai mục trong bản nguồn: đoạn này đứng ở cả hai."


def blocks_of_section(section: Section, drafts: Iterable[Draft], drug_id: str, edition: str, first_number: int = 1) -> list[Block]:
    """The blocks of one section, numbered from ``first_number``."""
    return [_block(section, draft, drug_id, edition, number) for number, draft in enumerate(drafts, start=first_number)]


def _block(section: Section, draft: Draft, drug_id: str, edition: str, number: int) -> Block:
    passage = draft.passage
    reason = damage(passage)
    first, last = passage.printed_pages
    kind: BlockKind = "table" if passage.kind == "table" else "formula" if reason == "formula" else "prose"
    return Block(
        block_id=f"{drug_id}/{section.key}/{number}",
        drug_id=drug_id,
        section_key=section.key,
        heading=" > ".join((section.heading.printed, *draft.path)),
        text=passage.text,
        kind=kind,
        label="\n".join(draft.labels) or None,
        page_start=first,
        page_end=last,
        quarantined=reason is not None,
        quarantine_reason=reason,
        damage_notes=(*_heading_notes(section), *draft.notes, *damage_notes(passage)),
        repairs=tuple(placed.repair for placed in passage.repairs),
        edition=edition,
    )


def _heading_notes(section: Section) -> tuple[str, ...]:
    notes = () if section.heading.certain else (f"{HEADING_SLIP}{section.heading.printed}",)
    return (*notes, _COPY) if section.copy_of else notes
