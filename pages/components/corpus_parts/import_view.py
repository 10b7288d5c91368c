"""Importing another book: upload, progress with a stop, the report, and the decision whether it shall answer (spec 06, page 8)."""

from __future__ import annotations

import logging

import streamlit as st

from duocthu_core.access.model import User
from duocthu_core.bootstrap import Services, configured_corpus
from duocthu_core.corpus.collection import CorpusError
from duocthu_core.corpus.import_report import ImportReport
from duocthu_core.corpus.shelf import CorpusShelf, ImportedCorpus
from duocthu_core.jobs.model import Job
from pages.components.book_list.book_list import BookEntry, book_list
from pages.components.corpus_parts.report_parts import report_counts, report_parts
from pages.components.facts.facts import facts
from pages.components.facts.parts import Pill
from pages.frame import formats, labels
from pages.frame.book_address import BookAddress, book_here, go_in_book
from pages.frame.polling import polled
from pages.frame.running_import import begin_import, file_at_work, go_on_with, import_job, imports_at_work, stop_import, why_refused
from pages.frame.services import answer_from
from pages.frame.shown_text import shown, unmarked
from pages.frame.words import _, _n

_TYPES = ("pdf", "md", "markdown", "txt", "jsonl")
_log = logging.getLogger(__name__)


def import_view(app: Services, user: User) -> None:
    """Draws the import for an engineer: the import or the book of the address, or the form and what is on the shelf."""
    shelf = CorpusShelf(app.settings.data_dir)
    here = book_here()
    job = import_job(app, here.job)
    opened = shelf.book(here.book) if here.book else _imported_by(shelf, job)
    st.text(_("import.active", edition=app.corpus.edition, id=labels.short_id(app.corpus.corpus_id)))
    refused = why_refused()
    if refused is not None:
        st.error(_("jobs.refused", why=unmarked(refused)), icon=":material/error:")
    if job is not None and not job.ended:
        _draw_working(app, job.job_id)
        return
    if opened is not None:
        if here.book != opened.key:
            go_in_book(BookAddress(view="import", book=opened.key))
        _draw_book(app, user, shelf, opened)
        return
    if job is not None:
        _draw_ended(app, shelf, job)
    _draw_others(app)
    _draw_form(app, shelf)
    _draw_shelf(app, user, shelf)


def _imported_by(shelf: CorpusShelf, job: Job | None) -> ImportedCorpus | None:
    """The book that an import brought onto the shelf."""
    report = shelf.noted_import(job.job_id) if job is not None and job.status == "done" else None
    return shelf.book_of(report) if report is not None else None


def _draw_ended(app: Services, shelf: CorpusShelf, job: Job) -> None:
    """What became of an import that brought nothing onto the shelf, and the way to go on with it."""
    report = shelf.noted_import(job.job_id) if job.status == "failed" else None
    if job.status == "cancelled":
        st.info(_("import.stopped"), icon=":material/stop_circle:")
    elif report is not None:
        st.error(_("import.nothing_written"), icon=":material/error:")
    elif job.status == "failed":
        st.error(_("import.failed", why=unmarked(job.error or "")), icon=":material/error:")
    else:
        st.info(_("import.not_here"), icon=":material/search_off:")
    if report is not None:
        facts(report_parts(report), key="failed_report")
        _draw_downloads(report, "failed")
    elif job.status != "done":
        st.button(_("import.go_on"), icon=":material/resume:", key="import_go_on", on_click=go_on_with, args=(app, job))


def _draw_others(app: Services) -> None:
    """Imports at work, of anybody, to watch or stop."""
    found = imports_at_work(app)
    if not found:
        return
    st.subheader(_("import.at_work"), anchor=False)
    entries = [
        BookEntry(str(job.about.get("edition", "")), about=_sent(job), marks=[Pill(_("import.running"), "accent", "running")])
        for job in found
    ]
    ids = [job.job_id for job in found]
    book_list(
        entries,
        name=_("import.at_work"),
        key="imports_at_work",
        on_open=lambda n: go_in_book(BookAddress(view="import", job=ids[n])),
        wide=True,
    )


def _draw_form(app: Services, shelf: CorpusShelf) -> None:
    st.subheader(_("import.title"), anchor=False)
    st.text(_("import.about"))
    with st.form("import", border=True):
        files = st.file_uploader(_("import.files", size=st.get_option("server.maxUploadSize")), _TYPES, accept_multiple_files=True)
        edition = st.text_input(_("import.edition"), max_chars=200, placeholder=_("import.edition_hint"))
        if st.form_submit_button(_("import.start"), type="primary", icon=":material/upload_file:"):
            if not files or not edition.strip():
                st.warning(_("import.incomplete"), icon=":material/warning:")
            else:
                begin_import(app, shelf, files, " ".join(edition.split()))
                st.rerun()


@polled
def _draw_working(app: Services, job_id: str) -> None:
    """How far the import is; when it has ended the whole page is drawn again."""
    job = app.jobs.status(job_id)
    if job.ended:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(_("import.running"), anchor=False, width="content")
        st.space("stretch")
        st.button(_("live.stop"), icon=":material/stop_circle:", key="stop_import", on_click=stop_import, args=(app, job))
    name, number, count = file_at_work(job)
    where = _("jobs.waiting") if job.status == "queued" else _("import.file_of", name=unmarked(name), n=number, count=count)
    st.progress(job.done / job.total if job.total else 0.0, text=where)
    st.text(_sent(job))


def _sent(job: Job) -> str:
    return _("jobs.sent", by=shown(job.submitted_by), at=formats.moment(job.submitted_at))


def _draw_shelf(app: Services, user: User, shelf: CorpusShelf) -> None:
    """The books that were imported before, and the way back to the configured one."""
    books = shelf.imported()
    st.subheader(_("import.shelf"), anchor=False)
    if not books:
        st.text(_("import.shelf_empty"))
        return
    entries = [_entry(book, is_active=book.corpus_id == app.corpus.corpus_id) for book in books]
    book_list(
        entries,
        name=_("import.shelf"),
        key="shelf",
        on_open=lambda n: go_in_book(BookAddress(view="import", book=books[n].key)),
        wide=True,
    )
    if shelf.chosen() is not None:
        about = _("import.configured_about")
        if _confirmed("configured", _("import.configured"), about, _("import.configured_confirm"), icon=":material/undo:"):
            _use_configured(app, user, shelf)


def _entry(book: ImportedCorpus, *, is_active: bool) -> BookEntry:
    counts = f"{_n('import.drug_count', book.monographs)} · {_n('corpus.blocks_count', book.blocks)}"
    about = f"{counts} · {formats.moment(book.imported_at)} · {book.key[:4]}"
    return BookEntry(book.edition, about, marks=[Pill(_("import.is_active"), "found", "check")] if is_active else [])


def _draw_book(app: Services, user: User, shelf: CorpusShelf, book: ImportedCorpus) -> None:
    """One imported book: whether it answers, its report, and the decision."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(_("import.back"), icon=":material/arrow_back:", on_click=go_in_book, args=(BookAddress(view="import"),))
        st.subheader(unmarked(book.edition), anchor=False, width="content")
    counts = report_counts(book.report)
    st.text(_("import.summary", **{name: formats.number(count) for name, count in counts.items()}))
    if book.corpus_id == app.corpus.corpus_id:
        st.success(_("import.this_is_active"), icon=":material/check_circle:")
    else:
        st.info(_("import.not_active", edition=unmarked(app.corpus.edition)), icon=":material/pending:")
        about = _("import.use_about", new=book.edition, old=app.corpus.edition)
        if _confirmed(book.key, _("import.use"), about, _("import.use_confirm"), icon=":material/swap_horiz:"):
            _use(app, user, shelf, book)
    _draw_downloads(book.report, book.key)
    facts(report_parts(book.report), key=f"report-{book.key}")


def _confirmed(key: str, label: str, about: str, confirm: str, *, icon: str) -> bool:
    """A button that asks once more, saying what will change; True in the run in which it was confirmed."""
    asking = f"confirm-{key}"
    if not st.session_state.get(asking):
        st.button(label, icon=icon, key=f"ask-{key}", on_click=_ask_again, args=(asking, True))
        return False
    with st.container(border=True, key=f"box-{key}"):
        st.text(about)
        with st.container(horizontal=True, gap="small"):
            confirmed = st.button(confirm, type="primary", key=f"yes-{key}")
            st.button(_("import.cancel"), key=f"no-{key}", on_click=_ask_again, args=(asking, False))
    if confirmed:
        _ask_again(asking, False)
    return confirmed


def _ask_again(asking: str, value: bool) -> None:
    st.session_state[asking] = value


def _draw_downloads(report: ImportReport, key: str) -> None:
    """The whole report, to read and to work with."""
    forms = (
        ("text", report.readable(), "txt", "text/plain", ":material/download:"),
        ("json", report.model_dump_json(indent=2), "json", "application/json", ":material/data_object:"),
    )
    with st.container(horizontal=True, gap="small"):
        for form, content, ending, mime, icon in forms:
            name = f"import-{key}.{ending}"
            st.download_button(_(f"import.download_{form}"), content, name, mime, icon=icon, key=f"{form}-{key}", on_click="ignore")


def _use(app: Services, user: User, shelf: CorpusShelf, book: ImportedCorpus) -> None:
    """Puts an imported book in place of the one that answers."""
    try:
        corpus = shelf.choose(book.key)
    except CorpusError as error:
        _log.error("a corpus cannot be used: %s", error)
        st.error(_("import.cannot_use"), icon=":material/error:")
        return
    answer_from(corpus)
    app.audit.record(user.name, "corpus.choose", book.key, {"edition": book.edition, "instead_of": app.corpus.edition})
    st.rerun()


def _use_configured(app: Services, user: User, shelf: CorpusShelf) -> None:
    """Puts the configured book back in place."""
    try:
        corpus = configured_corpus(app.settings)
    except CorpusError as error:
        _log.error("a corpus cannot be used: %s", error)
        st.error(_("import.cannot_use"), icon=":material/error:")
        return
    shelf.choose_configured()
    answer_from(corpus)
    app.audit.record(user.name, "corpus.choose", "configured", {"edition": corpus.edition, "instead_of": app.corpus.edition})
    st.rerun()
