"""Rules that were saved before a table gained a key are refused with one line, wherever they would answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from duocthu_core.bootstrap import bootstrap
from duocthu_core.rulesets.fitness import OutdatedRuleset, fitting
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.settings import load_settings


@pytest.fixture
def outdated(ruleset: Ruleset) -> Ruleset:
    """The rules that ship, as they would be without a key that a stage reads."""
    heads = {key: value for key, value in ruleset.tables["sections"]["retrieval"].items() if key != "general_headings"}
    assert len(heads) < len(ruleset.tables["sections"]["retrieval"])
    sections = ruleset.tables["sections"] | {"retrieval": heads}
    return ruleset.model_copy(update={"name": "cũ", "tables": ruleset.tables | {"sections": sections}})


def test_the_rules_that_ship_fit_and_an_edit_of_them_too(ruleset: Ruleset) -> None:
    edited = ruleset.model_copy(update={"name": "mới", "guards": {"unit_mismatch": "warn"}})
    assert fitting(ruleset) is ruleset
    assert fitting(edited) is edited


def test_what_is_missing_is_named_in_one_line(outdated: Ruleset) -> None:
    with pytest.raises(OutdatedRuleset, match=r"'cũ'.*tables\.sections\.retrieval\.general_headings") as told:
        fitting(outdated)
    assert "\n" not in str(told.value)


def test_they_neither_answer_nor_are_put_in_force_and_can_still_be_read(tmp_path: Path, outdated: Ruleset) -> None:
    services = bootstrap(load_settings(_env_file=None, DUOCTHU_DATA_DIR=tmp_path))
    services.rulesets.store.save(outdated, None)
    with pytest.raises(OutdatedRuleset):
        services.with_ruleset("cũ")
    with pytest.raises(OutdatedRuleset):
        services.rules_desk.activate(services.rulesets.find("cũ"), "ks@benhvien.vn")
    assert services.rulesets.find("cũ").ruleset_id == outdated.ruleset_id
    assert services.in_force() is services
