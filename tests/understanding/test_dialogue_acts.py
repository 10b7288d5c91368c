"""Social turns, openers, references, comparison and interaction words (table ``dialogue``; spec 02, rule 9)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.understanding.reading import Understander
from tests.understanding.monographs import small_formulary
from tests.understanding.tables import DIALOGUE

SOCIAL = DIALOGUE["social"]
SOCIAL_WORDS = [
    str(word) for kind in ("greeting", "thanks", "farewell", "acknowledge", "praise", "laugh", "apology") for word in SOCIAL[kind]
]
READER = Understander(shipped_ruleset(), small_formulary())


@pytest.mark.parametrize("words", [*SOCIAL_WORDS, *SOCIAL["accentless"]])
def test_every_social_word_is_social(words: str) -> None:
    assert READER.read(words).is_smalltalk


@given(
    st.lists(st.sampled_from(SOCIAL_WORDS), min_size=1, max_size=4),
    st.lists(st.sampled_from(SOCIAL["fillers"]), max_size=2),
    st.sampled_from(["", "!", "!!!", "...", " 😊", " ❤️👍", "?", "~"]),
)
@settings(max_examples=150, deadline=None)
def test_social_words_in_a_row_with_fillers_and_signs_stay_social(words: list[str], fillers: list[str], signs: str) -> None:
    assert READER.read(", ".join(words) + " " + " ".join(fillers) + signs).is_smalltalk


@pytest.mark.parametrize(
    "text",
    [
        "ok ok",
        "chào bạn, cảm ơn nhiều!!",
        "cảm ơn nhiềuuuu",
        "okkkk",
        "hahahaha",
        "kkkkkkk",
        "Cảm ơn bác sĩ nhiều ạ 🙏",
        "ừ ừ",
        "😀",
        "bạn là ai?",
    ],
)
def test_repetition_and_emoji(text: str) -> None:
    assert READER.read(text).is_smalltalk


@pytest.mark.parametrize("entry", SOCIAL["not_social"], ids=lambda entry: entry["text"])
def test_a_greeting_never_swallows_the_medical_part(entry: dict[str, Any]) -> None:
    assert not READER.read(entry["text"]).is_smalltalk


@given(
    st.lists(st.sampled_from(SOCIAL_WORDS), max_size=3), st.sampled_from(["liều paracetamol", "bị sốt", "amoxicilin", "còn bà bầu thì sao"])
)
@settings(max_examples=80, deadline=None)
def test_a_question_after_courtesies_is_a_question(words: list[str], question: str) -> None:
    assert not READER.read(" ".join([*words, question])).is_smalltalk


@pytest.mark.parametrize("opener", DIALOGUE["followup"]["prefix"])
def test_every_prefix_opens_a_follow_up_at_the_start_only(opener: str) -> None:
    assert READER.read(f"{opener} trẻ em").is_followup
    assert READER.read(f"Cảm ơn bạn, {opener} trẻ em").is_followup


@pytest.mark.parametrize("words", DIALOGUE["followup"]["anywhere"])
def test_every_anywhere_phrase_marks_a_follow_up(words: str) -> None:
    assert READER.read(f"bà bầu {words}").is_followup


@pytest.mark.parametrize("words", DIALOGUE["followup"]["accentless"])
def test_accentless_openers(words: str) -> None:
    assert READER.read(words).is_followup


@pytest.mark.parametrize(
    "entry", [entry for entry in DIALOGUE["followup"]["not_opener"] if " trong '" not in entry["text"]], ids=lambda entry: entry["text"]
)
def test_what_the_table_calls_no_opener_is_none(entry: dict[str, Any]) -> None:
    assert not READER.read(entry["text"]).is_followup


@pytest.mark.parametrize("words", DIALOGUE["reference_words"])
def test_every_reference_word_refers_back(words: str) -> None:
    assert READER.read(f"{words} uống trước ăn hay sau ăn").refers_back


@pytest.mark.parametrize("words", DIALOGUE["meta"])
def test_asking_for_what_was_said_refers_back(words: str) -> None:
    question = READER.read(words)
    assert question.refers_back
    assert not question.is_smalltalk


@pytest.mark.parametrize("words", DIALOGUE["compare"] + DIALOGUE["compare_accentless"])
def test_two_drugs_and_a_word_of_comparing(words: str) -> None:
    assert READER.read(f"ibuprofen và diclofenac {words}").intent == "compare"


@pytest.mark.parametrize("words", DIALOGUE["interaction"] + DIALOGUE["interaction_accentless"])
def test_two_drugs_and_a_word_of_taking_together(words: str) -> None:
    assert READER.read(f"ibuprofen và diclofenac {words}").intent == "interaction"


def test_two_drugs_and_no_such_word_are_both_kept_and_asked_about() -> None:
    question = READER.read("Paracetamol 500mg và ibuprofen 400mg")
    assert question.intent == "section"
    assert question.drug_ids == ("paracetamol", "ibuprofen")


def test_two_drugs_and_one_section_are_compared() -> None:
    assert READER.read("liều của ibuprofen và diclofenac").intent == "compare"


@pytest.mark.parametrize("text", ["paracetamol với ibuprofen được không", "pha ceftriaxon với vancomycin được không"])
def test_two_drugs_side_by_side_and_may_i(text: str) -> None:
    assert READER.read(text).intent == "interaction"


def test_an_allergy_to_one_drug_and_a_question_about_another_is_no_interaction() -> None:
    question = READER.read("Tôi bị dị ứng amoxicilin, dùng cefazolin được không")
    assert (question.intent, question.drug_ids) == ("section", ("cefazolin",))
    assert [allergen.drug_id for allergen in question.allergens] == ["amoxicilin"]


def test_mixing_before_giving_asks_for_incompatibilities_first() -> None:
    assert READER.read("pha ceftriaxon với vancomycin được không").section_keys == ("tuong_ky", "tuong_tac_thuoc")


@pytest.mark.parametrize(
    ("text", "joins"),
    [
        ("uống chung với ibuprofen được không?", True),
        ("nó có dùng chung với ibuprofen được không?", True),
        ("thuốc này uống cùng ibuprofen được không", True),
        ("so với ibuprofen thì sao", True),
        ("uong chung voi ibuprofen duoc khong", True),
        ("ibuprofen uống chung với sữa được không", False),
        ("rượu uống chung với ibuprofen được không", False),
        ("liều ibuprofen", False),
    ],
)
def test_a_partner_of_the_drug_in_focus(text: str, joins: bool) -> None:
    assert READER.read(text).joins_focus is joins
