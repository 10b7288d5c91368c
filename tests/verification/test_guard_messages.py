"""Every message key that a check can raise has its sentence in both languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from duocthu_core.rulesets.model import Ruleset

VERIFICATION = Path(__file__).resolve().parents[2] / "duocthu_core" / "verification"
CONFLICT_KINDS = ("population", "route", "band", "severity", "role", "tier", "parenthesis", "day_part", "schedule", "item")


def keys() -> set[str]:
    source = (VERIFICATION / "grounding.py").read_text() + "".join(path.read_text() for path in (VERIFICATION / "guards").glob("*.py"))
    found = set(re.findall(r'message="([a-z_]+)"', source))
    found |= set(re.findall(r'finding\(\s*"[a-z_]+",\s*"([a-z_]+)"', source))
    found |= {f"{kind}_conflict" for kind in CONFLICT_KINDS}
    return (
        found
        | {f"{kind}_exchanged" for kind in ("population", "route", "bound")}
        | {"population_unknown", "route_unknown", "thing_exchanged"}
    )


@pytest.mark.parametrize("key", sorted(keys()))
def test_a_message_has_both_languages(key: str, ruleset: Ruleset) -> None:
    message = ruleset.tables["severity"]["guard_messages"][key]
    assert message["vi"]
    assert message["en"]
    assert set(re.findall(r"{(\w+)}", message["vi"])) <= {"claim", "block", "blocks", "label", "count", "share", "missing"}
