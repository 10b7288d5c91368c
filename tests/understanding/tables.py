"""The tables that ship, for parametrised tests: every example they give is a test."""

from __future__ import annotations

from typing import Any

from duocthu_core.rulesets.loading import shipped_ruleset

TABLES: dict[str, dict[str, Any]] = shipped_ruleset().tables
POPULATIONS = TABLES["populations"]
ROUTES = TABLES["routes"]
SECTIONS = TABLES["sections"]
DIALOGUE = TABLES["dialogue"]
SAFETY = TABLES["safety"]
LOOKALIKES = TABLES["lookalikes"]
