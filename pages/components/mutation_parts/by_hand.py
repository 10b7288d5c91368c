"""Break it yourself: a true claim to change, and what the checks say of it beside the block it cites (spec 06, page 7)."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from duocthu_core.answering.model import Claim
from duocthu_core.bootstrap import Services
from duocthu_core.evaluation.mutation_lab import check_by_hand
from duocthu_core.evaluation.verified_claims import VerifiedClaim
from pages.components.binding_view.binding_view import binding_view
from pages.frame.shown_text import shortened, shown
from pages.frame.words import _

_LABEL = 110
_LONGEST = 1_500


def by_hand(claims: Sequence[VerifiedClaim], app: Services, place: str) -> tuple[Claim, Claim] | None:
    """Draws the choice of a claim, its text to change, and the findings; nothing of it is stored. Gives the claim as it was and as it was
    changed; None where nothing was."""
    if not claims:
        st.text(_("mutation.no_claims"))
        return None
    number = st.selectbox(
        _("mutation.pick"),
        range(len(claims)),
        format_func=lambda n: f"{n + 1}. {shown(shortened(claims[n].claim.text, _LABEL))}",
        key=f"hand-{place}",
    )
    verified = claims[number]
    text = st.text_area(
        _("mutation.edit"),
        value=verified.claim.text,
        max_chars=_LONGEST,
        key=f"hand-{place}-{number}",
        height=110,
        help=_("mutation.edit_help"),
    )
    if not text.strip():
        st.warning(_("edit.empty"))
        return None
    changed = verified.claim.model_copy(update={"text": text})
    result = check_by_hand(changed, verified, app.pipeline.parts.guards, app.ruleset)
    if result.checked.rejected:
        st.error(_("mutation.hand_caught"), icon=":material/block:")
    elif text == verified.claim.text:
        st.info(_("mutation.hand_same"), icon=":material/edit:")
    else:
        st.warning(_("mutation.hand_passed"), icon=":material/warning:")
    binding_view(
        [result.binding],
        [result.checked],
        verified.shown,
        app.ruleset,
        key=f"hand-view-{place}",
        selected=1,
        on_select=lambda _number: None,
        single=True,
    )
    return (verified.claim, changed) if text != verified.claim.text else None
