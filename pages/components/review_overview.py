"""How the review is going, in a few charts; and review sets taken along or brought in (spec 06, page 3 and "Traces, exports")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from duocthu_core.access.model import User
from duocthu_core.bootstrap import Services
from duocthu_core.review.errors import ReviewError
from duocthu_core.review.exporting import export_csv, export_jsonl, import_jsonl
from duocthu_core.review.model import Queue, VerdictFilters
from pages.components.eval_parts import charts
from pages.components.eval_parts.shared import between, share
from pages.frame.access import require
from pages.frame.shown_text import shown, unmarked
from pages.frame.words import _, _n

_ICON = ":material/download:"
_RESULT = "review_import_result"


def review_overview(app: Services, user: User) -> None:
    """Progress of each queue, kinds of error that were named, and whether the judge of now agrees with people. Only sums are shown: nothing
    that a reviewer who is still blind must not see."""
    queues = app.reviewing.queues()
    if not queues:
        return
    expander = st.expander(_("charts.panel"), icon=":material/monitoring:", key="review_charts", on_change="rerun")
    if not expander.open:
        return
    with expander:
        charts.draw(charts.progress_figure(queues, app.reviewing.progress(user.name)), _("charts.progress"), _("charts.progress_alt"))
        verdicts = app.reviewing.blind_verdicts(VerdictFilters())
        kinds = Counter[str](verdict.error_kind for verdict in verdicts if verdict.error_kind is not None)
        if not verdicts:
            st.text(_("charts.no_verdicts"))
        if kinds:
            charts.draw(charts.errors_figure(kinds), _("charts.errors"), _("charts.errors_alt"))
        confidence = app.judge_confidence()
        if confidence is not None:
            st.text(_("charts.agree_line", value=share(confidence.value), interval=between(confidence.interval)))


def review_files(app: Services, queues: Sequence[Queue]) -> None:
    """One queue as JSONL and CSV, and an exported one brought in: for engineers, because a file holds what is blind to others."""
    result = st.session_state.pop(_RESULT, None)
    if result is not None:
        (st.success if result[0] else st.error)(result[1])
    with st.expander(_("review_files.title"), icon=_ICON):
        if queues:
            names = {queue.queue_id: queue.name for queue in queues}
            queue_id = st.selectbox(
                _("review_files.queue"), list(names), format_func=lambda key: shown(names[key]), key="review_file_queue"
            )
            store = app.reviewing.store
            with st.container(horizontal=True):
                lines = lambda: export_jsonl(store, queue_id).encode()  # noqa: E731 - made when it is asked for
                _download(_("review_files.jsonl"), lines, f"duyet-{queue_id[:12]}.jsonl", "application/jsonl")
                _download(_("review_files.csv"), lambda: export_csv(store, queue_id), f"duyet-{queue_id[:12]}.csv", "text/csv")
        st.file_uploader(
            _("review_files.import"), type=["jsonl"], key="review_file", on_change=lambda: _take(app, st.session_state.get("review_file"))
        )


def _download(label: str, data: object, name: str, mime: str) -> None:
    st.download_button(label, data, name, mime, icon=_ICON, on_click="ignore", key=f"download-{mime}")  # type: ignore[arg-type]


def _take(app: Services, file: object) -> None:
    user = require("engineer")
    if file is None:
        return
    try:
        text = file.getvalue().decode("utf-8-sig")  # type: ignore[attr-defined]
        new = import_jsonl(app.reviewing.store, text.split("\n"))
    except (UnicodeDecodeError, ReviewError) as error:
        st.session_state[_RESULT] = (False, _("review_files.refused", problem=unmarked(str(error))))
        return
    app.audit.record(user.name, "review.import", detail={"verdicts": new})
    st.session_state[_RESULT] = (True, _n("review_files.imported", new))
