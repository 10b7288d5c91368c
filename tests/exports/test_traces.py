"""Traces leave and come back without loss; their table opens in a spreadsheet and runs nothing."""

from __future__ import annotations

import csv
import io

import pytest

from duocthu_core.exports.traces import CSV_HEADER, ImportCount, TraceImportError, import_traces, stored_traces, traces_csv, traces_jsonl
from duocthu_core.pipeline.trace import Trace
from duocthu_core.pipeline.trace_store import InMemoryTraceStore
from tests.app import sample_traces as sample

TRACES = (*sample.conversation(), sample.hostile())


def store_of(*traces: Trace) -> InMemoryTraceStore:
    store = InMemoryTraceStore()
    for trace in traces:
        store.save(trace)
    return store


def exported(store: InMemoryTraceStore) -> list[str]:
    return list(traces_jsonl(stored_traces(store)))


def test_export_import_export_gives_the_same_bytes() -> None:
    store, other = store_of(*TRACES), InMemoryTraceStore()
    lines = exported(store)
    assert len(lines) == len(TRACES)
    assert import_traces(other, lines) == ImportCount(new=len(TRACES), known=0)
    assert exported(other) == lines


def test_an_import_again_changes_nothing() -> None:
    store = store_of(*TRACES)
    assert import_traces(store, exported(store)) == ImportCount(new=0, known=len(TRACES))


def test_a_trace_that_differs_from_the_stored_one_is_refused_and_nothing_is_stored() -> None:
    first, second = TRACES[0], TRACES[1]
    store = store_of(second.model_copy(update={"message": "khác"}))
    with pytest.raises(TraceImportError, match=rf"line 2: trace {second.trace_id} is stored with another content"):
        import_traces(store, traces_jsonl([first, second]))
    assert store.count() == 1


@pytest.mark.parametrize("line", ["{", "[]", '{"record": "trace"}', '{"record": "trace", "trace": {"trace_id": 1}}', "NaN", "\x00"])
def test_a_bad_line_is_named_and_nothing_is_stored(line: str) -> None:
    store = InMemoryTraceStore()
    with pytest.raises(TraceImportError, match=r"^line 2: no exported trace"):
        import_traces(store, [*traces_jsonl(TRACES[:1]), line])
    assert store.count() == 0


def test_the_table_has_a_row_a_claim_and_one_for_a_turn_without() -> None:
    table = list(csv.DictReader(io.StringIO(traces_csv(TRACES).decode("utf-8-sig"), newline="")))
    assert tuple(table[0]) == CSV_HEADER
    by_trace = {trace.trace_id: [row for row in table if row["trace_id"] == trace.trace_id] for trace in TRACES}
    assert all(by_trace.values())
    for trace in TRACES:
        for row in by_trace[trace.trace_id]:
            assert row["outcome"] == trace.outcome
            assert (row["delivered"] == "True") is (trace.outcome in ("answered", "extractive"))


def test_no_cell_of_a_hostile_turn_runs() -> None:
    hostile = TRACES[0].model_copy(update={"question": '=HYPERLINK("http://x";"y")', "trace_id": "@x"})
    for row in csv.reader(io.StringIO(traces_csv([hostile]).decode("utf-8-sig"), newline="")):
        assert not any(cell.startswith(("=", "+", "@", "\t")) for cell in row)
