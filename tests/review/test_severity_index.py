"""The NCC MERP index is shown as the Council wrote it, with its copyright line."""

from __future__ import annotations

from duocthu_core.review.model import HARMFUL, SEVERE
from duocthu_core.review.severity_index import severity_index


def test_all_nine_categories_have_their_wording_and_a_gloss() -> None:
    categories = severity_index().categories
    assert "".join(categories) == "ABCDEFGHI"
    assert categories["A"].wording == "Circumstances or events that have the capacity to cause error"
    assert categories["H"].wording == "An error occurred that required intervention necessary to sustain life"
    assert all(category.vi for category in categories.values())


def test_the_copyright_line_is_there() -> None:
    index = severity_index()
    assert index.copyright.startswith("© 2001 National Coordinating Council for Medication Error Reporting and Prevention.")
    assert "shall not modify the text" in index.permission


def test_harm_begins_at_e_and_severe_harm_at_f() -> None:
    assert sorted(HARMFUL) == list("EFGHI")
    assert sorted(SEVERE) == list("FGHI")
