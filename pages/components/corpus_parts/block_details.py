"""Everything the pipeline knows of one block, as parts of a detail."""

from __future__ import annotations

from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.model import Block, Monograph, Repair
from duocthu_core.rulesets.model import Ruleset
from pages.components.book_blocks.book_blocks import block_pages, quarantine_words
from pages.components.facts.parts import Figure, KeyValues, Note, Part, Raw, Table
from pages.frame import formats, labels
from pages.frame.words import _, word

_BRANDS_SHOWN = 40
_REPAIRS_SHOWN = 50


def monograph_parts(monograph: Monograph, corpus: Corpus) -> list[Part]:
    """Names and class of a drug, as the book and the list of names give them."""
    blocks = corpus.blocks_of(monograph.drug_id)
    pages = [page for block in blocks for page in (block.page_start, block.page_end) if page is not None]
    more = len(monograph.brands) - _BRANDS_SHOWN
    brands = ", ".join(monograph.brands[:_BRANDS_SHOWN]) + (_("corpus.and_more", n=more) if more > 0 else "")
    estimated = any(block.page_estimated for block in blocks)
    rows = [
        (_("corpus.inn"), monograph.inn),
        (_("corpus.synonyms"), ", ".join(monograph.synonyms)),
        (_("corpus.atc"), ", ".join(monograph.atc)),
        (_("corpus.drug_class"), monograph.drug_class),
        (_("corpus.brands"), brands),
        (_("corpus.pages"), formats.pages(min(pages, default=None), max(pages, default=None), estimated=estimated)),
    ]
    return [KeyValues([(name, value) for name, value in rows if value])]


def block_parts(block: Block, corpus: Corpus, ruleset: Ruleset) -> list[Part]:
    """Page, kind, label, quarantine, damage and repairs of a block, its hash and its address."""
    values = [
        (_("corpus.block_id"), Figure(block.block_id)),
        (_("corpus.section"), labels.section(ruleset, block.section_key)),
        (_("corpus.heading"), block.heading),
        (_("corpus.pages"), block_pages(block)),
        (_("corpus.kind"), word("block_kind", block.kind)),
        (_("corpus.label"), block.label or _("corpus.no_label")),
        (_("corpus.content_hash"), Figure(block.content_hash)),
    ]
    parts: list[Part] = []
    if block.quarantined:
        parts.append(Note(_("corpus.quarantined", why=quarantine_words(block.quarantine_reason)), "locked", "lock"))
    parts += [Note(note, "warning", "alert") for note in block.damage_notes]
    parts.append(KeyValues(values, heading=_("corpus.block_facts")))
    parts.append(_repairs(block))
    parts.append(Raw(_("corpus.url"), block.url(corpus.edition)))
    return parts


def _repairs(block: Block) -> Part:
    if not block.repairs:
        return Note(_("corpus.no_repairs"), "quiet", "check")
    rows = [_repair(repair) for repair in block.repairs[:_REPAIRS_SHOWN]]
    columns = (_("corpus.repair_kind"), _("corpus.repair_removed"), _("corpus.repair_inserted"), _("corpus.repair_page"))
    return Table(columns, rows, heading=_("corpus.repairs", n=len(block.repairs)))


def _repair(repair: Repair) -> tuple[str, Figure, Figure, str]:
    page = formats.pages(repair.page, repair.page) if repair.page is not None else "–"
    return word("text_repair", repair.kind), Figure(_visible(repair.removed)), Figure(_visible(repair.inserted)), page


def _visible(text: str) -> str:
    """White space as signs, so that a reader sees what was taken out."""
    return text.replace(" ", "␣").replace("\n", "↵").replace("\t", "⇥") or "–"
