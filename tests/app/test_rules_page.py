"""Quy tắc: an edit is kept, weighed and checked before it is saved; of two editors the second is told."""

from __future__ import annotations

import threading

import pytest

from duocthu_core.bootstrap import Services
from duocthu_core.rulesets.documents import RulesetDraft
from duocthu_core.rulesets.drafts import KeptDraft
from pages.components import rules_versions
from pages.frame import labels
from tests.app.conftest import Opening
from tests.app.test_words import VIETNAMESE

GUARD = "guards.unit_mismatch"


def texts(at) -> str:
    return "\n".join(element.value for element in at.text)


def loosened(at, base_id: str, level: str = "off", name: str = "lỏng"):
    at.selectbox(key=f"{base_id}:{GUARD}").set_value(level).run()
    at.text_input(key=f"name:{base_id}").set_value(name).run()
    return at


def test_a_loosened_guard_is_shown_saved_and_noted(open_page: Opening, services: Services) -> None:
    base = services.ruleset
    at = loosened(open_page("rules.py"), base.ruleset_id)
    assert not at.exception
    assert "− reject\n+ off" in texts(at)
    assert [metric.value for metric in at.metric][:2] == ["0", "0"]
    next(button for button in at.button if button.label == "Lưu thành bản mới").click().run()
    assert not at.exception
    head = services.rulesets.head("lỏng")
    assert head is not None
    assert services.rulesets.find("lỏng").guard_level("unit_mismatch") == "off"
    assert at.success[0].value == "Đã lưu “lỏng”, bản 1."


def test_a_broken_table_is_told_at_its_line_and_what_was_typed_stays(open_page: Opening, services: Services) -> None:
    base_id = services.ruleset.ruleset_id
    at = open_page("rules.py")
    at.session_state["section"] = "tables"
    at.run()
    at.selectbox(key="table").set_value("units").run()
    at.text_area(key=f"{base_id}:tables.units").set_value("version: 1\nunits: [\n").run()
    assert at.error[0].value == "Chưa dùng được. Chưa lưu gì."
    assert "tables.units · dòng" in texts(at)
    at.run()
    assert at.text_area(key=f"{base_id}:tables.units").value == "version: 1\nunits: [\n"
    assert next(button for button in at.button if button.label == "Lưu thành bản mới").disabled


def test_the_second_editor_of_a_name_is_told(open_page: Opening, services: Services) -> None:
    desk, base = services.rules_desk, services.ruleset

    def edit(level: str):
        draft = RulesetDraft(base_id=base.ruleset_id).with_field(GUARD, level, base)
        return desk.checked(draft, base, name="nhóm", author="Lan", note="")

    first = desk.save(edit("warn"), None, "Lan")
    at = open_page("rules.py", ruleset="nhóm")
    at.selectbox(key=f"{first.ruleset_id}:{GUARD}").set_value("reject").run()
    at.selectbox(key=f"{first.ruleset_id}:guards.low_support").set_value("off").run()
    second = desk.save(edit("off"), first.ruleset_id, "Lan")
    next(button for button in at.button if button.label == "Lưu thành bản mới").click().run()
    assert "Lan đã lưu một bản khác của “nhóm”" in at.error[0].value
    assert [heading.ruleset_id for heading in services.rulesets.store.history("nhóm")] == [second.ruleset_id, first.ruleset_id]


def pressed(at, label: str):
    next(button for button in at.button if button.label == label).click().run()
    assert not at.exception
    return at


def test_a_draft_survives_a_closed_browser_and_a_second_tab_is_told(open_page: Opening, services: Services) -> None:
    base_id = services.ruleset.ruleset_id
    key = f"{base_id}:{GUARD}"
    loosened(open_page("rules.py"), base_id, name="dở dang")
    again = open_page("rules.py")
    assert again.selectbox(key=key).value == "off"
    assert again.text_input(key=f"name:{base_id}").value == "dở dang"
    other = open_page("rules.py")
    again.selectbox(key=key).set_value("warn").run()
    other.selectbox(key=f"{base_id}:guards.low_support").set_value("off").run()
    assert "một thẻ khác" in other.warning[0].value
    assert other.selectbox(key=f"{base_id}:guards.low_support").value == "off"
    kept = services.rulesets.store.drafts.of("local", base_id)
    assert kept is not None
    assert kept.draft.fields == {GUARD: "warn"}
    pressed(other, "Lấy bản ở thẻ kia")
    assert other.selectbox(key=key).value == "warn"
    pressed(other, "Bỏ phần đã sửa")
    assert services.rulesets.store.drafts.of("local", base_id) is None


def test_saved_rules_answer_nobody_until_they_are_put_in_force_and_go_back_with_one_click(
    open_page: Opening, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules_versions, "answer_under_rules_in_force", lambda: None)  # of the served process, which this test has none of
    desk, base = services.rules_desk, services.ruleset
    draft = RulesetDraft(base_id=base.ruleset_id).with_field(GUARD, "warn", base)
    saved = desk.save(desk.checked(draft, base, name="nhóm", author="Lan", note=""), None, "Lan")
    assert services.in_force() is services
    at = open_page("rules.py", ruleset="nhóm")
    pressed(at, "Đúng, dùng cho mọi người")
    assert services.in_force().ruleset.ruleset_id == saved.ruleset_id
    assert services.in_force().pipeline.parts.ruleset.guard_level("unit_mismatch") == "warn"
    pressed(at, f"Trở lại “{labels.ruleset_name(base)}”")
    assert services.in_force().ruleset.ruleset_id == base.ruleset_id
    assert [line.action for line in services.audit.recent()][:2] == ["ruleset.activate", "ruleset.activate"]


def test_versions_are_listed_compared_and_an_old_one_is_restored_as_a_new_one(open_page: Opening, services: Services) -> None:
    desk, base = services.rules_desk, services.ruleset

    def saved(level: str, head: str | None, note: str):
        draft = RulesetDraft(base_id=base.ruleset_id).with_field(GUARD, level, base).with_field("guards.low_support", "warn", base)
        return desk.save(desk.checked(draft, base, name="nhóm", author="Lan", note=note), head, "Lan")

    first = saved("off", None, "đầu")
    second = saved("warn", first.ruleset_id, "chặt hơn")
    at = open_page("rules.py", ruleset="nhóm", against=first.ruleset_id)
    assert "Bản 1 · Lan" in texts(at)
    assert "− off\n+ warn" in texts(at)
    pressed(at, "Khôi phục thành bản mới")
    versions = services.rulesets.store.history("nhóm")
    assert [heading.ruleset_id for heading in versions] == [first.ruleset_id, second.ruleset_id, first.ruleset_id]
    assert versions[0].note == "Khôi phục bản 1"


def test_a_turn_runs_again_from_a_stage_and_both_runs_are_linked(open_page: Opening, services: Services) -> None:
    asked = services.ask("Liều paracetamol uống cho người lớn là bao nhiêu?", "chạy-lại")
    at = open_page("turn.py", trace=asked.trace_id, stage="guards")
    at.button(key=f"replay-now-{asked.trace_id}-guards").click().run()
    at.run()
    assert not at.exception
    runs = [heading for heading in services.traces.recent(20) if heading.parent_trace_id == asked.trace_id]
    assert len(runs) == 1
    parent = open_page("turn.py", trace=asked.trace_id)
    assert [item.label for item in parent.expander if "Các lần chạy lại" in item.label] == ["Các lần chạy lại lượt này (1)"]
    child = open_page("turn.py", trace=runs[0].trace_id)
    assert "Khác nhau từ chặng: không chặng nào" in texts(child)


def test_an_engineer_tries_other_rules_live_and_the_turn_says_which(open_page: Opening, services: Services) -> None:
    desk, base = services.rules_desk, services.ruleset
    draft = RulesetDraft(base_id=base.ruleset_id).with_field(GUARD, "warn", base)
    saved = desk.save(desk.checked(draft, base, name="nhóm", author="Lan", note=""), None, "Lan")
    at = open_page(ruleset=saved.ruleset_id)
    assert not at.exception
    at.chat_input(key="ask").set_value("Liều paracetamol uống cho người lớn là bao nhiêu?").run()
    at.run()
    assert services.traces.recent(1)[0].ruleset_id == saved.ruleset_id
    assert services.in_force().ruleset.ruleset_id == base.ruleset_id


FAULTS = {
    "tab": ("version: 1\nunits:\n\tmg: 1\n", "ký tự tab", "begins with a tab"),
    "indentation": ("version: 1\n  units: 1\n", "không thẳng hàng", "not lined up"),
    "unclosed": ("version: 1\nunits: [\n", "mở ở dòng 2 chưa đóng", "opens in line 2 is not closed"),
    "repeated": ("version: 1\nversion: 2\n", "“version” đã có ở dòng 1", "stands in line 1 already"),
    "bomb": ("a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "neo và tham chiếu", "Anchors and references"),
    "markup": ("<img src=x onerror=alert(1)>\n", "phải là các khóa", "Keys belong here"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("language", ["vi", "en"])
def test_a_fault_is_told_in_the_language_of_the_reader(open_page: Opening, services: Services, fault: str, language: str) -> None:
    typed, said_vi, said_en = FAULTS[fault]
    base_id = services.ruleset.ruleset_id
    at = open_page("rules.py")
    at.session_state["language"], at.session_state["section"] = language, "tables"
    at.run()
    at.selectbox(key="table").set_value("units").run()
    at.text_area(key=f"{base_id}:tables.units").set_value(typed).run()
    assert not at.exception
    told = next(element.value for element in at.text if element.value.startswith("tables.units"))
    assert (said_vi if language == "vi" else said_en) in told
    assert VIETNAMESE.search(told) is None or language == "vi"


def test_a_number_out_of_its_limits_and_a_name_that_is_none_are_told(open_page: Opening, services: Services) -> None:
    base_id = services.ruleset.ruleset_id
    at = open_page("rules.py")
    at.session_state["section"] = "thresholds"
    at.run()
    at.number_input(key=f"{base_id}:thresholds.judge_min_confidence").set_value(700).run()
    assert "700 quá lớn: nhiều nhất 100." in texts(at)
    at.number_input(key=f"{base_id}:thresholds.judge_min_confidence").set_value(80).run()
    at.text_input(key=f"name:{base_id}").set_value("<b>[x](javascript:1)</b>").run()
    pressed(at, "Lưu thành bản mới")
    assert "Tên phải bắt đầu bằng chữ hoặc số" in texts(at)
    assert services.rulesets.store.heads() == []


def test_a_note_is_never_read_as_markup(open_page: Opening, services: Services) -> None:
    desk, base = services.rules_desk, services.ruleset
    draft = RulesetDraft(base_id=base.ruleset_id).with_field(GUARD, "warn", base)
    note = "<script>x</script> :red[đỏ] $x^2$ [a](b)"
    desk.save(desk.checked(draft, base, name="nhóm", author="<i>Lan</i>", note=note), None, "Lan")
    at = open_page("rules.py", ruleset="nhóm")
    assert not at.exception
    assert any(note in element.value and "<i>Lan</i>" in element.value for element in at.text), "drawn by st.text, as it is"
    assert not any("script" in element.value for element in (*at.markdown, *at.error, *at.success, *at.warning))


def test_another_person_s_draft_is_neither_shown_nor_opened(open_page: Opening, services: Services) -> None:
    base = services.ruleset
    draft = RulesetDraft(base_id=base.ruleset_id).with_field(GUARD, "off", base)
    services.rulesets.store.drafts.keep("minh@bv.vn", KeptDraft(draft=draft, base_name=base.name, name="của Minh"))
    at = open_page("rules.py", ruleset=base.ruleset_id)
    assert at.selectbox(key=f"{base.ruleset_id}:{GUARD}").value == "reject"
    assert at.text_input(key=f"name:{base.ruleset_id}").value != "của Minh"
    assert "Chưa sửa gì" in texts(at)


@pytest.mark.parametrize(
    "query",
    [
        {"ruleset": "<b>không có</b>", "section": "?", "table": "zz", "trace": "nothing", "from": "nowhere", "against": "x"},
        {"ruleset": "sha256:" + "0" * 64},
        {"ruleset": "x" * 5000, "section": "tables"},
    ],
)
def test_an_address_that_points_nowhere_is_no_error(open_page: Opening, query: dict[str, str]) -> None:
    at = open_page("rules.py", **query)
    assert not at.exception
    assert "Không có bộ quy tắc này" in at.warning[0].value


def test_a_trial_runs_from_the_stage_of_the_address_beside_the_page(open_page: Opening, services: Services) -> None:
    """A sample turn asks the same: the one of the address is run, not the first that has these words."""
    asked = services.ask("Liều paracetamol uống cho người lớn là bao nhiêu?", "thử-chặng")
    base_id = services.ruleset.ruleset_id
    at = loosened(open_page("rules.py", **{"trace": asked.trace_id, "from": "decision"}), base_id)
    assert at.selectbox(key="rules_start").value == "decision"
    at.button(key="try").click().run()
    work = at.session_state["rules_trial"][1]
    assert work.wait(60)
    at.run()
    assert not at.exception
    assert work.result.kept == ("scope", "understanding", "focus", "retrieval")
    assert "Khác nhau từ chặng:" in texts(at)
    assert [heading.parent_trace_id for heading in services.traces.recent(1)] == [asked.trace_id]


def test_a_trial_that_is_stopped_stores_nothing(open_page: Opening, services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = services.ask("Liều paracetamol uống cho người lớn là bao nhiêu?", "thử-dừng")
    entered, go_on = threading.Event(), threading.Event()
    pipeline = services.rules_desk.variants.of

    def slow(ruleset):
        entered.set()
        go_on.wait(20)
        return pipeline(ruleset)

    at = loosened(open_page("rules.py", trace=asked.trace_id), services.ruleset.ruleset_id)
    monkeypatch.setattr(services.rules_desk.variants, "of", slow)
    at.button(key="try").click().run()
    assert entered.wait(20)
    assert at.button(key="try").disabled
    at.button(key="stop-trial").click().run()
    go_on.set()
    assert at.session_state["rules_trial"][1].wait(20)
    at.run()
    assert "Đã dừng, chưa có kết quả." in texts(at)
    assert services.traces.recent(1)[0].trace_id == asked.trace_id


def test_rules_of_an_older_version_say_so_wherever_they_are_asked_for(open_page: Opening, services: Services) -> None:
    sections = services.ruleset.tables["sections"]
    heads = {key: value for key, value in sections["retrieval"].items() if key != "general_headings"}
    outdated = services.ruleset.model_copy(
        update={"name": "cũ", "tables": services.ruleset.tables | {"sections": sections | {"retrieval": heads}}}
    )
    services.rulesets.store.save(outdated, None)
    for page, query in (("mutation.py", {"rules": "cũ"}), ("compare.py", {"view": "question", "rules_b": "cũ"}), ("", {"ruleset": "cũ"})):
        at = open_page(page, **query)
        assert not at.exception
        assert any("“cũ” được lưu trước phiên bản này" in warning.value for warning in at.warning), page
    at = open_page("rules.py", ruleset="cũ")
    pressed(at, "Đúng, dùng cho mọi người")
    assert "được lưu trước phiên bản này" in at.error[0].value
    assert services.in_force().ruleset.ruleset_id == services.ruleset.ruleset_id


def test_rules_of_an_older_version_are_brought_up_to_date_and_saved(open_page: Opening, services: Services) -> None:
    tables = {name: table for name, table in services.ruleset.tables.items() if name != "lookalikes"}
    services.rulesets.store.save(services.ruleset.model_copy(update={"name": "cũ", "tables": tables}), None)
    at = open_page("rules.py", ruleset="cũ")
    assert any("thêm mục mới: lookalikes" in warning.value for warning in at.warning)
    pressed(at, "Bổ sung mục còn thiếu")
    assert not any("thêm mục mới" in warning.value for warning in at.warning)
    pressed(at, "Lưu thành bản mới")
    saved = services.rulesets.find("cũ")
    assert saved.tables["lookalikes"] == services.ruleset.tables["lookalikes"]
    services.rules_desk.activate(saved, "ks@benhvien.vn")


def test_options_with_the_same_words_are_told_apart() -> None:
    named = labels.told_apart({"abcdef01-1": "liều?", "abcdef01-2": "liều?", "0123456789": "liều?", "x": "khác"})
    assert named == {"abcdef01-1": "liều? · abcdef01-1", "abcdef01-2": "liều? · abcdef01-2", "0123456789": "liều? · 01234567", "x": "khác"}


def test_the_choice_says_which_rules_are_open_after_a_save(open_page: Opening, services: Services) -> None:
    at = open_page("rules.py")
    assert at.selectbox(key="rules_choice").value == "default"
    base_id = services.ruleset.ruleset_id
    loosened(at, base_id)
    next(button for button in at.button if button.label == "Lưu thành bản mới").click().run()
    assert at.query_params["ruleset"] == "lỏng"
    assert at.selectbox(key="rules_choice").value == "lỏng"
