"""Phòng thử đột biến · Mutation lab (spec 06, page 7): true claims are spoiled, the checks must notice; or a reader spoils one by hand."""

from __future__ import annotations

from itertools import islice

import streamlit as st

from duocthu_core.evaluation.mutation_lab import MutationLab, MutationReport, report_csv
from duocthu_core.evaluation.verified_claims import VerifiedClaim, claims_of_book, claims_of_turn
from duocthu_core.pipeline.trace_store import ASKED
from pages.components.book_list.book_list import book_list
from pages.components.facts.facts import facts
from pages.components.mutation_parts.by_hand import by_hand
from pages.components.mutation_parts.checking_rules import choose_rules, under_rules
from pages.components.mutation_parts.report_parts import counts_line, run_parts, survivor_entry, survivor_parts
from pages.components.mutation_parts.whole_turn import now_claim, whole_turn
from pages.frame import labels
from pages.frame.access import require
from pages.frame.head import page_head, turn_badges
from pages.frame.mutation_address import MOST_PER_KIND, VIEWS, MutationAddress, mutation_go, mutation_here
from pages.frame.polling import polled
from pages.frame.running_mutation import RunningMutation
from pages.frame.services import services, stored_trace
from pages.frame.shown_text import shortened, shown
from pages.frame.words import _

_RUNNING, _REPORT = "running_mutation", "mutation_report"
_BY_HAND = 60
_TURNS = 30
_FIRST_SECTION = "lieu_luong_cach_dung"

user = require("viewer")
base = services()
corpus = base.corpus
app, checking_name = under_rules(base, mutation_here().rules)


def choose_view() -> None:
    """The lab, or breaking by hand."""
    mutation_go(view=st.session_state["mutation_view"])


def choose_source() -> None:
    """Other claims, another seed: what was found before no longer belongs to the address."""
    state = st.session_state
    drug, trace = state["mutation_drug"], state["mutation_trace"]
    keys = corpus.sections_of(drug) if drug else ()
    section = state.get("mutation_section") if state.get("mutation_section") in keys else None
    source = {"drug": drug, "section": section, "trace": trace, "rules": state["mutation_rules"]}
    mutation_go(**source, seed=state["mutation_seed"], n=state["mutation_n"], run=None, survivor=None)


def start_run() -> None:
    """Begins what the address says."""
    mutation_go(run="1", survivor=None)


def open_survivor(mutant_id: str | None) -> None:
    """Lays one survivor open, or none."""
    mutation_go(survivor=mutant_id)


def chosen_claims(address: MutationAddress) -> list[VerifiedClaim] | None:
    """The claims of the stored turn in the address; None where it names none."""
    trace = stored_trace(address.trace) if address.trace else None
    return list(claims_of_turn(trace)) if trace is not None else None


def draw_source(address: MutationAddress) -> None:
    """Which claims are spoiled, how many, by which seed."""
    turns = {
        heading.trace_id: heading.question for heading in app.traces.recent(limit=_TURNS, filters=ASKED) if heading.outcome == "answered"
    }
    if address.trace and address.trace not in turns and (trace := stored_trace(address.trace)) is not None:
        turns[address.trace] = trace.question
    named = labels.told_apart({key: shown(shortened(question, 70)) for key, question in turns.items()})
    drugs = list(corpus.monographs)
    drug = address.drug if address.drug in drugs else None
    keys = list(corpus.sections_of(drug)) if drug else []
    every = _("mutation.all")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("mutation.drug"),
            [None, *drugs],
            index=([None, *drugs]).index(drug),
            key="mutation_drug",
            on_change=choose_source,
            format_func=lambda key: shown(corpus.name_of(key)) if key else every,
        )
        st.selectbox(
            _("mutation.section"),
            [None, *keys],
            index=([None, *keys]).index(address.section) if address.section in keys else 0,
            key="mutation_section",
            on_change=choose_source,
            disabled=not keys,
            format_func=lambda key: labels.section(app.ruleset, key) if key else every,
        )
        st.selectbox(
            _("mutation.trace"),
            [None, *turns],
            index=([None, *turns]).index(address.trace) if address.trace in turns else 0,
            key="mutation_trace",
            on_change=choose_source,
            format_func=lambda key: named[key] if key else _("mutation.from_book"),
        )
        choose_rules(base, checking_name, on_change=choose_source)
        st.number_input(_("mutation.seed"), 0, 999_999, address.seed, key="mutation_seed", on_change=choose_source, width=120)
        st.number_input(_("mutation.per_kind"), 1, MOST_PER_KIND, address.n, key="mutation_n", on_change=choose_source, width=120)


def begin(address: MutationAddress) -> RunningMutation:
    """A run of what the address says, at work."""
    of_turn = chosen_claims(address)
    claims = of_turn if of_turn is not None else claims_of_book(corpus, app.ruleset, address.seed, address.drug, address.section)
    lab = MutationLab(app.ruleset, address.seed, address.n, guards=app.pipeline.parts.guards)
    running = RunningMutation(lab, claims, corpus.edition, corpus.corpus_id)
    running.start()
    return running


@polled
def draw_running() -> None:
    """How far the run is; when it has ended the whole page is drawn again."""
    held = st.session_state.get(_RUNNING)
    if held is None or held[1].ended:
        st.rerun()
    running: RunningMutation = held[1]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(running.share, text=_("mutation.running"))
        label = _("live.stopping") if running.stopping else _("live.stop")
        st.button(label, icon=":material/stop_circle:", key="stop_mutation", on_click=running.stop, disabled=running.stopping)


def draw_lab(address: MutationAddress) -> None:
    """The run of the address: at work, or what it found."""
    key = (*address.run_key, corpus.corpus_id, app.ruleset.ruleset_id)
    held = st.session_state.get(_RUNNING)
    if held is not None and (held[0] != key or address.run is None):
        held[1].stop()
        del st.session_state[_RUNNING]
        held = None
    if held is not None and held[1].ended:
        del st.session_state[_RUNNING]
        if held[1].report is None:
            st.error(_("mutation.failed"), icon=":material/error:")
            return
        st.session_state[_REPORT] = (key, held[1].report)
        held = None
    found = st.session_state.get(_REPORT)
    report: MutationReport | None = found[1] if found is not None and found[0] == key else None
    if held is None and report is None and address.run is not None:
        held = st.session_state[_RUNNING] = (key, begin(address))
    if held is not None:
        draw_running()
    elif report is None or address.run is None:
        st.text(_("mutation.empty"))
        st.button(_("mutation.start"), type="primary", icon=":material/science:", on_click=start_run)
    else:
        draw_report(report, address)


def draw_report(report: MutationReport, address: MutationAddress) -> None:
    """Survivors first, one laid open, then the table."""
    st.text(counts_line(report))
    if report.stopped:
        st.info(_("mutation.stopped"), icon=":material/stop_circle:")
    opened = next((tried for tried in report.survivors if tried.mutant_id == address.survivor), None)
    if address.survivor and opened is None:
        st.warning(_("mutation.unknown_survivor"), icon=":material/search_off:")
    if opened is not None:
        st.button(_("mutation.back"), icon=":material/arrow_back:", on_click=open_survivor, args=(None,))
        with st.container(border=True):
            facts(survivor_parts(opened), key=f"survivor-{opened.mutant_id}")
        whole_turn(base, app, user, stored_trace(address.trace) if address.trace else None, was=opened.claim, now=now_claim(opened))
        return
    if report.survivors:
        st.subheader(_("mutation.survivors"), anchor=False)
        entries = [survivor_entry(tried) for tried in report.survivors]
        ids = [tried.mutant_id for tried in report.survivors]
        book_list(entries, name=_("mutation.survivors"), key="survivors", on_open=lambda n: open_survivor(ids[n]), wide=True)
    facts(run_parts(report), key="mutation_table")
    with st.container(horizontal=True):
        data = report.model_dump_json(indent=1)
        st.download_button(_("mutation.json"), data, "dot-bien.json", "application/json", icon=":material/download:")
        st.download_button(_("mutation.csv"), report_csv(report), "dot-bien.csv", "text/csv", icon=":material/download:")


def draw_by_hand(address: MutationAddress) -> None:
    """A claim of the chosen source to change; dosage first, where nothing was chosen."""
    of_turn = chosen_claims(address)
    if of_turn is None:
        section = address.section or (None if address.drug else _FIRST_SECTION)
        of_turn = list(islice(claims_of_book(corpus, app.ruleset, address.seed, address.drug, section), _BY_HAND))
    changed = by_hand(of_turn, app, f"{address.run_key}-{app.ruleset.ruleset_id}")
    if changed is not None:
        was, now = changed
        whole_turn(base, app, user, stored_trace(address.trace) if address.trace else None, was=was.text, now=now)


here = mutation_here()
with page_head(app, _("mutation.title"), turn_badges(app, None)):
    pass
st.text(_("mutation.about"))
st.segmented_control(
    _("mutation.views"),
    VIEWS,
    format_func=lambda view: _(f"mutation_view.{view}"),
    default=here.view,
    required=True,
    key="mutation_view",
    label_visibility="collapsed",
    on_change=choose_view,
)
if here.trace and stored_trace(here.trace) is None:
    st.warning(_("turn_page.unknown"), icon=":material/search_off:")
draw_source(here)
if here.view == "by_hand":
    draw_by_hand(here)
else:
    draw_lab(here)
