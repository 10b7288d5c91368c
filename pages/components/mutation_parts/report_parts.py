"""A run of the mutation lab as tables and passages: kind by check, and one survivor with both its texts."""

from __future__ import annotations

from duocthu_core.evaluation.mutation_lab import KindResult, MutationReport, TriedMutant
from duocthu_core.retrieval.model import Evidence
from duocthu_core.text.spans import Span
from pages.components.book_list.book_list import BookEntry
from pages.components.facts.parts import Figure, KeyValues, Part, Passage, Pill, Table
from pages.frame import formats
from pages.frame.shown_text import Mark, pieces, shortened
from pages.frame.words import _, _n, word

_WORDS = 160
_GOAL = 0.95
"""Of each kind at least so many must be caught (spec 04)."""


def run_parts(report: MutationReport) -> list[Part]:
    """The table kind × check, the kinds with survivors first, and the true claims that were refused."""
    rows = sorted(report.kinds, key=lambda row: (row.total == row.caught, row.total == 0))
    columns = (
        _("mutation.kind"),
        _("mutation.caught"),
        _("mutation.interval"),
        _("mutation.survived"),
        _("mutation.left_out"),
        _("mutation.by"),
    )
    table = Table(columns, [_row(row) for row in rows], _("mutation.table"))
    rejected = [(word("reason", claim.reason), claim.text) for claim in report.rejected_claims]
    return [table, *([Table((_("mutation.reason"), _("mutation.claim")), rejected, _("mutation.false_rejections"))] if rejected else [])]


def _row(row: KindResult) -> tuple[str, Pill | Figure, Figure, Figure, str, str]:
    survived = row.total - row.caught
    share = f"{row.caught}/{row.total}"
    good = row.total == 0 or row.caught >= _GOAL * row.total
    sign: Pill | Figure = Figure(share) if row.total == 0 else Pill(share, "found" if good else "missing", "check" if good else "cross")
    interval = f"{formats.percent(row.interval.low)} - {formats.percent(row.interval.high)}" if row.interval else "–"
    by = ", ".join(f"{word('reason', reason)} {count}" for reason, count in sorted(row.by_reason.items(), key=lambda pair: -pair[1]))
    left = ", ".join(f"{word('still_true', reason)} {count}" for reason, count in row.left_out.items())
    return word("mutant_kind", row.kind), sign, Figure(interval), Figure(str(survived)), left or "–", by or "–"


def survivor_entry(tried: TriedMutant) -> BookEntry:
    """A line of the list of survivors."""
    return BookEntry(
        word("mutant_kind", tried.kind), tried.change, shortened(tried.text, _WORDS), [Pill(_("mutation.missed"), "missing", "cross")]
    )


def survivor_parts(tried: TriedMutant) -> list[Part]:
    """One survivor: the true claim, the mutant, the changed words of both marked, and the blocks they cite."""
    parts: list[Part] = [KeyValues([(_("mutation.kind"), word("mutant_kind", tried.kind)), (_("mutation.change"), tried.change)])]
    parts.append(_text(_("mutation.claim"), tried.claim, tried.was, tried.claim_citations))
    parts.append(_text(_("mutation.mutant"), tried.text, tried.now, tried.citations))
    return [*parts, *(_block(block) for block in tried.evidence)]


def _text(heading: str, text: str, changed: Span | None, citations: tuple[int, ...]) -> Passage:
    cites = " ".join(f"[{index}]" for index in citations)
    return Passage(heading, pieces(text, [Mark(changed, "changed")] if changed is not None else []), cites)


def _block(block: Evidence) -> Passage:
    about = f"[{block.index}] {block.section_title} · {formats.pages(block.page_start, block.page_end, estimated=block.page_estimated)}"
    return Passage(block.drug_name or block.block_id, pieces(block.text, []), about)


def counts_line(report: MutationReport) -> str:
    """What was looked at, in one sentence."""
    return _n("mutation.counted", report.claims, rejected=len(report.rejected_claims), survivors=len(report.survivors))
