"""Stage 11, entailment: one judge pass; fails closed (spec 04, check 2)."""

from __future__ import annotations

from dataclasses import replace

from duocthu_core.answering.json_reply import MalformedOutput
from duocthu_core.answering.model import Claim
from duocthu_core.language_models.port import ModelError
from duocthu_core.pipeline.calling import reject_reason_of
from duocthu_core.pipeline.outputs import EntailmentOutput
from duocthu_core.pipeline.recalling import WRITE_FAILED, Recalled, keep_verdicts
from duocthu_core.pipeline.tools import Tools
from duocthu_core.pipeline.turn import Ending, StageResult, Turn, failed, ran, stopped
from duocthu_core.retrieval.model import Evidence
from duocthu_core.verification.judge import parse_verdicts, statuses
from duocthu_core.verification.judge_prompts import entailment_request
from duocthu_core.verification.model import Verdict


def judge_claims(claims: tuple[Claim, ...], evidence: tuple[Evidence, ...], tools: Tools, recalled: Recalled) -> EntailmentOutput:
    """The verdicts on ``claims``: those that were recalled, and one pass of the judge over the others; no call where none is left.

    Raises ModelError where the judge could not be consulted. What it said is kept for later turns only where it answered whole.
    """
    verdicts = dict(recalled.verdicts)
    output = EntailmentOutput(
        judge_model=tools.judge_name, prompt_hash=tools.ruleset.prompt_hash, framework_version=tools.ruleset.framework_version
    )
    left = [position for position in range(len(claims)) if position not in verdicts]
    if left:
        asked = tuple(claims[position] for position in left)
        response = tools.calls.complete(tools.judge, entailment_request(asked, evidence, tools.ruleset))
        try:
            raw = parse_verdicts(response.text, response.stop_reason, asked, evidence)
        except MalformedOutput as error:
            return output.model_copy(update={"malformed": str(error)})
        said = statuses(raw, tools.ruleset.thresholds, asked, evidence)
        output = output.model_copy(update={"cache_problems": keep_verdicts(said, asked, evidence, response, tools)})
        verdicts |= {position: _renumbered(verdict, position) for position, verdict in zip(left, said, strict=True)}
    in_order = tuple(verdicts[position] for position in range(len(claims)))
    return output.model_copy(update={"raw": tuple(v.raw for v in in_order if v.raw is not None), "verdicts": in_order})


def run(turn: Turn, tools: Tools) -> StageResult:
    """Every claim must be supported by the blocks it cites, else the turn ends and says whether the judge said no or could not run."""
    assert turn.retrieval is not None
    try:
        output = judge_claims(turn.claims, turn.retrieval.evidence, tools, turn.recalled)
    except ModelError as error:
        return failed(None, reject_reason_of(error), error.detail)
    if output.malformed is not None:
        return failed(output, "malformed_output", output.malformed)
    warnings = (WRITE_FAILED,) if output.cache_problems else ()
    unsupported = [verdict for verdict in output.verdicts if verdict.status != "supported"]
    if unsupported:
        ending = Ending("abstained", "unsupported_claim")
        result = stopped(output, "unsupported_claim", ending, claims=", ".join(str(verdict.claim_index + 1) for verdict in unsupported))
    else:
        result = ran(output, "all_supported", claims=str(len(output.verdicts)))
    return replace(result, warnings=warnings)


def _renumbered(verdict: Verdict, position: int) -> Verdict:
    """A verdict of a pass over some of the claims, with the claim's place among all of them."""
    raw = verdict.raw.model_copy(update={"index": position + 1}) if verdict.raw is not None else None
    return verdict.model_copy(update={"claim_index": position, "raw": raw})
