"""Retrieval: every candidate with its score, kept or left, and why."""

from __future__ import annotations

from duocthu_core.pipeline.outputs import RetrievalOutput
from duocthu_core.retrieval.model import Candidate
from pages.components.facts.parts import Cell, Figure, KeyValues, Note, Part, Pill, Table
from pages.components.stage_details.shared import Shown, listed
from pages.frame import formats, labels
from pages.frame.words import _, _n, word


def parts(output: RetrievalOutput, shown: Shown) -> list[Part]:
    kept = [candidate for candidate in output.candidates if candidate.kept]
    found: list[Part] = [Note(_n("retrieval.kept_of", len(output.candidates), kept=len(kept)), "quiet", "book")]
    rows: list[tuple[str, Cell]] = []
    if output.query:
        rows.append((_("retrieval.query"), output.query))
    if output.reused_evidence_ids:
        rows.append((_("retrieval.reused"), listed(output.reused_evidence_ids)))
    if rows:
        found.append(KeyValues(rows))
    if output.candidates:
        columns = tuple(_(f"retrieval.{name}") for name in ("block", "section", "score", "how", "state", "why"))
        found.append(Table(columns, [_row(candidate, shown) for candidate in output.candidates]))
    return found


def _row(candidate: Candidate, shown: Shown) -> tuple[Cell, ...]:
    label = f"{labels.drug(shown.trace, candidate.drug_id)} · {labels.section(shown.ruleset, candidate.section_key)}"
    if candidate.label:
        label = f"{label} · {candidate.label.replace(chr(10), ' ').rstrip(':')}"
    locked = candidate.why == "quarantined"
    state = Pill(_("retrieval.kept"), "found", "check") if candidate.kept else Pill(_("retrieval.left"), "quiet", "dash")
    if locked:
        state = Pill(_("retrieval.locked"), "locked", "lock")
    return (
        Figure(candidate.block_id),
        label,
        Figure(formats.number(candidate.score, 2)),
        word("how", candidate.how),
        state,
        word("candidate", candidate.why),
    )
