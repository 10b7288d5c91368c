"""Doses asked for a condition, over the corpus that ships: the lines for it, or a word that the book has none; never another condition's
silently (spec 03, "Retrieval and decision")."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from duocthu_core.conversation.model import ConversationState
from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.retrieval.conditions import Conditions
from duocthu_core.retrieval.deciding import Decision, decide
from duocthu_core.retrieval.model import Retrieval
from duocthu_core.retrieval.retrieving import retrieve
from duocthu_core.retrieval.search import SearchIndex
from duocthu_core.retrieval.wording import Wording
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.settings import DEMO_CORPUS
from duocthu_core.understanding.reading import Understander
from duocthu_core.understanding.resolution import resolve

_CONDITIONS = Conditions(shipped_ruleset())


class Answered(NamedTuple):
    found: Retrieval
    decision: Decision

    @property
    def labels(self) -> str:
        return " ".join(f"{block.label} {block.text.partition(':')[0]}" for block in self.found.evidence)

    @property
    def told(self) -> str:
        return " ".join(notice.text for notice in self.decision.notices if notice.kind == "not_stated")


class Book:
    """The demo corpus, asked one question at a time."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.corpus: Corpus = load_corpus(DEMO_CORPUS)
        self._index = SearchIndex(self.corpus)
        self._ruleset = ruleset
        self._understander = Understander(ruleset, tuple(self.corpus.monographs.values()))

    def __call__(self, text: str) -> Answered:
        question = self._understander.read(text)
        names = {drug_id: monograph.name for drug_id, monograph in self.corpus.monographs.items()}
        resolved = resolve(question, ConversationState(conversation_id="thu"), self._ruleset, names).resolved
        found = retrieve(question, resolved, self.corpus, self._index, self._ruleset)
        return Answered(found, decide(question, resolved, found, self.corpus, self._ruleset))


@pytest.fixture(scope="module")
def book(ruleset: Ruleset) -> Book:
    return Book(ruleset)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("liều amoxicilin uống người lớn trong viêm màng não", "viêm màng não"),
        ("Liều amoxicilin uống cho bệnh lậu người lớn", "lậu"),
    ],
)
def test_where_every_dose_is_for_another_condition_the_book_is_said_to_have_none(book: Book, text: str, condition: str) -> None:
    answered = book(text)
    assert (answered.decision.kind, answered.decision.reject_reason) == ("ABSTAIN", "no_evidence")
    assert f"“{condition}”" in answered.told
    assert "Nhiễm Helicobacter pylori" in answered.told


def test_a_general_dose_is_shown_with_a_word_that_the_condition_has_none_of_its_own(book: Book) -> None:
    answered = book("liều ciprofloxacin uống người lớn bị sốt rét")
    assert answered.decision.kind == "ANSWER"
    assert "“sốt rét”" in answered.told
    for other in ("Viêm phổi bệnh viện", "Lậu", "Viêm bàng quang", "Bệnh than"):
        assert other not in answered.labels
        assert other in answered.told


def test_doses_under_a_heading_of_another_condition_are_no_general_doses_even_of_an_indication(book: Book) -> None:
    assert "“giang mai”" in book("liều azithromycin uống người lớn trị giang mai").told


def test_the_indication_of_the_drug_itself_is_what_its_general_doses_are_for(book: Book) -> None:
    answered = book("Liều metformin trong đái tháo đường người lớn")
    assert answered.decision.kind == "ANSWER"
    assert answered.told == ""


@pytest.mark.parametrize(
    ("text", "own", "others"),
    [
        ("liều ciprofloxacin uống người lớn viêm bàng quang", "Viêm bàng quang", ["Lậu", "Bệnh than", "Viêm xoang"]),
        ("liều ceftriaxon người lớn viêm màng não tiêm tĩnh mạch", "Viêm màng não", ["viêm màng tiếp hợp"]),
        ("liều propranolol cao huyết áp người lớn uống", "Tăng huyết áp", ["Run vô căn", "Đau thắt ngực"]),
        ("liều azithromycin người lớn trị lậu", "Lậu", ["Mắt hột", "Ho gà"]),
    ],
)
def test_a_condition_that_heads_a_line_gets_its_line_and_no_other_conditions(book: Book, text: str, own: str, others: list[str]) -> None:
    answered = book(text)
    assert (answered.decision.kind, answered.told) == ("ANSWER", "")
    assert own in answered.labels
    assert not [other for other in others if other in answered.labels]


def test_a_heading_may_be_wider_than_what_was_asked(book: Book) -> None:
    answered = book("liều paracetamol uống cho bé 6 tuổi bị đau đầu")
    assert (answered.decision.kind, answered.told) == ("ANSWER", "")
    assert "Đau, sốt" in answered.labels


@pytest.mark.parametrize(
    ("run", "condition"),
    [
        ("viêm xoang", ("viêm xoang",)),
        ("bé sốt 39 độ", ("sốt",)),
        ("bệnh nhân nặng", ()),
        ("bị cao huyết áp", ("cao huyết áp",)),
        ("dài ngày", ()),
    ],
)
def test_what_a_question_names_as_its_condition(run: str, condition: tuple[str, ...]) -> None:
    assert _CONDITIONS.asked_in(Wording((run,), with_marks=True)) == condition


def test_a_short_word_without_marks_may_be_too_many_things() -> None:
    assert _CONDITIONS.asked_in(Wording(("dau",), with_marks=False)) == ()
    assert _CONDITIONS.asked_in(Wording(("viem xoang",), with_marks=False)) == ("viem xoang",)
