"""Lượt đã chạy: every stored turn has an address of its own, and can be found."""

from __future__ import annotations

from duocthu_core.bootstrap import Services
from tests.app import sample_traces as sample
from tests.app.conftest import Opening


def test_a_trace_has_an_address_of_its_own(open_page: Opening) -> None:
    at = open_page("turn.py", trace="tr-stopped", stage="guards")
    assert not at.exception
    assert [heading.value for heading in at.subheader] == ["Các chặng của lượt 2", "Rào chắn"]


def test_an_unknown_trace_says_so_and_lists_what_there_is(open_page: Opening) -> None:
    at = open_page("turn.py", trace="nothing-here")
    assert "Không có lượt nào ở địa chỉ này" in at.warning[0].value
    assert "8 lượt, mới nhất ở trên" in [text.value for text in at.text]


def test_a_trace_that_is_imported_later_is_found_then(open_page: Opening, services: Services) -> None:
    assert open_page("turn.py", trace="later").warning
    services.traces.save(sample.answered("later", 1, "other"))
    assert not open_page("turn.py", trace="later").warning


def test_the_list_is_narrowed_by_words_and_outcome(open_page: Opening) -> None:
    at = open_page("turn.py")
    at.text_input(key="words").set_value("tre em").run()
    assert "1 lượt, mới nhất ở trên" in [text.value for text in at.text]
    at.text_input(key="words").set_value("khong co cau nay").run()
    assert "Không có lượt nào khớp. Hãy bỏ bớt điều kiện." in [text.value for text in at.text]


def test_a_turn_and_a_list_of_turns_can_be_taken_along(open_page: Opening) -> None:
    one = open_page("turn.py", trace="tr-answered")
    assert [button.label for button in one.get("download_button")] == [
        "Báo cáo kiểm định (PDF)",
        "Báo cáo kiểm định (HTML)",
        "Toàn bộ lượt (JSONL)",
        "Các mệnh đề (CSV cho Excel)",
    ]
    assert len(open_page("turn.py").get("download_button")) == 2


def test_turns_of_evaluation_runs_do_not_bury_what_people_asked(open_page: Opening, services: Services) -> None:
    services.traces.save(sample.answered("of-a-run", 1, "eval-demo-1-case"))
    at = open_page("turn.py")
    assert "8 lượt, mới nhất ở trên" in [text.value for text in at.text]
    at.toggle(key="evaluations").set_value(True).run()
    assert "9 lượt, mới nhất ở trên" in [text.value for text in at.text]
