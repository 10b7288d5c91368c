"""What a turn is about, and where each field comes from (spec 02, rules 2 - 7)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duocthu_core.conversation.model import PendingClarification
from tests.conftest import case_ids, cases
from tests.understanding.conversing import converse, last, one_turn, start

CASES = cases("conversation")
GROUPS = {"lactation": "phu_nu_cho_con_bu", "pregnancy": "phu_nu_co_thai", "child": "tre_em", "adult": "nguoi_lon"}
TTL = 6


@pytest.mark.parametrize("row", CASES, ids=case_ids(CASES))
def test_conversation_cases(row: dict[str, Any]) -> None:
    question, resolution = converse(*row["turns"])[-1]
    resolved, expected = resolution.resolved, row["expected"]
    names = [*resolved.drug_ids, resolution.focus.drug_id, *question.unknown_names, *(offer.drug_name for offer in question.offers)]
    checks = {
        "focus_excludes": lambda value: value not in names,
        "population": lambda value: resolved.population == GROUPS.get(value, value),
        "population_excludes": lambda value: resolved.population != GROUPS.get(value, value),
        "is_smalltalk": lambda value: question.is_smalltalk is value,
        "drug_id_last": lambda value: resolution.focus.drug_id == value and (question.is_smalltalk or resolved.drug_id == value),
        "inherited_includes": lambda value: set(value) <= set(resolved.inherited),
    }
    assert {name for name, value in expected.items() if not checks[name](value)} == set()


def test_a_field_named_in_the_first_question_is_six_turns_old_at_the_fourth_and_gone_at_the_fifth() -> None:
    follow_ups = ["Còn trẻ em thì sao?", "Tác dụng phụ?", "Quá liều thì xử trí thế nào?", "chống chỉ định?"]
    turns = [resolution for _, resolution in converse("Liều paracetamol cho người lớn?", *follow_ups)]
    assert [turn.resolved.inherited.get("drug_id") for turn in turns] == [None, 2, 4, 6, None]
    assert turns[4].resolved.drug_ids == ()
    (drug,) = (found for found in turns[4].fields if found.field == "drug_id")
    assert (drug.origin, drug.value, drug.age, drug.from_turn) == ("expired", "paracetamol", 8, 1)


@given(
    st.lists(
        st.sampled_from(["Còn trẻ em thì sao?", "Tác dụng phụ?", "nói rõ hơn", "nó uống lúc nào", "cảm ơn", "còn bà bầu?"]),
        min_size=1,
        max_size=9,
    )
)
@settings(max_examples=60, deadline=None)
def test_no_chain_of_follow_ups_keeps_a_drug_alive(follow_ups: list[str]) -> None:
    turns = converse("Liều paracetamol cho người lớn?", *follow_ups)
    for number, (_, resolution) in enumerate(turns[1:], start=1):
        if 2 * number > TTL:
            assert resolution.resolved.drug_ids == ()
            assert resolution.focus.drug_id is None
        else:
            assert resolution.focus.drug_id == "paracetamol"
            assert resolution.focus.set_at_turn["drug_id"] == 0


def test_another_drug_takes_over_section_and_group_and_says_so() -> None:
    resolution = last("Liều paracetamol cho trẻ em?", "còn amoxicilin thì sao?")
    assert resolution.resolved.drug_id == "amoxicilin"
    assert (resolution.resolved.section_key, resolution.resolved.population) == ("lieu_luong_cach_dung", "tre_em")
    assert resolution.resolved.inherited == {"section_key": 2, "population": 2}
    origins = {found.field: (found.origin, found.phrase) for found in resolution.fields}
    assert origins["drug_id"] == ("this_turn", "amoxicilin")
    assert origins["section_key"] == ("inherited", "Liều")
    assert origins["population"] == ("inherited", "trẻ em")


def test_drug_id_and_drug_name_move_together() -> None:
    resolution = last("Liều paracetamol?", "còn aspirin?")
    assert (resolution.focus.drug_id, resolution.focus.drug_name) == ("acid-acetylsalicylic", "Acid acetylsalicylic (Aspirin)")


@pytest.mark.parametrize(
    "turn",
    [
        "liều ampicilin?",
        "còn prednison thì sao?",
        "còn Xyzolamid thì sao?",
        "liều amoxcilin?",
        "Panadol Extra uống mấy viên",
        "paracetamol và ibuprofen khác gì nhau",
        "thuốc nào điều trị tăng huyết áp?",
    ],
)
def test_a_turn_about_another_or_several_drugs_never_falls_back_to_the_old_one(turn: str) -> None:
    """Neither in that turn nor in the follow-up to it."""
    turns = converse("Liều cefazolin cho người lớn?", turn, "còn trẻ em thì sao?")
    assert "cefazolin" not in turns[1][1].resolved.drug_ids
    assert turns[2][1].resolved.drug_ids == ()


@pytest.mark.parametrize("turn", ["tác dụng phụ của vắc xin", "Tôi bị đau đầu", "Bác sĩ ơi cho hỏi", "thuốc nào gây ho?", "còn đau"])
def test_a_general_turn_does_not_take_the_drug_and_does_not_forget_it(turn: str) -> None:
    turns = converse("Liều cefazolin cho người lớn?", turn, "còn trẻ em thì sao?")
    assert turns[1][1].resolved.drug_ids == ()
    assert turns[2][1].resolved.drug_ids == ("cefazolin",)


@pytest.mark.parametrize("turn", ["ok ok", "cảm ơn bạn nhiều!!", "Chó nhà tôi sốt, cho uống ibuprofen mấy viên?"])
def test_social_and_refused_turns_leave_the_focus_as_it_was(turn: str) -> None:
    turns = converse("Liều paracetamol cho trẻ em?", turn)
    assert turns[1][1].focus == turns[0][1].focus
    assert turns[1][1].resolved.inherited == {}


def test_a_partner_of_the_drug_in_focus_makes_an_interaction_of_two() -> None:
    turns = converse("Liều paracetamol?", "uống chung với ibuprofen được không?", "còn trẻ em thì sao?")
    resolved = turns[1][1].resolved
    assert (resolved.intent, resolved.drug_ids, resolved.drug_id) == ("interaction", ("paracetamol", "ibuprofen"), None)
    assert resolved.inherited == {"drug_id": 2}
    assert turns[1][1].focus.drug_id is None
    assert turns[2][1].resolved.drug_ids == ()


def test_a_partner_without_a_monograph_keeps_the_drug_in_focus_as_the_one_asked_about() -> None:
    question, resolution = converse("Liều paracetamol?", "uống chung với warfarin được không?")[-1]
    assert (resolution.resolved.intent, resolution.resolved.drug_ids) == ("interaction", ("paracetamol",))
    assert question.unknown_names == ("warfarin",)


def test_a_partner_without_any_focus_asks_for_its_interactions() -> None:
    resolved = last("uống chung với ibuprofen được không?").resolved
    assert (resolved.intent, resolved.drug_id, resolved.section_key) == ("section", "ibuprofen", "tuong_tac_thuoc")


def test_two_drugs_leave_none_in_focus() -> None:
    resolution = last("Liều cefazolin?", "Paracetamol 500mg và ibuprofen 400mg")
    assert resolution.resolved.drug_ids == ("paracetamol", "ibuprofen")
    assert resolution.resolved.drug_id is None
    assert resolution.focus.drug_id is None


def test_a_group_with_a_section_of_its_own_asks_for_it_when_a_drug_is_named() -> None:
    resolution = last("Liều paracetamol?", "amoxicilin cho bà bầu được không?")
    assert resolution.resolved.section_key == "thoi_ky_mang_thai"
    assert resolution.focus.section_key == "lieu_luong_cach_dung"


def test_a_follow_up_about_a_group_keeps_the_section_it_follows() -> None:
    resolved = last("Chống chỉ định của paracetamol?", "Còn bà bầu thì sao?").resolved
    assert (resolved.section_key, resolved.population) == ("chong_chi_dinh", "phu_nu_co_thai")
    assert resolved.inherited == {"drug_id": 2, "section_key": 2}


def test_the_section_of_a_group_answers_where_no_section_is_fresh() -> None:
    assert last("paracetamol", "Tôi đang cho con bú").resolved.section_key == "thoi_ky_cho_con_bu"


def test_the_whole_monograph_takes_over_no_section() -> None:
    resolved = last("Liều paracetamol cho trẻ em?", "giới thiệu thuốc ibuprofen").resolved
    assert (resolved.intent, resolved.section_key) == ("survey", None)


def test_every_group_takes_over_no_group() -> None:
    resolved = last("Liều paracetamol cho trẻ em?", "cho xem hết mọi lứa tuổi").resolved
    assert (resolved.drug_id, resolved.section_key, resolved.population) == ("paracetamol", "lieu_luong_cach_dung", None)


@pytest.mark.parametrize("turn", ["trên 12 tuổi thì sao", "còn người lớn và trẻ em?"])
def test_an_age_or_groups_that_decide_no_group_void_the_old_one(turn: str) -> None:
    resolution = last("Liều paracetamol cho phụ nữ có thai?", turn)
    assert resolution.resolved.population is None
    assert resolution.focus.population is None


def test_verbosity_lasts_until_it_is_reset() -> None:
    turns = converse("Liều paracetamol? nói ngắn gọn", "còn ibuprofen?", "trả lời bình thường", "còn cefazolin?")
    assert [resolution.resolved.verbosity for _, resolution in turns] == ["concise", "concise", None, None]
    assert turns[1][1].resolved.inherited["verbosity"] == 2


def test_stated_values_are_shown_as_typed() -> None:
    resolved = last("Liều paracetamol cho bé 8 tuổi 25kg").resolved
    assert (resolved.stated.age, resolved.stated.weight) == ("8 tuổi", "25kg")


def test_a_follow_up_that_asks_for_more_takes_over_age_and_weight_and_says_so() -> None:
    resolution = last("Liều paracetamol uống cho bé 5 tuổi, 18 kg?", "nói rõ hơn")
    resolved = resolution.resolved
    assert (resolved.stated.age, resolved.stated.weight) == ("5 tuổi", "18 kg")
    assert [(value.kind, value.low) for value in resolved.carried_values] == [("age", 60.0), ("weight", 18.0)]
    assert resolved.inherited["stated"] == 2
    (shown,) = (found for found in resolution.fields if found.field == "stated")
    assert (shown.value, shown.origin, shown.phrase) == ("5 tuổi, 18 kg", "inherited", "5 tuổi, 18 kg")


def test_a_value_that_was_carried_over_keeps_its_stamp_and_expires() -> None:
    turns = converse("Liều paracetamol cho bé 5 tuổi?", "nói rõ hơn", "đầy đủ hơn", "nói kỹ hơn", "paracetamol nói rõ hơn")
    assert [turn.resolved.stated.age for _, turn in turns] == ["5 tuổi", "5 tuổi", "5 tuổi", "5 tuổi", None]


@pytest.mark.parametrize("turn", ["còn người lớn?", "còn bà bầu thì sao?", "trên 12 tuổi thì sao"])
def test_another_patient_voids_the_values_of_the_one_before(turn: str) -> None:
    resolution = last("Liều paracetamol cho bé 5 tuổi, 18 kg?", turn)
    assert resolution.resolved.carried_values == ()
    assert resolution.resolved.stated.weight is None
    assert last("Liều paracetamol cho bé 5 tuổi, 18 kg?", turn, "nói rõ hơn").resolved.stated.weight is None


def test_a_value_that_was_typed_unclearly_is_not_taken_over() -> None:
    assert last("Liều paracetamol cho bé 9t?", "nói rõ hơn").resolved.carried_values == ()


def test_another_drug_is_asked_about_for_the_same_patient() -> None:
    resolved = last("Liều paracetamol cho bé 5 tuổi, 18 kg?", "còn ibuprofen thì sao?").resolved
    assert (resolved.drug_id, resolved.stated.weight, resolved.inherited["stated"]) == ("ibuprofen", "18 kg", 2)


# --- replies --------------------------------------------------------------------------------------------------------------------


def asked(original: str, at: int, options: tuple[str, ...] = ()) -> PendingClarification:
    return PendingClarification(question="?", options=options, asked_at_turn=at, original_question=original)


def test_a_reply_keeps_the_time_at_which_the_original_question_named_the_drug() -> None:
    _, _, state = one_turn("Liều paracetamol cho trẻ em?", start(), asked("Liều paracetamol cho trẻ em?", 0))
    _, resolution, _ = one_turn("8 tuổi, uống", state)
    assert resolution.resolved.drug_ids == ("paracetamol",)
    assert (resolution.resolved.section_key, resolution.resolved.route) == ("lieu_luong_cach_dung", "uong")
    assert resolution.resolved.inherited == {"drug_id": 2, "section_key": 2}
    assert resolution.focus.set_at_turn == {"drug_id": 0, "section_key": 0, "population": 2, "stated": 2}


def test_an_accepted_offer_is_named_now() -> None:
    _, first, state = one_turn("liều pracetamol?", start(), asked("liều pracetamol?", 0, ("Paracetamol",)))
    assert first.focus.drug_id is None
    _, resolution, _ = one_turn("đúng rồi", state)
    assert resolution.resolved.drug_ids == ("paracetamol",)
    assert resolution.focus.set_at_turn["drug_id"] == 2


def test_no_chain_of_questions_back_keeps_a_drug_alive() -> None:
    """Whoever asks back again hands ``continues_turn`` on: the whole chain continues the first question."""
    state = start()
    original = "Liều paracetamol?"
    _, _, state = one_turn(original, state, asked(original, 0))
    for number in range(1, 6):
        said = f"{number + 2} tuổi"
        question, resolution, state = one_turn(said, state)
        assert bool(resolution.resolved.drug_ids) is (2 * number <= TTL)
        assert question.continues_turn == 0
        state = state.model_copy(update={"pending_clarification": asked(question.text, question.continues_turn)})


@given(
    st.lists(
        st.sampled_from(
            [
                "liều paracetamol",
                "còn ibuprofen?",
                "còn trẻ em?",
                "cảm ơn",
                "Augmentin và aspirin",
                "liều amoxcilin",
                "?",
                "nói rõ hơn",
                "tổng quan",
            ]
        ),
        max_size=10,
    )
)
@settings(max_examples=80, deadline=None)
def test_what_is_inherited_was_fresh_and_every_drug_has_a_source(turns: list[str]) -> None:
    state = start()
    for text in turns:
        before = state
        question, resolution, state = one_turn(text, state)
        for name, age in resolution.resolved.inherited.items():
            assert 0 <= age <= TTL
            assert before.focus.set_at_turn[name] == before.turn_count - age  # type: ignore[index]
        sources = set(question.drug_ids) | ({before.focus.drug_id} if "drug_id" in resolution.resolved.inherited else set())
        assert set(resolution.resolved.drug_ids) <= sources
        assert set(resolution.focus.set_at_turn) == {
            name for name in ("drug_id", "section_key", "population", "stated", "verbosity") if getattr(resolution.focus, name) is not None
        }
