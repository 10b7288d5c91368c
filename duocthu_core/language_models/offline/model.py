"""The embedded model: it chooses and compares sentences of the book, without weights and without a network.

It is the default on a fresh machine and says what it is wherever it answers: "đối chiếu câu chữ, không dùng mô hình ngôn ngữ". It reads
the structured payload of a request and returns JSON text, which goes through the same parsing and the same checks as any model's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from duocthu_core.language_models.offline.answering import Answerer
from duocthu_core.language_models.offline.comparing import Comparer
from duocthu_core.language_models.offline.completing import Completer
from duocthu_core.language_models.offline.lexicon import lexicon_of
from duocthu_core.language_models.offline.reading import BlockReader, shown_blocks
from duocthu_core.language_models.port import ModelError, ModelRequest, ModelResponse
from duocthu_core.rulesets.model import Ruleset

MODEL_ID = "offline-wording-1"


class OfflineModel:
    """Answers and judges by wording, with the tables of one ruleset. Deterministic; safe to share between threads."""

    def __init__(self, ruleset: Ruleset) -> None:
        lexicon = lexicon_of(ruleset)
        reader = BlockReader(lexicon)
        self._answerer = Answerer(lexicon, reader, ruleset.generation.claim_max_chars)
        self._comparer = Comparer(lexicon, reader)
        self._completer = Completer(lexicon, self._answerer)

    @property
    def provider(self) -> str:
        """``offline``."""
        return "offline"

    @property
    def model_id(self) -> str:
        """The version of the rules by which it chooses and compares."""
        return MODEL_ID

    def complete(self, request: ModelRequest, *, timeout_s: float) -> ModelResponse:
        """The reply to ``request``, computed at once; raises ModelError ``malformed`` for a purpose it does not serve or a payload without
        what that purpose needs."""
        del timeout_s  # single milliseconds: there is nothing to time out
        try:
            content = self._content(request)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ModelError("malformed", f"the payload of the {request.purpose} request cannot be read: {error!r}") from error
        return ModelResponse(text=json.dumps(content, ensure_ascii=False), model=MODEL_ID)

    def _content(self, request: ModelRequest) -> Mapping[str, Any]:
        payload = request.payload
        match request.purpose:
            case "answer":
                return self._answerer.reply(payload)
            case "entailment":
                return {"verdicts": [self._verdict(entry) for entry in payload["claims"]]}
            case "completeness":
                return self._completer.reply(payload)
            case "sufficiency":
                return self._completer.sufficiency(payload)
            case "understanding":
                raise ModelError("malformed", "the offline model does not read questions; the rules do")

    def _verdict(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        judged = self._comparer.judge(entry["text"], shown_blocks({"evidence": entry["blocks"]}))
        return {
            "index": entry["index"],
            "stance": judged.stance,
            "confidence": judged.confidence,
            "evidence_quote": judged.quote,
            "reasoning": judged.reasoning,
        }
