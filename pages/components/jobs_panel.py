"""The batch work of the installation: what runs, how far it is, what failed and why; what has not ended can be cancelled."""

from __future__ import annotations

import streamlit as st

from duocthu_core.access.model import User
from duocthu_core.bootstrap import Services
from duocthu_core.jobs.model import Job
from pages.frame import formats
from pages.frame.words import _, word

_SHOWN = 20
_LOOK_AGAIN_S = 5


def jobs_panel(app: Services, user: User) -> None:
    """Draws the newest jobs; looks again by itself while one has not ended."""
    st.subheader(_("jobs.title"), anchor=False)
    is_busy = any(not job.ended for job in app.jobs.recent(_SHOWN))
    st.fragment(_drawn, run_every=_LOOK_AGAIN_S if is_busy else None)(app, user)


def _drawn(app: Services, user: User) -> None:
    found = app.jobs.recent(_SHOWN)
    if not found:
        st.text(_("jobs.none"))
        return
    share = st.column_config.ProgressColumn(_("jobs.share"), format="percent", min_value=0.0, max_value=1.0)
    st.dataframe([_row(job) for job in found], hide_index=True, key="jobs_list", column_config={_("jobs.share"): share})
    open_jobs = {job.job_id: job for job in found if not job.ended}
    if not open_jobs or not user.may("engineer"):
        return
    with st.popover(_("jobs.cancel"), icon=":material/cancel:", key="jobs_cancelling"):
        chosen = st.selectbox(_("jobs.job"), list(open_jobs), format_func=lambda job_id: _named(open_jobs[job_id]), key="jobs_chosen")
        st.text(_("jobs.cancel_told"))
        st.button(_("jobs.cancel_now"), on_click=_cancel, args=(app, chosen, user), key="jobs_cancel_now")


def _cancel(app: Services, job_id: str, user: User) -> None:
    if user.may("engineer"):
        app.jobs.cancel(job_id, by=user.name)


def _row(job: Job) -> dict[str, str | float]:
    counted = ", ".join(f"{word('job_count', name)}: {formats.number(count)}" for name, count in sorted(job.counts.items()))
    return {
        _("jobs.submitted_at"): formats.moment(job.submitted_at),
        _("jobs.kind"): word("job_kind", job.kind),
        _("jobs.about"): str(job.about.get("run_id") or job.about.get("edition") or ""),
        _("jobs.state"): word("job_status", job.status),
        _("jobs.share"): job.done / job.total if job.total else float(job.status == "done"),
        _("jobs.done"): f"{formats.number(job.done)}/{formats.number(job.total)}",
        _("jobs.by"): job.submitted_by,
        _("jobs.told"): job.error or counted,
        _("jobs.job"): job.job_id,
    }


def _named(job: Job) -> str:
    return f"{word('job_kind', job.kind)} · {job.job_id} · {formats.number(job.done)}/{formats.number(job.total)}"
