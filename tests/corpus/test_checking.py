"""What a check of a corpus finds."""

from __future__ import annotations

from typing import Any

import pytest

from duocthu_core.corpus.checking import check_corpus
from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.import_markdown import import_markdown
from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.corpus.model import Block
from duocthu_core.settings import DEMO_CORPUS
from tests.corpus.books import book
from tests.corpus.corpora import EDITION, block, monograph


def _corpus(*blocks: Block, **more: Any) -> Corpus:
    return Corpus.of((monograph(**more),), blocks, EDITION)


def _good(text: str = "Sốt.", number: int = 1, **more: Any) -> Block:
    return block("chi_dinh", number, text, **({"heading": "Chỉ định"} | more))


def _codes(corpus: Corpus) -> list[str]:
    return [problem.code for problem in check_corpus(corpus)]


def test_a_good_corpus_has_no_problem() -> None:
    assert check_corpus(_corpus(_good(), _good("Ho.", 2, page_start=13, page_end=14, label="Người lớn:"))) == []


def test_the_shipped_corpus_has_no_problem() -> None:
    assert check_corpus(load_corpus(DEMO_CORPUS)) == []


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"page_start": None, "page_end": None}, "no_page"),
        ({"page_start": 14, "page_end": 12}, "pages"),
        ({"heading": "Tương kỵ"}, "heading"),
        ({"heading": "Mục lạ"}, "heading"),
        ({"text": " … "}, "empty_block"),
        ({"text": "Sốt DTQGVN 2 Thuốc thử 12"}, "page_header"),
        ({"text": "Sốt **cao**."}, "markup"),
        ({"text": "Dưới 30 <sup>o</sup> C."}, "markup"),
        ({"label": "Người lớn"}, "label"),
        ({"label": "Người lớn:\n"}, "label"),
        ({"kind": "table"}, "quarantine"),
        ({"quarantined": True}, "quarantine"),
        ({"block_id": "thuoc-thu/tuong_ky/1"}, "block_id"),
    ],
)
def test_what_is_wrong_in_a_block_is_named(wrong: dict[str, Any], code: str) -> None:
    text = wrong.pop("text", "Sốt.")
    found = check_corpus(_corpus(_good(text).model_copy(update=wrong)))
    assert [problem.code for problem in found] == [code]
    assert found[0].where == wrong.get("block_id", "thuoc-thu/chi_dinh/1")


def test_pages_that_go_back_are_named() -> None:
    assert _codes(_corpus(_good(page_start=14, page_end=14), _good("Ho.", 2, page_start=12, page_end=12))) == ["page_order"]


def test_a_section_that_shares_its_heading_begins_where_the_other_did() -> None:
    shared = "Tương tác, tương kỵ của thuốc"
    first = [block("tuong_tac_thuoc", n, "Rượu.", heading=shared, page_start=n + 13, page_end=n + 13) for n in (1, 2)]
    again = block("tuong_ky", 1, "Rượu.", heading=shared, page_start=14, page_end=14)
    assert _codes(_corpus(*first, again)) == []
    assert _codes(_corpus(*first, again.model_copy(update={"heading": "Tương kỵ"}))) == ["page_order"]


def test_an_estimated_page_may_stand_anywhere() -> None:
    assert _codes(_corpus(_good(page_start=14, page_end=14), _good("Ho.", 2, page_start=12, page_end=12, page_estimated=True))) == []


def test_a_drug_without_blocks_or_name_is_named() -> None:
    assert _codes(_corpus(name=" ")) == ["no_blocks", "no_name"]


def test_two_drugs_of_one_name_are_named() -> None:
    corpus = Corpus.of(
        (monograph(synonyms=("Tên chung",)), monograph("thuoc-kia", synonyms=("tên chung",))),
        (_good(), block("chi_dinh", 1, "Ho.", "thuoc-kia", heading="Chỉ định")),
        EDITION,
    )
    assert [(problem.code, problem.where) for problem in check_corpus(corpus)] == [("duplicate_drug", "tên chung")]


def test_a_name_that_points_nowhere_is_named() -> None:
    found = check_corpus(_corpus(_good()), names={"Thửmol": "thuoc-thu", "Lạmol": "thuoc-la"})
    assert [(problem.code, problem.where) for problem in found] == [("name", "Lạmol")]


def test_figures_that_differ_from_the_source_are_named() -> None:
    source = "11 **Thuốc thử** DTQGVN 2\n\n" + book(("Chỉ định", "Sốt trên 39,5 ºC quá 3 ngày."))
    result = import_markdown(source, "sach.md", EDITION)
    right = Corpus.of(result.monographs, result.blocks, EDITION)
    assert check_corpus(right, sources={"sach.md": source}) == []
    changed = [b.model_copy(update={"text": b.text.replace("39,5", "35,9")}) for b in result.blocks]
    found = check_corpus(Corpus.of(result.monographs, changed, EDITION), sources={"sach.md": source})
    assert [(problem.code, problem.where) for problem in found] == [("numbers", "thuoc-thu")]
    assert "mất 39,5" in found[0].what
    assert "thêm 35,9" in found[0].what


def test_a_source_whose_drug_is_missing_is_named() -> None:
    found = check_corpus(_corpus(_good()), sources={"sach.md": book(("Chỉ định", "Ho."), name="THUỐC LẠ")})
    assert [(problem.code, problem.where) for problem in found] == [("source", "sach.md")]
