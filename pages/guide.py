"""Hướng dẫn · Guide: how to read what the pages show, what each reason means, how to review, change rules, import, sign people in."""

from __future__ import annotations

import streamlit as st

from pages.components.guide_text.guide_text import guide_text
from pages.frame.access import require
from pages.frame.guide_texts import REASONS_PART, GuidePart, guide_parts, reason_entries
from pages.frame.head import page_head
from pages.frame.services import services
from pages.frame.words import _

# A link to a page needs its title, its file and its icon; the titles are those of the navigation.
_LINKS = {
    "live.py": ("live.title", ":material/forum:"),
    "turn.py": ("turn_page.title", ":material/receipt_long:"),
    "review.py": ("review.title", ":material/rate_review:"),
    "rules.py": ("rules.title", ":material/rule:"),
    "compare.py": ("compare.title", ":material/compare_arrows:"),
    "mutation.py": ("mutation.title", ":material/science:"),
    "corpus.py": ("corpus.title", ":material/menu_book:"),
    "admin.py": ("admin.title", ":material/admin_panel_settings:"),
}

require("viewer")
app = services()


def part_here() -> GuidePart:
    """The chapter of the address: the one of the reasons where a reason is asked for, the first where nothing is."""
    parts = {part.part_id: part for part in guide_parts()}
    if reason_here() is not None:
        return parts[REASONS_PART]
    return parts.get(st.query_params.get("part", ""), guide_parts()[0])


def reason_here() -> str | None:
    """The reason that is asked for, if there is such a one."""
    asked = st.query_params.get("reason")
    return asked if asked in reason_entries() else None


def open_part(part_id: str) -> None:
    """Another chapter, in the address."""
    st.query_params.pop("reason", None)
    st.query_params["part"] = part_id


part = part_here()
with page_head(app, _("guide.title"), []):
    pass
if st.query_params.get("reason") and reason_here() is None:
    st.warning(_("guide.unknown_reason"), icon=":material/search_off:")
guide_text(part, reason_here(), app.ruleset, key="guide", on_part=open_part)
if part.pages:
    with st.container(horizontal=True):
        for page in part.pages:
            title, icon = _LINKS[page]
            st.page_link(page, label=_("guide.open_page", page=_(title)), icon=icon)
