"""Counts of a corpus."""

from __future__ import annotations

from duocthu_core.corpus.statistics import corpus_statistics
from tests.corpus.corpora import sample_corpus


def test_counts_by_drug_section_kind_and_quarantine() -> None:
    counts = corpus_statistics(sample_corpus())
    assert (counts.monographs, counts.blocks, counts.brands) == (2, 5, 1)
    assert counts.by_section == {"chi_dinh": 2, "lieu_luong_cach_dung": 3}
    assert counts.by_kind == {"prose": 4, "table": 1}
    assert (counts.quarantined, counts.by_quarantine_reason) == (1, {"table": 1})
    assert (counts.labelled, counts.repaired, counts.by_repair) == (2, 1, {"page_header": 1})
    assert (counts.without_page, counts.estimated_pages) == (0, 1)
    drug = counts.by_drug["thuoc-thu"]
    assert (drug.name, drug.blocks, drug.quarantined, drug.sections, drug.first_page, drug.last_page) == ("Thuoc thu", 4, 1, 2, 12, 13)
    assert counts.corpus_id == sample_corpus().corpus_id
