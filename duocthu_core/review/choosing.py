"""Which stored turns a queue takes (spec 06, page 3): all that meet its filters, by chance; the random stratum may enter rates."""

from __future__ import annotations

import random
from collections.abc import Iterator

from duocthu_core.pipeline.trace import Trace
from duocthu_core.pipeline.trace_store import StoredTraceError, TraceFilters, TraceHeading, TraceStore
from duocthu_core.review.model import NewItem, NewQueue, QueueFilters
from duocthu_core.review.reviewed_turn import guard_warned, is_about, reviewed_claims

_A_PAGE = 1000


def chosen_items(traces: TraceStore, asked: NewQueue) -> list[NewItem]:
    """At most ``asked.size`` turns, drawn evenly from all that meet the filters, in the order in which they were drawn.

    A turn without anything to judge, and one that this version cannot read, is passed over. Turns are read one by one as they are drawn,
    so that a queue of a few costs the same over ten thousand.
    """
    headings = list(_headings(traces, asked.filters))
    random.Random(asked.seed).shuffle(headings)  # noqa: S311 - a repeatable sample, no secret
    chosen: list[NewItem] = []
    for heading in headings:
        if len(chosen) == asked.size:
            break
        trace = _readable(traces, heading.trace_id)
        if trace is None or not _meets(trace, asked.filters):
            continue
        if claims := reviewed_claims(trace):
            chosen.append(NewItem(trace_id=trace.trace_id, claims=claims))
    return chosen


def _headings(traces: TraceStore, filters: QueueFilters) -> Iterator[TraceHeading]:
    wanted = TraceFilters(
        outcomes=filters.outcomes,
        reject_reasons=filters.reject_reasons,
        ruleset_id=filters.ruleset_id,
        generator=filters.generator,
        judge=filters.judge,
        created_from=filters.created_from,
        created_before=filters.created_before,
        asked=True,  # cases of an evaluation run, with their scripted faults, are no sample of what people are told
    )
    offset = 0
    while page := traces.recent(_A_PAGE, offset, wanted):
        yield from page
        offset += len(page)


def _readable(traces: TraceStore, trace_id: str) -> Trace | None:
    try:
        return traces.load(trace_id)
    except StoredTraceError:
        return None


def _meets(trace: Trace, filters: QueueFilters) -> bool:
    return is_about(trace, filters.drug_id, filters.section_key) and (not filters.guard_warnings or guard_warned(trace))
