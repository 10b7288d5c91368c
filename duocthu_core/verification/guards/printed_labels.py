"""Guard over labels in front of a copy: a sentence copied word for word under the label of another group or route."""

from __future__ import annotations

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.groups import populations_conflict, routes_conflict
from duocthu_core.verification.guards.structure import Clause, Label
from duocthu_core.verification.guards.verbatim import copies
from duocthu_core.verification.model import Finding, RejectReason


def printed_label_findings(comparison: Comparison) -> list[Finding]:
    """The labels of a claim against what governs the sentence behind them, where that sentence is a copy from the block.

    Here nothing has to be guessed: the place is known, and so are the labels over it.
    """
    claim = comparison.claim
    if not claim.labels:
        return []
    begin, end = claim.labels[-1].end + 1, len(claim.tokens.words)
    places = [_clause_at(place, comparison) for place in copies(claim.tokens.words[begin:end], comparison.block)]
    governed = [clause for clause in places if clause is not None]
    if not governed:
        return []
    for label in claim.labels:
        reasons: list[RejectReason] = [reason for clause in governed if (reason := _reason(label, clause, comparison)) is not None]
        if len(reasons) == len(governed):
            reason, clause = reasons[0], governed[0]
            kind = "route" if reason == "route_mismatch" else "population"
            shown = " › ".join(comparison.block.words_of(each.start, each.end) for each in clause.labels)
            return [comparison.finding(reason, f"{kind}_conflict", (label.start, label.end), (clause.start, clause.end), label=shown)]
    return []


def _clause_at(place: int, comparison: Comparison) -> Clause | None:
    return next((clause for clause in comparison.block.clauses if place < clause.end), None)


def _reason(label: Label, clause: Clause, comparison: Comparison) -> RejectReason | None:
    """Why ``label`` cannot stand over ``clause``; None where it can."""
    lexicon, governing = comparison.lexicon, {tag for each in clause.labels for tag in each.scope.populations}
    theirs = clause.scope.populations | governing
    for tag in label.scope.populations - theirs:
        if populations_conflict(frozenset([tag]), theirs, lexicon):
            return "population_mismatch"
    routes = frozenset(route for each in clause.labels for route in each.scope.routes) | clause.scope.routes
    return "route_mismatch" if routes_conflict(label.scope.routes, routes, lexicon) else None
