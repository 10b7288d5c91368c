"""Scoring one turn: its trace against its gold. Delivered answers are compared with gold, raw claims with their own blocks: what a
check filters is 100 % after it."""

from __future__ import annotations

from collections.abc import Sequence

from duocthu_core.answering.model import AnswerClaim, Claim
from duocthu_core.corpus.collection import Corpus
from duocthu_core.evaluation.gold import ResolvedFact, ResolvedTurn, says, stands
from duocthu_core.evaluation.results import Count, TurnScore
from duocthu_core.pipeline.outputs import GenerationOutput, GroundingOutput, GuardsOutput
from duocthu_core.pipeline.trace import Trace
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.binding import bind
from duocthu_core.verification.grounding import fact_tokens, token_is_grounded, token_places
from duocthu_core.verification.guards.readings import readings_of
from duocthu_core.verification.guards.verbatim import is_verbatim


def missing_turn(turn: int, gold: ResolvedTurn | None, error: str) -> TurnScore:
    """A turn that crashed or was never reached because an earlier one did: wrong, with its facts uncovered."""
    facts = len([fact for fact in gold.facts if not fact.fact.if_answered]) if gold else 0
    expected = gold.expect.outcome if gold else ()
    return TurnScore(turn=turn, scored=gold is not None, expected=expected, error=error, facts=Count(n=facts))


def got_of(trace: Trace) -> str:
    """``answered``, ``abstained:out_of_scope`` …"""
    return f"{trace.outcome}:{trace.reject_reason}" if trace.outcome == "abstained" else trace.outcome


def is_expected(got: str, expected: Sequence[str]) -> bool:
    """Whether an outcome is one of those expected (``abstained:*`` takes every reason)."""
    return got in expected or (got.startswith("abstained:") and "abstained:*" in expected)


def score_turn(turn: int, gold: ResolvedTurn | None, trace: Trace, corpus: Corpus, ruleset: Ruleset) -> TurnScore:
    """Everything that is measured of one turn."""
    got = got_of(trace)
    claims = delivered_claims(trace)
    raw = raw_claims(trace)
    cited = [citation.block_id for claim in claims for citation in claim.citations]
    common = {
        "turn": turn,
        "scored": gold is not None,
        "got": got,
        "raw_numbers": raw_numbers(raw, trace.evidence),
        "delivered_numbers": _delivered_numbers(claims, corpus),
        "useful_citations": useful_citations(raw if claims else (), trace, ruleset),
        "verbatim_rejections": _verbatim_rejections(trace, ruleset),
        "raw_claims": len(raw),
        "delivered_claims": len(claims),
        "trace_id": trace.trace_id,
        "stopped_at": trace.stopped_at.name if trace.stopped_at else None,
        "duration_ms": trace.totals.duration_ms,
        "stage_ms": {record.name: round(record.duration_ms, 3) for record in trace.stages if record.status != "skipped"},
        "model_calls": trace.totals.model_calls,
        "judge_calls": trace.totals.judge_calls,
        "tokens": trace.totals.input_tokens + trace.totals.output_tokens,
        "cost_usd": trace.totals.cost_usd,
    }
    if gold is None:
        return TurnScore.model_validate(common)
    facts = [fact for fact in gold.facts if trace.outcome == "answered" or not fact.fact.if_answered]
    missed = [fact for fact in facts if not _is_said(fact, claims)]
    return TurnScore.model_validate(
        common
        | {
            "expected": gold.expect.outcome,
            "right": is_expected(got, gold.expect.outcome),
            "wrong_focus": _wrong_focus(gold, trace),
            "facts": Count(k=len(facts) - len(missed), n=len(facts)),
            "missed_facts": tuple(_name_of(fact) for fact in missed),
            "citations": _accepted_citations(gold, cited),
            "forbidden_citations": tuple(sorted(gold.forbidden_blocks & set(cited))),
            "forbidden_figures": tuple(f for f in gold.expect.forbid.figures if any(_shows(f, claim) for claim in claims)),
            "missing_pages": _missing_pages(gold, trace),
        }
    )


def delivered_claims(trace: Trace) -> tuple[AnswerClaim, ...]:
    """The claims a reader was given as an answer."""
    return tuple(claim for block in trace.answer.blocks for claim in block.claims) if trace.outcome == "answered" else ()


def raw_claims(trace: Trace) -> tuple[Claim, ...]:
    """The claims as the model first made them, before any check."""
    record = trace.stage("generation")
    output = record.output if record else None
    return output.draft.claims if isinstance(output, GenerationOutput) and output.draft else ()


def raw_numbers(claims: Sequence[Claim], evidence: Sequence[Evidence]) -> Count:
    """Numeric tokens of claims found, character for character, in the claims' own blocks, of all their tokens."""
    blocks = {block.index: block for block in evidence}
    k = n = 0
    for claim in claims:
        own = [blocks[index] for index in claim.citations if index in blocks]
        tokens = fact_tokens(claim.text)
        n += len(tokens)
        k += sum(1 for token in tokens if token_is_grounded(token, own))
    return Count(k=k, n=n)


def useful_citations(claims: Sequence[Claim], trace: Trace, ruleset: Ruleset) -> Count:
    """Citations of grounded claims that alone bind every detail of the claim, or one that no other cited block binds.

    A claim without a detail (number, unit, bound, population, route) says nothing of its citations and is left out.
    """
    record = trace.stage("grounding")
    output = record.output if record else None
    if not claims or not isinstance(output, GroundingOutput):
        return Count()
    k = n = 0
    for claim, binding in zip(output.claims, output.bindings, strict=False):
        total = len(binding.details)
        if claim.rejected or total == 0:
            continue
        n += len(binding.counts)
        if len(binding.counts) == 1:
            k += int(binding.counts[0].found == total)
            continue
        alone = {}
        for count in binding.counts:
            (one,) = bind([Claim(text=claim.text, citations=(count.index,))], trace.evidence, (), ruleset)
            alone[count.index] = frozenset(place for place, detail in enumerate(one.details) if detail.found)
        for index, found in alone.items():
            others = frozenset[int]().union(*(held for other, held in alone.items() if other != index))
            k += int(len(found) == total or bool(found - others))
    return Count(k=k, n=n)


def _delivered_numbers(claims: Sequence[AnswerClaim], corpus: Corpus) -> Count:
    """The delivered figures, looked up in the corpus itself: nothing that a check left in the trace is believed."""
    k = n = 0
    for claim in claims:
        blocks = [corpus.block(citation.block_id) for citation in claim.citations]
        places = [token_places(block.shown_text) for block in blocks if block is not None]
        for token in fact_tokens(claim.text):
            n += 1
            k += int(token.kind != "suspicious" and any(token.text in known for known in places))
    return Count(k=k, n=n)


def _verbatim_rejections(trace: Trace, ruleset: Ruleset) -> tuple[str, ...]:
    record = trace.stage("guards")
    output = record.output if record else None
    if not isinstance(output, GuardsOutput):
        return ()
    readings = readings_of(ruleset)
    blocks = {block.index: block for block in trace.evidence}
    found: list[str] = []
    for claim in output.claims:
        reasons = {finding.reason for finding in claim.findings if finding.level == "reject"} - {"suppressed_number", "unsupported_drug"}
        cited = [blocks[index] for index in claim.citations if index in blocks]
        if reasons and any(is_verbatim(readings.of(claim.text), readings.of(block.text)) for block in cited):
            found.append(f"{sorted(reasons)[0]}: {claim.text}")
    return tuple(found)


def _shows(figure: str, claim: AnswerClaim) -> bool:
    return stands(figure, f"{claim.label or ''}\n{claim.text}")


def _is_said(fact: ResolvedFact, claims: Sequence[AnswerClaim]) -> bool:
    return any(
        any(citation.block_id in fact.blocks for citation in claim.citations) and says(fact.fact, claim.text, claim.label or "")
        for claim in claims
    )


def _name_of(fact: ResolvedFact) -> str:
    said = ", ".join((*fact.fact.figures, *fact.fact.terms))
    return f"{fact.fact.at} {fact.fact.label + ': ' if fact.fact.label else ''}{said}"


def _accepted_citations(gold: ResolvedTurn, cited: Sequence[str]) -> Count:
    if not gold.accepted_blocks and "answered" in gold.expect.outcome:
        return Count()  # the item says nothing of what may be cited
    accepted = gold.accepted_blocks or frozenset()
    return Count(k=sum(1 for block_id in cited if block_id in accepted), n=len(cited))


def _wrong_focus(gold: ResolvedTurn, trace: Trace) -> tuple[str, ...]:
    expect, resolved = gold.expect, trace.resolved
    wrong = [
        name
        for name, wanted, got in (
            ("drug", expect.drug, resolved.drug_id),
            ("section", expect.section, resolved.section_key),
            ("population", expect.population, resolved.population),
        )
        if wanted is not None and wanted != got
    ]
    if not set(expect.inherited) <= resolved.inherited.keys():
        wrong.append("inherited")
    return tuple(wrong)


def _missing_pages(gold: ResolvedTurn, trace: Trace) -> tuple[int, ...]:
    named = {page for notice in trace.answer.notices for page in notice.pages}
    for claim in (claim for block in trace.answer.blocks for claim in block.claims):
        for citation in claim.citations:
            if citation.page_start is not None:
                named |= set(range(citation.page_start, (citation.page_end or citation.page_start) + 1))
    return tuple(page for page in gold.expect.pages if page not in named)
