"""The mutation lab's generators (spec 04, "What this must reach"): every kind, deterministic, and what is still true says why."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duocthu_core.answering.model import Claim
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.mutation import MUTANT_KINDS, Mutant, MutantKind, mutants
from duocthu_core.verification.mutation.model import changed_spans
from tests.verification.evidence import blocks

DOSES = (
    "Người lớn: uống 0,5 - 1 g/lần, cách 4 - 6 giờ một lần; tối đa 4 g/ngày.\n"
    "Trẻ em 6 - 8 tuổi: uống 240 mg/lần, tối đa 960 mg/ngày.\n"
    "Trẻ em 8 - 10 tuổi: uống 360 mg/lần; không được dùng quá 5 ngày."
)
EVIDENCE = blocks(
    [
        {"text": DOSES, "drug_id": "paracetamol"},
        {"text": "Suy gan nặng: không được dùng.", "drug_id": "paracetamol"},
        {"text": "Người lớn: uống 200 mg/lần.", "drug_id": "ibuprofen"},
    ]
)
CLAIMS = [
    Claim(text="Người lớn: uống 0,5 - 1 g/lần, cách 4 - 6 giờ một lần; tối đa 4 g/ngày.", citations=(1,)),
    Claim(text="Trẻ em 6 - 8 tuổi: uống 240 mg/lần, tối đa 960 mg/ngày.", citations=(1,)),
    Claim(text="Trẻ em 8 - 10 tuổi: uống 360 mg/lần; không được dùng quá 5 ngày.", citations=(1,)),
]


def made(kind: MutantKind, ruleset: Ruleset) -> list[Mutant]:
    return mutants(CLAIMS, EVIDENCE, ruleset, 1, [kind])


@pytest.mark.parametrize("kind", MUTANT_KINDS)
def test_every_kind_is_made(kind: MutantKind, ruleset: Ruleset) -> None:
    found = made(kind, ruleset)
    assert found
    assert {mutant.kind for mutant in found} == {kind}


def test_the_words_that_were_changed_are_known_on_both_sides(ruleset: Ruleset) -> None:
    for mutant in mutants(CLAIMS, EVIDENCE, ruleset, 3):
        if mutant.was is None or mutant.now is None:
            assert mutant.kind in ("wrong_block", "wrong_drug")
            continue
        before, after = CLAIMS[mutant.original].text, mutant.claim.text
        assert before[: mutant.was.start] + mutant.now.of(after) + before[mutant.was.end :] == after


def test_a_wrong_drug_cites_a_block_of_another_drug(ruleset: Ruleset) -> None:
    assert {mutant.claim.citations for mutant in made("wrong_drug", ruleset)} == {(3,)}


def test_a_sentence_that_stands_in_the_other_block_too_is_still_true(ruleset: Ruleset) -> None:
    twice = blocks([{"text": "Uống sau bữa ăn.", "drug_id": "a"}, {"text": "Uống sau bữa ăn.", "drug_id": "a"}])
    (mutant,) = mutants([Claim(text="Uống sau bữa ăn.", citations=(1,))], twice, ruleset, 1, ["wrong_block"])
    assert (mutant.still_true, mutant.true_because) == (True, "whole_sentence")


def test_a_label_that_is_the_only_one_of_its_block_may_be_missing(ruleset: Ruleset) -> None:
    one = blocks(["Người lớn: 250 mg/lần, ngày 2 lần."])
    (mutant,) = mutants([Claim(text="Người lớn: 250 mg/lần, ngày 2 lần.", citations=(1,))], one, ruleset, 1, ["dropped_label"])
    assert mutant.true_because == "only_label"


def test_a_label_cut_off_a_copy_is_told_a_little_otherwise(ruleset: Ruleset) -> None:
    lines = "Người lớn:\n300 mg/lần, tối đa 2 g/ngày.\nTrẻ em:\n150 mg/lần, tối đa 1 g/ngày."
    stated = [Claim(text="Người lớn: 300 mg/lần, tối đa 2 g/ngày.", citations=(1,))]
    (mutant,) = mutants(stated, blocks([lines]), ruleset, 1, ["dropped_label"])
    assert (mutant.still_true, "Người lớn" in mutant.claim.text) == (False, False)
    assert mutant.claim.text not in lines


def test_a_group_of_its_own_says_the_wider_label_that_was_cut_off(ruleset: Ruleset) -> None:
    lines = "Trẻ em:\nSơ sinh: 5 mg/kg/lần.\nTrên 3 tháng tuổi: 9 mg/kg/lần."
    stated = [Claim(text="Trẻ em: Sơ sinh dùng 5 mg/kg/lần.", citations=(1,))]
    (mutant,) = mutants(stated, blocks([lines]), ruleset, 1, ["dropped_label"])
    assert mutant.true_because == "label_said"


def test_a_route_that_the_block_allows_as_well_is_still_true(ruleset: Ruleset) -> None:
    stated = [Claim(text="Người lớn: tiêm bắp hoặc tĩnh mạch 40 mg.", citations=(1,))]
    made_so = mutants(stated, blocks(["Người lớn: tiêm bắp hoặc tĩnh mạch 40 mg. Trẻ em: uống 5 mg."]), ruleset, 1, ["route_swap"])
    assert {mutant.still_true for mutant in made_so if "tĩnh mạch hoặc tĩnh mạch" in mutant.claim.text} <= {True}


def test_a_label_among_others_may_not(ruleset: Ruleset) -> None:
    assert all(not mutant.still_true for mutant in made("dropped_label", ruleset))


def test_praise_that_the_block_itself_gives_is_still_true(ruleset: Ruleset) -> None:
    tails = "là lựa chọn đầu tay, là lựa chọn tốt nhất, là thuốc được ưu tiên, là tiêu chuẩn vàng"
    praised = blocks([f"Amoxicilin 500 mg {tails}."])
    (mutant,) = mutants([Claim(text="Amoxicilin 500 mg.", citations=(1,))], praised, ruleset, 1, ["ranking_phrase"])
    assert mutant.true_because == "phrase_in_block"


@pytest.mark.parametrize("text", ["Thuốc tránh thai dạng uống.", "Không yêu cầu phải ngừng thuốc."])
def test_words_that_state_nothing_are_not_turned_round(text: str, ruleset: Ruleset) -> None:
    found = mutants([Claim(text=text, citations=(1,))], blocks([text]), ruleset, 1, ["negation_flip"])
    assert [mutant.claim.text for mutant in found if "nên thai" in mutant.claim.text or "cầu không phải" in mutant.claim.text] == []


# --- properties

_WORDS = st.sampled_from(
    [
        "Người lớn:",
        "Trẻ em",
        "6 - 8 tuổi:",
        "0,5",
        "1 500",
        "mg",
        "g/ngày",
        "tối đa",
        "không được",
        "nên dùng",
        "uống",
        ";",
        "½",
        "ﬀ",
        "<",
        "\n",
    ]
)
_TEXTS = st.one_of(st.text(max_size=200), st.lists(_WORDS, max_size=25).map(" ".join))


@settings(max_examples=60, deadline=None)
@given(text=_TEXTS, block=_TEXTS, seed=st.integers(0, 5))
def test_any_text_gives_mutants_that_differ_and_come_again(text: str, block: str, seed: int) -> None:
    evidence, stated = blocks([block, {"text": text or "x", "drug_id": "khac"}]), [Claim(text=text, citations=(1,))]
    ruleset = shipped_ruleset()
    first = mutants(stated, evidence, ruleset, seed)
    assert first == mutants(stated, evidence, ruleset, seed)
    assert all((mutant.claim.text, mutant.claim.citations) != (text, (1,)) for mutant in first)


@given(before=st.text(max_size=40), after=st.text(max_size=40))
def test_the_changed_words_are_all_that_differs(before: str, after: str) -> None:
    was, now = changed_spans(before, after)
    assert before[: was.start] == after[: now.start]
    assert before[was.end :] == after[now.end :]
