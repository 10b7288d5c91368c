"""One reader for the whole folder: it keeps no state."""

from __future__ import annotations

import pytest

from duocthu_core.rulesets.model import Ruleset
from duocthu_core.understanding.reading import Understander
from tests.understanding.monographs import small_formulary


@pytest.fixture(scope="session")
def understander(ruleset: Ruleset) -> Understander:
    """The shipped rules over a small formulary."""
    return Understander(ruleset, small_formulary())
