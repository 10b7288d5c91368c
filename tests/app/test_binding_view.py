"""Both ends of every detail are on the screen (spec 06, "binding"; design, principle 1)."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.pipeline.outputs import GuardsOutput
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.spans import Span
from duocthu_core.verification.model import BoundDetail, CheckedClaim, ClaimBinding, EvidenceSpan, Finding
from pages.components.binding_view.binding_view import binding_data, default_claim
from pages.frame.shown_text import shown
from tests.app import sample_traces as sample


def guards_of_the_stopped_turn(ruleset: Ruleset, selected: int | None = None) -> dict[str, Any]:
    output = sample.ran_stage(sample.stopped(), "guards").output
    assert isinstance(output, GuardsOutput)
    return binding_data(output.bindings, output.claims, sample.EVIDENCE, ruleset, selected=selected, single=False)


def marks(runs: list[list[dict[str, Any]]]) -> dict[str, tuple[str, bool]]:
    return {letter: (piece["text"], piece["found"]) for run in runs for piece in run for letter in piece["keys"]}


def text_of(runs: list[list[dict[str, Any]]]) -> str:
    return "".join(piece["text"] for run in runs for piece in run)


def test_a_detail_has_the_same_letter_in_the_claim_and_in_the_book(ruleset: Ruleset) -> None:
    claim = guards_of_the_stopped_turn(ruleset)["claims"][0]
    in_claim, in_book = marks(claim["runs"]), marks(claim["blocks"][0]["runs"])
    assert in_claim["c"] == ("0,5 - 1", True)
    assert in_book["c"] == ("0,5 - 1", True)


def test_a_miss_is_marked_at_both_ends_and_said_in_words(ruleset: Ruleset) -> None:
    claim = guards_of_the_stopped_turn(ruleset)["claims"][1]
    assert marks(claim["runs"])["d"] == ("mg/ngày", False)
    assert marks(claim["blocks"][0]["runs"])["d"] == ("g/ngày", False)
    assert claim["state"] == {"tone": "missing", "icon": "cross", "text": "1 không khớp"}
    assert claim["notes"] == [{"tone": "missing", "text": "Sai đơn vị: mệnh đề ghi 4 mg/ngày, sách ghi 4 g/ngày."}]
    row = next(detail for detail in claim["details"] if detail["letter"] == "d")
    assert (row["kind"], row["text"], row["book"], row["found"]) == ("Đơn vị", "mg/ngày", "g/ngày", False)


def test_the_claim_with_the_miss_is_opened_first(ruleset: Ruleset) -> None:
    assert guards_of_the_stopped_turn(ruleset)["selected"] == 1
    assert guards_of_the_stopped_turn(ruleset, selected=3)["selected"] == 2
    assert guards_of_the_stopped_turn(ruleset, selected=99)["selected"] == 1


def test_the_overview_counts_claims_with_a_miss(ruleset: Ruleset) -> None:
    data = guards_of_the_stopped_turn(ruleset)
    assert data["summary"]["text"] == "1 trong 4 mệnh đề có chi tiết không khớp"
    assert data["matrix"]["columns"] == [1, 2, 3]
    assert data["matrix"]["rows"][1]["cells"] == [{"found": 4, "total": 5}, None, None]


def test_number_and_unit_stay_on_one_line(ruleset: Ruleset) -> None:
    runs = guards_of_the_stopped_turn(ruleset)["claims"][1]["runs"]
    together = ["".join(piece["text"] for piece in run) for run in runs if len(run) > 1]
    assert any("4 mg/ngày" in run for run in together)


def test_a_claim_without_a_valid_citation_still_says_what_is_wrong(ruleset: Ruleset) -> None:
    binding = ClaimBinding(claim_index=0, text="Uống 5 g.", citations=(9,))
    finding = Finding(reason="invalid_citation", message="invalid_citation", params={"index": "9", "count": "3"})
    checked = CheckedClaim(claim_index=0, text="Uống 5 g.", citations=(9,), findings=(finding,))
    data = binding_data([binding], [checked], sample.EVIDENCE, ruleset, selected=None, single=False)
    assert data["claims"][0]["notes"] == [{"tone": "missing", "text": "Mệnh đề dẫn khối [9], nhưng chỉ có 3 khối."}]
    assert data["claims"][0]["blocks"] == []
    assert data["summary"]["tone"] == "missing"


def test_an_unknown_finding_falls_back_to_the_message_of_its_reason(ruleset: Ruleset) -> None:
    finding = Finding(reason="ranking_claim", message="some_new_key")
    checked = CheckedClaim(claim_index=0, text="Tốt nhất.", citations=(1,), findings=(finding,))
    binding = ClaimBinding(claim_index=0, text="Tốt nhất.", citations=(1,))
    data = binding_data([binding], [checked], sample.EVIDENCE, ruleset, selected=None, single=True)
    assert data["claims"][0]["notes"][0]["text"].startswith("Câu xếp hạng thuốc")


def test_a_quarantined_block_is_named_and_not_drawn(ruleset: Ruleset) -> None:
    binding = ClaimBinding(claim_index=0, text="Uống 5 g.", citations=(4,))
    block = binding_data([binding], [], sample.EVIDENCE, ruleset, selected=None, single=True)["claims"][0]["blocks"][0]
    assert block["runs"] == []
    assert "hãy xem sách" in block["locked"]


def test_no_claims_have_no_default() -> None:
    assert default_claim([], [], None) == 0


SPANS = st.tuples(st.integers(0, 24), st.integers(0, 24)).map(lambda ends: Span(min(ends), max(ends)))
DETAILS = st.lists(st.tuples(SPANS, SPANS, st.booleans()), max_size=8)
TEXT = "Trẻ em 6 - 8 tuổi: 240 mg\u202e"


@given(DETAILS)
def test_whatever_overlaps_no_character_is_lost_and_every_letter_is_there(places: list[tuple[Span, Span, bool]]) -> None:
    details = tuple(
        BoundDetail(kind="number", text="x", claim_span=own, found=found, evidence=EvidenceSpan(index=1, span=other, text="x"))
        for own, other, found in places
    )
    binding = ClaimBinding(claim_index=0, text=TEXT, citations=(1,), details=details)
    block = sample.EVIDENCE[0].model_copy(update={"text": TEXT})
    claim = binding_data([binding], [], [block], shipped_ruleset(), selected=None, single=False)["claims"][0]
    in_claim = [(own, found) for own, _other, found in places]
    in_block = [(other, found) for _own, other, found in places]
    for runs, ends in ((claim["runs"], in_claim), (claim["blocks"][0]["runs"], in_block)):
        assert text_of(runs) == shown(TEXT)
        drawn = marks(runs)
        expected = {letter: found for letter, (span, found) in zip("abcdefgh", ends, strict=False) if span.start < span.end}
        assert set(drawn) == set(expected)
        assert not any(drawn[letter][1] for letter, found in expected.items() if not found)
