"""Bindings show both ends of every detail, or the miss."""

from __future__ import annotations

from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.binding import bind
from duocthu_core.verification.grounding import ground_claims
from duocthu_core.verification.guards import Guards
from tests.verification.evidence import blocks, claims

EVIDENCE = blocks(["Người lớn:\nUống 500 mg mỗi 6 giờ; tối đa 4 g/ngày.", "Trẻ em:\nUống 10 mg/kg mỗi 6 giờ."])


def test_every_kind_of_detail_has_both_ends() -> None:
    stated = claims([{"text": "Người lớn uống 500 mg, tối đa 4 g/ngày.", "citations": [1]}])
    (binding,) = bind(stated, EVIDENCE)
    assert [(detail.kind, detail.text) for detail in binding.details] == [
        ("population", "Người lớn"),
        ("route", "uống"),
        ("number", "500"),
        ("unit", "mg"),
        ("bound", "tối đa"),
        ("number", "4"),
        ("unit", "g/ngày"),
    ]
    for detail in binding.details:
        assert detail.found
        assert detail.evidence is not None
        assert detail.evidence.span is not None
        assert detail.evidence.span.of(EVIDENCE[0].text) == detail.evidence.text
        assert detail.claim_span.of(binding.text) == detail.text
    assert [(count.found, count.total) for count in binding.counts] == [(7, 7)]


def test_a_miss_shows_what_stands_there_instead_and_why(ruleset: Ruleset) -> None:
    stated = claims([{"text": "Trẻ em uống 500 mg mỗi 6 ngày, tối đa 9 g/ngày.", "citations": [1, 2]}])
    checked = [*ground_claims(stated, EVIDENCE), *Guards(ruleset).check(stated, EVIDENCE)]
    (binding,) = bind(stated, EVIDENCE, checked)
    missed = {detail.text: detail.reason for detail in binding.details if not detail.found}
    assert missed["9"] == "ungrounded_number"
    day = next(detail for detail in binding.details if detail.text == "ngày")
    assert not day.found
    assert day.evidence is not None
    assert day.evidence.text == "giờ"


def test_a_figure_of_another_group_is_a_miss(ruleset: Ruleset) -> None:
    stated = claims([{"text": "Trẻ em uống 500 mg mỗi 6 giờ.", "citations": [1]}])
    (binding,) = bind(stated, EVIDENCE, Guards(ruleset).check(stated, EVIDENCE))
    figure = next(detail for detail in binding.details if detail.text == "500")
    assert (figure.found, figure.reason) == (False, "population_mismatch")


def test_a_claim_without_a_block_has_only_misses() -> None:
    (binding,) = bind(claims([{"text": "Uống 500 mg.", "citations": [9]}]), EVIDENCE)
    assert binding.counts == ()
    assert not any(detail.found for detail in binding.details)


ADULT_ORAL = "Người lớn:\nUống:\n0,5 - 1 g/lần, 4 - 6 giờ một lần; tối đa là 4 g/ngày."


def _places_of(text: str, kind: str) -> list[tuple[str, bool, str]]:
    (binding,) = bind(claims([{"text": text, "citations": [1]}]), blocks([ADULT_ORAL]))
    found: list[tuple[str, bool, str]] = []
    for detail in binding.details:
        if detail.kind == kind and detail.evidence is not None and detail.evidence.span is not None:
            start, end = detail.evidence.span
            found.append((detail.text, detail.found, ADULT_ORAL[start - 1 : end + 3]))
    return found


def test_a_number_is_bound_where_the_same_quantity_stands() -> None:
    assert _places_of("Tối đa 4 g/ngày, cách 4 - 6 giờ.", "number") == [
        ("4", True, " 4 g/"),
        ("4", True, " 4 - "),
        ("6", True, " 6 gi"),
    ]


def test_a_wrong_unit_does_not_take_the_bound_along() -> None:
    assert [(text, found) for text, found, _ in _places_of("Tối đa 4 mg/ngày.", "bound")] == [("Tối đa", True)]
    assert [(text, found) for text, found, _ in _places_of("Tối đa 4 mg/ngày.", "unit")] == [("mg/ngày", False)]
