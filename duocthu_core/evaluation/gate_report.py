"""What the gate says of a run: the whole, and each thing that it looked at."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

GateStatus = Literal["passed", "regression", "underpowered"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class GateCheck(_Frozen):
    """One thing the gate looked at."""

    name: str
    status: GateStatus
    detail: str
    cases: tuple[str, ...] = ()
    """Items (or claims) that made it fail."""


class GateReport(_Frozen):
    """What the gate says: ``regression`` where any check does."""

    exact: bool
    status: GateStatus
    checks: tuple[GateCheck, ...]

    @property
    def failed(self) -> tuple[GateCheck, ...]:
        """The checks that found a regression."""
        return tuple(check for check in self.checks if check.status == "regression")
