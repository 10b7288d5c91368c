"""What a turn costs without model time.

``python -m pytest tests/benchmarks/test_turn_overhead.py --benchmark-enable``
"""

from __future__ import annotations

from typing import Any

from duocthu_core.conversation.model import ConversationState
from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.language_models.offline import OfflineModel
from duocthu_core.pipeline.running import Pipeline
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.settings import DEMO_CORPUS

QUESTIONS = (
    "Liều paracetamol uống cho người lớn?",
    "Bé 8 tuổi uống paracetamol bao nhiêu?",
    "Chống chỉ định của ibuprofen?",
    "Cefazolin cho người suy thận?",
    "Metformin dùng cho phụ nữ có thai được không?",
)


def test_turn_without_model_time(benchmark: Any, ruleset: Ruleset) -> None:
    """One turn in five on the demo corpus, offline; the model's own time is taken off in ``extra_info``."""
    model = OfflineModel(ruleset)
    pipeline = Pipeline(load_corpus(DEMO_CORPUS), ruleset, model, model, price=lambda *_args, **_named: 0.0)
    state = ConversationState(conversation_id="benchmark")

    def turns() -> list[float]:
        traces = [pipeline.run(question, state).trace for question in QUESTIONS]
        return [trace.totals.duration_ms - sum(call.duration_ms for stage in trace.stages for call in stage.calls) for trace in traces]

    overheads = benchmark(turns)
    benchmark.extra_info["overhead_ms_median"] = sorted(overheads)[len(overheads) // 2]
    assert len(overheads) == len(QUESTIONS)
