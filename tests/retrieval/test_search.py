"""Search by wording: marks, compounds, narrowing, order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.model import Monograph
from duocthu_core.retrieval.search import SearchIndex
from duocthu_core.retrieval.wording import Wording
from duocthu_core.text.folding import has_marks
from tests.retrieval.corpora import EDITION, block, sample_corpus

_TEXTS = {
    1: "Tăng huyết áp ở người lớn.",
    2: "Hạ huyết áp tư thế; tăng kali huyết.",
    3: "Thận trọng khi lái xe.",
    4: "Than hoạt hấp phụ chất độc.",
    5: "Buồn nôn, khó ngủ.",
    6: "Buồn ngủ, chóng mặt.",
}


@pytest.fixture(scope="module")
def index() -> SearchIndex:
    """Six short blocks of one drug."""
    drug = Monograph(drug_id="thuoc", name="Thuốc thử", edition=EDITION)
    return SearchIndex(Corpus.of([drug], [block("thuoc", "than_trong", number, text) for number, text in _TEXTS.items()], EDITION))


def wording(*runs: str) -> Wording:
    """What was typed."""
    return Wording(runs, has_marks("".join(runs)))


def _found(index: SearchIndex, *runs: str, limit: int = 6) -> list[int]:
    return [int(hit.block.block_id.rsplit("/", 1)[1]) for hit in index.search(wording(*runs), limit)]


def test_neighbouring_syllables_outweigh_loose_ones(index: SearchIndex) -> None:
    assert _found(index, "tăng huyết áp")[0] == 1
    assert _found(index, "buồn ngủ")[0] == 6


def test_the_same_marks_win(index: SearchIndex) -> None:
    assert _found(index, "thận")[0] == 3
    assert _found(index, "than")[:2] == [4, 3] or _found(index, "than")[:2] == [3, 4]


def test_a_query_without_marks_finds_what_is_written_with_them(index: SearchIndex) -> None:
    assert _found(index, "tang huyet ap")[0] == 1
    assert _found(index, "dau")[:1] == []


def test_d_with_a_stroke_is_folded() -> None:
    drug = Monograph(drug_id="thuoc", name="Thuốc", edition=EDITION)
    found = SearchIndex(Corpus.of([drug], [block("thuoc", "chi_dinh", 1, "Đau đầu.")], EDITION)).search(wording("dau dau"), 3)
    assert len(found) == 1


def test_a_syllable_without_marks_means_itself_in_a_question_with_marks(index: SearchIndex) -> None:
    assert index.share(Wording(("than",), with_marks=True), _TEXTS[3]) == 0
    assert index.share(Wording(("than",), with_marks=False), _TEXTS[3]) == pytest.approx(1.0)
    assert index.search(Wording(("than",), with_marks=True), 2)[0].block.text == _TEXTS[4]


def test_no_pair_bridges_two_stretches(index: SearchIndex) -> None:
    together = index.search(wording("buồn ngủ"), 6)[0].score
    apart = index.search(wording("buồn", "ngủ"), 6)[0].score
    assert together > apart


def test_words_that_no_block_holds_find_nothing(index: SearchIndex) -> None:
    assert index.search(wording("xyzzy"), 6) == []
    assert index.search(wording(), 6) == []


def test_the_search_narrows_to_a_section_and_a_drug() -> None:
    index = SearchIndex(sample_corpus())
    sections = {hit.block.section_key for hit in index.search(wording("sốt"), 20, section_key="chi_dinh")}
    drugs = {hit.block.drug_id for hit in index.search(wording("sốt"), 20, drug_id="hatasol")}
    assert (sections, drugs) == ({"chi_dinh"}, {"hatasol"})
    assert index.search(wording("sốt"), 20, drug_id="khong-co") == []


def test_the_drug_itself_is_searchable_by_name() -> None:
    found = SearchIndex(sample_corpus()).search(wording("hatasol buồn ngủ"), 3)
    assert found[0].block.block_id == "hatasol/tac_dung_khong_mong_muon/1"


def test_equal_scores_keep_the_order_of_the_book() -> None:
    drug = Monograph(drug_id="thuoc", name="Thuốc", edition=EDITION)
    blocks = [block("thuoc", "chi_dinh", number, "Đau nhẹ.") for number in range(1, 6)]
    found = SearchIndex(Corpus.of([drug], blocks, EDITION)).search(wording("đau"), 3)
    assert [hit.block.block_id for hit in found] == ["thuoc/chi_dinh/1", "thuoc/chi_dinh/2", "thuoc/chi_dinh/3"]


def test_share_weighs_what_is_really_held(index: SearchIndex) -> None:
    assert index.share(wording("buồn ngủ"), _TEXTS[6]) == pytest.approx(1.0)
    assert index.share(wording("buồn ngủ"), _TEXTS[5]) < 0.5
    assert index.share(wording("buon ngu"), _TEXTS[6]) == pytest.approx(1.0)


def test_relevance_is_a_share_of_the_best(index: SearchIndex) -> None:
    blocks = [hit.block for hit in index.search(wording("huyết áp"), 6)]
    relevance = index.relevance(wording("tăng huyết áp"), blocks)
    assert max(relevance.values()) == pytest.approx(1.0)
    assert index.relevance(wording("xyzzy"), blocks) == {}


def test_an_empty_corpus_is_searchable() -> None:
    assert SearchIndex(Corpus.of([], [], EDITION)).search(wording("sốt"), 3) == []


@given(st.lists(st.text(max_size=40), max_size=4))
def test_searching_never_fails(runs: list[str]) -> None:
    for hit in _INDEX.search(wording(*runs), 5):
        assert hit.score > 0


_INDEX = SearchIndex(sample_corpus())
