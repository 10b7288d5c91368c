"""The guards as one check: claims in, findings with a span on both sides out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from duocthu_core.answering.model import Claim
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.figures import FigureWords, amounts
from duocthu_core.text.spans import Span
from duocthu_core.verification.grounding import fact_tokens, token_is_grounded
from duocthu_core.verification.guards.agents import agent_findings
from duocthu_core.verification.guards.alignment import alignment_findings
from duocthu_core.verification.guards.comparatives import comparative_findings
from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.directions import direction_findings
from duocthu_core.verification.guards.distributions import distribution_findings
from duocthu_core.verification.guards.drugs import foreign_drug
from duocthu_core.verification.guards.emphasis import emphasis_findings
from duocthu_core.verification.guards.figures import figure_findings
from duocthu_core.verification.guards.forbidden_lists import forbidden_list_findings
from duocthu_core.verification.guards.forbidden_names import forbidden_name_findings
from duocthu_core.verification.guards.frequency_tiers import tier_findings
from duocthu_core.verification.guards.joiners import joiner_findings
from duocthu_core.verification.guards.labels import label_words
from duocthu_core.verification.guards.near_copy import near_copy_findings
from duocthu_core.verification.guards.negation import negation_findings
from duocthu_core.verification.guards.opened_cases import opened_case_findings
from duocthu_core.verification.guards.printed_labels import printed_label_findings
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.readings import readings_of
from duocthu_core.verification.guards.sequences import sequence_findings
from duocthu_core.verification.guards.structure import Clause, Reading
from duocthu_core.verification.guards.table_rows import table_row_findings
from duocthu_core.verification.guards.things import exchanged_findings, unknown_thing_findings
from duocthu_core.verification.guards.time_limits import time_limit_findings
from duocthu_core.verification.guards.verbatim import is_verbatim
from duocthu_core.verification.guards.wording import ranking_findings, safety_findings, support_findings, weakening_findings
from duocthu_core.verification.model import CheckedClaim, EvidenceSpan, Finding


@dataclass(frozen=True, slots=True)
class GuardContext:
    """What the turn asked for, as far as guards need it."""

    suppress_numbers: bool = False
    list_mode: bool = False
    allowed_drug_ids: tuple[str, ...] = ()
    asked_drug_ids: tuple[str, ...] = ()


class Guards:
    """The deterministic guards of one ruleset. Keeps the blocks and claims it has read, so that repeated ones cost nothing."""

    def __init__(self, ruleset: Ruleset) -> None:
        self._ruleset = ruleset
        self._readings = readings_of(ruleset)
        self._lexicon = self._readings.lexicon
        self._figures = FigureWords(ruleset.tables["answering"])

    def check(self, claims: Sequence[Claim], evidence: Sequence[Evidence], context: GuardContext | None = None) -> tuple[CheckedClaim, ...]:
        """Findings of every guard for each claim. Claims that check 1 would refuse get no finding here for what it already says."""
        asked = context or GuardContext()
        blocks = {block.index: block for block in evidence if block.index >= 1}
        known: dict[Claim, tuple[Finding, ...]] = {}  # a claim said twice is checked once
        checked: list[CheckedClaim] = []
        for position, claim in enumerate(claims):
            if claim not in known:
                known[claim] = self._levelled(self._findings(claim, blocks, evidence, asked))
            checked.append(CheckedClaim(claim_index=position, text=claim.text, citations=claim.citations, findings=known[claim]))
        return tuple(checked)

    def _levelled(self, findings: list[Finding]) -> tuple[Finding, ...]:
        levelled: list[Finding] = []
        for finding in findings:
            level = self._ruleset.guard_level(finding.reason)
            if level == "off":
                continue
            levelled.append(finding.model_copy(update={"level": "warn"}) if level == "warn" and finding.level == "reject" else finding)
        return tuple(levelled)

    def _findings(self, claim: Claim, blocks: dict[int, Evidence], evidence: Sequence[Evidence], context: GuardContext) -> list[Finding]:
        cited = [blocks[index] for index in dict.fromkeys(claim.citations) if index in blocks]
        if not cited:
            return []
        findings = _suppressed(claim, context, self._figures) + self._drug_findings(claim, cited, evidence, context)
        if any(not token_is_grounded(token, cited) for token in fact_tokens(claim.text)):
            return findings  # check 1 refuses the claim; its figures have no place to compare
        return findings + self._content_findings(claim, cited)

    def _drug_findings(self, claim: Claim, cited: list[Evidence], evidence: Sequence[Evidence], context: GuardContext) -> list[Finding]:
        found: list[Finding] = []
        if context.list_mode and claim.drug_id not in context.allowed_drug_ids:
            found.append(_drug_finding(claim, cited[0], claim.drug_id or "", "drug_not_allowed"))
        known = [block for block in cited if block.drug_id is not None]
        words = self._readings.of(claim.text).tokens.words if known else []
        for block in known:
            foreign = foreign_drug(claim, words, block, evidence, () if context.list_mode else context.asked_drug_ids)
            if foreign is not None:
                found.append(_drug_finding(claim, block, foreign, "unsupported_drug"))
        return found

    def _content_findings(self, claim: Claim, cited: list[Evidence]) -> list[Finding]:
        reading = self._readings.of(claim.text)
        readings = [self._readings.of(block.text) for block in cited]
        if any(is_verbatim(reading, block) for block in readings):
            return []
        comparisons = [
            Comparison(reading, own, block, self._lexicon, self._readings.of(f"{block.section_title} {block.drug_name}"))
            for block, own in zip(cited, readings, strict=True)
        ]
        support = support_findings(comparisons) or unknown_thing_findings(comparisons)
        if len(comparisons) == 1:
            return self._with_support(claim, support, _compared(comparisons[0]))
        nearest = _nearest(reading, readings)
        found = _compared(comparisons[nearest])
        if not found:  # borne by the nearest block alone: of the others only another figure for the same thing counts
            return self._with_support(claim, support, _other_figures(comparisons, nearest, readings))
        by_block = [found if place == nearest else _compared(comparison) for place, comparison in enumerate(comparisons)]
        return self._with_support(claim, support, _best_of(by_block, reading, readings))

    def _with_support(self, claim: Claim, support: list[Finding], found: list[Finding]) -> list[Finding]:
        """What was found with what has no support: where a guard says just what is wrong, its reason comes first.

        That most of the words are missing stays the first thing to say: then the wrong block was cited (spec 04, ``low_support``).
        """
        if not _rejecting(found):
            return support + found
        floor = 100 * self._ruleset.thresholds.support_share_floor
        lost = [finding for finding in support if float(finding.params["share"]) <= floor]
        whole = Span(0, len(claim.text.strip()))
        words = [finding for finding in support if finding not in lost and not _covers(finding, whole)]
        return lost + found + words


def _compared(comparison: Comparison) -> list[Finding]:
    """The findings of a claim against one block."""
    found = printed_label_findings(comparison)
    found += [finding for finding in figure_findings(comparison) if not _said_already(finding, found)]
    found += [finding for finding in alignment_findings(comparison) if not _said_already(finding, found)]
    found += negation_findings(comparison) + ranking_findings(comparison) + safety_findings(comparison)
    found += weakening_findings(comparison) + comparative_findings(comparison)
    found += joiner_findings(comparison)
    found += [finding for finding in opened_case_findings(comparison) if not _said_already(finding, found)]
    found += [finding for finding in time_limit_findings(comparison) if not _said_already(finding, found)]
    if not any(finding.reason == "negation_mismatch" for finding in found):
        found += forbidden_list_findings(comparison) or forbidden_name_findings(comparison)
    if not any(finding.reason == "negation_mismatch" for finding in found):
        found += agent_findings(comparison) or direction_findings(comparison) or emphasis_findings(comparison)
    found += [finding for finding in sequence_findings(comparison) if not any(other.reason == "other_item" for other in found)]
    found += [finding for finding in tier_findings(comparison) if not _said_already(finding, found)]
    found += [finding for finding in table_row_findings(comparison) if not _said_already(finding, found)]
    reasons = {finding.reason for finding in found}
    found += [finding for finding in exchanged_findings(comparison) if finding.reason not in reasons]
    found += [finding for finding in distribution_findings(comparison) if not _said_already(finding, found)]
    return found + [finding for finding in near_copy_findings(comparison) if not _said_already(finding, found)]


def _nearest(claim: Reading, readings: list[Reading]) -> int:
    """Which block has most of the claim's words."""
    shares = [len(claim.content & reading.content) for reading in readings]
    return shares.index(max(shares))


def _other_figures(comparisons: list[Comparison], nearest: int, readings: list[Reading]) -> list[Finding]:
    """What the blocks beside the ``nearest`` one say with another figure of what the claim speaks of."""
    kept: list[Finding] = []
    for place, comparison in enumerate(comparisons):
        if place != nearest and not comparison.claim.numbers <= comparison.block.numbers:
            found = [finding for finding in figure_findings(comparison) if finding.reason == "other_item" and finding not in kept]
            kept += [finding for finding in found if _has_another_figure(finding, comparison.claim, readings, comparison.block)]
    return kept


def _best_of(by_block: list[list[Finding]], claim: Reading, readings: list[Reading]) -> list[Finding]:
    """What is left over several cited blocks.

    One block may bear the whole claim; or each figure of the claim is borne by one of them. Never outvoted is a block that shares more
    of the claim's words than the others and says the reverse, and one that has another figure for just what the claim speaks of.
    """
    nearest = _nearest(claim, readings)
    kept = [finding for finding in by_block[nearest] if finding.reason == "negation_mismatch"]
    kept += [
        finding
        for found, own in zip(by_block, readings, strict=True)
        for finding in found
        if finding.reason == "other_item" and _has_another_figure(finding, claim, readings, own) and finding not in kept
    ]
    left = [[finding for finding in found if not _borne_elsewhere(finding, by_block, readings)] for found in by_block]
    borne = [found for found in left if not _rejecting(found)]
    shown = min(borne, key=len) if borne else left[nearest]
    return kept + [finding for finding in shown if finding not in kept]


def _borne_elsewhere(finding: Finding, by_block: list[list[Finding]], readings: list[Reading]) -> bool:
    """Whether another cited block has the figure of ``finding`` and nothing against it."""
    if finding.reason == "negation_mismatch" or finding.claim_span is None:
        return False
    numbers = {token.text for token in fact_tokens(finding.token or "")}
    for found, reading in zip(by_block, readings, strict=True):
        if numbers <= reading.numbers and not any(_inside(other, finding.claim_span) for other in _rejecting(found)):
            return True
    return False


def _has_another_figure(finding: Finding, claim: Reading, readings: list[Reading], own: Reading) -> bool:
    numbers = {token.text for token in fact_tokens(finding.token or "")}
    if finding.claim_span is None or numbers <= own.numbers:
        return False
    bearing = [reading for reading in readings if reading is not own and numbers <= reading.numbers]
    return bool(bearing) and all(_another_subject(finding.claim_span, claim, reading, own) for reading in bearing)


def _another_subject(span: Span, claim: Reading, bearing: Reading, own: Reading) -> bool:
    """Whether the block without the figure has another one of its kind, and with it what the claim says and the other block does not.

    "dạng liposom … 5 mg/ml": one block has 5 mg/ml of the ordinary form, the other the liposomal form with 4 mg/ml.
    """
    for clause in claim.clauses:
        for quantity in clause.quantities:
            if quantity.unit is None or not span.overlaps(Span(*claim.span(quantity.start, quantity.end))):
                continue
            there = [other for other, place in bearing.values.get(quantity.value, ()) if quantity.same_unit(place)]
            here = [other for other in own.clauses if any(_of_a_kind(quantity, each) for each in other.quantities)]
            if there and here and _only_in(clause, here, bearing) and not _only_in(clause, there, own):
                return True
    return False


def _of_a_kind(quantity: Quantity, other: Quantity) -> bool:
    return (quantity.unit, quantity.per_body, quantity.per_time) == (other.unit, other.per_body, other.per_time)


def _only_in(clause: Clause, candidates: list[Clause], other_block: Reading) -> bool:
    """Whether the clauses have words of the claim that the other block has nowhere."""
    return any(clause.words & (other.words | label_words(other)) - other_block.content for other in candidates)


def _covers(finding: Finding, whole: Span) -> bool:
    return finding.claim_span is not None and finding.claim_span.end - finding.claim_span.start >= whole.end - whole.start - 1


def _rejecting(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.level == "reject"]


def _inside(finding: Finding, span: Span) -> bool:
    return finding.claim_span is None or span.overlaps(finding.claim_span)


def _said_already(finding: Finding, found: list[Finding]) -> bool:
    return any(other.claim_span == finding.claim_span for other in found)


def _suppressed(claim: Claim, context: GuardContext, figures: FigureWords) -> list[Finding]:
    if not context.suppress_numbers:
        return []
    return [
        Finding(
            reason="suppressed_number",
            token=token.text,
            claim_span=token.span,
            message="suppressed_number",
            params={"claim": token.text},
        )
        for token in amounts(claim.text, figures)
    ]


def _drug_finding(claim: Claim, block: Evidence, foreign: str, message: str) -> Finding:
    return Finding(
        reason="unsupported_drug",
        token=foreign,
        claim_span=Span(0, len(claim.text)),
        evidence=(EvidenceSpan(index=block.index),),
        message=message,
        params={"claim": foreign, "block": block.drug_name or block.drug_id or ""},
    )
