"""A real-model turn: the OpenAI-compatible adapter against a local server that replies as a real model does, faults and all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from duocthu_core.cache.pipeline_adapter import PipelineVerdictCache
from duocthu_core.cache.store import CacheStore, InMemoryCacheStore
from duocthu_core.cache.verification_cache import VerificationCache
from duocthu_core.conversation.model import ConversationState
from duocthu_core.language_models.openai_compatible import OpenAICompatibleModel
from duocthu_core.pipeline.running import Pipeline, TurnResult
from duocthu_core.rulesets.model import Ruleset
from tests.pipeline.corpora import small_corpus
from tests.servers.openai_server import answers
from tests.servers.scripted_http import ScriptedServer

MODEL = "qwen2.5:7b"
ADULT_ORAL = "Liều paracetamol uống cho người lớn là bao nhiêu?"
BLOCK = "0,5 - 1 g/lần, cách 4 - 6 giờ một lần; tối đa 4 g/ngày."


def free(provider: str, model: str, input_tokens: int, output_tokens: int) -> float | None:
    return 0.0


def drafted(*texts: str) -> str:
    """A draft, fenced as many models fence JSON."""
    claims = [{"text": text, "citations": [1], "drug_id": None} for text in texts]
    reply = {"claims": claims, "evidence_sufficient": True, "clarifying_question": None, "quick_replies": []}
    return f"```json\n{json.dumps(reply, ensure_ascii=False)}\n```"


def judged(*stances: str, confidence: int = 90) -> str:
    """The judge's verdicts, each with a quote of the block."""
    found = [
        {"index": number, "stance": stance, "confidence": confidence, "evidence_quote": BLOCK, "reasoning": ""}
        for number, stance in enumerate(stances, 1)
    ]
    return json.dumps({"verdicts": found}, ensure_ascii=False)


COMPLETE = json.dumps({"complete": True, "missing_evidence": []})
LEAVES_OUT = json.dumps(
    {"complete": False, "missing_evidence": [{"description": "tối đa 4 g/ngày", "evidence_quote": "tối đa 4 g/ngày"}]}, ensure_ascii=False
)
SHORT = "Người lớn, uống: 0,5 - 1 g/lần."
WHOLE = "Người lớn, uống: 0,5 - 1 g/lần, cách 4 - 6 giờ một lần; tối đa 4 g/ngày."
RETRY_AND_REPAIR = ('{"claims": [{"text": "Người lớn', drafted(SHORT), judged("SUPPORTS"), LEAVES_OUT, drafted(WHOLE), judged("SUPPORTS"))
"""A first reply that breaks off, its retry, verdicts, an objection, the repair and the verdict on it."""


class RealModelRoom:
    """A pipeline over a scripted server; the cache is kept from turn to turn."""

    def __init__(self, server: ScriptedServer, ruleset: Ruleset, store: CacheStore | None = None, **more: Any) -> None:
        self.server = server
        self.ruleset = ruleset
        self.cache = VerificationCache(store or InMemoryCacheStore())
        self.verdicts = PipelineVerdictCache(self.cache, "free")
        self._more: dict[str, Any] = {"verdicts": self.verdicts} | more

    def pipeline(self, ruleset: Ruleset | None = None, model: str = MODEL, judge: str = MODEL) -> Pipeline:
        """The pipeline under ``ruleset`` with models of these names."""
        generator, judging = (OpenAICompatibleModel(f"{self.server.url}/v1", name) for name in (model, judge))
        return Pipeline(small_corpus(), ruleset or self.ruleset, generator, judging, price=free, **self._more)

    def ask(self, *replies: str, question: str = ADULT_ORAL, state: ConversationState | None = None) -> TurnResult:
        """One turn whose calls are answered by ``replies``."""
        self.says(replies)
        return self.pipeline().run(question, state or ConversationState(conversation_id="c"))

    def says(self, replies: Sequence[str]) -> None:
        """What the server replies next."""
        self.server.then(*(answers(reply) for reply in replies))

    @property
    def calls(self) -> int:
        """Requests that reached the server."""
        return len(self.server.received)
