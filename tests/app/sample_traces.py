"""Turns to draw: one of every outcome, written by hand in the types of the core."""

from __future__ import annotations

import json

from duocthu_core.answering.model import Answer, AnswerBlock, AnswerClaim, Notice
from duocthu_core.pipeline import outputs
from duocthu_core.pipeline.trace import (
    StageName,
    StageRecord,
    Trace,
)
from duocthu_core.text.spans import Span
from duocthu_core.understanding.model import Question, RedFlag, ResolvedQuestion
from duocthu_core.verification.model import (
    BlockCount,
    BoundDetail,
    CheckedClaim,
    CheckedObjection,
    ClaimBinding,
    EvidenceSpan,
    MissingEvidence,
    RawVerdict,
    Verdict,
)
from tests.app.sample_parts import (
    CLAIM_1,
    CLAIM_2,
    CLAIM_3,
    CLAIM_4,
    CONVERSATION,
    DOSE,
    EVIDENCE,
    WRONG_CLAIM_2,
    at,
    bindings,
    cache_lookup,
    cited_claim,
    draft_of,
    model_call,
    reading,
    record,
    stages_of,
    trace_of,
    wrong_binding,
)


def answered(trace_id: str = "tr-answered", turn: int = 1, conversation: str = CONVERSATION) -> Trace:
    """A dose, found: four claims, everything supported, one objection accepted and one ignored, a table beside it."""
    question = "Liều paracetamol uống cho người lớn là bao nhiêu?"
    raw, draft = draft_of(((CLAIM_1, 1), (CLAIM_2, 1), (CLAIM_3, 2), (CLAIM_4, 3)))
    bound = bindings()
    checked = tuple(CheckedClaim(claim_index=item.claim_index, text=item.text, citations=item.citations) for item in bound)
    quotes = (
        "Đường uống: mỗi lần 0,5 - 1 g, các lần cách nhau 4 - 6 giờ",
        "tối đa 4 g/ngày",
        "Người nghiện rượu, suy dinh dưỡng mạn hoặc mất nước: không quá 3 g/ngày",
        "Người lớn, Clcr 10 - 50 ml/phút: các lần cách nhau 6 giờ",
    )
    raws = tuple(
        RawVerdict(
            index=number, stance="SUPPORTS", confidence=96 - 4 * number, evidence_quote=quote, reasoning="Mọi chi tiết có trong khối."
        )
        for number, quote in enumerate(quotes, start=1)
    )
    verdicts = tuple(
        Verdict(
            claim_index=number - 1,
            status="supported",
            raw=item,
            why="supported",
            quote=EvidenceSpan(
                index=bound[number - 1].citations[0],
                span=at(EVIDENCE[bound[number - 1].citations[0] - 1].text, item.evidence_quote),
                text=item.evidence_quote,
            ),
        )
        for number, item in enumerate(raws, start=1)
    )
    missing = "Đặt trực tràng: mỗi lần 0,5 - 1 g"
    objections = (
        CheckedObjection(
            objection=MissingEvidence(description="Thiếu liều đặt trực tràng 2 g.", evidence_quote=missing),
            accepted=False,
            why="number_not_in_quote",
            quote=EvidenceSpan(index=1, span=at(EVIDENCE[0].text, missing), text=missing),
        ),
    )
    answer = Answer(
        blocks=(
            AnswerBlock(
                title="Liều lượng và cách dùng",
                kind="dosage",
                section_key=DOSE,
                drug_id="paracetamol",
                claims=(
                    cited_claim(CLAIM_1, 1, ("mỗi lần 0,5 - 1 g, các lần cách nhau 4 - 6 giờ",)),
                    cited_claim("Tối đa 4 g/ngày theo đường uống.", 1, ("tối đa 4 g/ngày",), label="Người lớn:"),
                    cited_claim(CLAIM_3, 2, ("không quá 3 g/ngày",)),
                    cited_claim(CLAIM_4, 3, ("các lần cách nhau 6 giờ",)),
                ),
            ),
        ),
        notices=(Notice(kind="quarantine", text="Có bảng liều ở trang 1122; bảng được giữ nguyên, xem sách.", pages=(1122,)),),
    )
    given = reading(question, inherited=False)
    given |= {
        "generation": record(
            "generation",
            outputs.GenerationOutput(raw=(raw,), draft=draft),
            "drafted",
            ms=2310,
            calls=(model_call("answer", 0.2, raw),),
            claims="4",
            replies="1",
        ),
        "grounding": record(
            "grounding",
            outputs.GroundingOutput(answer_text=draft.answer_text, claims=checked, bindings=bound),
            "all_grounded",
            ms=21,
            claims="4",
        ),
        "guards": record(
            "guards", outputs.GuardsOutput(claims=checked, bindings=bound, levels={"low_support": "warn"}), "guards_passed", ms=34
        ),
        "cache": record(
            "cache",
            outputs.CacheOutput(
                enabled=True,
                lookups=(
                    cache_lookup(0, "fresh", "all_equal", "served", tokens_saved=240, cost_saved_usd=0.0012),
                    outputs.CacheLookup(claim_index=1, staleness="miss", rule="no_row", claim_hash="77be02a4", action="judged"),
                    cache_lookup(2, "stale_prompt", "prompt_differs", "judged", prompt_hash_stored="0aa1bb2cc3dd"),
                    cache_lookup(3, "stale_framework", "framework_differs", "reprocessed", framework_stored="41c9aa"),
                ),
                calls_saved=0,
                tokens_saved=240,
                cost_saved_usd=0.0012,
            ),
            "cache_looked_up",
            ms=6,
        ),
        "entailment": record(
            "entailment",
            outputs.EntailmentOutput(
                judge_model="offline/offline-1", prompt_hash="3b9f5d0c11aa", framework_version="92d0e7", raw=raws, verdicts=verdicts
            ),
            "all_supported",
            ms=1400,
            calls=(model_call("entailment", 2.6, json.dumps({"verdicts": [item.model_dump() for item in raws]}, ensure_ascii=False)),),
            claims="4",
        ),
        "completeness": record(
            "completeness",
            outputs.CompletenessOutput(complete=True, objections=objections),
            "complete",
            ms=710,
            calls=(model_call("completeness", 4.0, '{"complete": true}', duration_ms=700),),
            accepted="0",
        ),
        "answer": record("answer", outputs.AnswerOutput(outcome="answered", answer=answer, claims=draft.claims), "outcome_answered", ms=3),
        "memory": record(
            "memory",
            outputs.MemoryOutput(
                summary_before="",
                summary_after="- đã hỏi Liều lượng và cách dùng của Paracetamol",
                evicted=("Paracetamol dùng để làm gì?",),
                turn_count=2,
            ),
            "remembered",
            ms=5,
            evicted="1",
        ),
    }
    return trace_of(trace_id, turn, question, "answered", stages_of(given), conversation=conversation, answer=answer, evidence=EVIDENCE)


def stopped(trace_id: str = "tr-stopped", turn: int = 2, conversation: str = CONVERSATION) -> Trace:
    """A follow-up whose draft wrote mg for g: the guards hold it back."""
    question = "Thế mỗi ngày tối đa bao nhiêu?"
    raw, draft = draft_of(((CLAIM_1, 1), (WRONG_CLAIM_2, 1), (CLAIM_3, 2), (CLAIM_4, 3)))
    wrong, wrong_bound = wrong_binding()
    good = bindings()
    bound = (good[0], wrong_bound, good[2], good[3])
    checked = tuple(
        wrong if item.claim_index == 1 else CheckedClaim(claim_index=item.claim_index, text=item.text, citations=item.citations)
        for item in bound
    )
    given = reading(question, inherited=True)
    given |= {
        "generation": record(
            "generation",
            outputs.GenerationOutput(raw=(raw,), draft=draft),
            "drafted",
            ms=2310,
            calls=(model_call("answer", 0.2, raw),),
            claims="4",
        ),
        "grounding": record(
            "grounding",
            outputs.GroundingOutput(
                answer_text=draft.answer_text, claims=tuple(item.model_copy(update={"findings": ()}) for item in checked)
            ),
            "all_grounded",
            ms=21,
            claims="4",
        ),
        "guards": record(
            "guards", outputs.GuardsOutput(claims=checked, bindings=bound), "unit_mismatch", status="stopped", ms=33, token="mg/ngày"
        ),
        "answer": record("answer", outputs.AnswerOutput(outcome="abstained", answer=Answer()), "outcome_abstained", ms=2),
        "memory": record(
            "memory", outputs.MemoryOutput(summary_before="", summary_after="", turn_count=4), "remembered", ms=3, evicted="0"
        ),
    }
    message = "Đơn vị khác với sách. Con số đúng nhưng đơn vị không khớp, nguy cơ nhầm liều. Hãy xem đúng dòng trong sách."
    return trace_of(
        trace_id,
        turn,
        question,
        "abstained",
        stages_of(given),
        conversation=conversation,
        inherited=True,
        reject_reason="unit_mismatch",
        message=message,
        evidence=EVIDENCE[:1],
        answer=Answer(notices=(Notice(kind="carry_over", text="Đang dùng từ lượt trước: Paracetamol, người lớn."),)),
    )


def clarification(trace_id: str = "tr-clarify", turn: int = 3, conversation: str = CONVERSATION) -> Trace:
    """A child without an age: the product asks back and offers the book's own bands."""
    question = "Còn trẻ em thì sao?"
    replies = ("Trẻ em 4 - 6 tuổi", "Trẻ em 6 - 8 tuổi", "Trẻ em 8 - 10 tuổi")
    asked = "Trẻ bao nhiêu tuổi, hoặc nặng bao nhiêu kg?"
    given = reading(question, inherited=True)
    given["decision"] = record(
        "decision",
        outputs.DecisionOutput(decision="CLARIFY", clarifying_question=asked, quick_replies=replies),
        "decision_clarify",
        status="stopped",
        ms=2,
    )
    del given["plan"]
    given |= {
        "answer": record("answer", outputs.AnswerOutput(outcome="clarification", answer=Answer()), "outcome_clarification", ms=2),
        "memory": record(
            "memory", outputs.MemoryOutput(summary_before="", summary_after="", turn_count=6), "remembered", ms=3, evicted="0"
        ),
    }
    return trace_of(
        trace_id,
        turn,
        question,
        "clarification",
        stages_of(given),
        conversation=conversation,
        inherited=True,
        clarifying_question=asked,
        quick_replies=replies,
        evidence=EVIDENCE[:1],
    )


def verify_pdf(trace_id: str = "tr-pdf", turn: int = 4, conversation: str = CONVERSATION) -> Trace:
    """What was asked stands only in a table."""
    question = "Liều theo cân nặng trong bảng là bao nhiêu?"
    notice = Notice(kind="quarantine", text="Phần này là bảng trong sách và được giữ nguyên. Xem trang 1122.", pages=(1122,))
    given = reading(question, inherited=True)
    given["decision"] = record(
        "decision",
        outputs.DecisionOutput(decision="VERIFY_PDF", reject_reason="quarantined", quarantined_pages=(1122,), notices=(notice,)),
        "decision_verify_pdf",
        status="stopped",
        ms=2,
        reason="quarantined",
    )
    del given["plan"]
    given |= {
        "answer": record(
            "answer", outputs.AnswerOutput(outcome="verify_pdf", answer=Answer(notices=(notice,))), "outcome_verify_pdf", ms=2
        ),
        "memory": record(
            "memory", outputs.MemoryOutput(summary_before="", summary_after="", turn_count=8), "remembered", ms=3, evicted="0"
        ),
    }
    return trace_of(
        trace_id,
        turn,
        question,
        "verify_pdf",
        stages_of(given),
        conversation=conversation,
        inherited=True,
        reject_reason="quarantined",
        message="Phần trả lời nằm trong bảng hoặc công thức. Bảng và công thức được giữ nguyên, không để máy viết lại. "
        "Hãy mở đúng trang sách đã ghi.",
        answer=Answer(notices=(notice,)),
        evidence=(EVIDENCE[3].model_copy(update={"index": 1}),),
    )


def smalltalk(trace_id: str = "tr-social", turn: int = 5, conversation: str = CONVERSATION) -> Trace:
    """A greeting."""
    question = "Cảm ơn bạn nhiều!"
    asked = Question(text=question, intent="smalltalk")
    given: dict[StageName, StageRecord] = {
        "scope": record("scope", outputs.ScopeOutput(in_scope=True), "scope_in", ms=2),
        "understanding": record("understanding", outputs.UnderstandingOutput(question=asked), "social_turn", status="stopped", ms=2),
        "answer": record("answer", outputs.AnswerOutput(outcome="smalltalk", answer=Answer()), "outcome_smalltalk", ms=1),
        "memory": record(
            "memory", outputs.MemoryOutput(summary_before="", summary_after="", turn_count=10), "remembered", ms=1, evicted="0"
        ),
    }
    return trace_of(
        trace_id,
        turn,
        question,
        "smalltalk",
        stages_of(given),
        conversation=conversation,
        message="Rất vui được giúp. Bạn có thể hỏi về một thuốc trong Dược thư.",
        resolved=ResolvedQuestion(intent="smalltalk"),
    )


def failed(trace_id: str = "tr-failed", turn: int = 6, conversation: str = CONVERSATION) -> Trace:
    """The model was not reachable: not run is not "no"."""
    question = "Liều paracetamol uống cho người lớn là bao nhiêu?"
    error = "ConnectTimeout: bedrock-runtime.ap-southeast-1 did not answer within 20.0 s"
    given = reading(question, inherited=False)
    given |= {
        "generation": record(
            "generation",
            outputs.GenerationOutput(),
            "provider_unavailable",
            status="failed",
            ms=20010,
            calls=(model_call("answer", 0.2, "", error=error, duration_ms=20000),),
            detail=error,
        ),
        "answer": record("answer", outputs.AnswerOutput(outcome="abstained", answer=Answer()), "outcome_abstained", ms=2),
        "memory": record(
            "memory", outputs.MemoryOutput(summary_before="", summary_after="", turn_count=12), "remembered", ms=3, evicted="0"
        ),
    }
    return trace_of(
        trace_id,
        turn,
        question,
        "abstained",
        stages_of(given),
        conversation=conversation,
        reject_reason="provider_unavailable",
        message="Máy chưa trả lời được lúc này. Không kết nối được với dịch vụ. Hãy thử lại sau ít phút, hoặc tra trực tiếp trong sách. "
        "Bước kiểm tra chưa chạy được; đây không phải là kết luận sai hay đúng.",
        evidence=EVIDENCE[:3],
    )


RED_FLAG = RedFlag(
    kind="qua_lieu_ngo_doc",
    words="uống nhầm 20 viên",
    span=Span(0, 17),
    advice_vi="Có thể là quá liều. Gọi cấp cứu 115 hoặc đưa người bệnh cùng vỏ thuốc đến cơ sở y tế gần nhất ngay.",
    advice_en="This may be an overdose. Call 115 or take the patient and the packaging to the nearest hospital now.",
)


def red_flag(trace_id: str = "tr-redflag", turn: int = 7, conversation: str = CONVERSATION) -> Trace:
    """An emergency in the question: the fixed advice stands above the answer, and the turn goes on."""
    trace = answered(trace_id, turn, conversation)
    question = "Vừa uống nhầm 20 viên paracetamol 500 mg, liều người lớn là bao nhiêu?"
    scope = record("scope", outputs.ScopeOutput(in_scope=True, red_flags=(RED_FLAG,)), "scope_red_flag", ms=4)
    notices = (Notice(kind="red_flag", text=RED_FLAG.advice_vi), *trace.answer.notices)
    stages = tuple(scope.model_copy(update={"started_at": old.started_at}) if old.name == "scope" else old for old in trace.stages)
    return trace.model_copy(update={"question": question, "stages": stages, "answer": trace.answer.model_copy(update={"notices": notices})})


HOSTILE = "<img src=x onerror=\"document.title='broken'\"> $x^2$ :red[x] **b** [x](javascript:alert(1)) \u202eđảo\u202c ![a](http://example.com/a.png)"


def hostile(trace_id: str = "tr-hostile", turn: int = 1, conversation: str = "hostile1") -> Trace:
    """Every text that a person, a model or the book can bring holds what an interpreter would act on."""
    trace = answered(trace_id, turn, conversation)
    bad = EVIDENCE[0].model_copy(update={"text": HOSTILE + " 4 g/ngày", "section_title": HOSTILE, "label": HOSTILE, "drug_name": HOSTILE})
    claim = HOSTILE + " 4 g/ngày"
    binding = ClaimBinding(
        claim_index=0,
        text=claim,
        citations=(1,),
        details=(
            BoundDetail(
                kind="unit",
                text="g/ngày",
                claim_span=at(claim, "g/ngày"),
                found=True,
                evidence=EvidenceSpan(index=1, span=at(bad.text, "g/ngày"), text="g/ngày"),
            ),
        ),
        counts=(BlockCount(index=1, found=1, total=1),),
    )
    checked = (CheckedClaim(claim_index=0, text=claim, citations=(1,)),)
    citation = (
        cited_claim(claim, 1, ())
        .citations[0]
        .model_copy(update={"section_title": HOSTILE, "drug_name": HOSTILE, "spans": (at(bad.text, "4 g/ngày"),)})
    )
    answer = Answer(
        blocks=(AnswerBlock(title=HOSTILE, kind="warning", claims=(AnswerClaim(text=claim, citations=(citation,), label=HOSTILE),)),),
        notices=(Notice(kind="masked", text=HOSTILE),),
    )
    raw, draft = draft_of(((claim, 1),))
    replaced = {
        "generation": record(
            "generation",
            outputs.GenerationOutput(raw=(raw + HOSTILE,), draft=draft),
            "drafted",
            calls=(model_call("answer", 0.2, HOSTILE),),
            claims="1",
        ),
        "grounding": record(
            "grounding", outputs.GroundingOutput(answer_text=HOSTILE, claims=checked, bindings=(binding,)), "all_grounded", claims="1"
        ),
        "guards": record("guards", outputs.GuardsOutput(claims=checked, bindings=(binding,)), "guards_passed", claims="1"),
        "memory": record(
            "memory",
            outputs.MemoryOutput(summary_before=HOSTILE, summary_after=HOSTILE, evicted=(HOSTILE,), turn_count=2),
            "remembered",
            evicted="1",
        ),
    }
    stages = tuple(replaced.get(old.name, old) for old in trace.stages)
    return trace.model_copy(
        update={
            "question": HOSTILE,
            "stages": stages,
            "answer": answer,
            "evidence": (bad,),
            "message": HOSTILE,
            "disclaimer": HOSTILE,
            "clarifying_question": HOSTILE,
            "quick_replies": (HOSTILE, "b"),
        }
    )


def ran_stage(trace: Trace, name: StageName) -> StageRecord:
    """The record of a stage that the trace has."""
    found = trace.stage(name)
    assert found is not None
    return found


def conversation() -> list[Trace]:
    """One conversation with a turn of every outcome."""
    return [answered(), stopped(), clarification(), verify_pdf(), smalltalk(), failed(), red_flag()]
