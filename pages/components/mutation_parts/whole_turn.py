"""A whole turn with a spoiled claim in its draft: would the reader get it? Run under two rulesets, it opens as a comparison."""

from __future__ import annotations

import streamlit as st

from duocthu_core.access.model import User
from duocthu_core.answering.model import Claim
from duocthu_core.bootstrap import Services
from duocthu_core.evaluation.mutation_lab import TriedMutant
from duocthu_core.evaluation.spoiled_turns import SpoiledDraft
from duocthu_core.pipeline.comparing import drafted_claims
from duocthu_core.pipeline.trace import Trace
from pages.frame.access import require
from pages.frame.words import _

_PAIR = "whole_turn_pair"


def now_claim(tried: TriedMutant) -> Claim:
    """A mutant as a claim of a draft."""
    return Claim(text=tried.text, citations=tried.citations, drug_id=tried.drug_id)


def whole_turn(base: Services, app: Services, user: User, trace: Trace | None, *, was: str, now: Claim) -> None:
    """Offers to run ``trace`` with ``now`` in the place of the claim ``was``: under the rules in force and under those chosen (``app``),
    or, where they are the same, beside the turn itself. The pair that was made last is offered as a link."""
    claim = next((claim for claim in drafted_claims(trace) if claim.text == was), None) if trace is not None else None
    if trace is None or claim is None:
        st.text(_("mutation.whole_turn_needs_turn"))
        return

    def run() -> None:
        by = require("engineer")
        made = [_run(services, trace, claim, now) for services in ([base, app] if base is not app else [app])]
        base.audit.record(by.name, "mutation.whole_turn", target=trace.trace_id, detail={"mutant": now.text})
        pair = (made[0], made[1]) if len(made) == 2 else (trace.trace_id, made[0])
        st.session_state[_PAIR] = ((trace.trace_id, now.text, app.ruleset.ruleset_id), pair)

    may = user.may("engineer")
    st.button(_("mutation.whole_turn"), icon=":material/play_arrow:", on_click=run, disabled=not may, key="whole_turn")
    if not may:
        st.text(_("compare.may_not_run"))
    kept = st.session_state.get(_PAIR)
    if kept is not None and kept[0] == (trace.trace_id, now.text, app.ruleset.ruleset_id):
        query = dict(zip("ab", kept[1], strict=True))
        st.page_link("compare.py", label=_("mutation.see_pair"), icon=":material/compare_arrows:", query_params=query)


def _run(services: Services, trace: Trace, was: Claim, now: Claim) -> str:
    model = SpoiledDraft(trace, was, now, services.pipeline.parts.generator)
    return services.rules_desk.replay(trace.trace_id, services.ruleset, generator=model).trace.trace_id
