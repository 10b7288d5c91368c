"""Importing another book: upload, progress with a stop, the report, and the decision whether it shall answer (spec 06, page 8)."""

from __future__ import annotations

import logging

import streamlit as st

from duocthu_core.access.model import User
from duocthu_core.bootstrap import Services, configured_corpus
from duocthu_core.corpus.collection import CorpusError
from duocthu_core.corpus.import_report import ImportReport
from duocthu_core.corpus.shelf import CorpusShelf, ImportedCorpus
from pages.components.book_list.book_list import BookEntry, book_list
from pages.components.corpus_parts.report_parts import report_counts, report_parts
from pages.components.facts.facts import facts
from pages.components.facts.parts import Pill
from pages.frame import formats, labels
from pages.frame.book_address import BookAddress, book_here, go_in_book
from pages.frame.running_import import ImportStopped, RunningImport
from pages.frame.services import answer_from
from pages.frame.shown_text import unmarked
from pages.frame.words import _, _n

_TYPES = ("pdf", "md", "markdown", "txt", "jsonl")
_RUNNING = "running_import"
_ENDED = "ended_import"
_POLL_S = 0.4
_log = logging.getLogger(__name__)


def import_view(app: Services, user: User) -> None:
    """Draws the import for an engineer."""
    shelf = CorpusShelf(app.settings.data_dir)
    running: RunningImport | None = st.session_state.get(_RUNNING)
    if running is not None and running.ended:
        _take_ended(app, user, shelf, running)
        running = None
    st.text(_("import.active", edition=app.corpus.edition, id=labels.short_id(app.corpus.corpus_id)))
    if running is not None:
        _draw_running()
        return
    _draw_told()
    opened = shelf.book(book_here().book or "")
    if opened is not None:
        _draw_book(app, user, shelf, opened)
    else:
        _draw_form(shelf)
        _draw_shelf(app, user, shelf)


def _take_ended(app: Services, user: User, shelf: CorpusShelf, ended: RunningImport) -> None:
    """Takes over what an import left: its report, on the shelf where it came in whole."""
    del st.session_state[_RUNNING]
    st.session_state[_ENDED] = ended
    report = ended.report
    if report is None or report.corpus_id is None:
        return
    book = next((book for book in shelf.imported() if book.corpus_id == report.corpus_id), None)
    if book is not None:
        app.audit.record(user.name, "corpus.import", book.key, {"edition": book.edition, "blocks": book.blocks})
        del st.session_state[_ENDED]
        go_in_book(BookAddress(view="import", book=book.key))


def _draw_told() -> None:
    """What became of an import that brought nothing onto the shelf."""
    ended: RunningImport | None = st.session_state.get(_ENDED)
    if ended is None:
        return
    if isinstance(ended.error, ImportStopped):
        st.info(_("import.stopped"), icon=":material/stop_circle:")
    elif ended.error is not None:
        st.error(_("import.failed"), icon=":material/error:")
    elif ended.report is not None:
        st.error(_("import.nothing_written"), icon=":material/error:")
        facts(report_parts(ended.report), key="failed_report")
        _draw_downloads(ended.report, "failed")


def _draw_form(shelf: CorpusShelf) -> None:
    st.subheader(_("import.title"), anchor=False)
    st.text(_("import.about"))
    with st.form("import", border=True):
        files = st.file_uploader(_("import.files", size=st.get_option("server.maxUploadSize")), _TYPES, accept_multiple_files=True)
        edition = st.text_input(_("import.edition"), max_chars=200, placeholder=_("import.edition_hint"))
        if st.form_submit_button(_("import.start"), type="primary", icon=":material/upload_file:"):
            if not files or not edition.strip():
                st.warning(_("import.incomplete"), icon=":material/warning:")
            else:
                st.session_state.pop(_ENDED, None)
                uploads = [shelf.keep_upload(file.name, file.getvalue()) for file in files]
                running = RunningImport(shelf, uploads, " ".join(edition.split()))
                st.session_state[_RUNNING] = running
                running.start()
                st.rerun()


@st.fragment(run_every=_POLL_S)
def _draw_running() -> None:
    """How far the import is; when it has ended the whole page is drawn again."""
    running: RunningImport | None = st.session_state.get(_RUNNING)
    if running is None or running.ended:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(_("import.running"), anchor=False, width="content")
        st.space("stretch")
        label = _("live.stopping") if running.stopping else _("live.stop")
        st.button(label, icon=":material/stop_circle:", key="stop_import", on_click=running.stop, disabled=running.stopping)
    where = _("import.file_of", name=unmarked(running.file), n=running.file_number, count=running.file_count)
    if running.page_count:
        where = f"{where} · {_('import.page_of', n=running.page, count=running.page_count)}"
    st.progress(running.share, text=where)


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
