"""Two traces side by side: where they part, claims aligned, doses never cut, outcomes from A to B."""

from __future__ import annotations

from duocthu_core.conversation.model import ConversationState
from duocthu_core.pipeline.comparing import compare, compare_sets, doses_whole
from duocthu_core.pipeline.replaying import replay
from duocthu_core.pipeline.trace import Trace
from duocthu_core.rulesets.model import Ruleset
from tests.pipeline.fakes import COMPLETE, ScriptedModel, draft, verdicts
from tests.pipeline.opinions import OpinionRoom
from tests.pipeline.test_running import ADULT_ORAL, pipeline

DOSE = ("Người lớn, uống: 0,5 - 1 g/lần, cách 4 - 6 giờ một lần.", [1])
LIMIT = ("Người lớn, uống: tối đa 4 g/ngày.", [1])
WRONG = ("Người lớn, uống: tối đa 4 mg/ngày.", [1])


def turn(ruleset: Ruleset, *claims: tuple[str, list[int]], stances: tuple[str, ...] = ()) -> Trace:
    judge = ScriptedModel(verdicts(*(stances or ("SUPPORTS",) * len(claims))), COMPLETE)
    return pipeline(ruleset, ScriptedModel(draft(*claims)), judge).run(ADULT_ORAL, ConversationState(conversation_id="c")).trace


def test_a_turn_is_the_same_as_itself_run_again(ruleset: Ruleset) -> None:
    room = OpinionRoom(ruleset)
    trace = room.turn(0)
    found = compare(trace, replay(room.pipeline, trace, start="scope").trace, ruleset)
    assert found.first_difference is None
    assert not found.outcome_changed
    assert all(stage.same for stage in found.stages)
    assert all(claim.is_same and not claim.flipped for claim in found.claims)


def test_the_first_stage_that_differs_is_marked_and_the_outcome_goes_from_a_to_b(ruleset: Ruleset) -> None:
    found = compare(turn(ruleset, DOSE, LIMIT), turn(ruleset, DOSE, WRONG), ruleset)
    assert found.first_difference == "generation"
    assert [stage.name for stage in found.stages if stage.is_first_difference] == ["generation"]
    assert found.outcomes == ("answered", "abstained")
    assert found.reasons == (None, "unit_mismatch")
    assert found.outcome_changed


def test_claims_are_aligned_and_a_dose_is_one_word(ruleset: Ruleset) -> None:
    found = compare(turn(ruleset, DOSE, LIMIT), turn(ruleset, WRONG, DOSE), ruleset)
    assert [claim.index for claim in found.claims] == [(0, 1), (1, 0)]
    same, changed = found.claims
    assert same.is_same
    assert [(piece.kind, piece.text) for piece in changed.pieces if piece.kind != "same"] == [
        ("removed", "tối đa 4 g/ngày"),
        ("added", "tối đa 4 mg/ngày"),
    ]
    assert changed.findings == ((), ("unit_mismatch",))
    assert changed.flipped


def test_a_claim_of_one_side_alone_stands_alone(ruleset: Ruleset) -> None:
    found = compare(turn(ruleset, DOSE), turn(ruleset, DOSE, ("Quá liều: dùng N-acetylcystein.", [1])), ruleset)
    assert [claim.index for claim in found.claims] == [(0, 0), (None, 1)]


def test_a_verdict_that_flips_is_told(ruleset: Ruleset) -> None:
    found = compare(turn(ruleset, LIMIT), turn(ruleset, LIMIT, stances=("CONTRADICTS",)), ruleset)
    assert found.first_difference == "entailment"
    assert [claim.verdict for claim in found.flips] == [("supported", "unsupported")]


def test_a_bound_its_number_and_its_unit_are_one_place(ruleset: Ruleset) -> None:
    text = "Người lớn: không quá 4 g/ngày, mỗi lần 0,5 - 1 g."
    words = [span.of(text) for span in doses_whole(text, ruleset)]
    assert "0,5 - 1 g" in words
    assert any(word.endswith("4 g/ngày") and "quá" in word for word in words)


def test_many_pairs_flow_from_outcome_to_outcome(ruleset: Ruleset) -> None:
    good, bad = turn(ruleset, DOSE), turn(ruleset, WRONG)
    found = compare_sets([(good, good), (good, bad), (bad, good)])
    assert found.pairs == 3
    assert found.flows == {"answered": {"answered": 1, "abstained:unit_mismatch": 1}, "abstained:unit_mismatch": {"answered": 1}}
    assert found.first_differences == {"none": 1, "generation": 2}
    assert len(found.changed) == 2


def test_a_claim_that_moved_is_told_apart_from_those_it_passed(ruleset: Ruleset) -> None:
    other = ("Suy gan nặng: không dùng.", [1])
    found = compare(turn(ruleset, DOSE, LIMIT, other), turn(ruleset, other, DOSE, LIMIT), ruleset)
    assert [(claim.index, claim.moved) for claim in found.claims] == [((0, 1), False), ((1, 2), False), ((2, 0), True)]
    assert all(claim.is_same and not claim.flipped for claim in found.claims)


def test_a_claim_that_was_split_or_joined_names_the_whole_it_is_part_of(ruleset: Ruleset) -> None:
    whole = ("Người lớn, uống: 0,5 - 1 g/lần, cách 4 - 6 giờ một lần; tối đa 4 g/ngày.", [1])
    split = compare(turn(ruleset, whole), turn(ruleset, DOSE, LIMIT), ruleset)
    joined = compare(turn(ruleset, DOSE, LIMIT), turn(ruleset, whole), ruleset)
    assert [(claim.index, claim.part_of) for claim in split.claims] == [((0, 0), None), ((None, 1), 0)]
    assert [(claim.index, claim.part_of) for claim in joined.claims] == [((0, 0), None), ((1, None), 0)]
    apart = compare(turn(ruleset, whole), turn(ruleset, whole, WRONG), ruleset)
    assert [claim.part_of for claim in apart.claims] == [None, None], "another unit is another claim"


def test_what_was_never_checked_or_judged_is_no_other_opinion(ruleset: Ruleset) -> None:
    uncited = ("Người lớn, uống: tối đa 9 g/ngày.", [1])
    found = compare(turn(ruleset, WRONG), turn(ruleset, WRONG, uncited), ruleset)
    assert found.reasons == ("unit_mismatch", "ungrounded_number")
    wrong = found.claims[0]
    assert (wrong.findings, wrong.unchecked, wrong.flipped) == ((("unit_mismatch",), ()), (False, True), False)
    judged = compare(turn(ruleset, LIMIT), turn(ruleset, LIMIT, WRONG), ruleset).claims[0]
    assert (judged.verdict, judged.flipped) == (("supported", None), False)
