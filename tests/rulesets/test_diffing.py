"""What an edit changes, field by field and word by word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.rulesets.diffing import diff_rulesets
from duocthu_core.rulesets.documents import RulesetDraft, assembled
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.word_diff import word_diff


def edited(ruleset: Ruleset, place: str, value: object) -> Ruleset:
    draft = RulesetDraft(base_id=ruleset.ruleset_id).with_field(place, value, ruleset)
    return assembled(draft, ruleset, name="thử", author="", note="")


def test_a_changed_rule_is_shown_word_by_word_with_the_hash_it_moves(ruleset: Ruleset) -> None:
    after = edited(
        ruleset, "prompts.judge_system", ruleset.prompts.judge_system.replace("Không suy luận y khoa", "Tuyệt đối không suy luận y khoa")
    )
    diff = diff_rulesets(ruleset, after)
    (change,) = diff.changes
    assert (change.place, change.kind) == ("prompts.judge_system", "changed")
    assert [piece.text.strip() for piece in change.words if piece.kind != "same"] == ["Không", "Tuyệt đối không"]
    assert diff.prompt_hash[0] != diff.prompt_hash[1]
    assert diff.framework_version[0] == diff.framework_version[1]
    assert diff.completeness_prompt_hash[0] == diff.completeness_prompt_hash[1]


def test_one_rule_of_the_list_is_one_change(ruleset: Ruleset) -> None:
    rules = list(ruleset.prompts.answer_rules)
    rules[1] += " Không đổi dấu phẩy."
    diff = diff_rulesets(ruleset, edited(ruleset, "prompts.answer_rules", rules))
    assert [change.place for change in diff.changes] == ["prompts.answer_rules.2"]


def test_a_guard_and_a_table_are_named_where_they_stand(ruleset: Ruleset) -> None:
    after = edited(ruleset, "guards.unit_mismatch", "warn")
    tables = {
        **after.tables,
        "units": {**after.tables["units"], "units": {**after.tables["units"]["units"], "giot_moi": {"kind": "count"}}},
    }
    after = after.model_copy(update={"tables": tables})
    assert [(change.place, change.kind, change.before, change.after) for change in diff_rulesets(ruleset, after).changes] == [
        ("guards.unit_mismatch", "changed", "reject", "warn"),
        ("tables.units.units.giot_moi.kind", "added", "", "count"),
    ]


def test_the_same_rules_differ_in_nothing_whatever_their_name(ruleset: Ruleset) -> None:
    diff = diff_rulesets(ruleset, ruleset.model_copy(update={"name": "khác", "note": "khác"}))
    assert diff.is_empty
    assert diff.changes == ()


@given(st.text(), st.text())
def test_the_pieces_of_a_word_diff_give_both_texts_back(before: str, after: str) -> None:
    pieces = word_diff(before, after)
    assert "".join(piece.text for piece in pieces if piece.kind != "added") == before
    assert "".join(piece.text for piece in pieces if piece.kind != "removed") == after


def test_a_figure_is_never_cut_at_its_comma() -> None:
    pieces = word_diff("tối đa 0,5 g", "tối đa 1,5 g")
    assert [(piece.kind, piece.text) for piece in pieces if piece.kind != "same"] == [("removed", "0,5"), ("added", "1,5")]
