"""Choosing what is compared: two stored turns, or the rules and models of two sides."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from duocthu_core.bootstrap import ModelChoice, Services
from duocthu_core.pipeline.trace import Trace
from duocthu_core.pipeline.trace_store import ASKED, TraceHeading
from duocthu_core.rulesets.fitness import fitting
from duocthu_core.rulesets.loading import RulesetError
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.tuning.sides import Side
from pages.components.book_list.book_list import BookEntry
from pages.components.compare_parts.set_parts import ending_words
from pages.components.compare_view.compare_view import SIDES
from pages.frame import formats, labels
from pages.frame.compare_address import CompareAddress, compare_go
from pages.frame.rules_trouble import rules_trouble
from pages.frame.services import stored_trace
from pages.frame.shown_text import shortened, shown
from pages.frame.words import _

_TURNS_OFFERED = 60
_REPLAYS_OFFERED = 6
_QUESTION_LENGTH = 60
_ID_LENGTH = 16


def short_rules_id(ruleset_id: str) -> str:
    """A ruleset's id as it stands in an address."""
    return ruleset_id.removeprefix("sha256:")[:_ID_LENGTH]


def choose_turns(app: Services, address: CompareAddress) -> None:
    """Two stored turns; what is chosen goes into the address."""
    headings = {heading.trace_id: _turn_label(heading) for heading in app.traces.recent(_TURNS_OFFERED, filters=ASKED)}
    for trace_id in (address.a, address.b):
        if trace_id and trace_id not in headings and (trace := stored_trace(trace_id)) is not None:
            headings[trace_id] = _trace_label(trace)
    headings = labels.told_apart(headings)
    left, right, swap = st.columns([5, 5, 2], vertical_alignment="bottom")
    for column, name, label in ((left, "a", "compare.turn_a"), (right, "b", "compare.turn_b")):
        chosen: str | None = getattr(address, name)
        st.session_state[f"compare_{name}"] = chosen if chosen in headings else None
        column.selectbox(
            _(label),
            list(headings),
            format_func=lambda trace_id: headings[trace_id],
            placeholder=_("compare.choose_turn"),
            key=f"compare_{name}",
            on_change=lambda: compare_go(a=st.session_state["compare_a"], b=st.session_state["compare_b"]),
        )
    swap.button(_("compare.swap"), icon=":material/swap_horiz:", on_click=_swap, disabled=not address.pair_is_open, width="stretch")


def replays_offered(app: Services) -> list[tuple[tuple[str, str], BookEntry]]:
    """The newest turns that were run again, each with the turn it was run from: pairs that lie at hand."""
    found: list[tuple[tuple[str, str], BookEntry]] = []
    for heading in app.traces.recent(_TURNS_OFFERED, filters=ASKED):
        if heading.parent_trace_id is not None and len(found) < _REPLAYS_OFFERED:
            about = f"{formats.moment(heading.created_at)} · {_('compare.rules_id', id=labels.short_id(heading.ruleset_id))}"
            entry = BookEntry(shortened(heading.question, 120), about, _ending(heading))
            found.append(((heading.parent_trace_id, heading.trace_id), entry))
    return found


def choose_sides(app: Services, address: CompareAddress) -> tuple[Side, Side] | None:
    """Rules and models of both sides; None where the address names rules that are not known."""
    names = _ruleset_labels(app)
    sides: list[Side] = []
    for column, place in zip(st.columns(2), (0, 1), strict=True):
        letter = SIDES[place].lower()
        asked: str = getattr(address, f"rules_{letter}") or _usual(app, names, place)
        chosen: Ruleset | None = None
        try:
            chosen = fitting(app.rulesets.find(asked))
            names.setdefault(short_rules_id(chosen.ruleset_id), _rules_label(labels.ruleset_name(chosen), chosen.ruleset_id, None))
        except RulesetError as error:
            column.warning(rules_trouble(error, asked), icon=":material/search_off:")
        st.session_state[f"compare_rules_{letter}"] = short_rules_id(chosen.ruleset_id) if chosen is not None else None
        column.selectbox(
            _(f"compare.rules_{letter}"),
            list(names),
            format_func=lambda key: names[key],
            key=f"compare_rules_{letter}",
            on_change=_keep(f"rules_{letter}"),
            placeholder=_("compare.choose_rules"),
        )
        if chosen is None:
            continue
        models: ModelChoice = getattr(address, f"models_{letter}")
        if len(app.model_choices) > 1:
            st.session_state[f"compare_models_{letter}"] = models
            column.selectbox(
                _(f"compare.models_{letter}"),
                app.model_choices,
                format_func=lambda choice: shown(model_words(app, choice)),
                key=f"compare_models_{letter}",
                on_change=_keep(f"models_{letter}"),
            )
        sides.append(app.side(chosen, models if models in app.model_choices else "configured"))
    if len(app.model_choices) == 1:
        st.text(_("compare.one_model", model=model_words(app, "configured")))
    return (sides[0], sides[1]) if len(sides) == 2 else None


def model_words(app: Services, choice: ModelChoice) -> str:
    """The generator and judge of a choice by name."""
    if choice == "offline":
        return _("compare.offline_models")
    parts = app.pipeline.parts
    generator, judge = (f"{model.provider}/{model.model_id}" for model in (parts.generator, parts.judge))
    return _("compare.side_models", generator=generator, judge=judge)


def _swap() -> None:
    compare_go(a=st.session_state["compare_b"], b=st.session_state["compare_a"])


def _keep(name: str) -> Callable[[], None]:
    return lambda: compare_go(**{name: st.session_state[f"compare_{name}"], "begun": None, "until": None})


def _usual(app: Services, names: dict[str, str], place: int) -> str:
    """Side A has the rules in force; side B the ones saved last that are others."""
    in_force = short_rules_id(app.ruleset.ruleset_id)
    others = [key for key in names if key != in_force]
    return others[0] if place == 1 and others else in_force


def _ruleset_labels(app: Services) -> dict[str, str]:
    """Every version of every stored name, and the rules that ship."""
    found: dict[str, str] = {}
    heads = app.rulesets.headings()
    for head in sorted(heads, key=lambda heading: not heading.is_shipped):  # rules put back are those that ship, by whatever name
        versions = [head] if head.is_shipped else app.rulesets.store.history(head.name)
        for heading in versions:
            name = _("ruleset.default") if heading.name == "default" else heading.name
            found.setdefault(short_rules_id(heading.ruleset_id), _rules_label(name, heading.ruleset_id, heading.version or None))
    return found


def _rules_label(name: str, ruleset_id: str, version: int | None) -> str:
    about = _("compare.rules_id", id=labels.short_id(ruleset_id))
    return shown(" · ".join(filter(None, [name, _("compare.version", n=version) if version else "", about])))


def _turn_label(heading: TraceHeading) -> str:
    rules = _("compare.rules_id", id=labels.short_id(heading.ruleset_id))
    again = _("compare.again") if heading.parent_trace_id else ""
    words = [shortened(heading.question, _QUESTION_LENGTH), _ending(heading), again, rules, formats.moment(heading.created_at)]
    return shown(" · ".join(filter(None, words)))


def _trace_label(trace: Trace) -> str:
    rules = _("compare.rules_id", id=labels.short_id(trace.ruleset_id))
    return shown(" · ".join([shortened(trace.question, _QUESTION_LENGTH), _(f"outcome.{trace.outcome}"), rules]))


def _ending(heading: TraceHeading) -> str:
    return ending_words(f"{heading.outcome}:{heading.reject_reason}" if heading.reject_reason else heading.outcome)
