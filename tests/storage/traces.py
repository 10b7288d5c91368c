"""Traces for the storage tests: a whole answered turn, every kind of field filled."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from duocthu_core.answering.model import Answer, AnswerBlock, AnswerClaim, Citation, Claim, Draft, Notice
from duocthu_core.conversation.model import Focus
from duocthu_core.language_models.port import ModelRequest, ModelResponse
from duocthu_core.pipeline.outputs import EntailmentOutput, FocusOutput, GenerationOutput, GroundingOutput
from duocthu_core.pipeline.trace import ModelCall, StageRecord, Totals, Trace, TraceModels, Why
from duocthu_core.retrieval.model import Evidence
from duocthu_core.text.spans import Span
from duocthu_core.understanding.model import ResolvedQuestion, StatedValues
from duocthu_core.verification.model import CheckedClaim, EvidenceSpan, Finding, RawVerdict, Verdict

STARTED = datetime(2026, 3, 1, 8, 30, 0, 123456, tzinfo=UTC)
BLOCK = "paracetamol/lieu_luong_cach_dung/3"
OTHER_BLOCK = "paracetamol/than_trong/1"
RULESET = "sha256:" + "a" * 64
CORPUS = "sha256:" + "c" * 64
# What PostgreSQL's jsonb would not give back: U+0000, the order of keys, 1.0 as a float, a key given with its spelling.
AWKWARD_REPLY = '{"claims": [], "z": 1.0, "a": "\\u0000 \u0000 ≥ 10² ½ \U0001f48a \u202e"}'


def request() -> ModelRequest:
    """A request with a payload of every JSON type."""
    payload = {"z": [1, 1.0, 1e22, -0.0, None, True], "a": {"đ": "Người lớn: 0,5 - 1 g"}, "": ""}
    return ModelRequest(
        purpose="answer", system="Chỉ dùng BẰNG CHỨNG.", user="liều?\r\n\t", json_schema={"type": "object"}, payload=payload
    )


def stages() -> tuple[StageRecord, ...]:
    """Records of every status, one with calls that worked and failed."""
    call: dict[str, Any] = {"provider": "bedrock", "model": "m", "request": request(), "started_at": STARTED, "duration_ms": 0.1 + 0.2}
    claim = Claim(text="Người lớn: 0,5 - 1 g mỗi 4 - 6 giờ.", citations=(1,), drug_id="paracetamol")
    finding = Finding(
        reason="unit_mismatch",
        level="warn",
        token="1 g",
        claim_span=Span(17, 20),
        evidence=(EvidenceSpan(index=1, span=Span(0, 9), text="Người lớn"), EvidenceSpan(index=2)),
        params={"unit": "mg"},
    )
    raw = RawVerdict(index=1, stance="SUPPORTS", confidence=97, evidence_quote="0,5 - 1 g")
    return (
        StageRecord(
            name="focus",
            status="ran",
            why=Why(code="inherited", params={"drug": "paracetamol"}),
            started_at=STARTED,
            output=FocusOutput(
                before=Focus(), after=Focus(drug_id="paracetamol", set_at_turn={"drug_id": 3}), resolved=ResolvedQuestion(), fields=()
            ),
        ),
        StageRecord(
            name="generation",
            status="ran",
            why=Why(code="ran"),
            started_at=STARTED,
            duration_ms=1234.5,
            output=GenerationOutput(
                raw=(AWKWARD_REPLY,), draft=Draft(claims=(claim,), evidence_sufficient=True, quick_replies=("người lớn",))
            ),
            calls=(
                ModelCall(**call, response=ModelResponse(text=AWKWARD_REPLY, model="m", input_tokens=812), cost_usd=0.0000123),
                ModelCall(**call, error_kind="unavailable", error="HTTP 503: model is loading"),
            ),
            warnings=("cache: the database cannot be used",),
        ),
        StageRecord(
            name="grounding",
            status="ran",
            why=Why(code="ran"),
            started_at=STARTED,
            output=GroundingOutput(
                answer_text="…", claims=(CheckedClaim(claim_index=0, text=claim.text, citations=(1,), findings=(finding,)),)
            ),
        ),
        StageRecord(
            name="entailment",
            status="stopped",
            why=Why(code="stopped"),
            started_at=STARTED,
            output=EntailmentOutput(raw=(raw,), verdicts=(Verdict(claim_index=0, status="supported", raw=raw),)),
        ),
        StageRecord(name="answer", status="skipped", why=Why(code="stopped_before"), started_at=STARTED),
    )


def answer(*block_ids: str) -> Answer:
    """An answer of one claim that cites blocks."""
    citations = tuple(
        Citation(
            index=index,
            block_id=block_id,
            drug_id="paracetamol",
            drug_name="Paracetamol",
            section_key="lieu_luong_cach_dung",
            section_title="Liều lượng và cách dùng",
            page_start=1118,
            page_end=1119,
            spans=(Span(0, 9), Span(11, 20)),
        )
        for index, block_id in enumerate(block_ids, 1)
    )
    claim = AnswerClaim(text="Người lớn: 0,5 - 1 g.", citations=citations, label="Uống:")
    return Answer(
        blocks=(AnswerBlock(title="Liều", kind="dosage", claims=(claim,)),) if block_ids else (),
        notices=(Notice(kind="carry_over", text="Đang nói về paracetamol.", pages=(1118,)),),
    )


def trace(trace_id: str = "trace-1", **changes: Any) -> Trace:
    """A trace with every kind of field filled."""
    evidence = Evidence(
        index=1, block_id=BLOCK, drug_id="paracetamol", section_key="lieu_luong_cach_dung", text="Người lớn:\n0,5 - 1 g", page_start=1118
    )
    fields: dict[str, Any] = {
        "trace_id": trace_id,
        "conversation_id": "conversation-1",
        "turn_index": 1,
        "created_at": STARTED,
        "question": "Liều Paracetamol cho người lớn là bao nhiêu?",
        "resolved": ResolvedQuestion(
            drug_ids=("paracetamol",), drug_id="paracetamol", stated=StatedValues(age="8 tuổi"), inherited={"drug_id": 2}
        ),
        "ruleset_id": RULESET,
        "corpus_id": CORPUS,
        "models": TraceModels(generator="bedrock/m", judge="offline/lexical"),
        "outcome": "answered",
        "answer": answer(BLOCK),
        "disclaimer": "Nội dung được trích từ Dược thư.",
        "evidence": (evidence,),
        "stages": stages(),
        "totals": Totals(duration_ms=1500.25, model_calls=2, input_tokens=812, cost_usd=0.0000123),
    }
    return Trace.model_validate(fields | changes)


def minutes_later(minutes: float) -> datetime:
    """A time after :data:`STARTED`, in Vietnam's offset."""
    return (STARTED + timedelta(minutes=minutes)).astimezone(timezone(timedelta(hours=7)))
