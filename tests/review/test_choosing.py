"""Which turns a queue takes."""

from __future__ import annotations

import pytest

from duocthu_core.pipeline.trace import Trace
from duocthu_core.pipeline.trace_store import InMemoryTraceStore
from duocthu_core.review.choosing import chosen_items
from duocthu_core.review.model import NewQueue, QueueFilters
from duocthu_core.review.reviewed_turn import guard_warned, reviewed_claims
from duocthu_core.verification.model import Finding
from tests.app import sample_traces as sample
from tests.review.turns import answered, stopped


def store_of(*traces: Trace) -> InMemoryTraceStore:
    store = InMemoryTraceStore()
    for trace in traces:
        store.save(trace)
    return store


def chosen(store: InMemoryTraceStore, size: int = 100, seed: int = 0, **filters: object) -> list[str]:
    asked = NewQueue(name="x", size=size, seed=seed, filters=QueueFilters(**filters))  # type: ignore[arg-type]
    return [item.trace_id for item in chosen_items(store, asked)]


def warned(number: int) -> Trace:
    trace = answered(number)
    guards = trace.stage("guards")
    assert guards is not None
    assert guards.output is not None
    claims = guards.output.claims  # type: ignore[union-attr]
    doubted = claims[0].model_copy(update={"findings": (Finding(reason="low_support", level="warn"),)})
    output = guards.output.model_copy(update={"claims": (doubted, *claims[1:])})
    stages = tuple(stage.model_copy(update={"output": output}) if stage.name == "guards" else stage for stage in trace.stages)
    return trace.model_copy(update={"stages": stages, "trace_id": f"tr-warned-{number}"})


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"outcomes": ("abstained",)}, {"tr-stopped-3"}),
        ({"reject_reasons": ("unit_mismatch",)}, {"tr-stopped-3"}),
        ({"drug_id": "paracetamol", "section_key": "lieu_luong_cach_dung"}, {"tr-answered-1", "tr-stopped-3"}),
        ({"drug_id": "amoxicilin"}, set()),
        ({"judge": "nobody"}, set()),
    ],
)
def test_every_filter_narrows(filters: dict[str, object], expected: set[str]) -> None:
    assert set(chosen(store_of(answered(1), stopped(3)), **filters)) == expected


def test_guard_warnings_are_a_stratum_of_their_own() -> None:
    assert guard_warned(warned(2))
    assert not guard_warned(answered(1))
    assert chosen(store_of(answered(1), warned(2)), guard_warnings=True) == ["tr-warned-2"]


def test_the_choice_can_be_made_again_and_another_seed_chooses_others() -> None:
    store = store_of(*(answered(number) for number in range(1, 31)))
    first = chosen(store, size=5, seed=1)
    assert len(first) == 5
    assert chosen(store, size=5, seed=1) == first
    assert chosen(store, size=5, seed=2) != first


def test_every_turn_is_drawn_about_as_often() -> None:
    store = store_of(*(answered(number) for number in range(1, 11)))
    drawn = [trace_id for seed in range(400) for trace_id in chosen(store, size=3, seed=seed)]
    counts = {trace_id: drawn.count(trace_id) for trace_id in set(drawn)}
    assert len(counts) == 10
    assert min(counts.values()) > 80  # 120 expected, standard deviation 9
    assert max(counts.values()) < 160


def test_undelivered_claims_of_a_draft_are_put_before_people_too() -> None:
    claims = reviewed_claims(stopped())
    assert [(claim.claim_index, claim.delivered) for claim in claims] == [(0, False), (1, False), (2, False), (3, False), (-1, True)]
    assert claims[1].text == "Người lớn: tối đa 4 mg/ngày theo đường uống."
    assert claims[1].judge is None


def test_delivered_claims_carry_what_the_judge_said() -> None:
    claims = reviewed_claims(answered())
    assert [claim.delivered for claim in claims] == [True] * 4
    assert claims[0].judge is not None
    assert (claims[0].judge.status, claims[0].judge.stance, claims[0].judge.prompt_hash) == ("supported", "SUPPORTS", "3b9f5d0c11aa")


def test_the_content_hash_follows_the_claim_and_its_blocks() -> None:
    before, again, other = (reviewed_claims(trace)[1].content_hash for trace in (answered(1), answered(2), stopped(1)))
    assert before == again
    assert before != other
    block = answered().evidence[0].model_copy(update={"text": answered().evidence[0].text.replace("4 g", "3 g")})
    changed = answered().model_copy(update={"evidence": (block, *answered().evidence[1:])})
    assert reviewed_claims(changed)[1].content_hash != before


def test_every_sample_turn_has_something_to_judge() -> None:
    assert all(reviewed_claims(trace) for trace in (*sample.conversation(), sample.hostile()))


def test_a_queue_takes_what_people_asked_not_the_cases_of_an_evaluation_run() -> None:
    case = answered(1).model_copy(update={"trace_id": "of-a-run", "conversation_id": "eval-demo-1-case"})
    assert chosen(store_of(case, answered(2))) == ["tr-answered-2"]
