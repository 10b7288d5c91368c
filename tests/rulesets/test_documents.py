"""Rulesets as text: byte-stable both ways, every fault at its line."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.rulesets.documents import RulesetDraft, assembled, read_ruleset, ruleset_text, table_text
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.problems import RulesetProblems
from duocthu_core.rulesets.yaml_text import YamlText, yaml_text
from duocthu_core.text.folding import nfc

_TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]) | st.sampled_from("\n:#- '\"{}[]µ≤×½ăđ")).map(nfc)
_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
    max_leaves=12,
)


def draft_of(ruleset: Ruleset, **tables: str) -> RulesetDraft:
    return RulesetDraft(base_id=ruleset.ruleset_id, tables=tables)


def problems(ruleset: Ruleset, draft: RulesetDraft) -> RulesetProblems:
    with pytest.raises(RulesetProblems) as caught:
        assembled(draft, ruleset, name="thử", author="", note="")
    return caught.value


def test_an_exported_ruleset_is_read_back_whole_and_written_again_byte_for_byte(ruleset: Ruleset) -> None:
    text = ruleset_text(ruleset)
    again = read_ruleset(text)
    assert again == ruleset
    assert again.ruleset_id == ruleset.ruleset_id
    assert ruleset_text(again).encode() == text.encode()


@given(st.dictionaries(_TEXTS, _PLAIN, max_size=5))
def test_any_plain_content_survives_its_text(content: dict) -> None:
    text = yaml_text(content)
    again = YamlText(text, "t").content
    assert again == content or yaml.safe_load(text) == content
    assert yaml_text(again) == text


def test_a_rule_is_one_line_and_vietnamese_stays_readable(ruleset: Ruleset) -> None:
    text = ruleset_text(ruleset)
    assert "    - Giữ nguyên thuật ngữ chuyên môn của sách.\n" in text
    assert "\\u" not in text


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ("judge_min_confidence: 70", "judge_min_confidence: 700", "thresholds.judge_min_confidence", "less than or equal to 100"),
        ("  unit_mismatch: reject", "  unit_mismatch: loose", "guards.unit_mismatch", "'reject', 'warn' or 'off'"),
        ("  max_blocks: 12", "  max_blocks: nhiều", "retrieval.max_blocks", "valid integer"),
        ("  accept_partial: false", "  accept_partiall: false", "thresholds.accept_partiall", "not permitted"),
    ],
)
def test_a_wrong_value_is_named_with_its_line(ruleset: Ruleset, old: str, new: str, place: str, said: str) -> None:
    text = ruleset_text(ruleset).replace(old, new, 1)
    with pytest.raises(RulesetProblems) as caught:
        read_ruleset(text, "mine.yaml")
    (problem,) = caught.value.problems
    assert problem.place == place
    assert text.split("\n")[(problem.line or 0) - 1].strip() == new.strip()
    assert said in problem.detail
    assert str(caught.value) == f"mine.yaml, line {problem.line}: {place}: {problem.detail}"


def test_broken_yaml_in_a_table_is_told_at_the_line_of_that_table(ruleset: Ruleset) -> None:
    text = table_text(ruleset.tables["units"]).replace("    kind: mass", "    kind: [mass", 1)
    line = text.split("\n").index("    kind: [mass") + 1
    (problem,) = problems(ruleset, draft_of(ruleset, units=text)).problems
    assert (problem.code, problem.place) == ("no_yaml", "tables.units")
    assert problem.line in (line, line + 1)


def test_a_repeated_key_is_told_at_its_second_line(ruleset: Ruleset) -> None:
    text = table_text(ruleset.tables["units"]) + "version: 2\n"
    (problem,) = problems(ruleset, draft_of(ruleset, units=text)).problems
    assert (problem.code, problem.line) == ("repeated_key", text.count("\n"))


def test_a_field_changed_back_is_no_change(ruleset: Ruleset) -> None:
    draft = RulesetDraft(base_id=ruleset.ruleset_id).with_field("guards.unit_mismatch", "warn", ruleset)
    assert draft.fields == {"guards.unit_mismatch": "warn"}
    assert draft.with_field("guards.unit_mismatch", "reject", ruleset).is_empty
    draft = draft_of(ruleset).with_table("units", "version: 2\n", ruleset)
    assert not draft.is_empty
    assert draft.with_table("units", table_text(ruleset.tables["units"]), ruleset).is_empty


def test_a_draft_becomes_a_child_of_its_base(ruleset: Ruleset) -> None:
    draft = RulesetDraft(base_id=ruleset.ruleset_id).with_field("thresholds.judge_min_confidence", 80, ruleset)
    made = assembled(draft, ruleset, name="chặt hơn", author="ds. Lan", note="ngưỡng 80")
    assert (made.name, made.author, made.note, made.parent) == ("chặt hơn", "ds. Lan", "ngưỡng 80", ruleset.ruleset_id)
    assert made.thresholds.judge_min_confidence == 80
    assert made.framework_version != ruleset.framework_version
    assert made.prompt_hash == ruleset.prompt_hash
