"""What a turn told its reader, in the reader's language: the message, the question back and its replies, the notices, the disclaimer.

A trace keeps the Vietnamese words as they were said, and how they were made; everybody who draws a turn asks here. The words of the book
are nobody's to translate and are not here.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from duocthu_core.answering.messages import disclaimer, reader_message
from duocthu_core.answering.notices import checks_off_words
from duocthu_core.pipeline.outputs import GuardsOutput
from duocthu_core.pipeline.trace import Trace
from duocthu_core.retrieval.model import Notice
from duocthu_core.retrieval.telling import Language, notice_text, worded
from duocthu_core.rulesets.model import Ruleset


@dataclass(frozen=True)
class Told:
    """The product's own words of one turn."""

    message: str
    question: str
    """The question that was asked back; empty where there was none."""
    replies: tuple[str, ...]
    """As many and in the same order as ``trace.quick_replies``, which are what a chosen one sends."""
    notices: tuple[str, ...]
    """As many and in the same order as ``trace.answer.notices``."""
    disclaimer: str


def told_in(trace: Trace, ruleset: Ruleset, language: Language) -> Told:
    """The words of ``trace`` in ``language``, by the texts of ``ruleset``. What an older trace did not keep stays in Vietnamese."""
    notices = tuple(_notice(notice, trace, ruleset, language) for notice in trace.answer.notices)
    question = trace.clarifying_question or ""
    if language == "vi":
        return Told(trace.message, question, trace.quick_replies, notices, trace.disclaimer)
    replies = zip_longest(trace.quick_replies, trace.quick_replies_said[: len(trace.quick_replies)])
    return Told(
        message=reader_message(trace.outcome, trace.reject_reason, ruleset, language),
        question=worded(trace.clarifying_said, ruleset, language, otherwise=question),
        replies=tuple(worded(said, ruleset, language, otherwise=reply) for reply, said in replies),
        notices=notices,
        disclaimer=disclaimer(trace.edition, ruleset, language),
    )


def _notice(notice: Notice, trace: Trace, ruleset: Ruleset, language: Language) -> str:
    guards = trace.stage("guards")
    if notice.kind == "checks_off" and guards is not None and isinstance(guards.output, GuardsOutput):
        # Its words are the catalogue's, and which guards were off stands in the record of the checks.
        return checks_off_words((guard for guard, level in guards.output.levels.items() if level == "off"), language)
    return notice_text(notice, ruleset, language)
