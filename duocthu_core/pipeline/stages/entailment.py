"""Stage 11, entailment: one judge pass; fails closed (spec 04, check 2)."""

from __future__ import annotations

from duocthu_core.answering.json_reply import MalformedOutput
from duocthu_core.answering.model import Claim
from duocthu_core.language_models.port import ModelError
from duocthu_core.pipeline.calling import reject_reason_of
from duocthu_core.pipeline.outputs import EntailmentOutput
from duocthu_core.pipeline.tools import Tools
from duocthu_core.pipeline.turn import Ending, StageResult, Turn, failed, ran, stopped
from duocthu_core.retrieval.model import Evidence
from duocthu_core.verification.judge import parse_verdicts, statuses
from duocthu_core.verification.judge_prompts import entailment_request


def judge_claims(claims: tuple[Claim, ...], evidence: tuple[Evidence, ...], tools: Tools) -> EntailmentOutput:
    """One pass of the judge over ``claims``; raises ModelError where it could not be consulted."""
    request = entailment_request(claims, evidence, tools.ruleset)
    response = tools.calls.complete(tools.judge, request)
    known = EntailmentOutput(
        judge_model=f"{tools.judge.provider}/{tools.judge.model_id}",
        prompt_hash=tools.ruleset.prompt_hash,
        framework_version=tools.ruleset.framework_version,
    )
    try:
        raw = parse_verdicts(response.text, response.stop_reason, claims, evidence)
    except MalformedOutput as error:
        return known.model_copy(update={"malformed": str(error)})
    return known.model_copy(update={"raw": raw, "verdicts": statuses(raw, tools.ruleset.thresholds, claims, evidence)})


def run(turn: Turn, tools: Tools) -> StageResult:
    """Every claim must be supported by the blocks it cites, else the turn ends and says whether the judge said no or could not run."""
    assert turn.retrieval is not None
    try:
        output = judge_claims(turn.claims, turn.retrieval.evidence, tools)
    except ModelError as error:
        return failed(None, reject_reason_of(error), error.detail)
    if output.malformed is not None:
        return failed(output, "malformed_output", output.malformed)
    unsupported = [verdict for verdict in output.verdicts if verdict.status != "supported"]
    if unsupported:
        ending = Ending("abstained", "unsupported_claim")
        return stopped(output, "unsupported_claim", ending, claims=", ".join(str(verdict.claim_index + 1) for verdict in unsupported))
    return ran(output, "all_supported", claims=str(len(output.verdicts)))
