"""Hỏi đáp without a browser: what the page does, up to what its components draw (that is for the browser tests)."""

from __future__ import annotations

from typing import Any

import pytest

from duocthu_core.bootstrap import Services
from duocthu_core.pipeline.asking import TurnNotSaved
from duocthu_core.storage.errors import StorageUnavailable
from pages.frame import asking
from tests.app import sample_traces as sample
from tests.app.conftest import Opening

QUESTION = "Liều paracetamol uống cho người lớn là bao nhiêu?"


def keys(at: Any) -> set[str]:
    return {element.key for element in at.get("bidi_component")}


def test_an_empty_page_says_what_to_do_first(open_page: Opening) -> None:
    at = open_page()
    assert not at.exception
    assert [title.value for title in at.title] == ["Hỏi đáp"]
    assert "Chưa có lượt nào. Hỏi thử:" in [text.value for text in at.text]
    assert QUESTION in [button.label for button in at.button]


def test_every_example_is_answered_or_asked_back(open_page: Opening, services: Services) -> None:
    at = open_page()
    for label in [button.label for button in at.button if button.label.endswith("?")]:
        assert services.ask(label, f"example-{label}").outcome in ("answered", "clarification"), label


def test_asking_shows_the_turn_and_puts_it_in_the_address(open_page: Opening, services: Services) -> None:
    at = open_page()
    at.chat_input[0].set_value(QUESTION).run()
    assert not at.exception
    assert "Các chặng của lượt 1" in [heading.value for heading in at.subheader]
    conversation = at.query_params["conversation"]
    assert at.query_params["turn"] == "1"
    assert [trace.question for trace in services.traces.of_conversation(conversation)] == [QUESTION]  # type: ignore[arg-type]


def test_the_address_alone_shows_the_same_turn_and_stage_to_another_session(open_page: Opening) -> None:
    at = open_page(conversation=sample.CONVERSATION, turn="2", stage="retrieval")
    assert [heading.value for heading in at.subheader] == ["Các chặng của lượt 2", "Truy hồi"]
    assert "result-tr-stopped-retrieval" in keys(at)


def test_without_a_turn_in_the_address_the_newest_is_opened_where_it_ended(open_page: Opening) -> None:
    at = open_page(conversation=sample.CONVERSATION)
    assert [heading.value for heading in at.subheader] == ["Các chặng của lượt 7", "Rào chắn"]


def test_a_blank_question_is_told_and_leaves_the_rest(open_page: Opening) -> None:
    at = open_page(conversation=sample.CONVERSATION, turn="1")
    at.chat_input[0].set_value("   ").run()
    assert [warning.value for warning in at.warning] == ["Hãy gõ câu hỏi về một thuốc rồi gửi lại."]
    assert f"turns-{sample.CONVERSATION}" in keys(at)


def test_a_failing_turn_is_told_and_the_earlier_turns_stay(open_page: Opening, services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_args: object, **_named: object) -> None:
        raise RuntimeError("secret internal detail")

    monkeypatch.setattr(type(services), "ask", fail)
    at = open_page(conversation=sample.CONVERSATION)
    at.chat_input[0].set_value(QUESTION).run()
    assert not at.exception
    told = at.warning[0].value
    assert "các lượt trước còn nguyên" in told
    assert "secret" not in told
    assert f"turns-{sample.CONVERSATION}" in keys(at)


def test_a_turn_that_could_not_be_stored_is_still_shown(open_page: Opening, services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsaved(_services: object, question: str, conversation_id: str, **_named: object) -> None:
        raise TurnNotSaved(sample.answered("unsaved", 1, conversation_id).model_copy(update={"question": question}), "disk full")

    monkeypatch.setattr(type(services), "ask", unsaved)
    at = open_page()
    at.chat_input[0].set_value(QUESTION).run()
    assert "Các chặng của lượt 1" in [heading.value for heading in at.subheader]
    assert "hội thoại đã có lượt khác được lưu trước" in at.warning[0].value
    assert [button.key for button in at.button if button.key == "save_again"] == []


def test_while_the_database_is_away_the_seen_turns_and_the_new_answer_stay_and_can_be_saved_later(
    open_page: Opening, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = open_page()
    at.chat_input[0].set_value(QUESTION).run()
    (turns,) = [key for key in keys(at) if key.startswith("turns-")]
    with monkeypatch.context() as away:

        def fail(*_args: object, **_named: object) -> None:
            raise StorageUnavailable("the database postgresql://10.0.0.7/duocthu cannot be used")

        away.setattr(services.turns, "save_turn", fail)
        away.setattr(services.traces, "recent", fail)
        at.chat_input[0].set_value(QUESTION).run()
        assert not at.exception
        assert at.error[0].value.startswith("Không có gì bị mất. Hãy thử lại sau ít phút")
        assert "bấm Lưu lại" in at.warning[0].value
        assert "Các chặng của lượt 2" in [heading.value for heading in at.subheader], "the answer that was not stored"
        assert turns in keys(at)
        at.button(key="save_again").click().run()
        assert "bấm Lưu lại" in at.warning[0].value
        assert "10.0.0.7" not in str([*at.warning, *at.error])
    at.button(key="save_again").click().run()
    assert not at.warning
    assert not at.error
    assert [trace.turn_index for trace in services.traces.of_conversation(turns.removeprefix("turns-"))] == [1, 2]


def test_a_question_that_found_no_database_says_so(open_page: Opening, services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_args: object, **_named: object) -> None:
        raise StorageUnavailable("the database postgresql://10.0.0.7/duocthu cannot be used")

    at = open_page()
    monkeypatch.setattr(services.turns, "load_state", fail)
    at.chat_input[0].set_value(QUESTION).run()
    assert at.warning[0].value.startswith("Không đọc được cơ sở dữ liệu nên lượt này chưa chạy")


def test_a_new_conversation_starts_empty(open_page: Opening) -> None:
    at = open_page(conversation=sample.CONVERSATION)
    at.button(key="new_conversation").click().run()
    assert "conversation" not in at.query_params
    assert "Chưa có lượt nào. Hỏi thử:" in [text.value for text in at.text]


def test_a_claim_edited_by_hand_is_checked_again(open_page: Opening, services: Services) -> None:
    trace = services.ask(QUESTION, "edit")
    at = open_page(conversation="edit", turn="1", stage="guards", claim="2")
    area = next(area for area in at.text_area if area.key and area.key.startswith("edit-"))
    text = area.value or ""
    assert "4 g/ngày" in text
    area.set_value(text.replace("4 g/ngày", "40 g/ngày")).run()
    next(button for button in at.button if button.key and button.key.startswith("check-")).click().run()
    assert f"edited-{trace.trace_id}-guards-1" in keys(at)


def test_english_is_a_switch(open_page: Opening) -> None:
    at = open_page(conversation=sample.CONVERSATION, turn="2")
    at.segmented_control(key="language_switch").set_value("en").run()
    assert [title.value for title in at.title] == ["Live run"]
    assert "Stages of turn 2" in [heading.value for heading in at.subheader]
    assert at.query_params["lang"] == "en"


def test_a_link_carries_its_language(open_page: Opening) -> None:
    assert [title.value for title in open_page(lang="en").title] == ["Live run"]
    assert [title.value for title in open_page(lang="xx").title] == ["Hỏi đáp"]


def test_a_running_turn_shows_its_strip_and_a_stop(open_page: Opening, services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.app.test_running_turn import Paced

    paced = Paced()
    monkeypatch.setattr(type(services), "ask", lambda _services, *args, **named: paced.ask(*args, **named))
    monkeypatch.setattr(asking, "_SHORT_TURN_S", 0.01)
    at = open_page()
    at.chat_input[0].set_value(QUESTION).run()
    assert "strip-running" in keys(at)
    assert at.chat_input[0].proto.disabled
    at.button(key="stop").click().run()
    paced.let.release()
    for _ in range(50):
        if at.run().warning:
            break
    assert [warning.value for warning in at.warning] == ["Không có gì được lưu. Bạn có thể hỏi lại, hoặc hỏi câu khác."]
    assert services.traces.of_conversation(str(at.query_params["conversation"])) == []


def test_a_turn_of_a_long_conversation_is_shown_again_with_every_other(open_page: Opening, services: Services) -> None:
    for number in range(1, 41):
        services.traces.save(sample.answered(f"long-{number}", number, "long"))
    at = open_page(conversation="long", turn="20")
    assert "Các chặng của lượt 20" in [heading.value for heading in at.subheader]
    before = keys(at)
    at.run()
    assert not at.exception
    assert keys(at) == before
