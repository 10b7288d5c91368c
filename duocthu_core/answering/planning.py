"""The plan of an answer: how it will be laid out, from the question and the evidence, no medical facts (spec 03, "Plan")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from duocthu_core.answering.model import BlockTone, Layout, Plan, ReasoningMode
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.understanding.model import Intent, Question, ResolvedQuestion, patient_values

_MODES: dict[Intent, ReasoningMode] = {"compare": "compare", "interaction": "interaction", "condition_list": "candidate_list"}


def plan(question: Question, resolved: ResolvedQuestion, evidence: Sequence[Evidence], ruleset: Ruleset) -> Plan:
    """How the answer to ``question`` over ``evidence`` is laid out.

    Figures are suppressed where the layout is no dosage and the question asks for no amount, or where the reader asked for none
    (spec 03, "Numeric suppression"); not where a block is of a section whose figures say who is meant: a contraindication must not be lost.
    """
    shown = [block for block in evidence if not block.quarantined]
    layout = _layout(resolved.section_key, shown, ruleset)
    mode = _MODES.get(resolved.intent, "lookup")
    # A clearance that was stated asks for the thresholds it is compared with ("Clcr < 60 ml/phút: chống chỉ định").
    asks_figures = question.asks_amounts or any(value.kind == "clcr" for value in patient_values(question, resolved))
    return Plan(
        verbosity=resolved.verbosity or ("detailed" if resolved.intent == "survey" else "concise"),
        layout=layout,
        reasoning_mode=mode,
        show_heading=len({(block.drug_id, block.section_key) for block in shown}) > 1,
        needs_warning=bool(question.red_flags) or any(tone_of(block.section_key, ruleset) == "warning" for block in shown),
        suppress_numbers=question.suppress_numbers or not (asks_figures or layout == "dosage" or _figures_belong(shown, ruleset)),
        allowed_drug_ids=_distinct(block.drug_id for block in shown) if mode == "candidate_list" else (),
    )


def tone_of(section_key: str | None, ruleset: Ruleset) -> BlockTone:
    """The tone of an answer block whose claims cite ``section_key``."""
    tones = ruleset.tables["answering"]["tones"]
    if section_key in tones["warning"]:
        return "warning"
    return "dosage" if section_key in tones["dosage"] else "fact_list"


def _figures_belong(evidence: Sequence[Evidence], ruleset: Ruleset) -> bool:
    sections = ruleset.tables["answering"]["figures_belong"]
    return any(block.section_key in sections for block in evidence)


def _layout(asked_section: str | None, evidence: Sequence[Evidence], ruleset: Ruleset) -> Layout:
    """The layout of the section that was asked for; without one, that of the section most blocks come from."""
    keys = [block.section_key for block in evidence]
    section = asked_section if asked_section in keys or not keys else max(keys, key=keys.count)
    layouts = ruleset.tables["answering"]["layouts"]
    if section in layouts["dosage"]:
        return "dosage"
    return "bullet_list" if section in layouts["bullet_list"] else "prose"


def _distinct(drug_ids: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(drug_id for drug_id in drug_ids if drug_id))
