"""Phòng thử đột biến (spec 06, page 7), without a browser."""

from __future__ import annotations

import pytest

from duocthu_core.bootstrap import Services
from duocthu_core.evaluation.mutation_lab import MutationLab, MutationReport
from duocthu_core.evaluation.verified_claims import claims_of_book
from duocthu_core.verification.mutation import MUTANT_KINDS
from pages.components.facts.parts import Passage, Table
from pages.components.mutation_parts.report_parts import run_parts, survivor_parts
from pages.frame.mutation_address import MutationAddress
from pages.frame.running_mutation import RunningMutation
from tests.app.conftest import Opening

PAGE = "mutation.py"


@pytest.fixture(scope="module")
def report(built: Services) -> MutationReport:
    lab = MutationLab(built.ruleset, per_kind=3, guards=built.pipeline.parts.guards)
    return lab.run(claims_of_book(built.corpus, built.ruleset, 1, "paracetamol"))


def test_an_empty_page_says_what_to_do_first(open_page: Opening) -> None:
    at = open_page(PAGE)
    assert not at.exception
    assert any("Chưa chạy" in text.value for text in at.text)


@pytest.mark.parametrize("query", [{"seed": "x" * 99, "n": "-1"}, {"drug": "<b>", "trace": "nothing", "survivor": "$x$"}, {"view": "?"}])
def test_an_address_that_nothing_wrote_is_no_error(open_page: Opening, query: dict[str, str]) -> None:
    assert not open_page(PAGE, **query).exception


def test_a_claim_changed_by_hand_is_checked_as_it_is_typed(open_page: Opening) -> None:
    at = open_page(PAGE, view="by_hand", drug="paracetamol", section="lieu_luong_cach_dung")
    assert not at.exception
    assert "Chưa sửa gì" in at.info[0].value
    box = at.text_area[0]
    box.set_value(f"{box.value} Uống 987 mg/lần.").run()
    assert "Bị chặn" in at.error[0].value


def test_the_address_is_written_and_read_alike() -> None:
    address = MutationAddress(drug="paracetamol", seed=7, n=5, run="1", survivor="abc")
    assert MutationAddress.from_query(address.to_query()) == address


def test_the_table_has_every_kind(report: MutationReport) -> None:
    table = run_parts(report)[0]
    assert isinstance(table, Table)
    assert len(table.rows) == len(MUTANT_KINDS)


def test_a_survivor_shows_both_texts_with_the_changed_words_marked(report: MutationReport) -> None:
    tried = next(tried for tried in report.mutants if tried.kind == "tenfold_dose")
    passages = [part for part in survivor_parts(tried) if isinstance(part, Passage)]
    before, after = passages[:2]
    assert "".join(piece.text for piece in before.pieces) == tried.claim
    marked = "".join(piece.text for piece in after.pieces if piece.keys)
    assert marked
    assert tried.now is not None
    assert marked == tried.now.of(tried.text)


def test_a_stopped_run_gives_what_it_found(built: Services) -> None:
    running = RunningMutation(MutationLab(built.ruleset), claims_of_book(built.corpus, built.ruleset, 1), "", "")
    running.stop()
    running.start()
    assert running.wait(20)
    assert running.report is not None
    assert running.report.stopped


def test_names_to_choose_from_stand_there_as_they_are(open_page: Opening, services: Services) -> None:
    """Options are no Markdown to Streamlit: nothing in them may be escaped."""
    made = services.ruleset.model_copy(update={"name": "thu-nghiem_2", "parent": services.ruleset.ruleset_id})
    services.rulesets.save(made, None)
    at = open_page(PAGE)
    assert "thu-nghiem_2" in at.selectbox(key="mutation_rules").options
