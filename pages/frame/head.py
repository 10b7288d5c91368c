"""The head of every page: where the reader is, which rules and which book the words come from, whether a language model takes part."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import streamlit as st

from duocthu_core.access.model import LOCAL_USER
from duocthu_core.bootstrap import Services
from duocthu_core.pipeline.trace import Trace
from pages.components.badges.badges import Badge, badges
from pages.frame import formats, labels
from pages.frame.access import sign_in_is_configured, user_of_this_run
from pages.frame.words import LANGUAGES, _, _n, language, use_language, word

_SWITCH = "language_switch"


@contextmanager
def page_head(services: Services, title: str, marks: Sequence[Badge]) -> Iterator[None]:
    """The head of a page: its title, ``marks`` that say where the reader is, what the page adds inside the block (its buttons), the switch
    of language, and below them which model and which book the words come from."""
    with st.container(gap="xxsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="head_line"):
            st.title(title, width="content", anchor=False)
            if marks:
                with st.container(width="stretch", key="where_box"):
                    badges(marks, key="where")
            else:
                st.space("stretch")
            yield
            _account()
            _language_switch()
        badges(provenance_badges(services), key="provenance")


def frame_words() -> str:
    """The words of the frame that style sheets say, as CSS properties: Streamlit gives no other way to name them."""
    words = {"more": _("frame.more"), "upload": _("frame.upload"), "drop": _("frame.drop")}
    properties = (f"--word-{name}: {json.dumps(text, ensure_ascii=False)};" for name, text in words.items())
    return f"<style>:root {{{' '.join(properties)}}}</style>"


def _language_switch() -> None:
    st.segmented_control(
        _("language.label"),
        LANGUAGES,
        format_func=lambda code: _(f"language.{code}"),
        default=language(),
        required=True,
        key=_SWITCH,
        label_visibility="collapsed",
        on_change=_switch_language,
    )


def _account() -> None:
    """Who is signed in, and the way out; nothing where nobody signs in."""
    user = user_of_this_run()
    if user is None or user == LOCAL_USER:
        return
    with st.popover(_("access.account"), icon=":material/account_circle:", key="account"):
        st.text(_("access.signed_in_as", email=user.name, role=_(f"role.{user.role}")))
        if sign_in_is_configured():
            st.button(_("access.sign_out"), icon=":material/logout:", on_click=st.logout, key="sign_out")


def provenance_badges(services: Services) -> list[Badge]:
    """Offline or which model, and the edition; what is not the book itself says so."""
    providers = {services.settings.answer_provider, services.settings.effective_judge_provider}
    marks: list[Badge] = []
    if providers == {"offline"}:
        marks.append(Badge(_("provenance.offline"), "offline", "accent"))
    elif services.settings.answer_provider == "disabled":
        marks.append(Badge(_("provenance.extractive"), "quote", "accent"))
    corpus = services.corpus
    if corpus.is_demo:
        marks.append(Badge(corpus.edition, "book", "warning", corpus.notice))
    else:
        marks.append(Badge(corpus.edition, "book"))
    return marks


def turn_badges(services: Services, trace: Trace | None) -> list[Badge]:
    """The rules, and how long the opened turn took with how many calls."""
    ruleset = services.ruleset
    rules_id = trace.ruleset_id if trace else ruleset.ruleset_id
    known = trace is None or trace.ruleset_id == ruleset.ruleset_id
    name = labels.ruleset_name(ruleset) if known else _("ruleset.other")
    marks = [Badge(_("badge.rules", name=name, id=labels.short_id(rules_id)), "rules")]
    off = [word("reason", guard) for guard, level in ruleset.guards.items() if level == "off"]
    if off:
        marks.append(Badge(_n("badge.guards_off", len(off)), "alert", "warning", ", ".join(off)))
    if trace is not None:
        time, calls = formats.seconds(trace.totals.duration_ms), _n("badge.calls", trace.totals.model_calls)
        marks.append(Badge(_("badge.turn", n=trace.turn_index, time=time, calls=calls), "clock"))
    return marks


def _switch_language() -> None:
    chosen = st.session_state[_SWITCH]
    use_language(chosen)
    st.query_params["lang"] = chosen
