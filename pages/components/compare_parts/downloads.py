"""A comparison to take along: JSON, JSONL, CSV (spec 06, "Traces, exports")."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from duocthu_core.exports.comparisons import comparison_json, pair_csv, pair_jsonl, pairs_csv, pairs_jsonl
from duocthu_core.pipeline.comparing import Comparison
from duocthu_core.tuning.compared_pairs import ComparedPairs
from pages.frame.words import _

_ICON = ":material/download:"


def pair_downloads(comparison: Comparison) -> None:
    """One pair."""
    name = f"so-sanh-{comparison.trace_ids[0][:8]}-{comparison.trace_ids[1][:8]}"
    with st.popover(_("downloads.title"), icon=_ICON, key="downloads"):
        _button("JSON", lambda: comparison_json(comparison).encode(), f"{name}.json", "application/json")
        _button("JSONL", lambda: "".join(pair_jsonl(comparison)).encode(), f"{name}.jsonl", "application/jsonl")
        _button("CSV", lambda: pair_csv(comparison), f"{name}.csv", "text/csv")


def pairs_downloads(compared: ComparedPairs) -> None:
    """Many pairs."""
    with st.popover(_("downloads.title"), icon=_ICON, key="downloads"):
        _button("JSON", lambda: comparison_json(compared).encode(), "so-sanh.json", "application/json")
        _button("JSONL", lambda: "".join(pairs_jsonl(compared)).encode(), "so-sanh.jsonl", "application/jsonl")
        _button("CSV", lambda: pairs_csv(compared), "so-sanh.csv", "text/csv")


def _button(kind: str, data: Callable[[], bytes], name: str, mime: str) -> None:
    label = _("compare.download", kind=kind)
    st.download_button(label, data, name, mime, icon=_ICON, on_click="ignore", key=f"download-{kind}")
