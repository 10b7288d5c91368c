"""Dose arithmetic: a dose per kg or per m² worked out for a stated weight, every operand cited (spec 03, "Dose arithmetic").

The working is shown beside an answer, never inside a claim; its figures are computed and do not stand in the book. Values are
decimals, exact where the operands are; the body surface (Mosteller, N Engl J Med 1987;317:1098: √(cm × kg / 3600)) is rounded to
hundredths of a square metre.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Literal

from pydantic import BaseModel, ConfigDict

from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.spans import Span
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.readings import readings_of
from duocthu_core.verification.guards.structure import Clause, Reading

WORKING_NOTE_VI = "tính toán, không có nguyên văn trong sách"
WORKING_NOTE_EN = "worked out, not in the book's own words"

Per = Literal["kg", "m2"]
_GRAMS = {"g": Decimal(1), "mg": Decimal("0.001"), "microgam": Decimal("0.000001"), "ng": Decimal("0.000000001")}
_HUNDREDTH = Decimal("0.01")


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Operand(_Frozen):
    """A figure of the book that went into a working: as printed, and where."""

    text: str
    index: int
    span: Span


class DoseLimit(_Frozen):
    """A limit stated in the same block, worked out for the patient where it is per kg or per m²."""

    operand: Operand
    value: str
    """With its unit, decimal comma: "600 mg/ngày"."""
    per_time: str | None
    applied: bool
    """The dose went beyond it and was cut to it."""
    comparable: bool
    """Same amount of time as the dose, so that it could be compared."""


class DoseWorking(_Frozen):
    """One dose line worked out for the stated patient."""

    operand: Operand
    label: str
    """Labels that govern the line, outer to inner."""
    per: Per
    factor: str
    """Weight in kg or body surface in m², decimal comma."""
    steps: tuple[str, ...]
    """The working as lines to show: "15 mg/kg × 12 kg = 180 mg"."""
    low: str
    high: str | None
    unit: str
    per_time: str | None
    limits: tuple[DoseLimit, ...]
    without_limit: bool
    """The block states no limit for this line: to be said, not passed over."""


def dose_workings(
    evidence: Sequence[Evidence], ruleset: Ruleset, weight_kg: str, height_cm: str | None = None, age_months: float | None = None
) -> tuple[DoseWorking, ...]:
    """Every dose per kg (and, with a height, per m²) of the shown blocks, worked out for ``weight_kg``.

    ``weight_kg`` and ``height_cm`` are plain figures as people write them ("12", "8,5"); anything else is a ValueError that names it.
    Lines whose weight band, or age band where ``age_months`` is known, leaves the patient out are not worked out; quarantined blocks are
    never read.
    """
    weight = _stated(weight_kg, "weight")
    surface = _surface(weight, _stated(height_cm, "height")) if height_cm is not None else None
    factors = {"kg": weight, "m2": surface}
    readings = readings_of(ruleset)
    found: list[DoseWorking] = []
    for block in evidence:
        if block.quarantined:
            continue
        reading = readings.of(block.text)
        for clause in reading.clauses:
            if not _is_for(clause, weight) or (age_months is not None and not _is_for_age(clause, age_months)):
                continue
            for quantity in clause.quantities:
                factor = factors.get(quantity.per_body or "")
                if quantity.is_dose and quantity.bound is None and factor is not None and not quantity.from_words:
                    working = _working(quantity, clause, reading, block, factor, factors=factors, units=readings.lexicon.unit_writings)
                    if working is not None:
                        found.append(working)
    return tuple(found)


def plain_figure(value: float) -> str:
    """A figure as people write it: "8,5", "12"."""
    return _written(Decimal(str(value)))


def _stated(written: str, name: str) -> Decimal:
    value = _decimal(written)
    if value is None or value <= 0:
        raise ValueError(f"{name} must be a positive figure such as 12 or 8,5; got {written!r}")
    return value


def _surface(weight: Decimal, height: Decimal) -> Decimal:
    return (weight * height / 3600).sqrt().quantize(_HUNDREDTH, ROUND_HALF_UP)


def _decimal(written: str) -> Decimal | None:
    """A printed figure; None where its writing leaves open what it is (1.500), or where it is no plain number."""
    if "." in written or "/" in written:
        return None
    try:
        return Decimal(written.replace(" ", "").replace(",", "."))
    except InvalidOperation:
        return None


def _is_for(clause: Clause, weight: Decimal) -> bool:
    """Whether the weight lies in the line's weight band, where it has one."""
    return all(_holds(band, weight, Decimal(1)) for band in clause.scope.bands if band.band == "weight")


_MONTHS = {"tuoi": 12, "nam": 12, "thang": 1}


def _is_for_age(clause: Clause, months: float) -> bool:
    """Whether the age lies in the line's age band; a band in days or weeks is nobody's whose age is told in months."""
    bands = [band for band in clause.scope.bands if band.band == "age"]
    return all(band.unit in _MONTHS and _holds(band, Decimal(str(months)), Decimal(_MONTHS[band.unit])) for band in bands)


def _holds(band: Quantity, value: Decimal, unit: Decimal) -> bool:
    """Whether ``value`` lies in the band, whose figures count ``unit`` each; a figure that cannot be read holds nobody."""
    low, high = _decimal(band.low), _decimal(band.high) if band.high is not None else None
    if low is None or (band.high is not None and high is None):
        return False
    low *= unit
    if high is not None:
        return low <= value <= high * unit
    if band.upper:
        return value < low or (value == low and band.bound != "lt")
    if band.lower:
        return value > low or (value == low and band.bound != "gt")
    return True


def _working(
    quantity: Quantity,
    clause: Clause,
    reading: Reading,
    block: Evidence,
    factor: Decimal,
    *,
    factors: dict[str, Decimal | None],
    units: dict[str, str],
) -> DoseWorking | None:
    low, high = _decimal(quantity.low), _decimal(quantity.high) if quantity.high is not None else None
    if low is None or (quantity.high is not None and high is None) or quantity.unit is None or quantity.low_unit != quantity.unit:
        return None
    operand = _operand(quantity, reading, block)
    per: Per = "kg" if quantity.per_body == "kg" else "m2"
    limits = tuple(
        limit
        for candidate in _limits_of(quantity, clause, reading)
        if (limit := _limit(candidate, quantity, high or low, factors=factors, reading=reading, block=block, units=units)) is not None
    )
    results = [low * factor] + ([high * factor] if high is not None else [])
    unit = units[quantity.unit]
    steps = [_step(quantity, results, factor, per=per, unit=unit)]
    shown = results
    for limit, bound in limits:
        if limit.applied:
            shown = [min(value, bound) for value in shown]
            steps.append(f"≤ {limit.value} → {' - '.join(_written(value) for value in shown)} {unit}{_time(quantity.per_time)}")
    return DoseWorking(
        operand=operand,
        label=" › ".join(reading.words_of(label.start, label.end) for label in clause.labels),
        per=per,
        factor=_written(factor),
        steps=tuple(steps),
        low=_written(shown[0]),
        high=_written(shown[1]) if len(shown) > 1 else None,
        unit=unit,
        per_time=quantity.per_time,
        limits=tuple(limit for limit, _ in limits),
        without_limit=not limits,
    )


def _operand(quantity: Quantity, reading: Reading, block: Evidence) -> Operand:
    start, end = reading.span(quantity.start, quantity.end)
    return Operand(text=block.text[start:end], index=block.index, span=Span(start, end))


def _step(quantity: Quantity, results: list[Decimal], factor: Decimal, *, per: Per, unit: str) -> str:
    range_ = quantity.low if quantity.high is None else f"{quantity.low} - {quantity.high}"
    time = _time(quantity.per_time)
    return f"{range_} {unit}/{per}{time} × {_written(factor)} {per} = {' - '.join(_written(value) for value in results)} {unit}{time}"


def _limits_of(quantity: Quantity, clause: Clause, reading: Reading) -> list[Quantity]:
    """Upper limits behind the dose in its sentence, up to the next dose of the sentence, and for the same patients."""
    found: list[Quantity] = []
    for other in reading.clauses:
        if other.sentence != clause.sentence or other.scope.populations != clause.scope.populations:
            continue
        for candidate in other.quantities:
            if candidate.start <= quantity.start or not candidate.is_dose:
                continue
            if candidate.upper:
                found.append(candidate)
            elif found:
                return found
    return found


def _limit(
    limit: Quantity,
    dose: Quantity,
    highest: Decimal,
    *,
    factors: dict[str, Decimal | None],
    reading: Reading,
    block: Evidence,
    units: dict[str, str],
) -> tuple[DoseLimit, Decimal] | None:
    value = _decimal(limit.low if limit.high is None else limit.high)
    if value is None or limit.unit not in _GRAMS or dose.unit not in _GRAMS:
        return None
    if limit.per_body is not None:
        factor = factors.get(limit.per_body)
        if factor is None:
            return None
        value *= factor
    in_dose_unit = value * _GRAMS[limit.unit] / _GRAMS[dose.unit]
    dose_factor = factors.get(dose.per_body or "") or Decimal(1)
    result = highest * dose_factor
    comparable = limit.per_time in (None, dose.per_time) or (dose.per_time in (None, "lan") and limit.per_time in (None, "lan"))
    # One dose may not pass a day's limit either, whatever the time parts say.
    applied = result > in_dose_unit and (comparable or limit.per_time == "ngay")
    shown = DoseLimit(
        operand=_operand(limit, reading, block),
        value=f"{_written(value)} {units[limit.unit]}{_time(limit.per_time)}",
        per_time=limit.per_time,
        applied=applied,
        comparable=comparable,
    )
    return shown, in_dose_unit


_TIME_WORDS: dict[str | None, str] = {"ngay": "ngày", "lan": "lần", "gio": "giờ", "tuan": "tuần"}


def _time(per_time: str | None) -> str:
    return f"/{_TIME_WORDS.get(per_time, per_time)}" if per_time else ""


def _written(value: Decimal) -> str:
    """With a decimal comma, no exponent and no idle zeros."""
    plain = f"{value.normalize():f}"
    return plain.replace(".", ",")
