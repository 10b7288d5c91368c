"""What is wrong in a corpus (spec 07): pages, headings, leftovers of pages and markup, labels, names, numbers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.import_markdown import changed_numbers, import_markdown
from duocthu_core.corpus.model import SECTION_KEYS, Block, Monograph
from duocthu_core.corpus.reading.blocks import HEADING_SLIP
from duocthu_core.corpus.reading.headings import HeadingTable, heading_table
from duocthu_core.corpus.reading.page_headers import take_out_headers
from duocthu_core.corpus.reading.rules import reading_words
from duocthu_core.text.folding import fold

_MARKUP = re.compile(r"\*\*|</?(?:sub|sup|br|b|i|em|strong)\b[^<>\n]{0,40}>|\A#{1,6} |\x1e", re.IGNORECASE)
_BLOCK_ID = re.compile(r"\A(?P<drug>[^/]+)/(?P<section>[^/]+)/(?P<number>[1-9][0-9]*)\Z")


class CorpusProblem(BaseModel):
    """One thing to correct."""

    model_config = ConfigDict(frozen=True)

    code: str
    where: str
    """A block id, a drug id, a name, or a source."""
    what: str
    """In Vietnamese: what is wrong and what to do."""


def check_corpus(corpus: Corpus, names: Mapping[str, str] | None = None, sources: Mapping[str, str] | None = None) -> list[CorpusProblem]:
    """Every problem of ``corpus``, in book order; an empty list for none.

    ``names`` maps further names (brands, spellings) to drug ids that must exist. ``sources`` maps a file's name to its text: the numbers
    of its drugs must be those of the corpus.
    """
    problems = [problem for block in corpus.blocks for problem in _block_problems(block, _headings_of(corpus.monographs[block.drug_id]))]
    for drug_id in corpus.monographs:
        problems += _drug_problems(corpus, drug_id)
    problems += _name_problems(corpus, names or {})
    for source, text in (sources or {}).items():
        problems += _source_problems(corpus, source, text)
    return problems


def _headings_of(monograph: Monograph) -> HeadingTable:
    """The headings that a drug's sections may have: a leaflet's may name its drug."""
    return _leaflets_headings(monograph.name.partition(" (")[0]) if monograph.registration_number else heading_table()


@lru_cache(maxsize=8)
def _leaflets_headings(trade_name: str) -> HeadingTable:
    return heading_table().naming(trade_name)


def _block_problems(block: Block, headings: HeadingTable) -> Iterator[CorpusProblem]:
    def problem(code: str, what: str) -> CorpusProblem:
        return CorpusProblem(code=code, where=block.block_id, what=what)

    parts = _BLOCK_ID.match(block.block_id)
    if parts is None or (parts["drug"], parts["section"]) != (block.drug_id, block.section_key):
        yield problem("block_id", "mã khối không theo dạng thuốc/mục/số; đặt lại mã")
    if not any(map(str.isalnum, block.text)):
        yield problem("empty_block", "khối không có chữ; bỏ khối")
    if block.page_start is None or block.page_end is None:
        yield problem("no_page", "khối không có số trang nên không dẫn được; bổ sung trang")
    elif block.page_start > block.page_end or block.page_start < 1:
        yield problem("pages", f"trang {block.page_start} - {block.page_end} không hợp lệ; sửa số trang")
    heading = headings.whole(_printed_heading(block), None, marked=True)
    known_by_shape = block.quarantined and any(note.startswith(HEADING_SLIP) for note in block.damage_notes)
    if (heading is None and not known_by_shape) or (heading is not None and block.section_key not in heading.keys):
        yield problem("heading", f"tên mục {block.heading!r} không phải tên của mục {block.section_key}; sửa tên mục hoặc bảng sections")
    yield from (problem(code, what) for code, what in _text_problems(block))
    if block.kind != "prose" and not block.quarantined:
        yield problem("quarantine", f"{block.kind} không được để máy viết lại; đánh dấu cách ly")
    if block.quarantined and not block.quarantine_reason:
        yield problem("quarantine", "khối cách ly không nêu lý do; bổ sung lý do")


def _text_problems(block: Block) -> Iterator[tuple[str, str]]:
    headers = reading_words()["page_headers"]
    if take_out_headers(block.shown_text, headers["marks"], ()).turns:
        yield "page_header", "còn tiêu đề trang trong chữ; nhập lại từ bản nguồn"
    if not block.quarantined and _MARKUP.search(block.shown_text):
        yield "markup", "còn dấu định dạng trong chữ; nhập lại từ bản nguồn"
    if not unicodedata.is_normalized("NFC", block.shown_text):
        yield "nfc", "chữ không ở dạng NFC; nhập lại từ bản nguồn"
    if block.label is not None and not all(len(line) > 1 and line.endswith(":") for line in block.label.split("\n")):
        yield "label", "mỗi dòng nhãn phải kết thúc bằng dấu hai chấm"


def _drug_problems(corpus: Corpus, drug_id: str) -> Iterator[CorpusProblem]:
    blocks = corpus.blocks_of(drug_id)
    if not blocks:
        yield CorpusProblem(code="no_blocks", where=drug_id, what="chuyên luận không có khối nào; nhập lại hoặc bỏ")
    if not corpus.monographs[drug_id].name.strip():
        yield CorpusProblem(code="no_name", where=drug_id, what="thuốc không có tên; bổ sung tên")
    page, before = 0, blocks[0] if blocks else None
    for block in blocks:
        if before is not None and before.section_key != block.section_key and _printed_heading(before) == _printed_heading(block):
            page = 0  # one heading opens two sections ("Tương tác, tương kỵ"): the second begins where the first did
        before = block
        if block.page_start is None:
            continue
        if block.page_start < page and not block.page_estimated:
            what = f"trang {block.page_start} đứng sau trang {page}; kiểm tra số trang hoặc thứ tự khối"
            yield CorpusProblem(code="page_order", where=block.block_id, what=what)
        page = max(page, block.page_start) if not block.page_estimated else page
    order = [SECTION_KEYS.index(key) for key in corpus.sections_of(drug_id)]
    if order != sorted(order) and _is_restated(corpus):
        yield CorpusProblem(code="section_order", where=drug_id, what="các mục không theo thứ tự của sách; xếp lại")


def _printed_heading(block: Block) -> str:
    return block.heading.split(" > ")[0]


def _is_restated(corpus: Corpus) -> bool:
    """Only a corpus written for the product must keep the canonical order; a book keeps its own."""
    return corpus.is_demo


def _name_problems(corpus: Corpus, names: Mapping[str, str]) -> Iterator[CorpusProblem]:
    for name, drug_id in names.items():
        if drug_id not in corpus.monographs:
            yield CorpusProblem(code="name", where=name, what=f"trỏ tới {drug_id!r}, không có trong bộ; bỏ tên hoặc nhập thuốc")
    owners: dict[str, list[str]] = {}
    for drug_id, monograph in corpus.monographs.items():
        for name in {fold(name) for name in (monograph.name, *monograph.synonyms)}:
            owners.setdefault(name, []).append(drug_id)
    for name, drugs in owners.items():
        if len(drugs) > 1:
            yield CorpusProblem(code="duplicate_drug", where=name, what=f"là tên của {', '.join(drugs)}; giữ một chuyên luận")


def _source_problems(corpus: Corpus, source: str, text: str) -> Iterator[CorpusProblem]:
    read = import_markdown(text, source, corpus.edition)
    fresh: dict[str, list[Block]] = {}
    for block in read.blocks:
        fresh.setdefault(block.drug_id, []).append(block)
    for drug_id, blocks in fresh.items():
        if drug_id not in corpus.monographs:
            yield CorpusProblem(code="source", where=source, what=f"có {drug_id!r}, bộ không có; nhập tệp này")
        elif changed := changed_numbers(_texts(blocks), _texts(corpus.blocks_of(drug_id))):
            yield CorpusProblem(code="numbers", where=drug_id, what=f"con số khác với {source}: {changed}; nhập lại từ bản nguồn")


def _texts(blocks: Iterable[Block]) -> list[str]:
    """Texts and labels; a label that governs several blocks counts once for each, on both sides alike."""
    return [block.shown_text for block in blocks]
