"""Dược thư · Corpus (spec 06, page 8): the book as the pipeline sees it, down to the single block; and importing another one."""

from __future__ import annotations

import streamlit as st

from duocthu_core.corpus.model import Block, Monograph
from duocthu_core.retrieval.browsing import BookSearch, DrugFound, Found
from duocthu_core.retrieval.wording import ContentWords
from pages.components.badges.badges import Badge
from pages.components.book_blocks.book_blocks import block_marks, block_number, block_pages, book_blocks
from pages.components.book_list.book_list import BookEntry, book_list
from pages.components.book_sections.book_sections import BookSection, book_sections
from pages.components.corpus_parts.block_details import block_parts, monograph_parts
from pages.components.corpus_parts.import_view import import_view
from pages.components.facts.facts import facts
from pages.components.facts.parts import Pill
from pages.frame import formats, labels
from pages.frame.access import require
from pages.frame.book_address import BookAddress, book_here, go_in_book
from pages.frame.head import page_head
from pages.frame.services import services
from pages.frame.shown_text import shortened, shown, unmarked
from pages.frame.words import _, _n, word

_A_PAGE = 60
_HITS = 20
_CITING = 10
_SNIPPET = 220
_QUESTION = 140
_BOX = "book_query"
_FIRST_SECTION = "chi_dinh"

user = require("viewer")
app = services()
corpus = app.corpus
ruleset = app.ruleset


@st.cache_resource(show_spinner=False, max_entries=2)
def book_search(corpus_id: str, ruleset_id: str) -> BookSearch:
    """The search over the book and the rules of these ids: those in use."""
    del corpus_id, ruleset_id
    parts = services().pipeline.parts
    return BookSearch(parts.corpus, parts.index, parts.understander, ContentWords(parts.ruleset))


def open_drug(drug_id: str) -> None:
    """Shows a monograph, and remembers what was searched for."""
    go_in_book(BookAddress(drug=drug_id, q=book_here().q))


def open_section(drug_id: str, section_key: str) -> None:
    """Shows one section of a monograph."""
    go_in_book(BookAddress(drug=drug_id, section=section_key, q=book_here().q))


def open_block(block: Block) -> None:
    """Shows one block with everything known of it."""
    go_in_book(BookAddress(block=block.block_id, q=book_here().q))


def open_list() -> None:
    """Back to the list of drugs, or to what a search found."""
    go_in_book(BookAddress(q=book_here().q))


def open_import() -> None:
    """To the import of another book."""
    go_in_book(BookAddress(view="import"))


def search_typed() -> None:
    """Searches for what was typed."""
    go_in_book(BookAddress(q=st.session_state[_BOX].strip() or None))


def turn_leaf() -> None:
    """Another page of the list of drugs."""
    go_in_book(BookAddress(page=st.session_state["book_page"]))


# --- the list and the search --------------------------------------------------------------------------------------------------------


def draw_search_box(asked: str | None) -> None:
    """The box, holding what the address says is searched for."""
    if st.session_state.get("book_asked", "") != (asked or ""):
        st.session_state[_BOX] = asked or ""
    hint = _("corpus.search_hint")
    st.text_input(_("corpus.search"), key=_BOX, max_chars=200, placeholder=hint, icon=":material/search:", on_change=search_typed)
    st.session_state["book_asked"] = asked or ""


def drug_entry(monograph: Monograph, words: str = "") -> BookEntry:
    """A line of the list of drugs."""
    blocks = corpus.blocks_of(monograph.drug_id)
    locked = sum(block.quarantined for block in blocks)
    pages = [page for block in blocks for page in (block.page_start, block.page_end) if page is not None]
    place = formats.pages(min(pages, default=None), max(pages, default=None), estimated=any(block.page_estimated for block in blocks))
    inn = monograph.inn if monograph.inn.casefold() != monograph.name.casefold() else ""
    about = " · ".join(part for part in (inn, _n("corpus.blocks_count", len(blocks)), place) if part)
    marks = [Pill(_n("corpus.locked_blocks", locked), "locked", "lock")] if locked else []
    return BookEntry(monograph.name, about, words, marks)


def draw_drugs(page: int) -> None:
    """Every drug of the book, in the book's order."""
    drugs = list(corpus.monographs.values())
    if not drugs:
        st.text(_("corpus.empty"))
        return
    st.text(_n("corpus.drugs_count", len(drugs), blocks=formats.number(len(corpus.blocks))))
    last = (len(drugs) + _A_PAGE - 1) // _A_PAGE
    page = min(page, last)
    leaf = drugs[(page - 1) * _A_PAGE : page * _A_PAGE]
    entries = [drug_entry(monograph) for monograph in leaf]
    book_list(entries, name=_("corpus.drugs"), key=f"drugs-{page}", on_open=lambda n: open_drug(leaf[n].drug_id))
    if last > 1:
        st.session_state["book_page"] = page
        st.pagination(last, key="book_page", on_change=turn_leaf)


def draw_found(query: str) -> None:
    """What a search found: drugs with the reason why, then blocks."""
    found = book_search(corpus.corpus_id, ruleset.ruleset_id).find(query, _HITS)
    if found.missing:
        st.info(_("corpus.missing", names=unmarked(", ".join(found.missing))), icon=":material/info:")
    if found.drugs:
        st.subheader(_("corpus.drugs"), anchor=False)
        entries = [drug_entry(corpus.monographs[drug.drug_id], found_words(drug)) for drug in found.drugs]
        book_list(entries, name=_("corpus.drugs"), key=f"found-{query}", on_open=lambda n: open_found(found, n))
    if found.blocks:
        st.subheader(_("corpus.found_blocks"), anchor=False)
        blocks = [hit.block for hit in found.blocks]
        entries = [block_entry(block) for block in blocks]
        book_list(entries, name=_("corpus.found_blocks"), key=f"hits-{query}", on_open=lambda n: open_block(blocks[n]), wide=True)
    if not found.drugs and not found.blocks:
        st.text(_("corpus.nothing_found"))
        st.button(_("corpus.all_drugs"), icon=":material/menu_book:", on_click=go_in_book, args=(BookAddress(),))


def open_found(found: Found, position: int) -> None:
    """Opens a drug that was found, at the section that the search named."""
    drug_id = found.drugs[position].drug_id
    named = [key for key in found.section_keys if corpus.blocks_of(drug_id, key)]
    if named:
        open_section(drug_id, named[0])
    else:
        open_drug(drug_id)


def found_words(drug: DrugFound) -> str:
    """Why a drug was found; nothing where its own name was typed."""
    if drug.found_by == "name" or drug.words.casefold() == corpus.name_of(drug.drug_id).casefold():
        return ""
    return word("found_by", drug.found_by, words=drug.words)


def block_entry(block: Block) -> BookEntry:
    """A line of the blocks that a search found; the text of a locked one is not drawn."""
    words = _("corpus.withheld_short") if block.quarantined else shortened(block.shown_text, _SNIPPET)
    title = f"{corpus.name_of(block.drug_id)} · {labels.section(ruleset, block.section_key)}"
    about = f"{block_pages(block)} · {_('corpus.block_name', n=block_number(block))}"
    return BookEntry(title, about, words, block_marks(block))


# --- a drug, a section, a block -----------------------------------------------------------------------------------------------------


def draw_drug(monograph: Monograph, section_key: str, block: Block | None) -> None:
    """A monograph: its sections at the side, and the blocks of one of them, or one block whole."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(_("corpus.back_to_found") if book_here().q else _("corpus.all_drugs"), icon=":material/arrow_back:", on_click=open_list)
        st.subheader(unmarked(monograph.name), anchor=False, width="content")
    with st.expander(_("corpus.names_and_class"), icon=":material/badge:"):
        facts(monograph_parts(monograph, corpus), key=f"names-{monograph.drug_id}")
    side, middle = st.columns([3, 9], gap="medium")
    with side:
        sections = [section_of(monograph.drug_id, key) for key in corpus.sections_of(monograph.drug_id)]
        key = f"sections-{monograph.drug_id}"
        book_sections(sections, key=key, selected=section_key, on_open=lambda chosen: open_section(monograph.drug_id, chosen))
    with middle:
        if block is not None:
            draw_block(block)
        else:
            blocks = corpus.blocks_of(monograph.drug_id, section_key)
            st.subheader(unmarked(labels.section(ruleset, section_key)), anchor=False)
            book_blocks(blocks, key=f"blocks-{monograph.drug_id}-{section_key}", on_open=open_block)


def section_of(drug_id: str, key: str) -> BookSection:
    """A section with its counts."""
    blocks = corpus.blocks_of(drug_id, key)
    return BookSection(key, labels.section(ruleset, key), len(blocks), sum(block.quarantined for block in blocks))


def draw_block(block: Block) -> None:
    """One block: as it stands, what is known of it, and the turns that cite it."""
    of_section = corpus.blocks_of(block.drug_id, block.section_key)
    place = next(number for number, other in enumerate(of_section) if other.block_id == block.block_id)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        title = _("corpus.block_title", section=unmarked(labels.section(ruleset, block.section_key)), n=block_number(block))
        st.subheader(title, anchor=False, width="content")
        st.space("stretch")
        whole = _n("corpus.whole_section", len(of_section))
        st.button(whole, icon=":material/list:", key="whole", on_click=open_section, args=(block.drug_id, block.section_key))
        before, after = of_section[place - 1] if place else None, of_section[place + 1] if place + 1 < len(of_section) else None
        draw_step(_("corpus.previous_block"), ":material/chevron_left:", "before", before)
        draw_step(_("corpus.next_block"), ":material/chevron_right:", "after", after)
    book_blocks([block], key=f"block-{block.block_id}")
    draw_citing(block)
    facts(block_parts(block, corpus, ruleset), key=f"facts-{block.block_id}")


def draw_step(label: str, icon: str, key: str, block: Block | None) -> None:
    """The way to a neighbouring block."""
    st.button(label, icon=icon, key=key, disabled=block is None, on_click=open_block, args=(block,))


def draw_citing(block: Block) -> None:
    """Stored turns whose answer cites the block, each a link to its own address."""
    headings = app.traces.citing(block.block_id, limit=_CITING + 1)
    st.subheader(_("corpus.citing"), anchor=False)
    if not headings:
        st.text(_("corpus.not_cited"))
        st.page_link("live.py", label=_("turn_page.ask_first"), icon=":material/forum:")
        return
    for heading in headings[:_CITING]:
        parts = [shortened(heading.question, _QUESTION), _(f"outcome.{heading.outcome}"), formats.moment(heading.created_at)]
        parts += [] if heading.corpus_id == corpus.corpus_id else [_("corpus.other_book")]
        label = unmarked(" · ".join(parts))
        st.page_link("turn.py", label=label, icon=":material/receipt_long:", query_params={"trace": heading.trace_id})
    if len(headings) > _CITING:
        st.text(_("corpus.more_citing", n=_CITING))


# --- the page -----------------------------------------------------------------------------------------------------------------------

here = book_here()
block = corpus.block(here.block) if here.block else None
drug_id = block.drug_id if block is not None else here.drug
monograph = corpus.monographs.get(drug_id) if drug_id else None
lost = bool((here.block and block is None) or (here.drug and monograph is None))

book_badge = Badge(_("corpus.badge", id=labels.short_id(corpus.corpus_id)), "book", about=corpus.corpus_id)
with page_head(app, _("corpus.title"), [book_badge]):
    if here.view == "import":
        st.button(_("corpus.to_book"), icon=":material/menu_book:", on_click=go_in_book, args=(BookAddress(),))
    elif user.may("engineer"):
        st.button(_("corpus.import"), icon=":material/upload_file:", on_click=open_import)
if corpus.notice:
    st.warning(unmarked(corpus.notice), icon=":material/menu_book:")
if here.view == "import":
    import_view(app, require("engineer"))
    st.stop()
draw_search_box(here.q)
if lost:
    st.warning(_("corpus.unknown", what=unmarked(shown(here.block or here.drug or ""))), icon=":material/search_off:")
if monograph is not None:
    keys = corpus.sections_of(monograph.drug_id)
    wanted = block.section_key if block is not None else here.section
    chosen = wanted if wanted in keys else _FIRST_SECTION if _FIRST_SECTION in keys else next(iter(keys), "")
    draw_drug(monograph, chosen, block)
elif here.q:
    draw_found(here.q)
else:
    draw_drugs(here.page or 1)
