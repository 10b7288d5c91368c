"""The search box of the corpus page over the corpus that ships."""

from __future__ import annotations

import pytest

from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.corpus.names import load_names
from duocthu_core.retrieval.browsing import BookSearch
from duocthu_core.retrieval.search import SearchIndex
from duocthu_core.retrieval.wording import ContentWords
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.settings import DEMO_CORPUS, DRUG_NAMES
from duocthu_core.understanding.reading import Understander


@pytest.fixture(scope="module")
def search(ruleset: Ruleset) -> BookSearch:
    corpus = load_corpus(DEMO_CORPUS)
    understander = Understander(ruleset, tuple(corpus.monographs.values()), load_names(DRUG_NAMES))
    return BookSearch(corpus, SearchIndex(corpus), understander, ContentWords(ruleset))


@pytest.mark.parametrize(
    ("query", "drug_id", "found_by"),
    [
        ("paracetamol", "paracetamol", "name"),
        ("Acetaminophen", "paracetamol", "name"),
        ("Augmentin", "amoxicilin-va-kali-clavulanat", "brand"),
        ("paraxetamon", "paracetamol", "offer"),
        ("para", "paracetamol", "beginning"),
        ("clavulanat", "amoxicilin-va-kali-clavulanat", "beginning"),
    ],
)
def test_a_name_leads_to_its_drug(search: BookSearch, query: str, drug_id: str, found_by: str) -> None:
    found = search.find(query)
    assert (found.drugs[0].drug_id, found.drugs[0].found_by) == (drug_id, found_by)


def test_each_drug_is_listed_once(search: BookSearch) -> None:
    found = [drug.drug_id for drug in search.find("amoxicilin").drugs]
    assert found[0] == "amoxicilin"
    assert len(found) == len(set(found))


def test_a_drug_and_a_section_give_the_blocks_of_that_section(search: BookSearch) -> None:
    blocks = [hit.block for hit in search.find("chống chỉ định ibuprofen").blocks]
    assert blocks
    assert {(block.drug_id, block.section_key) for block in blocks} == {("ibuprofen", "chong_chi_dinh")}


@pytest.mark.parametrize("query", ["ho khan kéo dài", "ho khan keo dai"])
def test_free_wording_finds_blocks_with_and_without_marks(search: BookSearch, query: str) -> None:
    assert any(hit.block.drug_id in ("captopril", "enalapril") for hit in search.find(query).blocks[:5])


def test_words_beside_a_drug_are_searched_within_it(search: BookSearch) -> None:
    hits = search.find("metformin nhiễm acid lactic").blocks
    assert hits
    assert {hit.block.drug_id for hit in hits} == {"metformin"}


def test_a_known_name_without_a_monograph_is_said_to_be_missing(search: BookSearch) -> None:
    assert "Abacavir" in search.find("Abacavir").missing


@pytest.mark.parametrize("query", ["", "   ", "???", "\u200b", "x" * 20_000])
def test_nothing_to_look_for_finds_nothing(search: BookSearch, query: str) -> None:
    found = search.find(query)
    assert (found.drugs, found.blocks) == ((), ())
