"""So sánh (spec 06, page 2), without a browser: the pair of the address, its causes, what may be run, and addresses of every kind."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from duocthu_core.bootstrap import Services
from duocthu_core.pipeline.comparing import compare
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.tuning.compared_pairs import compare_pairs
from pages.components.compare_parts.pair_parts import causes
from pages.components.compare_parts.set_parts import flow_figure, flow_table
from pages.components.compare_view.compare_view import SideName, view_data
from pages.components.facts.parts import Figure
from pages.frame import access
from pages.frame.compare_address import CompareAddress
from pages.frame.running_comparison import RunningComparison
from tests.app import sample_traces as sample
from tests.app.conftest import Opening

PAGE = "compare.py"
GOOD, BAD = sample.answered(), sample.stopped()
NAMES = SideName("một"), SideName("hai")


def test_an_empty_page_says_what_to_do_first(open_page: Opening) -> None:
    at = open_page(PAGE)
    assert not at.exception
    assert any("Chọn hai lượt" in text.value for text in at.text)


@pytest.mark.parametrize(
    "query",
    [
        {"a": "<b>", "b": "$x$", "view": "?"},
        {"a": "nothing", "b": "tr-answered"},
        {"set": "none", "rules_a": "zzz", "n": "-4", "until": "yesterday", "outcome": "good"},
        {"view": "turns", "n": "99999999", "models_a": "other", "until": "2026-03-02T08:00:00"},
        {"view": "question", "of": "nothing"},
    ],
)
def test_an_address_that_nothing_wrote_is_no_error(open_page: Opening, query: dict[str, str]) -> None:
    assert not open_page(PAGE, **query).exception


def test_a_pair_of_the_address_is_drawn_and_can_be_swapped(open_page: Opening) -> None:
    at = open_page(PAGE, a=GOOD.trace_id, b=BAD.trace_id)
    assert not at.exception
    next(button for button in at.button if button.label == "Đổi chỗ").click().run()
    assert (at.query_params["a"], at.query_params["b"]) == (BAD.trace_id, GOOD.trace_id)


def test_a_turn_that_is_not_there_is_named(open_page: Opening) -> None:
    at = open_page(PAGE, a="gone", b=BAD.trace_id)
    assert [warning.value for warning in at.warning] == ["Không có lượt A này, hoặc bản này không đọc được nó."]


def test_one_configured_model_is_said(open_page: Opening) -> None:
    at = open_page(PAGE, view="question")
    assert any("Chỉ có một cặp mô hình" in text.value for text in at.text)
    assert next(button for button in at.button if button.label == "Chạy hai bên").disabled


def test_a_viewer_sees_pairs_and_may_not_run(open_page: Opening, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "LOCAL_USER", access.LOCAL_USER.model_copy(update={"role": "viewer"}))
    at = open_page(PAGE, view="question", of=GOOD.trace_id)
    assert next(button for button in at.button if button.label == "Chạy hai bên").disabled
    assert any("vai trò kỹ sư" in text.value for text in at.text)
    assert not open_page(PAGE, a=GOOD.trace_id, b=BAD.trace_id).exception


def test_a_comparison_of_many_turns_may_be_asked_for(open_page: Opening) -> None:
    at = open_page(PAGE, view="turns", n="3")
    assert any("3 lượt chưa chạy" in text.value for text in at.text)
    assert not next(button for button in at.button if button.label == "Chạy hai bên").disabled


def test_the_first_difference_is_framed_and_no_dose_is_struck(services: Services) -> None:
    data = view_data(compare(GOOD, BAD, services.ruleset), NAMES, ["vì sao"])
    assert sum(stage["first"] for stage in data["stages"]) == 1
    changed = next(claim for claim in data["claims"] if any(mark["text"] == "Bị chặn: sai đơn vị" for mark in claim["sides"][1]["marks"]))
    removed = [piece["text"] for piece in changed["sides"][0]["pieces"] if piece["kind"] == "removed"]
    added = [piece["text"] for piece in changed["sides"][1]["pieces"] if piece["kind"] == "added"]
    assert "4 g/ngày" in " ".join(removed)
    assert "4 mg/ngày" in " ".join(added)
    assert "".join(piece["text"] for piece in changed["sides"][0]["pieces"])


def test_the_same_turn_twice_is_the_same(services: Services) -> None:
    data = view_data(compare(GOOD, GOOD, services.ruleset), NAMES, [])
    assert data["banner"]["title"] == "Giống nhau ở mọi chặng"
    assert all(claim["same"] for claim in data["claims"])


def test_a_loosened_guard_is_named_as_the_cause(services: Services) -> None:
    base: Ruleset = services.ruleset
    loose = base.model_copy(update={"guards": {**base.guards, "unit_mismatch": "off"}})
    one = GOOD.model_copy(update={"ruleset_id": base.ruleset_id})
    other = BAD.model_copy(update={"ruleset_id": loose.ruleset_id, "question": GOOD.question})
    assert causes(compare(one, other, base), (base, loose))[0] == "Quy tắc khác: rào chắn “sai đơn vị”: Chặn → Tắt."


def test_outcomes_flow_as_a_picture_and_as_a_table() -> None:
    stored = {trace.trace_id: trace for trace in (GOOD, BAD)}
    compared = compare_pairs([(GOOD.trace_id, BAD.trace_id), (GOOD.trace_id, GOOD.trace_id)], stored.get, ("a", "b"))
    (sankey,) = flow_figure(compared).data
    assert sorted(sankey.link.value) == [1, 1]  # type: ignore[attr-defined]
    rows = flow_table(compared).rows
    assert [row[:2] for row in rows] == [("Đã trả lời", "Không trả lời · sai đơn vị"), ("Đã trả lời", "Đã trả lời")]
    assert [row[3] for row in rows] == [Figure("1"), Figure("1")]


@pytest.mark.parametrize(
    "address",
    [
        CompareAddress(a="x", b="y"),
        CompareAddress(view="set", set="demo", rules_a="abcdef12", rules_b="lỏng"),
        CompareAddress(view="set", set="demo", a="x", b="y"),
        CompareAddress(view="turns", words="liều", n=7, until=datetime(2026, 3, 2, 8, tzinfo=UTC), begun="1", models_b="offline"),
    ],
)
def test_an_address_is_written_and_read_alike(address: CompareAddress) -> None:
    assert CompareAddress.from_query(address.to_query()) == address


def test_an_eval_set_and_two_rulesets_are_enough_of_an_address() -> None:
    assert CompareAddress.from_query({"set": "demo", "rules_a": "default", "rules_b": "lỏng"}).view == "set"


def test_work_that_fails_is_told_and_work_that_ends_gives_its_pair() -> None:
    def fails(_on_progress, _should_stop):
        raise RuntimeError("away")

    failed, made = RunningComparison(fails), RunningComparison(lambda on_progress, _stop: on_progress(1, 2) or ("a", "b"))
    for running in (failed, made):
        running.start()
        assert running.wait(10)
    assert isinstance(failed.error, RuntimeError)
    assert (made.pair, made.share) == (("a", "b"), 0.5)
