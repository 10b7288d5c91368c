"""What the patient cannot take is told apart from the drug asked about."""

from __future__ import annotations

import pytest

from duocthu_core.understanding.model import Question
from tests.understanding.conversing import READER, converse


def read(text: str) -> Question:
    return READER.read(text)


@pytest.mark.parametrize(
    ("text", "drug", "allergen"),
    [
        ("bệnh nhân dị ứng với amoxicilin, tiêm ceftriaxon được không", "ceftriaxon", "amoxicilin"),
        ("di ung amoxicilin dung ceftriaxon duoc khong", "ceftriaxon", "amoxicilin"),
        ("mẫn cảm với thuốc ibuprofen thì uống paracetamol có sao không", "paracetamol", "ibuprofen"),
        ("uống paracetamol được không nếu bị dị ứng ibuprofen", "paracetamol", "ibuprofen"),
        ("amoxicilin allergy, ceftriaxon?", "ceftriaxon", "amoxicilin"),
    ],
)
def test_the_drug_behind_an_allergy_is_not_the_one_asked_about(text: str, drug: str, allergen: str) -> None:
    question = read(text)
    assert question.drug_ids == (drug,)
    assert [one.drug_id for one in question.allergens] == [allergen]
    assert question.section_keys == ("chong_chi_dinh", "than_trong")


@pytest.mark.parametrize(
    ("text", "words"),
    [("dị ứng hải sản uống paracetamol được không", "hải sản"), ("dị ứng nhóm cephalosporin dùng amoxicilin", "cephalosporin")],
)
def test_what_is_no_listed_drug_may_be_an_allergen_too(text: str, words: str) -> None:
    assert [one.words for one in read(text).allergens] == [words]


def test_several_allergens_are_each_taken(ruleset: object) -> None:
    del ruleset
    question = read("dị ứng ibuprofen và amoxicilin, dùng paracetamol được không")
    assert question.drug_ids == ("paracetamol",)
    assert {one.drug_id for one in question.allergens} == {"ibuprofen", "amoxicilin"}


def test_the_only_drug_named_stays_the_one_asked_about() -> None:
    question = read("dị ứng amoxicilin biểu hiện thế nào")
    assert (question.drug_ids, question.allergens) == (("amoxicilin",), ())


def test_an_allergy_as_an_effect_is_no_allergy_of_the_patient() -> None:
    assert read("paracetamol có gây dị ứng không").allergens == ()


def test_a_follow_up_about_an_allergy_keeps_the_drug_of_the_conversation() -> None:
    _, (question, resolution) = converse("ceftriaxon chống chỉ định", "còn nếu dị ứng với amoxicilin thì sao")
    assert [one.drug_id for one in question.allergens] == ["amoxicilin"]
    assert resolution.resolved.drug_ids == ("ceftriaxon",)


def test_a_section_that_was_asked_for_is_kept() -> None:
    assert read("dị ứng amoxicilin, liều ceftriaxon bao nhiêu").section_keys == ("lieu_luong_cach_dung",)
