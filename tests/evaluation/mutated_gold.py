"""Gold made wrong on purpose: a metric that stays as it was measures nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from duocthu_core.evaluation.gold import ResolvedFact, ResolvedTurn
from duocthu_core.evaluation.model import Expectation
from duocthu_core.evaluation.sets import EvalSet

_OTHER_OUTCOME = {"answered": "clarification", "clarification": "answered", "verify_pdf": "answered", "abstained": "answered"}


def changed(evalset: EvalSet, change: Callable[[ResolvedTurn], ResolvedTurn]) -> EvalSet:
    """The set with the gold of every turn changed."""
    items = tuple(replace(item, gold=tuple(turn and change(turn) for turn in item.gold)) for item in evalset.items)
    return EvalSet(evalset.name, items, evalset.corpus_id)


def with_expectation(turn: ResolvedTurn, **changes: object) -> ResolvedTurn:
    return replace(turn, expect=Expectation.model_validate(turn.expect.model_dump() | changes))


def other_outcomes(turn: ResolvedTurn) -> ResolvedTurn:
    """Answers expected where none is, and the reverse."""
    return with_expectation(turn, outcome=[_OTHER_OUTCOME.get(one.partition(":")[0], "answered") for one in turn.expect.outcome])


def other_reasons(turn: ResolvedTurn) -> ResolvedTurn:
    """Refusals for another reason."""
    reasons = ["abstained:quarantined" if one.startswith("abstained:") else one for one in turn.expect.outcome]
    return with_expectation(turn, outcome=reasons)


def refusals_only(turn: ResolvedTurn) -> ResolvedTurn:
    """Nothing may be answered."""
    return with_expectation(turn, outcome=["abstained:*"])


def answers_only(turn: ResolvedTurn) -> ResolvedTurn:
    """Everything is to be answered."""
    return with_expectation(turn, outcome=["answered"])


def tenfold_figures(turn: ResolvedTurn) -> ResolvedTurn:
    """Every figure of a fact ten times what the book says, every word one that it does not hold."""
    facts = tuple(
        ResolvedFact(
            fact.fact.model_copy(
                update={
                    "figures": tuple(figure.replace("1", "10").replace("2", "20").replace("5", "50") + "0" for figure in fact.fact.figures),
                    "terms": tuple(f"{term} ngược lại" for term in fact.fact.terms),
                }
            ),
            fact.blocks,
        )
        for fact in turn.facts
    )
    return replace(turn, facts=facts)


def other_blocks(turn: ResolvedTurn) -> ResolvedTurn:
    """Only a block that nothing cites is accepted."""
    facts = tuple(ResolvedFact(fact.fact, {"khong/co/1": "sha256:0"}) for fact in turn.facts)
    return replace(turn, facts=facts, accepted_blocks=frozenset({"khong/co/1"}))


def other_focus(turn: ResolvedTurn) -> ResolvedTurn:
    """About another drug."""
    return with_expectation(turn, drug="zanamivir")


def other_pages(turn: ResolvedTurn) -> ResolvedTurn:
    """On a page that the book does not have."""
    return with_expectation(turn, pages=[99999])
