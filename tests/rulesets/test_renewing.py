"""Rules of an older version are brought up to date as a draft: what is missing comes from those that ship, what they say stays."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from duocthu_core.rulesets.documents import RulesetDraft, assembled, table_text
from duocthu_core.rulesets.fitness import OutdatedRuleset, fitting
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.renewing import renewing


@pytest.fixture
def outdated(ruleset: Ruleset) -> Ruleset:
    """The rules that ship without a table, without a key of a table, with a word of their own."""
    tables: dict[str, Any] = deepcopy(ruleset.tables)
    del tables["lookalikes"]
    del tables["sections"]["retrieval"]["general_headings"]
    first = next(name for name, value in tables["units"].items() if isinstance(value, dict))
    tables["units"][first]["đơn vị thử"] = ["đvt"]
    return ruleset.model_copy(update={"name": "cũ", "tables": tables})


def renewed(base: Ruleset, draft: RulesetDraft, shipped: Ruleset) -> Ruleset:
    return assembled(renewing(draft, base, shipped), base, name="mới", author="Lan", note="")


def test_what_is_missing_comes_from_the_rules_that_ship_and_the_rest_stays(outdated: Ruleset, ruleset: Ruleset) -> None:
    with pytest.raises(OutdatedRuleset):
        fitting(outdated)
    draft = renewing(RulesetDraft(base_id=outdated.ruleset_id), outdated, ruleset)
    assert set(draft.tables) == {"lookalikes", "sections"}
    made = renewed(outdated, RulesetDraft(base_id=outdated.ruleset_id), ruleset)
    assert fitting(made).tables["units"] == outdated.tables["units"]
    assert made.tables["lookalikes"] == ruleset.tables["lookalikes"]
    assert made.tables["sections"]["retrieval"]["general_headings"] == ruleset.tables["sections"]["retrieval"]["general_headings"]


def test_rules_that_fit_gain_nothing(ruleset: Ruleset) -> None:
    draft = RulesetDraft(base_id=ruleset.ruleset_id)
    assert renewing(draft, ruleset, ruleset) == draft


def test_what_a_person_typed_already_stays(outdated: Ruleset, ruleset: Ruleset) -> None:
    typed = table_text(outdated.tables["sections"] | {"của tôi": ["chữ"]})
    draft = RulesetDraft(base_id=outdated.ruleset_id).with_table("sections", typed, outdated)
    assert renewing(draft, outdated, ruleset).tables["sections"] == typed
