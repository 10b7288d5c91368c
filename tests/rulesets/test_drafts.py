"""Unsaved edits: kept for their person, never written over by another tab; in memory, SQLite and PostgreSQL alike."""

from __future__ import annotations

import pytest

from duocthu_core.rulesets.documents import RulesetDraft
from duocthu_core.rulesets.drafts import DraftOvertaken, DraftStore, InMemoryDraftStore, KeptDraft
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.storage.ruleset_drafts import SqlDraftStore

GUARD = "guards.unit_mismatch"


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def drafts(request: pytest.FixtureRequest) -> DraftStore:
    if request.param == "memory":
        return InMemoryDraftStore()
    return SqlDraftStore(request.getfixturevalue(f"{request.param}_database"))


def typed(base: Ruleset, level: str = "off") -> KeptDraft:
    draft = RulesetDraft(base_id=base.ruleset_id).with_field(GUARD, level, base).with_table("units", "units: [\n# 0,5 µg ≤", base)
    return KeptDraft(draft=draft, base_name=base.name, name="thử liều", note="chưa xong")


def test_a_draft_comes_back_as_it_was_typed_for_its_own_person_only(drafts: DraftStore, ruleset: Ruleset) -> None:
    kept = drafts.keep("Lan", typed(ruleset))
    assert drafts.of("Lan", ruleset.ruleset_id) == kept
    assert kept.says_the_same(typed(ruleset))
    assert (kept.revision, kept.updated_at is not None) == (1, True)
    assert drafts.of("Minh", ruleset.ruleset_id) is None
    assert drafts.all_of("Minh") == []
    assert drafts.all_of("Lan") == [kept]


def test_the_second_tab_is_told_and_nothing_of_the_first_is_lost(drafts: DraftStore, ruleset: Ruleset) -> None:
    begun = drafts.keep("Lan", typed(ruleset))
    first = drafts.keep("Lan", begun.model_copy(update={"note": "tab một"}))
    with pytest.raises(DraftOvertaken) as caught:
        drafts.keep("Lan", begun.model_copy(update={"note": "tab hai"}))
    assert caught.value.kept == first == drafts.of("Lan", ruleset.ruleset_id)
    with pytest.raises(DraftOvertaken):
        drafts.keep("Lan", typed(ruleset))


def test_a_dropped_draft_is_gone_and_an_old_tab_does_not_bring_it_back(drafts: DraftStore, ruleset: Ruleset) -> None:
    kept = drafts.keep("Lan", typed(ruleset))
    drafts.drop("Lan", ruleset.ruleset_id)
    assert drafts.of("Lan", ruleset.ruleset_id) is None
    with pytest.raises(DraftOvertaken) as caught:
        drafts.keep("Lan", kept)
    assert caught.value.kept is None
