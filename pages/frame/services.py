"""The services behind the pages: built once a process, shared by every session."""

from __future__ import annotations

import logging
import sys
import time
from dataclasses import dataclass, field, replace

import streamlit as st

from duocthu_core.bootstrap import Services, answering_from, bootstrap
from duocthu_core.corpus.collection import Corpus
from duocthu_core.jobs.beside import ProcessBeside
from duocthu_core.jobs.in_process import InProcessExecutor
from duocthu_core.pipeline.trace import Trace
from duocthu_core.pipeline.trace_store import StoredTraceError, TraceFilters
from duocthu_core.rulesets.problems import RulesetError
from duocthu_core.settings import load_settings
from duocthu_core.storage.errors import StorageUnavailable

_KEPT_TRACES = 256
_KEPT_TURNS = 100
_LOOK_EVERY_S = 5.0
"""How often it is looked at whether another process put other rules in force."""
_BESIDE = (sys.executable, "-m", "duocthu_core.cli.beside")
"""What does the jobs of an installation without a queue."""
_log = logging.getLogger(__name__)


def services() -> Services:
    """Everything the product can do, as the settings of this process say."""
    return _process().current()


def answer_under_rules_in_force() -> None:
    """Takes up at once which rules answer everybody; what another process put in force is taken up within seconds anyway."""
    running = _process()
    running.services = running.services.in_force()


def answer_from(corpus: Corpus) -> None:
    """Every page, session and turn from now on answers from ``corpus``; turns at work end over the book they began with."""
    running = _process()
    running.services = answering_from(running.services, corpus)  # built whole first: the old book answers until then


@dataclass
class _Process:
    """What this process serves with."""

    services: Services
    looked_at: float = field(default_factory=time.monotonic)

    def current(self) -> Services:
        """The services, under the rules that answer everybody; while the database is away, under those that did last."""
        if time.monotonic() - self.looked_at > _LOOK_EVERY_S:
            self.looked_at = time.monotonic()
            try:
                self.services = self.services.in_force()
            except (StorageUnavailable, RulesetError) as error:
                _log.warning("which rules are in force could not be read: %s", error)
        return self.services


@st.cache_resource(show_spinner=False)
def _process() -> _Process:
    services = bootstrap(load_settings())
    if services.job_executor is not None:
        services = replace(services, job_executor=InProcessExecutor(beside=ProcessBeside(_BESIDE)))
    return _Process(services)


def stored_trace(trace_id: str) -> Trace | None:
    """A stored trace; None for an unknown id or for one that this version cannot read (the server's log says which and why)."""
    try:
        return _kept_trace(trace_id)
    except StoredTraceError as error:
        _log.warning("no such trace, or none that can be read: %s", error)
        return None


def turns_of(conversation_id: str) -> list[Trace]:
    """The turns of a conversation in their order, without their replays: the newest ones, where it is very long."""
    filters = TraceFilters(conversation_id=conversation_id)
    headings = services().traces.recent(limit=_KEPT_TURNS, filters=filters)
    own = sorted((heading for heading in headings if heading.parent_trace_id is None), key=lambda heading: heading.turn_index)
    return [trace for heading in own if (trace := stored_trace(heading.trace_id)) is not None]


@st.cache_resource(show_spinner=False, max_entries=_KEPT_TRACES)
def _kept_trace(trace_id: str) -> Trace:
    # A trace never changes once it is stored, so it may be shared and kept. An error is not kept: the trace may be imported later.
    trace = services().traces.load(trace_id)
    if trace is None:
        raise StoredTraceError(trace_id)
    return trace
