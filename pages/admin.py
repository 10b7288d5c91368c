"""Quản trị · Administration (spec 06, "Access"): who may sign in, with which role, and the audit log of everything that was written."""

from __future__ import annotations

import json

import streamlit as st

from duocthu_core.access.model import LOCAL_USER, ROLES, Account, AccountError
from duocthu_core.audit.model import AuditFilters, AuditLine
from duocthu_core.text.csv_table import csv_table
from pages.components.jobs_panel import jobs_panel
from pages.frame import formats
from pages.frame.access import require
from pages.frame.head import page_head
from pages.frame.services import services
from pages.frame.shown_text import unmarked
from pages.frame.words import _, _n

_A_PAGE = 50
_EXPORTED = 10_000
_TOLD = "admin_told"

user = require("admin")
app = services()


def tell(key: str, icon: str, **values: object) -> None:
    """Says at the next run what became of a change."""
    st.session_state[_TOLD] = (_(key, **values), icon)


def save_account() -> None:
    """Makes an account or changes its role, and writes it into the audit log."""
    email, role = str(st.session_state["admin_email"]), st.session_state["admin_role"]
    try:
        account = app.accounts.set_role(email, role, by=user.name)
    except AccountError:
        tell("admin.last_admin" if app.accounts.role_of(email) == "admin" else "admin.no_email", ":material/error:", email=unmarked(email))
        return
    app.audit.record(user.name, "account.set", account.email, {"role": account.role})
    st.session_state["admin_email"] = ""
    tell("admin.saved", ":material/check_circle:", email=unmarked(account.email), role=_(f"role.{account.role}"))


def remove_account(email: str) -> None:
    """Takes an account away, and writes it into the audit log."""
    try:
        app.accounts.remove(email)
    except AccountError:
        tell("admin.last_admin", ":material/error:", email=unmarked(email))
        return
    app.audit.record(user.name, "account.remove", email)
    tell("admin.removed", ":material/check_circle:", email=unmarked(email))


def draw_accounts() -> None:
    """The accounts, and the form that makes or changes one."""
    st.subheader(_("admin.accounts"), anchor=False)
    if user == LOCAL_USER:
        st.info(_("admin.local"), icon=":material/info:")
    accounts = app.accounts.accounts()
    if accounts:
        st.dataframe([account_row(account) for account in accounts], hide_index=True, key="admin_accounts")
    else:
        st.text(_("admin.no_accounts"))
    with st.form("admin_account", border=True):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input(_("admin.email"), key="admin_email", max_chars=254, width=320, placeholder="ten@benhvien.vn")
            st.selectbox(_("admin.role"), ROLES, format_func=lambda role: _(f"role.{role}"), key="admin_role", width=180)
            st.form_submit_button(_("admin.save"), type="primary", on_click=save_account)
        st.caption(_("admin.roles_told"))
    draw_removal(accounts)


def account_row(account: Account) -> dict[str, str]:
    """A line of the list of accounts."""
    return {
        _("admin.email"): account.email,
        _("admin.role"): _(f"role.{account.role}"),
        _("admin.changed_at"): formats.moment(account.updated_at),
        _("admin.changed_by"): account.updated_by,
    }


def draw_removal(accounts: list[Account]) -> None:
    """Taking an account away: chosen, then confirmed."""
    others = [account.email for account in accounts if account.email != user.name]
    if not others:
        return
    with st.popover(_("admin.remove"), icon=":material/person_remove:", key="admin_removal"):
        email = st.selectbox(_("admin.email"), others, key="admin_leaving")
        st.text(_("admin.remove_told", email=email))
        st.button(_("admin.remove_now"), on_click=remove_account, args=(email,), key="admin_remove_now")


def draw_audit() -> None:
    """The audit log, newest line first."""
    st.subheader(_("admin.audit"), anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        actor = st.text_input(_("admin.actor"), key="actor", max_chars=320, width=260, bind="query-params").strip()
        action = st.text_input(
            _("admin.action"), key="action", max_chars=80, width=260, placeholder="ruleset.", bind="query-params"
        ).strip()
    filters = AuditFilters(actor=actor or None, action=action or None)
    found = app.audit.count(filters)
    if not found:
        st.text(_("admin.no_lines"))
        return
    last = -(-found // _A_PAGE)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text(_n("admin.lines", found), width="content")
        st.space("stretch")
        page = st.number_input(_("admin.page", last=last), 1, last, key="admin_page", width=140) if last > 1 else 1
        export = lambda: audit_csv(app.audit.recent(limit=_EXPORTED, filters=filters))  # noqa: E731 - made when it is asked for
        st.download_button(_("admin.csv"), export, "nhat-ky.csv", "text/csv", icon=":material/download:", on_click="ignore")
    lines = app.audit.recent(limit=_A_PAGE, offset=(page - 1) * _A_PAGE, filters=filters)
    st.dataframe([audit_row(line) for line in lines], hide_index=True, key="admin_lines")


def audit_row(line: AuditLine) -> dict[str, str]:
    """A line of the log as it is shown."""
    return {
        _("admin.at"): formats.moment(line.at, "HH:mm:ss · dd/MM/yyyy"),
        _("admin.actor"): line.actor,
        _("admin.action"): line.action,
        _("admin.target"): line.target,
        _("admin.detail"): _detail(line),
    }


def audit_csv(lines: list[AuditLine]) -> bytes:
    """The log as a table for a spreadsheet, times in UTC."""
    header = ["id", "at_utc", "actor", "action", "target", "detail"]
    return csv_table(header, [[line.id, line.at.isoformat(), line.actor, line.action, line.target, _detail(line)] for line in lines])


def _detail(line: AuditLine) -> str:
    return json.dumps(line.detail, ensure_ascii=False, sort_keys=True) if line.detail else ""


with page_head(app, _("admin.title"), []):
    pass
told = st.session_state.pop(_TOLD, None)
if told is not None:
    st.info(told[0], icon=told[1])
draw_accounts()
jobs_panel(app, user)
draw_audit()
