"""Quy tắc: an edit is kept, weighed and checked before it is saved; of two editors the second is told."""

from __future__ import annotations

from duocthu_core.bootstrap import Services
from duocthu_core.rulesets.documents import RulesetDraft
from tests.app.conftest import Opening

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
