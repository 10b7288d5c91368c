"""Many pairs: how outcomes flow from A to B, as a picture and as a table that needs no colour, and what each side took."""

from __future__ import annotations

from collections import Counter

import plotly.graph_objects as go
import streamlit as st

from duocthu_core.pipeline.trace import StageName
from duocthu_core.tuning.compared_pairs import ComparedPair, ComparedPairs
from pages.components.book_list.book_list import BookEntry
from pages.components.compare_view.compare_view import SIDES
from pages.components.facts.parts import Cell, Figure, Part, Pill, Table
from pages.components.turn_view.turn_view import outcome_pill
from pages.frame import formats
from pages.frame.shown_text import shortened, shown
from pages.frame.words import _, _n, word

_QUESTION_LENGTH = 140
_TONES = {
    "light": {"same": "rgba(102,114,127,0.35)", "changed": "rgba(201,87,12,0.6)", "node": "#66727F", "text": "#0F1922"},
    "dark": {"same": "rgba(139,152,165,0.35)", "changed": "rgba(232,154,60,0.65)", "node": "#8B98A5", "text": "#E8EEF4"},
}
_CLEAR = "rgba(0,0,0,0)"


def ending_words(ending: str) -> str:
    """``abstained:unit_mismatch`` in words."""
    outcome, _colon, reason = ending.partition(":")
    return _(f"outcome.{outcome}") + (f" · {word('reason', reason)}" if reason else "")


def flow_figure(compared: ComparedPairs) -> go.Figure:
    """Outcomes of A at left, of B at right, without their reasons, which the table beside it has. A flow that changes (in its outcome or
    its reason) is told apart by colour here and by a word in the table."""
    flows = _outcome_flows(compared)
    nodes = list(dict.fromkeys([*((0, before) for before, _after, _same in flows), *((1, after) for _before, after, _same in flows)]))
    place = {node: number for number, node in enumerate(nodes)}
    sums: Counter[tuple[int, str]] = Counter()
    for (before, after, _same), count in flows.items():
        sums[0, before] += count
        sums[1, after] += count
    tones = _TONES["dark" if st.context.theme.type == "dark" else "light"]
    figure = go.Figure(
        go.Sankey(
            arrangement="snap",
            node={
                "label": [shown(f"{SIDES[side]} · {ending_words(outcome)} ({sums[side, outcome]})") for side, outcome in nodes],
                "color": [tones["node"]] * len(nodes),
                "pad": 24,
                "thickness": 14,
                "line": {"width": 0},
                "hovertemplate": "%{label}<extra></extra>",
            },
            link={
                "source": [place[0, before] for before, _after, _same in flows],
                "target": [place[1, after] for _before, after, _same in flows],
                "value": list(flows.values()),
                "color": [tones["same" if same else "changed"] for _before, _after, same in flows],
                "hovertemplate": "%{source.label} → %{target.label}: %{value}<extra></extra>",
            },
            textfont={"size": 13, "color": tones["text"], "shadow": "none", "family": "Be Vietnam Pro, sans-serif"},
        )
    )
    height = 120 + 60 * max(1, len({after for _side, after in nodes}))
    figure.update_layout(height=height, margin={"l": 4, "r": 4, "t": 12, "b": 12}, paper_bgcolor=_CLEAR)
    return figure


def _outcome_flows(compared: ComparedPairs) -> Counter[tuple[str, str, bool]]:
    """Outcome of A, of B, and whether the pair ends the same, its reason too -> pairs."""
    flows: Counter[tuple[str, str, bool]] = Counter()
    for before, row in compared.outcomes.flows.items():
        for after, count in row.items():
            flows[before.partition(":")[0], after.partition(":")[0], before == after] += count
    return flows


def flow_table(compared: ComparedPairs) -> Table:
    """The same flows in words, those that change first, then the largest."""
    flows = [(before, after, count) for before, row in compared.outcomes.flows.items() for after, count in row.items()]
    flows.sort(key=lambda flow: (flow[0] == flow[1], -flow[2]))
    rows: list[tuple[Cell, ...]] = [
        (ending_words(before), ending_words(after), _state(changed=before != after), Figure(formats.number(count)))
        for before, after, count in flows
    ]
    return Table((*SIDES, "", _("compare.turns")), rows, _("compare.flows"))


def _state(*, changed: bool) -> Pill:
    return Pill(_("compare.changed"), "warning", "alert") if changed else Pill(_("compare.same"), "quiet", "check")


def sum_parts(compared: ComparedPairs) -> list[Part]:
    """What each side took over all pairs, and where pairs first differ."""
    one, other = compared.sums
    rows: list[tuple[Cell, ...]] = [
        (_("compare.median_time"), Figure(formats.seconds(one.median_ms)), Figure(formats.seconds(other.median_ms))),
        (_("compare.model_calls"), Figure(formats.number(one.model_calls)), Figure(formats.number(other.model_calls))),
        (_("compare.judge_calls"), Figure(formats.number(one.judge_calls)), Figure(formats.number(other.judge_calls))),
        (_("compare.tokens"), Figure(formats.number(one.tokens)), Figure(formats.number(other.tokens))),
        (_("compare.cost"), Figure(formats.money(one.cost_usd)), Figure(formats.money(other.cost_usd))),
    ]
    firsts = sorted(compared.outcomes.first_differences.items(), key=lambda item: -item[1])
    stages: list[tuple[Cell, ...]] = [(first_words(None if name == "none" else name), Figure(str(count))) for name, count in firsts]
    return [
        Table(("", *SIDES), rows, _("compare.amounts_of_all")),
        Table((_("compare.first_column"), _("compare.turns")), stages, _("compare.first_of_all")),
    ]


def first_words(stage: StageName | str | None) -> str:
    """The first stage that differs, or that none does."""
    return _(f"stage.{stage}") if stage else _("compare.no_stage")


def pair_entry(pair: ComparedPair) -> BookEntry:
    """A line of the list of changed pairs."""
    endings = [outcome_pill(pair.outcomes[n], pair.reasons[n])["text"] for n in (0, 1)]
    looks = [outcome_pill(pair.outcomes[n], pair.reasons[n]) for n in (0, 1)]
    marks = [Pill(f"{SIDES[n]}: {endings[n]}", looks[n]["tone"], looks[n]["icon"]) for n in (0, 1)]  # type: ignore[arg-type]
    return BookEntry(
        shortened(pair.question, _QUESTION_LENGTH), _("compare.first_at", stage=first_words(pair.first_difference)), marks=marks
    )


def counts_line(compared: ComparedPairs) -> str:
    """How many pairs, how many of them end otherwise, how many could not be read."""
    changed = _n("compare.pairs_changed", len(compared.changed))
    said = f"{_n('compare.pairs', len(compared.pairs))} · {changed}"
    return said + (f" · {_n('compare.unread', compared.unread)}" if compared.unread else "")
