"""Bindings: every number, unit, bound, population and route of a claim with its place in a cited block, or the miss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from duocthu_core.answering.model import Claim
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.numbers import NumericToken
from duocthu_core.text.spans import Span
from duocthu_core.verification.grounding import fact_tokens, token_places
from duocthu_core.verification.guards.groups import ancestors, route_fits
from duocthu_core.verification.guards.lexicon import Hit, Lexicon
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.readings import readings_of
from duocthu_core.verification.guards.structure import Reading
from duocthu_core.verification.model import (
    BlockCount,
    BoundDetail,
    CheckedClaim,
    ClaimBinding,
    DetailKind,
    EvidenceSpan,
    Finding,
    RejectReason,
)

_REASONS: dict[str, RejectReason] = {
    "number": "ungrounded_number",
    "unit": "unit_mismatch",
    "bound": "comparator_mismatch",
    "population": "population_mismatch",
    "route": "route_mismatch",
}


@dataclass(frozen=True, slots=True)
class _Detail:
    """Something a claim states, and how to look for it in a block: (where it stands, where something else stands instead)."""

    kind: DetailKind
    span: Span
    look: Callable[[Evidence, Reading], tuple[Span | None, Span | None]]


def bind(
    claims: Sequence[Claim], evidence: Sequence[Evidence], checked: Sequence[CheckedClaim] = (), ruleset: Ruleset | None = None
) -> tuple[ClaimBinding, ...]:
    """The details of each claim with both their ends, and how many of them each cited block has.

    ``checked`` are findings of check 1 and the guards: a detail that one of them objects to counts as a miss and names its reason.
    ``ruleset`` says what counts as a unit, bound, population and route; the shipped one by default.
    """
    readings = readings_of(ruleset or shipped_ruleset())
    blocks = {block.index: block for block in evidence if block.index >= 1}
    findings: dict[int, list[Finding]] = {}
    for entry in checked:
        findings.setdefault(entry.claim_index, []).extend(entry.findings)
    bound: list[ClaimBinding] = []
    for position, claim in enumerate(claims):
        cited = [(blocks[index], readings.of(blocks[index].text)) for index in dict.fromkeys(claim.citations) if index in blocks]
        details = _details(claim.text, readings.of(claim.text), readings.lexicon)
        bound.append(_bound(position, claim, details, cited, findings.get(position, [])))
    return tuple(bound)


def _bound(
    position: int, claim: Claim, details: list[_Detail], cited: list[tuple[Evidence, Reading]], findings: list[Finding]
) -> ClaimBinding:
    made: list[BoundDetail] = []
    counts = {block.index: 0 for block, _ in cited}
    for detail in details:
        here: EvidenceSpan | None = None
        instead: EvidenceSpan | None = None
        for block, reading in cited:
            place, other = detail.look(block, reading)
            if place is not None:
                counts[block.index] += 1
                here = here or EvidenceSpan(index=block.index, span=place, text=place.of(block.text))
            elif other is not None:
                instead = instead or EvidenceSpan(index=block.index, span=other, text=other.of(block.text))
        objection = _objection(detail, findings)
        made.append(
            BoundDetail(
                kind=detail.kind,
                text=detail.span.of(claim.text),
                claim_span=detail.span,
                found=here is not None and objection is None,
                evidence=(objection.evidence[0] if objection is not None and objection.evidence else None) or here or instead,
                reason=objection.reason if objection is not None else None if here is not None else _REASONS[detail.kind],
                note=objection.message if objection is not None else "",
                params=objection.params if objection is not None else {},
            )
        )
    return ClaimBinding(
        claim_index=position,
        text=claim.text,
        citations=claim.citations,
        details=tuple(made),
        counts=tuple(BlockCount(index=index, found=count, total=len(made)) for index, count in counts.items()),
    )


def _objection(detail: _Detail, findings: list[Finding]) -> Finding | None:
    """The finding about this very detail; one about another kind of detail leaves it as it is."""
    for finding in findings:
        if finding.claim_span is None or not finding.claim_span.overlaps(detail.span) or finding.level != "reject":
            continue
        own = _REASONS[detail.kind] == finding.reason
        about_figure = detail.kind == "number" and finding.reason in (
            "other_item",
            "dropped_label",
            "population_mismatch",
            "route_mismatch",
            "suppressed_number",
        )
        if own or about_figure:
            return finding
    return None


# --- what a claim states


def _details(text: str, claim: Reading, lexicon: Lexicon) -> list[_Detail]:
    spans = [(Span(*claim.span(quantity.start, quantity.number_end)), quantity) for quantity in claim.quantities]
    details = [_Detail("number", token.span, _number_look(token, _quantity_of(token, spans))) for token in fact_tokens(text)]
    for quantity in claim.quantities:
        if quantity.from_words:
            details.append(_Detail("number", Span(*claim.span(quantity.start, quantity.number_end)), _quantity_look(quantity)))
        if quantity.unit is not None and quantity.end > quantity.number_end:
            details.append(_Detail("unit", Span(*claim.span(quantity.number_end, quantity.end)), _unit_look(quantity)))
        if quantity.bound_at is not None:
            details.append(_Detail("bound", Span(*claim.span(*quantity.bound_at)), _bound_look(quantity)))
    for hit in claim.hits.get("population", ()):
        details.append(_Detail("population", Span(*claim.span(hit.start, hit.end)), _population_look(hit, lexicon)))
    for hit in claim.hits.get("route", ()):
        details.append(_Detail("route", Span(*claim.span(hit.start, hit.end)), _route_look(hit, lexicon)))
    return sorted(details, key=lambda detail: detail.span)


_Look = Callable[[Evidence, Reading], tuple[Span | None, Span | None]]


def _quantity_of(token: NumericToken, spans: Sequence[tuple[Span, Quantity]]) -> Quantity | None:
    return next((quantity for span, quantity in spans if span.covers(token.span)), None)


def _number_look(token: NumericToken, quantity: Quantity | None) -> _Look:
    """A number stands where the block has the same quantity: the 4 of "4 g/ngày" is not that of "4 - 6 giờ"."""

    def look(block: Evidence, reading: Reading) -> tuple[Span | None, Span | None]:
        places = token_places(block.text).get(token.text) if token.kind != "suspicious" else None
        if not places:
            return None, None
        for other in _like(quantity, reading) if quantity is not None else ():
            number = Span(*reading.span(other.start, other.number_end))
            inside = [place for place in places if number.covers(place)]
            if inside:
                return inside[0], None
        return places[0], None

    return look


def _like(quantity: Quantity, reading: Reading) -> list[Quantity]:
    """The block's quantities of the same value, those with the same unit and the same bound first."""
    found = [other for _, other in reading.values.get(quantity.value, ())]
    return sorted(found, key=lambda other: (not quantity.same_unit(other), (quantity.upper, quantity.lower) != (other.upper, other.lower)))


def _quantity_look(quantity: Quantity) -> _Look:
    def look(_block: Evidence, reading: Reading) -> tuple[Span | None, Span | None]:
        for _, other in reading.values.get(quantity.value, ()):
            if quantity.same_unit(other):
                return Span(*reading.span(other.start, other.number_end)), None
        return None, None

    return look


def _unit_look(quantity: Quantity) -> _Look:
    def look(_block: Evidence, reading: Reading) -> tuple[Span | None, Span | None]:
        instead: Span | None = None
        for _, other in reading.values.get(quantity.value, ()):
            place = (
                Span(*reading.span(other.number_end, other.end))
                if other.end > other.number_end
                else Span(*reading.span(other.start, other.end))
            )
            if quantity.same_unit(other):
                return place, None
            instead = instead or place
        return None, instead

    return look


def _bound_look(quantity: Quantity) -> _Look:
    def look(_block: Evidence, reading: Reading) -> tuple[Span | None, Span | None]:
        instead: Span | None = None
        for other in _like(quantity, reading):
            if other.bound_at is None:
                continue
            place = Span(*reading.span(*other.bound_at))
            if (quantity.upper and other.upper) or (quantity.lower and other.lower):
                return place, None
            instead = instead or place
        return None, instead

    return look


def _population_look(hit: Hit, lexicon: Lexicon) -> _Look:
    def look(_block: Evidence, reading: Reading) -> tuple[Span | None, Span | None]:
        hits = reading.hits.get("population", ())
        fitting = [other for other in hits if other.value == hit.value] or [
            other for other in hits if other.value in ancestors(hit.value, lexicon)
        ]
        return _first(fitting, reading), _first(hits, reading)

    return look


def _route_look(hit: Hit, lexicon: Lexicon) -> _Look:
    def look(_block: Evidence, reading: Reading) -> tuple[Span | None, Span | None]:
        hits = reading.hits.get("route", ())
        return _first([other for other in hits if route_fits(hit.value, other.value, lexicon)], reading), _first(hits, reading)

    return look


def _first(hits: Sequence[Hit], reading: Reading) -> Span | None:
    return Span(*reading.span(hits[0].start, hits[0].end)) if hits else None
