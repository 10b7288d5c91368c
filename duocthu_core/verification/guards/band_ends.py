"""The ends of bands of age, weight and clearance: the same band, one band inside another."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from duocthu_core.verification.guards.quantity import Quantity

# Only to order the ends of two bands of age; no figure is ever converted for a reader.
_MONTHS = {"nam": Decimal(12), "thang": Decimal(1), "tuan": Decimal(12) / 52, "ngay": Decimal(12) / 365}


def same_band(band: Quantity, other: Quantity) -> bool:
    """Whether two bands are the same group: same ends, same units and the same side; "từ 12 tuổi" for "trên 12 tuổi" is only a warning."""
    if band.value != other.value or not band.same_unit(other):
        return False
    return band.high is not None or band.bound is None or other.bound is None or band.upper == other.upper


def inside(band: Quantity, other: Quantity) -> bool:
    """Whether a band lies within another."""
    mine, theirs = _ends(band), _ends(other)
    if mine is None or theirs is None:
        return False
    (low, high), (least, most) = mine, theirs
    return (least is None or (low is not None and low >= least)) and (most is None or (high is not None and high <= most))


def _ends(band: Quantity) -> tuple[Decimal | None, Decimal | None] | None:
    """The ends of a band in one unit, None for an open one; None at all where they cannot be ordered."""
    try:
        low = Decimal(band.low.replace(",", ".")) * _factor(band.low_unit, band)
        if band.high is not None:
            return low, Decimal(band.high.replace(",", ".")) * _factor(band.unit, band)
    except (InvalidOperation, KeyError):
        return None
    if band.upper:
        return None, low
    return (low, None) if band.lower else (low, low)


def _factor(unit: str | None, band: Quantity) -> Decimal:
    return _MONTHS[unit or ""] if band.band == "age" else Decimal(1)
