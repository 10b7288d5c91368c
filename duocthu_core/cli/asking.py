"""``ask``: a question through the whole pipeline (spec 01, "Command line")."""

from __future__ import annotations

from typing import Any

from duocthu_core.answering.model import AnswerBlock, Citation
from duocthu_core.bootstrap import Services
from duocthu_core.cli.errors import BadInput, one_line
from duocthu_core.cli.resolving import turns_of
from duocthu_core.pipeline.asking import BadQuestion
from duocthu_core.pipeline.told import told_in
from duocthu_core.pipeline.trace import Trace
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.catalogue import Language

_OFFLINE: dict[Language, str] = {
    "vi": "Mô hình ngoại tuyến: đối chiếu câu chữ, không dùng mô hình ngôn ngữ.",
    "en": "Offline model: compares wording, no language model.",
}


def ask_once(services: Services, question: str, conversation_id: str | None) -> Trace:
    """One turn, stored; raises BadInput for a question that cannot be asked."""
    try:
        return services.ask(question, conversation_id or services.new_conversation_id())
    except BadQuestion as error:
        raise BadInput(one_line(error)) from error


def ask_turns(given: dict[str, Any], services: Services) -> dict[str, Any]:
    """``{"turns": […]}`` as one conversation: the last trace."""
    turns = turns_of(given, services.settings.question_max_chars)
    conversation_id = services.new_conversation_id()
    for turn in turns[:-1]:
        services.ask(turn, conversation_id)
    return services.ask(turns[-1], conversation_id).model_dump(mode="json")


def readable(trace: Trace, ruleset: Ruleset, language: Language = "vi") -> str:
    """The answer as a person reads it in a terminal, in their language; the words of the book stay as they are."""
    told = told_in(trace, ruleset, language)
    notices = list(zip(trace.answer.notices, told.notices, strict=True))
    loud = ("red_flag", "checks_off")
    lines = [f"! {text}" for notice, text in notices if notice.kind in loud]
    lines += [f"({text})" for notice, text in notices if notice.kind not in loud]
    if told.message and trace.outcome not in ("answered", "extractive"):
        lines.append(told.message)
    if told.question:
        lines.append(told.question)
    lines += [f"  - {reply}" for reply in told.replies]
    for block in trace.answer.blocks:
        lines += _block_lines(block)
    if trace.outcome == "answered" and trace.models.generator.startswith("offline/"):
        lines.append(_OFFLINE[language])
    lines += ["", told.disclaimer]
    return "\n".join(lines)


def _block_lines(block: AnswerBlock) -> list[str]:
    lines = ["", block.title]
    for claim in block.claims:
        label = f"{claim.label} " if claim.label else ""
        where = "; ".join(dict.fromkeys(_place(citation) for citation in claim.citations))
        lines.append(f"  • {label}{claim.text} [{where}]")
    return lines


def _place(citation: Citation) -> str:
    about = "khoảng " if citation.page_estimated else ""
    first, last = citation.page_start, citation.page_end
    pages = f"trang {about}{first}" if first == last else f"trang {about}{first} - {last}"
    return ", ".join(filter(None, (citation.drug_name, citation.section_title, pages, citation.edition_mark)))
