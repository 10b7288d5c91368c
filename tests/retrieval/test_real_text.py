"""Retrieval over the real monographs as they come out of the importer (read from the shared folder, never committed)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from duocthu_core.conversation.model import ConversationState
from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.import_markdown import import_markdown
from duocthu_core.retrieval.deciding import Decision, decide
from duocthu_core.retrieval.model import Retrieval
from duocthu_core.retrieval.retrieving import retrieve
from duocthu_core.retrieval.search import SearchIndex
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.understanding.reading import Understander
from duocthu_core.understanding.resolution import resolve

EDITION = "Dược thư Quốc gia Việt Nam 2018"
NAMES = ("paracetamol", "amoxicilin", "cefazolin")
Ask = Callable[[str], tuple[Retrieval, Decision]]

pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def ask(shared_corpus: Path, ruleset: Ruleset) -> Ask:
    """Questions over the three monographs."""
    imports = [import_markdown((shared_corpus / f"raw_{name}.md").read_text(encoding="utf-8"), name, EDITION) for name in NAMES]
    drugs = {monograph.drug_id: monograph for found in imports for monograph in found.monographs}
    corpus = Corpus.of(drugs.values(), [block for found in imports for block in found.blocks], EDITION)
    understander = Understander(ruleset, tuple(corpus.monographs.values()))
    index = SearchIndex(corpus)

    def put(text: str) -> tuple[Retrieval, Decision]:
        question = understander.read(text)
        names = {drug_id: monograph.name for drug_id, monograph in corpus.monographs.items()}
        resolved = resolve(question, ConversationState(conversation_id="thu"), ruleset, names).resolved
        found = retrieve(question, resolved, corpus, index, ruleset)
        return found, decide(question, resolved, found, corpus, ruleset)

    return put


def _shown(found: Retrieval) -> str:
    return "\n".join(block.text for block in found.evidence)


def test_the_adult_oral_dose_of_paracetamol_is_on_page_1120(ask: Ask) -> None:
    found, decision = ask("Liều paracetamol uống cho người lớn?")
    assert decision.kind == "ANSWER"
    line = next(block for block in found.evidence if "0,5 - 1 g/lần" in block.text)
    assert (line.page_start, line.label) == (1120, "Người lớn:")
    assert "tuổi:" not in _shown(found)


def test_a_child_of_five_gets_its_own_line(ask: Ask) -> None:
    found, _ = ask("bé 5 tuổi uống paracetamol liều bao nhiêu")
    assert "4 - 6 tuổi" in _shown(found)
    for other in ("2 - 4 tuổi", "6 - 8 tuổi", "Sơ sinh", "Liều uống thường dùng là"):
        assert other not in _shown(found)


def test_a_child_of_eight_gets_both_lines_of_the_border(ask: Ask) -> None:
    found, _ = ask("bé 8 tuổi uống paracetamol liều bao nhiêu")
    assert "6 - 8 tuổi" in _shown(found)
    assert "8 - 10 tuổi" in _shown(found)
    assert "10 - 12 tuổi" not in _shown(found)


def test_an_oral_dose_is_not_shown_for_an_infusion(ask: Ask) -> None:
    found, _ = ask("paracetamol truyền tĩnh mạch liều người lớn")
    assert "Trên 50 kg" in _shown(found)
    assert "Liều uống thường dùng" not in _shown(found)


def test_a_dose_behind_a_comma_and_its_own_label_is_found(ask: Ask) -> None:
    found, _ = ask("amoxicilin tiêm bắp trẻ em liều bao nhiêu")
    assert "trẻ em: 50 mg/kg/ngày" in _shown(found)
    assert "100 - 200 mg/kg/ngày" not in _shown(found)


@pytest.mark.parametrize("text", ["Cefazolin suy thận", "Cefazolin liều khi Clcr 20 ml/phút", "liều cefazolin cho trẻ 5 tuổi suy thận"])
def test_renal_doses_of_cefazolin_stand_in_tables_on_page_345(ask: Ask, text: str) -> None:
    found, decision = ask(text)
    assert (decision.kind, decision.reject_reason, decision.quarantined_pages) == ("VERIFY_PDF", "quarantined", (345,))
    assert all("suy thận" in block.text for block in found.quarantined)


def test_an_adult_dose_of_cefazolin_answers_beside_its_dilution_table(ask: Ask) -> None:
    _, decision = ask("liều cefazolin cho người lớn")
    assert (decision.kind, decision.quarantined_pages) == ("ANSWER", (345,))


def test_renal_doses_of_paracetamol_and_amoxicilin_stand_in_sentences(ask: Ask) -> None:
    found, decision = ask("paracetamol suy thận Clcr 8 ml/phút liều")
    assert decision.kind == "ANSWER"
    assert "Clcr < 10 ml" in _shown(found)
    found, decision = ask("liều amoxicilin cho người suy thận")
    assert decision.kind == "ANSWER"
    assert "250 mg cách 8 giờ/lần" not in _shown(found)


def test_pregnancy_has_its_own_section(ask: Ask) -> None:
    found, decision = ask("paracetamol có thai dùng được không")
    assert decision.kind == "ANSWER"
    assert {block.section_key for block in found.evidence} == {"thoi_ky_mang_thai"}


def test_overdose_is_its_own_section_and_not_the_dosage(ask: Ask) -> None:
    found, decision = ask("paracetamol quá liều xử trí thế nào")
    assert decision.kind == "ANSWER"
    assert {block.section_key for block in found.evidence} == {"qua_lieu_xu_tri"}


def test_warfarin_is_found_by_its_class(ask: Ask) -> None:
    found, decision = ask("paracetamol với warfarin có tương tác không")
    assert decision.kind == "ANSWER"
    assert [naming.named_by for naming in found.namings] == ["class"]
    assert "coumarin" in _shown(found)


def test_every_block_has_a_page(ask: Ask) -> None:
    found, _ = ask("tất cả về paracetamol")
    assert found.without_page == ()
