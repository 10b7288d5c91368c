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
