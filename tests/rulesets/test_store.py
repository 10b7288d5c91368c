"""Stored rulesets: content-addressed, versioned, never written over; in memory, SQLite and PostgreSQL alike."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import update

from duocthu_core.rulesets.loading import RulesetError
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.problems import RulesetProblems
from duocthu_core.rulesets.store import InMemoryRulesetStore, RulesetConflict, RulesetLibrary, RulesetStore, StoredRulesetError
from duocthu_core.storage.rulesets import SqlRulesetStore
from duocthu_core.storage.tables import rulesets


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def store(request: pytest.FixtureRequest) -> RulesetStore:
    if request.param == "memory":
        return InMemoryRulesetStore()
    return SqlRulesetStore(request.getfixturevalue(f"{request.param}_database"))


def named(ruleset: Ruleset, name: str, confidence: int = 70, **more: str) -> Ruleset:
    thresholds = ruleset.thresholds.model_copy(update={"judge_min_confidence": confidence})
    return ruleset.model_copy(update={"name": name, "thresholds": thresholds, "parent": ruleset.ruleset_id} | more)


def test_what_is_saved_comes_back_whole_with_its_id(store: RulesetStore, ruleset: Ruleset) -> None:
    mine = named(ruleset, "chặt", 80, author="ds. Lan", note="ngưỡng 80 ≤ 100\x00")
    saved = store.save(mine, None)
    again = store.load(saved.ruleset_id)
    assert again is not None
    assert again.ruleset_id == mine.ruleset_id == saved.ruleset_id
    assert again.model_dump(exclude={"note"}) == mine.model_dump(exclude={"note"})
    assert list(again.tables["units"]["units"]) == list(mine.tables["units"]["units"])
    assert (saved.version, saved.parent, saved.author) == (1, ruleset.ruleset_id, "ds. Lan")


def test_the_second_editor_of_a_name_is_told_and_nothing_is_written_over(store: RulesetStore, ruleset: Ruleset) -> None:
    begun = store.save(named(ruleset, "nhóm", 75), None)
    first = store.save(named(ruleset, "nhóm", 80, author="Lan"), begun.ruleset_id)
    with pytest.raises(RulesetConflict, match="version 2 by Lan") as caught:
        store.save(named(ruleset, "nhóm", 85, author="Minh"), begun.ruleset_id)
    assert caught.value.head == first
    assert [heading.ruleset_id for heading in store.history("nhóm")] == [first.ruleset_id, begun.ruleset_id]
    with pytest.raises(RulesetConflict):
        store.save(named(ruleset, "nhóm", 85), None)


def test_of_many_who_save_at_once_one_is_let_through(store: RulesetStore, ruleset: Ruleset) -> None:
    begun = store.save(named(ruleset, "nhóm"), None)

    def save(confidence: int) -> bool:
        try:
            store.save(named(ruleset, "nhóm", confidence), begun.ruleset_id)
            return True
        except RulesetConflict:
            return False

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(save, range(80, 84))) == 1
    assert [heading.version for heading in store.history("nhóm")] == [2, 1]


def test_going_back_to_older_rules_is_a_new_version_with_the_old_id(store: RulesetStore, ruleset: Ruleset) -> None:
    first = store.save(named(ruleset, "thử", 70, note="đầu"), None)
    second = store.save(named(ruleset, "thử", 60, note="lỏng"), first.ruleset_id)
    third = store.save(named(ruleset, "thử", 70, note="trả lại"), second.ruleset_id)
    assert third.ruleset_id == first.ruleset_id
    assert [(heading.version, heading.note) for heading in store.history("thử")] == [(3, "trả lại"), (2, "lỏng"), (1, "đầu")]
    assert store.save(named(ruleset, "thử", 70, note="lần nữa"), third.ruleset_id) == third
    assert [heading.name for heading in store.heads()] == ["thử"]


def test_an_unknown_id_is_none(store: RulesetStore) -> None:
    assert store.load("sha256:nothing") is None


def test_content_that_is_not_what_its_id_says_is_refused(sqlite_database, ruleset: Ruleset) -> None:
    store = SqlRulesetStore(sqlite_database)
    saved = store.save(named(ruleset, "thử", 80), None)
    with sqlite_database.writing() as connection:
        other = named(ruleset, "thử", 10).model_dump_json(exclude={"name", "author", "note", "parent"})
        connection.execute(update(rulesets).values(document=other))
    with pytest.raises(StoredRulesetError, match="changed by hand"):
        store.load(saved.ruleset_id)


def test_rules_are_found_by_name_by_id_and_by_the_beginning_of_it(store: RulesetStore, ruleset: Ruleset) -> None:
    library = RulesetLibrary(store)
    saved = library.save(named(ruleset, "chặt", 80), None)
    twin = library.save(named(ruleset, "chặt nữa", 80), None)
    assert library.find("default") == ruleset
    for asked in ("chặt", saved.ruleset_id, saved.ruleset_id.removeprefix("sha256:")[:10]):
        assert library.find(asked).ruleset_id == saved.ruleset_id
    assert library.find("chặt").name == "chặt"
    assert library.find("chặt nữa").name == twin.name
    assert library.find(ruleset.ruleset_id) == ruleset
    assert [heading.name for heading in library.headings()] == ["chặt nữa", "chặt", "default"]
    with pytest.raises(RulesetError, match="there is no ruleset 'lỏng'; known: chặt nữa, chặt, default"):
        library.find("lỏng")


@pytest.mark.parametrize("name", ["default", "", " chặt", "a" * 61, "a\nb", "sha256:ab", "<b>"])
def test_a_name_that_ships_or_cannot_be_read_is_refused(ruleset: Ruleset, name: str) -> None:
    with pytest.raises(RulesetProblems, match="name"):
        RulesetLibrary(InMemoryRulesetStore()).save(named(ruleset, name, 80), None)


def test_what_was_put_in_force_last_answers_and_going_back_names_the_settings_rules(store: RulesetStore, ruleset: Ruleset) -> None:
    library = RulesetLibrary(store)
    assert library.in_force("default").ruleset_id == ruleset.ruleset_id
    saved = store.save(named(ruleset, "chặt", 80), None)
    assert library.in_force("default").ruleset_id == ruleset.ruleset_id, "saving changes nothing for readers"
    store.activate(saved.ruleset_id, "chặt", "Lan")
    assert (library.in_force("default").ruleset_id, library.in_force("default").name) == (saved.ruleset_id, "chặt")
    later = store.save(named(ruleset, "chặt", 85), saved.ruleset_id)
    assert library.in_force("default").ruleset_id == saved.ruleset_id, "a newer version of the name is not in force by being saved"
    store.activate(later.ruleset_id, "chặt", "Lan")
    store.activate(None, "default", "Minh")
    assert library.in_force("default").ruleset_id == ruleset.ruleset_id
    assert [(line.number, line.name, line.actor) for line in store.activations()] == [
        (3, "default", "Minh"),
        (2, "chặt", "Lan"),
        (1, "chặt", "Lan"),
    ]
