"""Sections, verbosity, breadth and amounts (tables ``sections`` and ``dialogue``)."""

from __future__ import annotations

from typing import Any

import pytest

from duocthu_core.understanding.reading import Understander
from tests.understanding.tables import DIALOGUE, SECTIONS

KEYS: dict[str, Any] = SECTIONS["sections"]


@pytest.mark.parametrize("key", KEYS)
def test_every_question_phrase_asks_for_its_section(understander: Understander, key: str) -> None:
    """A confusable or a joint phrase inside decides before the plain table."""
    entry = KEYS[key]
    decided = [row["phrase"] for row in SECTIONS["confusables"]] + [row["phrase"] for row in SECTIONS["joint"]]
    phrases = [str(phrase) for phrase in (*entry["ask"], *entry.get("accentless", ()), entry["label_vi"]) if str(phrase) not in decided]
    read = {phrase: understander.read(phrase).section_keys for phrase in phrases}
    assert {phrase: keys for phrase, keys in read.items() if key not in keys} == {}


@pytest.mark.parametrize("entry", SECTIONS["confusables"], ids=lambda entry: entry["phrase"])
def test_every_confusable_decides(understander: Understander, entry: dict[str, Any]) -> None:
    keys = understander.read(entry["phrase"]).section_keys
    assert keys == ((entry["section"],) if entry["section"] else ())
    assert entry["not"] is None or entry["not"] not in keys


@pytest.mark.parametrize("entry", SECTIONS["joint"], ids=lambda entry: entry["phrase"])
def test_every_joint_phrase_asks_for_both(understander: Understander, entry: dict[str, Any]) -> None:
    assert understander.read(entry["phrase"]).section_keys == tuple(entry["sections"])


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("uống hapacol bao nhiêu", ("lieu_luong_cach_dung",)),
        ("dùng gentamicin thế nào", ("lieu_luong_cach_dung",)),
        ("Quá liều paracetamol xử trí thế nào?", ("qua_lieu_xu_tri",)),
        ("bà bầu uống paracetamol có sao không, liều bao nhiêu", ("lieu_luong_cach_dung",)),
        ("amlodipin có gây phù chân không", ("tac_dung_khong_mong_muon",)),
        ("amlodipin có gây quái thai không", ("thoi_ky_mang_thai",)),
        ("tác dụng phụ bao nhiêu phần trăm", ("tac_dung_khong_mong_muon",)),
        ("paracetamol bao nhiêu tiền", ()),
        ("được bác sĩ chỉ định dùng amoxicilin", ()),
        ("đọc tờ hướng dẫn sử dụng rồi", ()),
        ("uống thuốc mất tác dụng khi để tủ lạnh", ("do_on_dinh_bao_quan",)),
        ("chống chỉ định và thận trọng của metformin", ("chong_chi_dinh", "than_trong")),
        ("lieu paracetamol", ("lieu_luong_cach_dung",)),
        ("lieu co duoc khong", ()),
        ("pha ceftriaxon với calci được không", ("tuong_ky",)),
        ("ADR của phenytoin", ("tac_dung_khong_mong_muon",)),
        ("CCĐ metformin", ("chong_chi_dinh",)),
    ],
)
def test_the_sections_of_a_question(understander: Understander, text: str, keys: tuple[str, ...]) -> None:
    assert understander.read(text).section_keys == keys


@pytest.mark.parametrize("level", ["detailed", "concise"])
def test_every_verbosity_phrase(understander: Understander, level: str) -> None:
    read = {phrase: understander.read(phrase).verbosity for phrase in DIALOGUE["verbosity"][level]}
    assert set(read.values()) == {level}


def test_accentless_verbosity(understander: Understander) -> None:
    assert [understander.read(words).verbosity for words in DIALOGUE["verbosity"]["accentless"]] == [
        "detailed",
        "detailed",
        "detailed",
        "concise",
        "concise",
    ]


@pytest.mark.parametrize("phrase", DIALOGUE["verbosity"]["reset"])
def test_a_reset_is_no_verbosity(understander: Understander, phrase: str) -> None:
    question = understander.read(phrase)
    assert question.verbosity is None
    assert question.resets_verbosity


@pytest.mark.parametrize("phrase", DIALOGUE["verbosity"]["not_verbosity"])
def test_a_longer_treatment_is_no_longer_answer(understander: Understander, phrase: str) -> None:
    assert understander.read(phrase).verbosity is None


@pytest.mark.parametrize("phrase", DIALOGUE["breadth"]["all"] + DIALOGUE["breadth"]["accentless"])
def test_every_breadth_phrase_makes_a_survey(understander: Understander, phrase: str) -> None:
    assert understander.read(f"{phrase} amoxicilin").intent == "survey"


@pytest.mark.parametrize("phrase", DIALOGUE["breadth"]["not_all"])
def test_what_the_table_calls_no_breadth_is_none(understander: Understander, phrase: str) -> None:
    assert understander.read(phrase).intent == "section"


@pytest.mark.parametrize("cue", DIALOGUE["amount_cues"] + DIALOGUE["amount_accentless"])
def test_every_amount_cue(understander: Understander, cue: str) -> None:
    assert understander.read(f"amoxicilin {cue}").asks_amounts


@pytest.mark.parametrize("phrase", DIALOGUE["amount_not"])
def test_what_the_table_calls_no_amount_is_none(understander: Understander, phrase: str) -> None:
    assert not understander.read(phrase).asks_amounts


@pytest.mark.parametrize("phrase", DIALOGUE["numeric_suppression"])
def test_every_wish_for_no_figures(understander: Understander, phrase: str) -> None:
    assert understander.read(f"chống chỉ định của amoxicilin, {phrase}").suppress_numbers
