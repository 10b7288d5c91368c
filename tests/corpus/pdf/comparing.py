"""What a made book says against what was read of it, word by word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import pypdfium2

from duocthu_core.corpus.model import Block
from duocthu_core.corpus.pdf.import_pdf import PdfImport
from duocthu_core.text.numbers import numeric_tokens
from tests.corpus.pdf_maker import MadeBook
from tests.corpus.pdf_typesetting import MadeDrug

_FIRST_WORDS = 6


def differences(book: MadeBook, read: PdfImport) -> list[str]:
    """Every section with a word too many or too few, and every block that is on another page than its words were printed on."""
    blocks: dict[tuple[str, str], list[Block]] = {}
    for block in read.blocks:
        blocks.setdefault((block.drug_id, block.section_key), []).append(block)
    return [found for drug in book.drugs for key in sections_of(drug) for found in _section(drug, key, blocks.get((drug.drug_id, key), []))]


def sections_of(drug: MadeDrug) -> list[str]:
    """The keys of a made monograph's sections, in order."""
    return list(dict.fromkeys(key for key, _ in drug.headings))


def _section(drug: MadeDrug, key: str, blocks: Sequence[Block]) -> Iterator[str]:
    meant: list[str] = []
    pages: list[int] = []
    for paragraph in drug.paragraphs:
        if paragraph.section_key == key:
            for word, page in zip(paragraph.words, paragraph.pages, strict=True):
                if bare := _bare(word):
                    meant.append(bare)
                    pages.append(page)
    read = [word for block in blocks for word in _words([block.text])]
    labels = set(_words([line for block in blocks for line in (block.label or "", block.heading)]))
    if added := Counter(read) - Counter(meant):
        yield f"{drug.drug_id}/{key}: words that were not printed: {dict(added)}"
    if lost := [word for word in Counter(meant) - Counter(read) if word not in labels]:
        yield f"{drug.drug_id}/{key}: words that are lost: {lost}"
    position = 0
    for block in blocks:
        words = _words([block.text])
        first = _place_of(words, meant, position)
        if first is None:
            yield f"{block.block_id}: stands in another order than it was printed: {words[:8]}"
            continue
        last = first + len(words) - 1
        position = max(first + 1, last + 1 - _FIRST_WORDS)
        if block.page_start != pages[first]:
            yield f"{block.block_id}: begins on page {pages[first]}, not {block.page_start}"
        if meant[last : last + 1] == words[-1:] and block.page_end != pages[last]:
            yield f"{block.block_id}: ends on page {pages[last]}, not {block.page_end}"


def _place_of(words: Sequence[str], meant: Sequence[str], position: int) -> int | None:
    """Where the words of a block stand among those printed from ``position`` on. A monograph says the same at several places ("Hiếm gặp,
    ADR < 1/1 000: Máu: …"): the place where all of them stand comes before one where only the first do."""
    for begin in (list(words), list(words[:_FIRST_WORDS])):
        for at in range(position, len(meant)):
            if meant[at : at + len(begin)] == begin:
                return at
    return None


def _words(texts: Iterable[str]) -> list[str]:
    return [bare for text in texts for word in text.split() if (bare := _bare(word))]


def _bare(word: str) -> str:
    """A word without the signs that reading may take or move: hyphens, the colon of a label, the semicolon between items."""
    return word.strip(";:|").replace("-", "").replace("•", "")


def tokens_of_text_layer(book: MadeBook) -> Counter[str]:
    """The numeric tokens of every page's text layer, line by line, as pdfium gives it."""
    found: Counter[str] = Counter()
    document = pypdfium2.PdfDocument(book.path)
    for page in document:
        text = page.get_textpage().get_text_range().replace("\ufffe", "-\r\n")
        found.update(token.text for line in text.split("\r\n") for token in numeric_tokens(line))
    return found


def tokens_of(texts: Iterable[str]) -> Counter[str]:
    """The numeric tokens of some texts."""
    return Counter(token.text for text in texts for token in numeric_tokens(text))


def kept_texts(read: PdfImport) -> list[str]:
    """Every text that the import kept: blocks, what stands outside them, running heads."""
    return [*(block.text for block in read.blocks), *read.outside, *(head.text for head in read.report.heads)]
