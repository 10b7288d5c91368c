"""The corpus in memory."""

from __future__ import annotations

import pytest

from duocthu_core.corpus.collection import Corpus, CorpusError, section_title
from duocthu_core.corpus.model import SECTION_KEYS
from tests.corpus.corpora import EDITION, block, monograph, sample_corpus


def test_blocks_come_in_book_order() -> None:
    corpus = sample_corpus()
    assert [b.block_id for b in corpus.blocks_of("thuoc-thu", "lieu_luong_cach_dung")] == [
        "thuoc-thu/lieu_luong_cach_dung/1",
        "thuoc-thu/lieu_luong_cach_dung/2",
        "thuoc-thu/lieu_luong_cach_dung/3",
    ]
    assert len(corpus.blocks_of("thuoc-thu")) == 4


def test_what_is_not_there_is_empty_and_no_error() -> None:
    corpus = sample_corpus()
    assert corpus.blocks_of("thuoc-thu", "tuong_ky") == ()
    assert corpus.blocks_of("khong-co") == corpus.sections_of("khong-co") == ()
    assert corpus.block("thuoc-thu/chi_dinh/9") is None


def test_a_block_is_found_by_its_id() -> None:
    found = sample_corpus().block("thuoc-thu/lieu_luong_cach_dung/1")
    assert found is not None
    assert found.shown_text == "Người lớn:\nUống 0,5 - 1 g/lần."


def test_sections_are_those_with_blocks() -> None:
    assert sample_corpus().sections_of("thuoc-thu") == ("chi_dinh", "lieu_luong_cach_dung")


def test_an_unknown_drug_is_shown_by_its_id() -> None:
    assert sample_corpus().name_of("thuoc-thu") == "Thuoc thu"
    assert sample_corpus().name_of("khong-co") == "khong-co"


def test_blocks_of_two_drugs_given_mixed_are_put_drug_by_drug() -> None:
    corpus = Corpus.of(
        (monograph(), monograph("thuoc-kia")),
        (block("chi_dinh", 1, "Sốt.", "thuoc-kia"), block("chi_dinh", 1, "Đau.")),
        EDITION,
    )
    assert [b.drug_id for b in corpus.blocks] == ["thuoc-thu", "thuoc-kia"]


def test_every_part_gets_the_edition() -> None:
    corpus = sample_corpus()
    assert {b.edition for b in corpus.blocks} == {m.edition for m in corpus.monographs.values()} == {EDITION}


def test_the_id_follows_the_content() -> None:
    corpus = sample_corpus()
    assert corpus.corpus_id.startswith("sha256:")
    assert corpus.corpus_id == sample_corpus().corpus_id
    other = Corpus.of(corpus.monographs.values(), corpus.blocks[:-1], EDITION, is_demo=True, notice=corpus.notice)
    renamed = Corpus.of(corpus.monographs.values(), corpus.blocks, "Bản khác", is_demo=True, notice=corpus.notice)
    assert len({corpus.corpus_id, other.corpus_id, renamed.corpus_id}) == 3


@pytest.mark.parametrize(
    ("blocks", "named"),
    [
        ([block("chi_dinh", 1, "Đau."), block("chi_dinh", 1, "Sốt.")], "thuoc-thu/chi_dinh/1"),
        ([block("chi_dinh", 1, "Đau.", "khong-co")], "khong-co"),
        ([block("chi_dinhh", 1, "Đau.")], "chi_dinhh"),
    ],
    ids=["repeated block", "unknown drug", "unknown section"],
)
def test_a_block_that_can_stand_nowhere_is_refused(blocks: list, named: str) -> None:
    with pytest.raises(CorpusError, match=named):
        Corpus.of((monograph(),), blocks, EDITION)


def test_a_drug_given_twice_is_refused() -> None:
    with pytest.raises(CorpusError, match="thuoc-thu"):
        Corpus.of((monograph(), monograph()), (), EDITION)


def test_titles_are_those_of_the_sections_table() -> None:
    assert section_title("chong_chi_dinh") == "Chống chỉ định"
    assert sample_corpus().section_title("xu_tri_adr") == "Hướng dẫn cách xử trí ADR"
    assert all(section_title(key) != key for key in SECTION_KEYS)
    assert section_title("khong_co") == "khong_co"


def test_only_an_edition_that_is_not_the_book_marks_its_citations() -> None:
    drugs, blocks = [monograph("thuoc-thu")], sample_corpus().blocks_of("thuoc-thu")
    assert Corpus.of(drugs, blocks, EDITION).edition_mark == ""
    assert Corpus.of(drugs, blocks, "Bộ minh hoạ: diễn đạt lại", is_demo=True).edition_mark == "Bộ minh hoạ"
