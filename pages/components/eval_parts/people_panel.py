"""The judge against people, and the bound of severe harm; and the charts over stored turns."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import streamlit as st

from duocthu_core.agreement.harm import HarmReport
from duocthu_core.agreement.people import JudgeAsAsked, judges_reviewed, verdicts_of_people
from duocthu_core.bootstrap import Services
from duocthu_core.evaluation.evaluating import Evaluating
from duocthu_core.evaluation.judge_agreement import JudgeAgreement, may_replace_a_reviewer
from duocthu_core.evaluation.results import EvalRun
from pages.components.eval_parts import charts
from pages.components.eval_parts.agreement_parts import agreement_parts, harm_parts
from pages.components.facts.facts import facts
from pages.components.facts.parts import Note
from pages.frame import formats, labels
from pages.frame.eval_address import eval_go, eval_here
from pages.frame.kept_reports import kept_report
from pages.frame.shown_text import shown
from pages.frame.words import _

_KEPT_S = 60
_DAYS = 60
_EPSILON = 0.2
"""Of the alternative annotator test; fixed here, before anybody looks (the value that its authors give for skilled reviewers)."""


@st.cache_data(show_spinner=False, ttl=_KEPT_S, max_entries=16)
def kept_agreement(
    _app: Services,
    current: JudgeAsAsked,  # noqa: ARG001 - part of what it is kept under
    bound_to: JudgeAsAsked,
    database: str,  # noqa: ARG001
) -> JudgeAgreement:
    """The agreement, kept for a minute: its intervals take thousands of draws."""
    return _app.judge_agreement(bound_to)


@st.cache_data(show_spinner=False, ttl=_KEPT_S, max_entries=4)
def kept_harm(_app: Services, database: str) -> HarmReport:  # noqa: ARG001 - what it is kept under
    """The harm report, kept for a minute: it reads every turn that was reviewed."""
    return _app.harm()


def database_of(app: Services) -> str:
    """Which reviews are meant: two servers' worth of them must not be mixed up in one process."""
    return f"{app.settings.effective_database_url}-{id(app.reviewing.store)}"


def people_panel(app: Services) -> None:
    """Agreement of the judge that the address names, or of the one of now; expired ones say so."""
    now = app.judge_as_asked
    known = [JudgeAsAsked(model, prompt) for model, prompt, _count in judges_reviewed(app.reviewing)]
    if not known:
        st.text(_("people.empty"))
        st.page_link("review.py", label=_("people.go_review"), icon=":material/rate_review:")
        facts(harm_parts(kept_harm(app, database_of(app))), key="harm")
        return
    options = list(dict.fromkeys([now, *known]))
    bound_to = _chosen_judge(options)
    found = kept_agreement(app, now, bound_to, database_of(app))
    facts(agreement_parts(found), key=f"agreement-{bound_to.prompt_hash}")
    if found.claims:
        charts.draw(charts.agreement_figure(found), _("charts.agreement"), _("charts.agreement_alt"))
    own = [said for said in verdicts_of_people(app.reviewing) if (said.judge_model, said.prompt_hash) == tuple(bound_to)]
    test = may_replace_a_reviewer(own, _EPSILON)
    told = "people.alt_few" if test is None else "people.alt_passed" if test.passed else "people.alt_failed"
    facts([*harm_parts(kept_harm(app, database_of(app))), Note(_("people.alt_test", says=_(told)))], key="harm")


def _chosen_judge(options: list[JudgeAsAsked]) -> JudgeAsAsked:
    def choose() -> None:
        chosen = st.session_state["eval_judge"]
        eval_go(judge=" ".join(chosen))

    asked = eval_here().judge
    index = next((place for place, option in enumerate(options) if " ".join(option) == asked), 0)
    st.selectbox(
        _("people.which"),
        options,
        index=index,
        key="eval_judge",
        on_change=choose,
        format_func=lambda option: shown(f"{option.model} · {labels.short_id(option.prompt_hash)}"),
    )
    return options[index]


def charts_panel(app: Services, evaluating: Evaluating, run: EvalRun | None) -> None:
    """Outcomes and reasons over time, calls and cost, time of each stage of a run, agreement."""
    offset = formats.utc_offset()
    since = datetime.now(UTC) - timedelta(days=_DAYS)
    lines = app.traces.outcomes_by_day(since, offset)
    usage = app.traces.usage_by_day(since, offset)
    if not lines and not usage:
        st.text(_("charts.empty"))
        st.page_link("live.py", label=_("turn_page.ask_first"), icon=":material/forum:")
        return
    left, right = st.columns(2)
    with left:
        if lines:
            charts.draw(charts.outcomes_figure(lines), _("charts.outcomes"), _("charts.outcomes_alt"))
        if usage:
            charts.draw(charts.cost_figure(usage), _("charts.cost_title"), _("charts.cost_alt"))
    with right:
        reasons = Counter[str]()
        for line in lines:
            if line.reject_reason:
                reasons[line.reject_reason] += line.turns
        if reasons:
            charts.draw(charts.reasons_figure(reasons), _("charts.reasons"), _("charts.reasons_alt"))
        stages = kept_report(evaluating, run).all.stages if run is not None else ()
        if stages:
            charts.draw(charts.stages_figure(stages), _("charts.stages"), _("charts.stages_alt"))
