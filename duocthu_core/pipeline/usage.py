"""What a turn used of the judge and what the verification cache saved it: the figures that are summed over many turns (spec 06, page 5)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta, timezone

from pydantic import BaseModel, ConfigDict

from duocthu_core.pipeline.outputs import CacheLookup, CacheOutput, RepairOutput
from duocthu_core.pipeline.trace import Trace


class Usage(BaseModel):
    """Figures of one turn, or the sums over several."""

    model_config = ConfigDict(frozen=True)

    lookups: int = 0
    """Verdicts asked for: one a claim, one for the completeness of the answer, those of a repair."""
    served: int = 0
    """Of these, used as they were kept."""
    reprocessed: int = 0
    """Of these, made anew from what the judge had said, without a call."""
    calls_saved: int = 0
    tokens_saved: int = 0
    cost_saved_usd: float | None = None
    """None where nothing was saved or no price was known."""
    judge_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None

    @property
    def hit_rate(self) -> float | None:
        """Share of the look-ups that needed no judge, 0 to 1; None where nothing was looked up."""
        return (self.served + self.reprocessed) / self.lookups if self.lookups else None


class DayUsage(Usage):
    """The sums over the turns of one day, replays left out."""

    day: date
    turns: int


def usage_of(trace: Trace) -> Usage:
    """The figures of one turn."""
    lookups: list[CacheLookup] = []
    saved = CacheOutput()
    for record in trace.stages:
        if isinstance(record.output, CacheOutput):
            saved = record.output
            lookups += [*saved.lookups, *([saved.completeness] if saved.completeness else [])]
        elif isinstance(record.output, RepairOutput):
            lookups += record.output.lookups
    totals = trace.totals
    return Usage(
        lookups=len(lookups),
        served=sum(lookup.action == "served" for lookup in lookups),
        reprocessed=sum(lookup.action == "reprocessed" for lookup in lookups),
        calls_saved=saved.calls_saved,
        tokens_saved=saved.tokens_saved,
        cost_saved_usd=saved.cost_saved_usd,
        judge_calls=totals.judge_calls,
        input_tokens=totals.input_tokens,
        output_tokens=totals.output_tokens,
        cost_usd=totals.cost_usd,
    )


def summed(usages: Iterable[Usage]) -> Usage:
    """The sums; an amount of money is the sum of those that are known, None where none is."""
    given = list(usages)
    sums: dict[str, float | None] = {
        name: sum(getattr(usage, name) for usage in given) for name in Usage.model_fields if not name.endswith("_usd")
    }
    for name in ("cost_saved_usd", "cost_usd"):
        known = [amount for usage in given if (amount := getattr(usage, name)) is not None]
        sums[name] = sum(known) if known else None
    return Usage.model_validate(sums)


def by_day(traces: Iterable[Trace], utc_offset: timedelta) -> list[DayUsage]:
    """The sums a day, in the order of days; a day ends at midnight of a clock that is ``utc_offset`` ahead of UTC."""
    days: dict[date, list[Usage]] = {}
    for trace in traces:
        days.setdefault(trace.created_at.astimezone(timezone(utc_offset)).date(), []).append(usage_of(trace))
    return [_day_usage(day, usages) for day, usages in sorted(days.items())]


def _day_usage(day: date, usages: list[Usage]) -> DayUsage:
    return DayUsage.model_validate({"day": day, "turns": len(usages)} | summed(usages).model_dump())
