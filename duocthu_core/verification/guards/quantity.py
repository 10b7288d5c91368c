"""A quantity: a number or range with its unit in parts, the bound put on it, and whether it is a band of patients.

Nothing is converted: two quantities are the same when their writing is the same and their units name the same thing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from duocthu_core.verification.guards.lexicon import DOSE_KINDS

_VOLUMES = ("ml", "lit", "dl", "mm3")

Side = Literal["max", "lt", "min", "gt"]
Band = Literal["age", "gestation", "weight", "clearance"]


# "2,5 mg/lần/ngày" is so much once a day: so much a time, and so much a day (units.yaml, note of mg_lan_ngay).
_ONCE_A_DAY = ({"lan/ngay", "ngay"}, {"lan/ngay", "lan"})


@dataclass(slots=True)
class Quantity:
    """One number or range with its unit. ``start:end`` are token positions, ``end`` behind the unit."""

    low: str
    high: str | None
    start: int
    end: int
    unit: str | None = None
    low_unit: str | None = None
    per_body: str | None = None
    per_time: str | None = None
    bound: Side | None = None
    high_bound: Side | None = None
    band: Band | None = None
    in_parenthesis: bool = False
    from_words: bool = False
    kind: str = ""
    bound_at: tuple[int, int] | None = None
    """Where the words of the bound stand."""
    number_end: int = 0
    """Behind the last number, before the unit."""
    spaces_doses: bool = False
    """A time with a word of spacing before it ("mỗi 6 giờ", "cách nhau 8 giờ")."""
    implied: bool = False
    """The 24 hours of "4 liều/24 giờ": another text may say them as an interval, but need not."""

    @property
    def value(self) -> tuple[str, str | None]:
        """The writing that is compared."""
        return self.low, self.high

    @property
    def is_dose(self) -> bool:
        """Whether it is an amount of drug (mass, volume, units, tablets), no band."""
        return self.band is None and self.kind in DOSE_KINDS and not self.is_concentration

    @property
    def is_concentration(self) -> bool:
        """Whether it is an amount in a volume ("10 microgam/ml"): a level or a strength, no dose."""
        return self.per_body is not None and self.per_body.split(" ")[-1] in _VOLUMES

    @property
    def is_interval(self) -> bool:
        """Whether it is a time between doses ("6 giờ/lần", "mỗi 8 giờ")."""
        return self.kind == "time" and self.band is None and (self.per_time == "lan" or self.spaces_doses)

    @property
    def upper(self) -> bool:
        """Whether it is a limit from above."""
        return self.bound in ("max", "lt")

    @property
    def lower(self) -> bool:
        """Whether it is a limit from below."""
        return self.bound in ("min", "gt")

    def same_unit(self, other: Quantity) -> bool:
        """Whether both units name the same thing; time only where both have one, and nothing where one has no unit."""
        if self.unit is None or other.unit is None:
            return True
        if (self.unit, self.per_body) != (other.unit, other.per_body):
            return False
        if self.high is not None and other.high is not None and self.low_unit != other.low_unit:
            return False
        if self.per_time is None or other.per_time is None or self.per_time == other.per_time:
            return True
        return {self.per_time, other.per_time} in _ONCE_A_DAY
