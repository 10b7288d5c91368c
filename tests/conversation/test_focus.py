"""The focus: expiry, inheritance, stamps (spec 02, rules 2 - 5)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.conversation.focus import FOCUS_FIELDS, Mentioned, expire, inherit, is_fresh, without
from duocthu_core.conversation.model import Focus, FocusField, PatientValue, Verbosity

TTL = 6
DRUGS = st.sampled_from([None, "paracetamol", "amoxicilin", "cefazolin"])
SECTIONS = st.sampled_from([None, "lieu_luong_cach_dung", "chong_chi_dinh"])
GROUPS = st.sampled_from([None, "tre_em", "suy_than"])
VERBOSITIES: st.SearchStrategy[Verbosity | None] = st.sampled_from([None, "concise", "detailed"])
WEIGHT = PatientValue(kind="weight", text="18 kg", low=18, high=18)
VALUES: st.SearchStrategy[tuple[PatientValue, ...] | None] = st.sampled_from([None, (WEIGHT,)])
FIELDS = st.frozensets(st.sampled_from(FOCUS_FIELDS))


def focus(turn: int = 0) -> Focus:
    return Focus(
        drug_id="paracetamol",
        drug_name="Paracetamol",
        section_key="lieu_luong_cach_dung",
        set_at_turn={"drug_id": turn, "section_key": turn},
        phrase={"drug_id": "para", "section_key": "liều"},
    )


@st.composite
def mentions(draw: st.DrawFn) -> Mentioned:
    drug = draw(DRUGS)
    return Mentioned(
        drug_id=drug,
        drug_name=drug and drug.title(),
        section_key=draw(SECTIONS),
        population=draw(GROUPS),
        stated=draw(VALUES),
        verbosity=draw(VERBOSITIES),
        cleared=draw(st.frozensets(st.sampled_from(FOCUS_FIELDS), max_size=1)),
    )


def test_a_field_is_fresh_up_to_the_ttl_and_no_longer() -> None:
    assert is_fresh(focus(), "drug_id", TTL, TTL)
    assert not is_fresh(focus(), "drug_id", TTL + 1, TTL)
    assert not is_fresh(focus(3), "drug_id", 2, TTL)


def test_expiry_drops_the_field_its_stamp_its_phrase_and_the_name_of_the_drug() -> None:
    assert expire(focus(), TTL + 1, TTL) == Focus()
    assert expire(focus(), TTL, TTL) == focus()


def test_only_what_is_stale_expires() -> None:
    mixed = focus().model_copy(update={"set_at_turn": {"drug_id": 0, "section_key": 5}})
    after = expire(mixed, 8, TTL)
    assert (after.drug_id, after.drug_name, after.section_key) == (None, None, "lieu_luong_cach_dung")
    assert after.set_at_turn == {"section_key": 5}


def test_an_explicit_mention_wins_and_is_stamped() -> None:
    after, inherited = inherit(focus(), Mentioned(drug_id="amoxicilin", drug_name="Amoxicilin", phrase={"drug_id": "amox"}), 4, TTL)
    assert (after.drug_id, after.drug_name, after.set_at_turn["drug_id"], after.phrase["drug_id"]) == (
        "amoxicilin",
        "Amoxicilin",
        4,
        "amox",
    )
    assert inherited == {"section_key": 4}


def test_what_is_inherited_keeps_its_stamp() -> None:
    after, inherited = inherit(focus(), Mentioned(population="tre_em"), 4, TTL)
    assert after.set_at_turn == {"drug_id": 0, "section_key": 0, "population": 4}
    assert inherited == {"drug_id": 4, "section_key": 4}


def test_a_field_that_may_not_be_inherited_stays_for_a_later_turn() -> None:
    after, inherited = inherit(focus(), Mentioned(), 2, TTL, frozenset())
    assert inherited == {}
    assert after == focus()


def test_a_cleared_field_is_gone() -> None:
    after, inherited = inherit(focus(), Mentioned(cleared=frozenset[FocusField]({"drug_id"})), 2, TTL)
    assert (after.drug_id, after.drug_name) == (None, None)
    assert inherited == {"section_key": 2}


@given(st.lists(st.tuples(mentions(), FIELDS), max_size=12), st.integers(0, 8))
def test_stamps_are_times_of_mention_and_nothing_stale_is_inherited(turns: list[tuple[Mentioned, frozenset[FocusField]]], ttl: int) -> None:
    current = Focus()
    last_mention: dict[str, int] = {}
    for number, (mentioned, inheritable) in enumerate(turns):
        now = 2 * number
        before = current
        current, inherited = inherit(current, mentioned, now, ttl, inheritable)
        for name in FOCUS_FIELDS:
            if mentioned.value(name) is not None:
                last_mention[name] = now
            value = getattr(current, name)
            assert (value is None) is (name not in current.set_at_turn)
            if value is not None:
                assert current.set_at_turn[name] == last_mention[name]
                assert now - last_mention[name] <= ttl
        assert set(inherited) <= set(inheritable)
        assert all(
            getattr(before, name) == getattr(current, name) and age == now - before.set_at_turn[name] for name, age in inherited.items()
        )
        assert (current.drug_id is None) is (current.drug_name is None)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 10))
def test_expiry_twice_is_expiry_once(stamp: int, now: int, ttl: int) -> None:
    once = expire(focus(stamp), now, ttl)
    assert expire(once, now, ttl) == once


def test_a_field_may_be_taken_out_by_name() -> None:
    assert without(focus(), frozenset[FocusField]({"section_key"})).section_key is None
