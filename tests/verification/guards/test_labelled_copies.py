"""A sentence of a labelled block, copied with the labels that govern it, is never refused (spec 04: verbatim)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duocthu_core.answering.model import Claim
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.grounding import ground_claims
from duocthu_core.verification.guards import Guards
from tests.verification.evidence import blocks

GROUPS = (
    "Người lớn",
    "Trẻ em",
    "Người cao tuổi",
    "Trẻ em 6 - 12 tuổi",
    "Trẻ sơ sinh",
    "Suy thận nặng",
    "Clcr < 30 ml/phút",
    "Phụ nữ có thai",
)
ROUTES = ("Uống", "Tiêm bắp", "Tiêm tĩnh mạch", "Đặt trực tràng")
_amounts = st.sampled_from(("125", "250", "500", "0,5", "7,5", "1 000", "10 - 20", "2,5 - 5"))
_units = st.sampled_from(("mg", "g", "mg/kg", "viên", "ml", "microgam/kg"))
_dose = st.builds("{} {}/lần, {} giờ một lần".format, _amounts, _units, st.sampled_from(("6", "8", "12", "24")))
_rule = st.sampled_from(
    ("không quá 4 lần/ngày", "tối đa 60 mg/kg/ngày", "không nên dùng quá 10 ngày", "không được tiêm nhanh", "giảm liều khi suy gan")
)
_sentence = st.one_of(_dose, _rule, st.builds("{}; {}".format, _dose, _rule))


@st.composite
def labelled_blocks(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A block of groups with routes and doses under them, and each dose with its labels in front."""
    lines: list[str] = []
    copied: list[str] = []
    for group in draw(st.lists(st.sampled_from(GROUPS), min_size=1, max_size=3, unique=True)):
        lines.append(f"{group}:")
        for route in draw(st.lists(st.sampled_from(ROUTES), min_size=1, max_size=2, unique=True)):
            sentence = draw(_sentence)
            lines.append(f"{route}: {sentence}.")
            copied.append(f"{group}: {route}: {sentence}.")
    return "\n".join(lines), copied


@pytest.fixture(scope="module")
def guards(ruleset: Ruleset) -> Guards:
    return Guards(ruleset)


@given(drawn=labelled_blocks())
@settings(max_examples=200, deadline=None)
def test_a_copy_with_its_labels_is_never_refused(guards: Guards, drawn: tuple[str, list[str]]) -> None:
    text, copied = drawn
    shown = blocks([{"text": text, "section": "Liều lượng và cách dùng"}])
    stated = [Claim(text=claim, citations=(1,)) for claim in copied]
    for checked in [*ground_claims(stated, shown), *guards.check(stated, shown)]:
        assert not checked.rejected, (checked.text, checked.findings)


@given(drawn=labelled_blocks())
@settings(max_examples=100, deadline=None)
def test_a_block_that_does_not_bear_on_a_claim_changes_nothing(guards: Guards, drawn: tuple[str, list[str]]) -> None:
    text, copied = drawn
    shown = blocks([text, "Bảo quản ở nơi khô, tránh ánh sáng."])
    stated = [Claim(text=claim, citations=(1, 2)) for claim in copied]
    assert not any(checked.rejected for checked in guards.check(stated, shown))
