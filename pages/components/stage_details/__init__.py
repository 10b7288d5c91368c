"""What each stage put out, as the parts of a detail: one small module a stage, each a function of the typed output and its trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from duocthu_core.agreement.people import JudgeConfidence
from duocthu_core.pipeline.trace import StageName, StageRecord, Trace
from duocthu_core.rulesets.model import Ruleset
from pages.components.facts.parts import Note, Part
from pages.components.stage_details import (
    answer,
    cache,
    completeness,
    decision,
    entailment,
    focus,
    generation,
    grounding,
    guards,
    memory,
    plan,
    repair,
    retrieval,
    scope,
    sufficiency,
    understanding,
)
from pages.components.stage_details.shared import Shown
from pages.frame.words import _

_PARTS: dict[StageName, Callable[[Any, Shown], list[Part]]] = {
    "scope": scope.parts,
    "understanding": understanding.parts,
    "focus": focus.parts,
    "retrieval": retrieval.parts,
    "decision": decision.parts,
    "sufficiency": sufficiency.parts,
    "plan": plan.parts,
    "generation": generation.parts,
    "grounding": grounding.parts,
    "guards": guards.parts,
    "cache": cache.parts,
    "entailment": entailment.parts,
    "completeness": completeness.parts,
    "repair": repair.parts,
    "answer": answer.parts,
    "memory": memory.parts,
}


def output_parts(record: StageRecord, trace: Trace, ruleset: Ruleset, people: JudgeConfidence | None = None) -> list[Part]:
    """The parts that show the output of ``record``; one that ran and left none says so, one that did not run has said why already."""
    if record.output is None:
        return [Note(_("detail_none.no_output"))] if record.status == "ran" else []
    return _PARTS[record.name](record.output, Shown(trace, ruleset, people))
