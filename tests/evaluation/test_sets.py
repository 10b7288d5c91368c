"""Eval sets: what loads, what each error says, what the hashes are of."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from duocthu_core.corpus.collection import Corpus
from duocthu_core.evaluation.gold import says
from duocthu_core.evaluation.model import EvalItem, GoldFact
from duocthu_core.evaluation.sets import EvalSet, EvalSetError, load_set, read_set, stale_blocks
from duocthu_core.pipeline.trace import Outcome
from duocthu_core.verification.model import RejectReason
from tests.conftest import cases

DOSE = "paracetamol/lieu_luong_cach_dung"


def item(id: str = "a", **expect: Any) -> dict[str, Any]:
    expect.setdefault("facts", [{"at": DOSE, "label": "6 - 8 tuổi", "figures": ["240 - 250 mg"]}])
    return {"id": id, "turns": [{"q": "Bé 7 tuổi uống paracetamol?", "expect": expect}]}


def problems(corpus: Corpus, *lines: dict[str, Any] | str) -> list[str]:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines)
    with pytest.raises(EvalSetError) as caught:
        read_set("thử", text, corpus)
    return list(caught.value.problems)


def test_the_shipped_set_covers_every_outcome_and_every_reject_reason(demo_set: EvalSet) -> None:
    expected = {pattern for resolved in demo_set.items for turn in resolved.item.turns if turn.expect for pattern in turn.expect.outcome}
    assert len(demo_set.items) >= 120
    assert {pattern.partition(":")[0] for pattern in expected} == set(get_args(Outcome))
    # A quarantined block sends to the page, with this reason; nobody abstains with it.
    assert {pattern.partition(":")[2] for pattern in expected} - {"", "*"} == set(get_args(RejectReason)) - {"quarantined"}


def test_the_shipped_set_says_that_nobody_read_it_again(demo_set: EvalSet) -> None:
    assert demo_set.second_read == 0
    assert {resolved.item.author for resolved in demo_set.items} == {"Dược Thư Workbench"}


def test_the_example_of_the_notes_loads(corpus: Corpus) -> None:
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in cases("eval_items_example"))
    evalset = read_set("ví dụ", text, corpus)
    assert len(evalset.items) == 6
    child = evalset.item("par-child")
    assert child is not None
    assert [turn is not None for turn in child.gold] == [False, True, True]


def test_gold_is_resolved_to_blocks_and_their_hashes(corpus: Corpus) -> None:
    evalset = read_set("thử", json.dumps(item()), corpus)
    (block_id,) = evalset.gold_hashes
    block = corpus.block(block_id)
    assert block is not None
    assert "6 - 8 tuổi: 240 - 250 mg" in block.text
    assert evalset.gold_hashes[block_id] == block.content_hash
    assert stale_blocks(evalset.gold_hashes, corpus) == ()
    changed = Corpus.of(
        corpus.monographs.values(),
        (b.model_copy(update={"text": b.text + " Thêm."}) if b.block_id == block_id else b for b in corpus.blocks),
        corpus.edition,
    )
    assert stale_blocks(evalset.gold_hashes, changed) == (block_id,)


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (item(), "line 2: id 'a' stands on line 1 already; give every item an id of its own"),
        (item("b", facts=[{"at": DOSE, "figures": ["2400 mg"]}]), "line 2: turn 1: figure '2400 mg' stands in no block of " + DOSE),
        (item("b", facts=[{"at": DOSE, "figures": ["40 - 250 mg"]}]), "line 2: turn 1: figure '40 - 250 mg' stands in no block"),
        (item("b", facts=[{"at": DOSE, "label": "4 - 6 tuổi", "figures": ["240 - 250 mg"]}]), "says '240 - 250 mg' under '4 - 6 tuổi'"),
        (item("b", forbid={"figures": ["240 - 250 mg"]}), "line 2: turn 1: figure '240 - 250 mg' is required and forbidden"),
        (item("b", forbid={"cite": ["paracetamol/*"]}), "is required and its block is forbidden"),
        (item("b", facts=[{"at": "zanamivir/chi_dinh", "terms": ["cúm"]}]), "the corpus has no drug 'zanamivir'"),
        (item("b", facts=[{"at": DOSE, "figures": ["240 - 250 mg"], "page": 7}]), f"the block of {DOSE} is not on page 7"),
        (item("b", outcome=["abstained"]), "line 2: turn 1: outcome 'abstained' is unknown"),
        (item("b", outcome=["abstained:never"]), "outcome 'abstained:never' is unknown"),
        (item("b", facts=[]), "line 2: turn 1: an answer is expected, and neither facts nor cite say which"),
        (item("b", cite=["nothing/*"]), "no block is called 'nothing/*'"),
        (item("b", section="lieu"), "section 'lieu' is unknown"),
        ({"id": "b", "turns": [{"q": "Liều?"}]}, "line 2: no turn has an expect"),
        ({"id": "b", "turns": [{"q": "Liều?", "expected": {}}]}, "line 2: turns.0.expected: Extra inputs are not permitted"),
        ("{", "line 2: no valid JSON"),
        (
            item("b", facts=[{"at": DOSE, "figures": ["240 - 250 mg"], "pinned": {f"{DOSE}/17": "sha256:0"}}]),
            f"line 2: turn 1: gold is stale, block {DOSE}/17 changed since it was written",
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_each_error_is_one_line_with_its_number(corpus: Corpus, second: dict[str, Any] | str, said: str) -> None:
    (problem,) = problems(corpus, item(), second)
    assert said in problem
    assert "\n" not in problem


def test_every_wrong_line_is_told_at_once(corpus: Corpus) -> None:
    found = problems(corpus, "{", item(), item(), item("b", section="x"))
    assert [problem.split(":")[0] for problem in found] == ["line 1", "line 3", "line 4"]


def test_a_set_that_is_not_there_names_those_that_are(corpus: Corpus) -> None:
    with pytest.raises(EvalSetError, match=r"eval set nowhere: cannot be read .*one of: .*demo"):
        load_set("nowhere", corpus)


def test_turns_and_expectations_are_hashed_apart() -> None:
    base = EvalItem.model_validate(item())
    other_turn = EvalItem.model_validate(item() | {"turns": [item()["turns"][0] | {"q": "Bé 6 tuổi uống paracetamol?"}]})
    other_expect = EvalItem.model_validate(item(outcome=["clarification"]))
    noted = EvalItem.model_validate(item() | {"tags": ["band"], "author": "Dược sĩ"})
    assert (base.turns_hash != other_turn.turns_hash, base.expect_hash == other_turn.expect_hash) == (True, True)
    assert (base.turns_hash == other_expect.turns_hash, base.expect_hash != other_expect.expect_hash) == (True, True)
    assert (noted.turns_hash, noted.expect_hash) == (base.turns_hash, base.expect_hash)


def test_a_figure_counts_only_under_its_label() -> None:
    fact = GoldFact(at=DOSE, label="Clcr < 10 ml/phút", figures=("8 giờ/lần",))
    renal = "Clcr 10 - 50 ml/phút: cách nhau 6 giờ/lần. Clcr < 10 ml/phút: cách nhau 8 giờ/lần."
    assert says(fact, renal)
    assert not says(fact.model_copy(update={"figures": ("6 giờ/lần",)}), renal)
    assert not says(fact.model_copy(update={"label": "Clcr 10 - 50 ml/phút"}), renal)
    assert says(GoldFact(at=DOSE, label="Người lớn", figures=("1 g",)), "Uống: 1 g mỗi lần.", "Người lớn:")
    assert not says(GoldFact(at=DOSE, label="Người lớn", figures=("1 g",)), "Uống: 1 g mỗi lần.")
    assert not says(GoldFact(at=DOSE, figures=("5 mg",)), "Uống 15 mg.")
