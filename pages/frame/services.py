"""The services behind the pages: built once a process, shared by every session."""

from __future__ import annotations

import streamlit as st

from duocthu_core.bootstrap import Services, bootstrap
from duocthu_core.pipeline.trace import Trace
from duocthu_core.settings import load_settings

_KEPT_TRACES = 256


@st.cache_resource(show_spinner=False)
def services() -> Services:
    """Everything the product can do, as the settings of this process say."""
    return bootstrap(load_settings())


@st.cache_resource(show_spinner=False, max_entries=_KEPT_TRACES)
def stored_trace(trace_id: str) -> Trace | None:
    """A stored trace, or None. A trace never changes once it is stored, so it may be shared and kept."""
    return services().traces.load(trace_id)
