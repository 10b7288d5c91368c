"""A question that the model wants to ask back, made safe to show (spec 03, rules 5, 7 and 8).

No check reads a clarifying question against the book, so it may not carry what only a checked claim may carry: a figure that
neither the reader nor a block has named. Quick replies must be options that the blocks really have.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from duocthu_core.answering.model import Draft
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.numbers import cached_numeric_tokens, numeric_tokens
from duocthu_core.text.phrases import words


def safe_clarification(
    draft: Draft, question_text: str, evidence: Sequence[Evidence], ruleset: Ruleset, language: str = "vi"
) -> tuple[str, tuple[str, ...]]:
    """The question to ask and its quick replies.

    A question with a figure from nowhere is replaced by a general one of the ruleset; if one reply stands in no block, none is shown.
    """
    asked = (draft.clarifying_question or "").strip()
    shown = [block for block in evidence if not block.quarantined]
    if not asked or _has_unknown_figure(asked, question_text, shown):
        return str(ruleset.tables["severity"]["common"][f"ask_for_details_{language}"]), ()
    replies = draft.quick_replies if all(_stands_in(reply, shown) for reply in draft.quick_replies) else ()
    return asked, replies


def _has_unknown_figure(asked: str, question_text: str, evidence: Sequence[Evidence]) -> bool:
    known = {token.text for token in numeric_tokens(question_text)}
    for block in evidence:
        known.update(token.text for token in cached_numeric_tokens(block.text))
    return any(token.is_fact and token.text not in known for token in numeric_tokens(asked))


def _stands_in(reply: str, evidence: Sequence[Evidence]) -> bool:
    """Whether the words of ``reply`` stand together in one block, whatever signs part them there."""
    wanted = _padded(reply)
    return len(wanted) > 2 and any(wanted in _padded(block.text) for block in evidence)


@lru_cache(maxsize=1024)
def _padded(text: str) -> str:
    return " " + " ".join(word.folded for word in words(text) if word.folded.isalnum() or word.folded in "<>≤≥%") + " "
