"""Turns of every ending: a generator that says what it is told next, and a judge whose opinion depends on the claim alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from duocthu_core.conversation.model import ConversationState
from duocthu_core.language_models.port import ModelRequest, ModelResponse
from duocthu_core.pipeline.running import Pipeline
from duocthu_core.pipeline.trace import Trace
from duocthu_core.rulesets.model import Ruleset
from tests.pipeline.corpora import small_corpus
from tests.pipeline.fakes import draft
from tests.pipeline.real_model import free

QUESTION = "Liều paracetamol uống cho người lớn là bao nhiêu?"
_DOSE = "0,5 - 1 g/lần, cách 4 - 6 giờ một lần; tối đa 4 g/ngày."
_PARTS = ("0,5 - 1 g/lần", "cách 4 - 6 giờ một lần", "tối đa 4 g/ngày")


@dataclass
class Generator:
    """Says ``replies`` in order, the last one again and again."""

    replies: Sequence[str] = ()
    provider: str = "openai"
    model_id: str = "writer"
    calls: int = 0

    def say(self, *replies: str) -> None:
        self.replies, self.calls = replies, 0

    def complete(self, request: ModelRequest, *, timeout_s: float) -> ModelResponse:
        self.calls += 1
        return ModelResponse(
            text=self.replies[min(self.calls, len(self.replies)) - 1], model=self.model_id, input_tokens=400, output_tokens=80
        )


@dataclass
class Judge:
    """Always of the same opinion about the same claim; says the dose is incomplete where it leaves the maximum out."""

    provider: str = "openai"
    model_id: str = "judge"
    calls: int = 0

    def complete(self, request: ModelRequest, *, timeout_s: float) -> ModelResponse:
        self.calls += 1
        said = _verdicts(request) if request.purpose == "entailment" else _completeness(request)
        return ModelResponse(text=json.dumps(said, ensure_ascii=False), model=self.model_id, input_tokens=300, output_tokens=60)


def _verdicts(request: ModelRequest) -> dict[str, object]:
    found = []
    for claim in request.payload["claims"]:
        chance = sha256(claim["text"].encode()).digest()
        stance = "PARTIAL" if chance[0] % 9 == 0 else "SUPPORTS"
        quote = "" if chance[1] % 7 == 0 else _DOSE.split(";", maxsplit=1)[0]
        found.append(
            {"index": claim["index"], "stance": stance, "confidence": 60 + chance[2] % 40, "evidence_quote": quote, "reasoning": ""}
        )
    return {"verdicts": found}


def _completeness(request: ModelRequest) -> dict[str, object]:
    text = " ".join(claim["text"] for claim in request.payload["claims"])
    missing = [part for part in _PARTS if part not in text]
    described = [{"description": f"còn thiếu {part}", "evidence_quote": part} for part in missing]
    return {"complete": not missing, "missing_evidence": described}


def scripts(number: int) -> tuple[str, ...]:
    """The replies of the generator in the turn ``number``: whole answers, short ones with their repair, wrong units, odd words."""
    lead = ("Người lớn, uống:", "Người lớn uống:", "Người lớn, đường uống:", "Uống, người lớn:")[number % 4]
    joint = (", ", "; ", " - ")[number % 3]
    shape = number % 10
    parts = _PARTS if shape < 5 else (_PARTS[shape % 2], _PARTS[2]) if shape < 7 else _PARTS[:1]
    text = f"{lead} {joint.join(parts)}."
    if shape == 4:
        text = text.replace(" g/ngày", " mg/ngày")
    if shape == 9:
        text = text[:-1] + " theo kinh nghiệm chuyên gia nước ngoài hàng đầu."
    return draft((text, [1])), draft((f"{lead} {', '.join(_PARTS)}.", [1]))


class OpinionRoom:
    """A pipeline over these two models."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.generator, self.judge = Generator(), Judge()
        self.pipeline = Pipeline(small_corpus(), ruleset, self.generator, self.judge, price=free)

    def turn(self, number: int) -> Trace:
        """The turn ``number``, run as a whole."""
        self.generator.say(*scripts(number))
        return self.pipeline.run(QUESTION, ConversationState(conversation_id=f"c{number}")).trace
