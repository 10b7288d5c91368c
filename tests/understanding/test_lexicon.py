"""The compiled lexicon, its places, and the syllable test."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.text.spans import Span
from duocthu_core.understanding.lexicon import Lexicon, Places, TextWords, longest, uncancelled
from duocthu_core.understanding.syllables import is_vietnamese_syllable
from tests.understanding.tables import DIALOGUE, POPULATIONS, SECTIONS

SPANS = st.tuples(st.integers(0, 40), st.integers(1, 8)).map(lambda pair: Span(pair[0], pair[0] + pair[1]))


def lexicon() -> Lexicon:
    made = Lexicon()
    made.add("group", "nguoi_lon", ["người lớn"])
    made.add("group", "nguoi_cao_tuoi", ["người lớn tuổi"])
    made.add("group", "tre_em", ["trẻ em"], ["tre em"])
    made.add("cancel", "", ["như người lớn"])
    made.add("short", "TM", ["TM"], case_sensitive=True)
    return made


def test_every_occurrence_is_reported_and_the_longest_can_be_chosen() -> None:
    hits = lexicon().find(TextWords("người lớn tuổi"))["group"]
    assert [hit.value for hit in hits] == ["nguoi_cao_tuoi", "nguoi_lon"]
    assert [hit.value for hit in longest(hits)] == ["nguoi_cao_tuoi"]


def test_a_hit_inside_a_cancelling_phrase_goes() -> None:
    found = lexicon().find(TextWords("Liều như người lớn, người lớn"))
    assert [hit.span for hit in uncancelled(found["group"], found["cancel"])] == [Span(20, 29)]


def test_listed_bare_forms_match_anywhere_others_only_in_a_text_without_marks() -> None:
    assert [hit.value for hit in lexicon().find(TextWords("liều tre em"))["group"]] == ["tre_em"]
    assert lexicon().find(TextWords("liều nguoi lon"))["group"] == []
    assert [hit.with_marks for hit in lexicon().find(TextWords("lieu nguoi lon"))["group"]] == [False]


def test_a_short_form_counts_only_as_written() -> None:
    assert [hit.words for hit in lexicon().find(TextWords("TM, tm"))["short"]] == ["TM"]


def test_words_can_be_left_out_and_places_stay_those_of_the_text() -> None:
    words = TextWords("người paracetamol lớn")
    rest = words.without(Places([Span(6, 17)]))
    assert [hit.span for hit in lexicon().find(rest)["group"]] == [Span(0, 21)]


@given(st.lists(SPANS, max_size=12), SPANS)
def test_places_answer_like_a_plain_search(spans: list[Span], asked: Span) -> None:
    places = Places(spans)
    covered = {position for span in spans for position in range(span.start, span.end)}
    assert places.overlap(asked) is any(position in covered for position in range(asked.start, asked.end))
    if places.cover(asked):
        assert all(position in covered for position in range(asked.start, asked.end))
    if any(span.covers(asked) for span in spans):
        assert places.cover(asked)


@pytest.mark.parametrize(
    "word", ["paracetamol", "amoxicilin", "augmentin", "zyrtec", "aspirin", "captopril", "ibuprofen", "omeprazol", "cefixim"]
)
def test_drug_names_are_no_syllables(word: str) -> None:
    assert not is_vietnamese_syllable(word)


# fmt: off
ENGLISH = frozenset({
    "action", "adult", "adults", "adverse", "antidote", "breast", "breastfeeding", "child", "children", "contraindicated",
    "contraindication", "contraindications", "daily", "disease", "dosage", "dose", "doses", "dosing", "drug", "effect", "effects",
    "elderly", "failure", "feeding", "give", "half", "hepatic", "impairment", "indicated", "indication", "indications",
    "insufficiency", "interaction", "interactions", "kidney", "lactation", "life", "liver", "maximum", "mechanism", "mothers", "much",
    "neonate", "neonates", "newborn", "newborns", "nursing", "often", "older", "overdosage", "overdose", "paediatric", "patients",
    "pediatric", "people", "pharmacokinetics", "pharmacology", "poisoning", "precaution", "precautions", "pregnancy", "pregnant",
    "reactions", "renal", "side", "storage", "take", "used", "warnings", "what", "woman", "women",
})
# fmt: on
"""Words of the phrases that readers of English ask with."""


def test_the_words_of_the_tables_are_syllables() -> None:
    phrases = [
        *(phrase for tag in POPULATIONS["tags"].values() for phrase in tag["phrases"]),
        *(phrase for key in SECTIONS["sections"].values() for phrase in key["ask"]),
        *DIALOGUE["followup"]["prefix"],
    ]
    words = {word.strip("()") for phrase in phrases for word in str(phrase).split() if word.isalpha()}
    foreign = {word for word in words if not is_vietnamese_syllable(word) and word.islower() and len(word) > 3}
    assert foreign - ENGLISH <= {"bhyt", "generic", "glucose", "siro", "siêu", "corticoid", "protein", "noel", "teen", "creatinin", "date"}
