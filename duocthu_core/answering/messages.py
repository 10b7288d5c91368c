"""What a reader is told beside an answer: one message per reject reason, and the disclaimer (spec 03, "Answer"; spec 04)."""

from __future__ import annotations

from duocthu_core.answering.templates import filled
from duocthu_core.retrieval.telling import Language as Language
from duocthu_core.rulesets.model import Ruleset

_DISCLAIMER: dict[Language, str] = {
    "vi": ("Nội dung được trích từ {edition}, phục vụ tra cứu chuyên môn và không thay thế chỉ định của bác sĩ hoặc dược sĩ lâm sàng."),
    "en": (
        "Content quoted from {edition} for professional reference; it does not replace the prescription of a physician or "
        "clinical pharmacist."
    ),
}
_NOT_RUN = frozenset({"provider_unavailable", "request_budget_exhausted", "malformed_output"})
"""Reasons that say that a step could not run, which is not the same as "no" (spec 04, check 2)."""
_MESSAGE_OF_OUTCOME = {"extractive": "extractive", "smalltalk": "smalltalk", "clarification": "clarification"}


def disclaimer(edition: str, ruleset: Ruleset, language: Language = "vi") -> str:
    """The fixed sentence that stands on every response.

    Its words are code and not rules: no ruleset can switch it off or change it. ``ruleset`` is taken only so that all texts for a
    reader are asked for in the same way.
    """
    del ruleset
    return filled(_DISCLAIMER[language], edition=edition.strip() or "Dược thư")


def reader_message(outcome: str, reject_reason: str | None, ruleset: Ruleset, language: Language = "vi") -> str:
    """The message of a turn: of its one reject reason where it has one, else of its outcome; empty for an answer."""
    severity = ruleset.tables["severity"]
    if outcome == "verify_pdf":
        reject_reason = reject_reason or "quarantined"
    if reject_reason is None:
        key = _MESSAGE_OF_OUTCOME.get(outcome)
        return str(severity["common"][f"{key}_{language}"]) if key else ""
    message = str(severity["reject_reasons"][reject_reason][language])
    return f"{message} {severity['common'][f'not_run_{language}']}" if reject_reason in _NOT_RUN else message


def stage_of_reason(reject_reason: str, ruleset: Ruleset) -> str:
    """The stage that raises ``reject_reason``, for the link into the trace."""
    stage = str(ruleset.tables["severity"]["reject_reasons"][reject_reason]["stage"])
    return "entailment" if stage == "judge" else stage
