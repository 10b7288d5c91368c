"""The prepared conversations (spec 06, page 9): each shows what it was made to show, live, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from duocthu_core.bootstrap import Services, bootstrap
from duocthu_core.language_models.disabled import DisabledModel
from duocthu_core.pipeline.demonstrating import DEMO_CONVERSATION, POINTS, Played, Scene, load_scenes, missing_drugs, play
from duocthu_core.settings import load_settings

SCENES = {scene.shows: scene for scene in load_scenes()}


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Services:
    return bootstrap(load_settings(_env_file=None, DUOCTHU_DATA_DIR=tmp_path_factory.mktemp("demo")))


@pytest.fixture(scope="module")
def played(services: Services) -> dict[str, Played]:
    return {shows: play(scene, services.pipeline) for shows, scene in SCENES.items()}


def test_there_is_one_scene_for_each_point() -> None:
    assert tuple(scene.shows for scene in load_scenes()) == POINTS


@pytest.mark.parametrize("shows", POINTS)
def test_each_scene_shows_what_it_was_made_for(played: dict[str, Played], shows: str) -> None:
    assert played[shows].as_expected


def test_the_tenfold_dose_is_refused_for_its_number(played: dict[str, Played]) -> None:
    spoiled = played["tenfold"].spoiled
    assert spoiled is not None
    assert not spoiled.true.checked.rejected
    assert spoiled.wrong.checked.findings[0].reason == "ungrounded_number"
    was, now = (check.binding.text for check in (spoiled.true, spoiled.wrong))
    assert spoiled.was.of(was).rstrip(".,;") + "0" == spoiled.now.of(now).rstrip(".,;") or "," in spoiled.was.of(was)


def test_the_follow_up_takes_its_drug_from_the_question_before(played: dict[str, Played]) -> None:
    last = played["follow_up"].last
    assert last.turn_index == 2
    assert last.resolved.drug_id == "paracetamol"
    assert "drug_id" in last.resolved.inherited


def test_the_order_in_the_question_changes_nothing(played: dict[str, Played]) -> None:
    assert played["injection"].same_without_order is True
    assert all("10 g" not in claim.binding.text for claim in played["injection"].claims)


def test_nothing_is_stored(services: Services, played: dict[str, Played]) -> None:
    assert services.traces.count() == 0
    assert services.conversations.headings(limit=5) == []
    assert all(trace.conversation_id.startswith(DEMO_CONVERSATION) for each in played.values() for trace in each.turns)


def test_a_book_without_the_drug_is_noticed(services: Services) -> None:
    corpus = services.corpus
    without = services.pipeline.with_parts(corpus=type(corpus).of([], [], "Sách khác"))
    assert missing_drugs(SCENES["table"], without) == ("cetirizin-hydroclorid",)
    assert missing_drugs(SCENES["reverse"], without) == ()


def test_what_did_not_come_out_so_is_not_said_to_have(services: Services) -> None:
    drug = SCENES["grounded_dose"].model_copy(update={"questions": SCENES["reverse"].questions})
    assert not play(drug, services.pipeline).as_expected


def test_a_model_that_writes_nothing_has_no_dose_to_spoil(services: Services) -> None:
    played = play(SCENES["tenfold"], services.pipeline.with_parts(generator=DisabledModel()))
    assert played.last.outcome == "extractive"
    assert not played.as_expected


@pytest.mark.parametrize("change", [{"without_order": "Thuốc nào gây ho?"}, {"shows": "follow_up"}, {"questions": ()}])
def test_a_scene_that_could_not_show_its_point_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Scene.model_validate(SCENES["reverse"].model_dump() | change)


def test_a_folder_of_ones_own_is_read(tmp_path: Path) -> None:
    text = "scene_id: a\nshows: reverse\ntitle: {vi: A, en: A}\nquestions: [{vi: 'Thuốc nào gây ho?', en: Which}]\n"
    (tmp_path / "1.yaml").write_text(text + "expects: abstained\nhappened: {vi: a, en: a}\notherwise: {vi: a, en: a}\n", encoding="utf-8")
    assert [scene.scene_id for scene in load_scenes(tmp_path)] == ["a"]
