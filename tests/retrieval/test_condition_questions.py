"""Questions for the drugs of a condition over the corpus that ships: the indications that really name it, in the book's order and never
ranked (spec 03, "condition_list")."""

from __future__ import annotations

import pytest

from duocthu_core.conversation.model import ConversationState
from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.retrieval.deciding import decide
from duocthu_core.retrieval.retrieving import retrieve
from duocthu_core.retrieval.search import SearchIndex
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.settings import DEMO_CORPUS
from duocthu_core.understanding.reading import Understander
from duocthu_core.understanding.resolution import resolve

QUESTIONS = [
    ("Thuốc nào điều trị tăng huyết áp?", {"amlodipin", "captopril", "enalapril", "furosemid", "losartan", "propranolol"}),
    ("Thuốc nào chữa động kinh?", {"diazepam", "phenytoin"}),
    ("thuoc nao dieu tri dai thao duong typ 2", {"gliclazid", "metformin"}),
    ("Thuốc nào dùng cho suy tim?", {"captopril", "enalapril", "losartan"}),
    ("Thuốc nào chữa viêm khớp dạng thấp?", {"acid-acetylsalicylic", "diclofenac", "ibuprofen", "methotrexat", "prednisolon"}),
    ("Thuốc nào trị loét dạ dày tá tràng?", {"omeprazol"}),
    ("Thuốc nào chữa mày đay?", {"cetirizin-hydroclorid", "clorpheniramin", "loratadin"}),
    ("Thuốc nào trị lao?", {"isoniazid"}),
    ("Thuốc nào điều trị viêm màng não?", {"ceftriaxon", "cefuroxim", "gentamicin", "prednisolon", "vancomycin"}),
    ("Thuốc nào tốt nhất cho suy tim?", {"captopril", "enalapril", "losartan"}),
    ("thuoc nao hieu qua nhat cho suy tim", {"captopril", "enalapril", "losartan"}),
    ("Suy tim nên dùng thuốc nào tốt nhất?", {"captopril", "enalapril", "losartan"}),
    ("Thuốc nào chữa bệnh bạch hầu nhện?", set[str]()),
    ("Thuốc nào trị ung thư tuỵ?", set[str]()),
]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return load_corpus(DEMO_CORPUS)


@pytest.fixture(scope="module")
def index(corpus: Corpus) -> SearchIndex:
    return SearchIndex(corpus)


@pytest.fixture(scope="module")
def understander(corpus: Corpus, ruleset: Ruleset) -> Understander:
    return Understander(ruleset, tuple(corpus.monographs.values()))


@pytest.mark.parametrize(("text", "drugs"), QUESTIONS, ids=[text for text, _ in QUESTIONS])
def test_a_condition_gets_the_drugs_whose_indications_name_it(
    corpus: Corpus, index: SearchIndex, understander: Understander, ruleset: Ruleset, text: str, drugs: set[str]
) -> None:
    question = understander.read(text)
    names = {drug_id: monograph.name for drug_id, monograph in corpus.monographs.items()}
    resolved = resolve(question, ConversationState(conversation_id="thu"), ruleset, names).resolved
    found = retrieve(question, resolved, corpus, index, ruleset)
    assert resolved.intent == "condition_list"
    assert {block.drug_id for block in found.evidence} == drugs
    assert {block.section_key for block in found.evidence} <= {"chi_dinh"}
    decision = decide(question, resolved, found, corpus, ruleset)
    assert (decision.kind, decision.reject_reason) == (("ANSWER", None) if drugs else ("ABSTAIN", "no_evidence"))
