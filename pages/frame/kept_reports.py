"""Results and metrics of runs, kept in this process: an interval takes ten thousand draws, and a finished run never changes."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from duocthu_core.evaluation.evaluating import Evaluating, RunReport
from duocthu_core.evaluation.results import EvalRun, ItemResult

_Key = tuple[object, ...]


def kept_results(evaluating: Evaluating, run: EvalRun) -> Sequence[ItemResult]:
    """The results of ``run``."""
    return _results(evaluating, run.run_id, _key_of(evaluating, run))


def kept_report(evaluating: Evaluating, run: EvalRun) -> RunReport:
    """The metrics of ``run``."""
    return _report(evaluating, run.run_id, _key_of(evaluating, run))


def _key_of(evaluating: Evaluating, run: EvalRun) -> _Key:
    return id(evaluating.store), run.status, len(evaluating.store.finished_items(run.run_id))


@st.cache_resource(show_spinner=False, max_entries=16)
def _results(_evaluating: Evaluating, run_id: str, key: _Key) -> Sequence[ItemResult]:  # noqa: ARG001 - what they are kept under
    return tuple(_evaluating.results(run_id))


@st.cache_resource(show_spinner=False, max_entries=16)
def _report(_evaluating: Evaluating, run_id: str, key: _Key) -> RunReport:  # noqa: ARG001 - what it is kept under
    return _evaluating.report(run_id)
