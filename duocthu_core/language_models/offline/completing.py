"""Whether an answer leaves out a limit, and whether the evidence answers at all (spec 04, check 3; spec 03, "sufficiency")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from duocthu_core.language_models.offline.answering import Answerer
from duocthu_core.language_models.offline.lexicon import Lexicon
from duocthu_core.language_models.offline.reading import Item
from duocthu_core.text.folding import collapse_spaces
from duocthu_core.text.numbers import numeric_tokens


class Completer:
    """Looks for lines that the answer should have had."""

    def __init__(self, lexicon: Lexicon, answerer: Answerer) -> None:
        self._lexicon = lexicon
        self._answerer = answerer

    def reply(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Complete, unless a line for the asked patient, route and section bounds an amount and no claim says it.

        Where figures are suppressed no limit can be said, so none is missing. Only blocks that the answer cites are looked at: a limit of
        a block that the answer is not about limits nothing in it.
        """
        claims = payload["claims"]
        if (payload.get("plan") or {}).get("suppress_numbers"):
            return {"complete": True, "missing_evidence": []}
        cited = {index for claim in claims for index in claim["citations"]}
        said = [collapse_spaces(claim["text"]) for claim in claims]
        missing = [
            item
            for item in self._answerer.chosen_lines(payload)
            if item.has_limit and item.block.index in cited and not _is_said(item, said)
        ]
        return {
            "complete": not missing,
            "missing_evidence": [{"description": _text(item), "evidence_quote": _text(item)} for item in missing],
        }

    def sufficiency(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Whether any line of the evidence would be quoted for the question, or asked about."""
        draft = self._answerer.reply(payload)
        sufficient = bool(draft["claims"]) or bool(draft["quick_replies"])
        return {"sufficient": sufficient, "why": "" if sufficient else str(draft["clarifying_question"])}


def _text(item: Item) -> str:
    return item.text.rstrip("; ,")


def _is_said(item: Item, said: list[str]) -> bool:
    """Whether one claim has the line as it stands, or every figure of it."""
    text = collapse_spaces(_text(item))
    figures = {token.text for token in numeric_tokens(text) if token.is_fact}
    return any(text in claim or figures <= {token.text for token in numeric_tokens(claim)} for claim in said)
