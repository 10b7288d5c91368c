"""The mutation lab (spec 06, page 7): what is counted as caught, survived, still true; and what it costs true claims."""

from __future__ import annotations

import csv
import io

from duocthu_core.answering.model import Claim
from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.evaluation.mutation_lab import MutationLab, check_by_hand, report_csv
from duocthu_core.evaluation.statistics.intervals import wilson
from duocthu_core.evaluation.verified_claims import VerifiedClaim, claims_of_book, claims_of_turn
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.settings import load_settings
from duocthu_core.verification.guards import GuardContext, Guards
from tests.app import sample_traces
from tests.verification.evidence import blocks

RULES = shipped_ruleset()
TEXT = "Người lớn: uống 500 mg/lần, tối đa 4 g/ngày.\nTrẻ em: uống 250 mg/lần, tối đa 1 g/ngày."


def verified(text: str, cited: str = TEXT) -> VerifiedClaim:
    shown = tuple(blocks([{"text": cited, "drug_id": "thuoc-thu"}]))
    return VerifiedClaim(Claim(text=text, citations=(1,)), shown, GuardContext())


ADULT = verified("Người lớn: uống 500 mg/lần, tối đa 4 g/ngày.")


def test_a_tenfold_dose_is_caught_by_check_1() -> None:
    report = MutationLab(RULES, kinds=["tenfold_dose"]).run([ADULT])
    (row,) = report.kinds
    assert (row.caught, row.total, row.by_reason) == (1, 1, {"ungrounded_number": 1})
    assert row.interval == wilson(1, 1)


def test_a_true_claim_that_is_refused_is_counted_and_not_spoiled() -> None:
    report = MutationLab(RULES).run([verified("Người lớn: uống 900 mg/lần.")])
    assert [claim.reason for claim in report.rejected_claims] == ["ungrounded_number"]
    assert report.mutants == ()


def test_a_mutant_that_is_still_true_is_no_survivor() -> None:
    lab = MutationLab(RULES, kinds=["dropped_label"])
    report = lab.run([verified("Người lớn: 250 mg/lần, ngày 2 lần.", "Người lớn: 250 mg/lần, ngày 2 lần.")])
    (row,) = report.kinds
    assert (row.total, row.left_out, report.survivors) == (0, {"only_label": 1}, ())


def test_what_the_rules_are_made_to_let_through_survives_with_its_blocks() -> None:
    reasons = ("population_mismatch", "other_item", "dropped_label", "low_support", "negation_mismatch")
    silent = RULES.model_copy(update={"guards": dict.fromkeys(reasons, "off")})
    report = MutationLab(silent, kinds=["population_swap"], guards=Guards(silent)).run([ADULT])
    (survivor,) = report.survivors
    assert [block.text for block in survivor.evidence] == [TEXT]
    assert survivor.now is not None
    assert survivor.now.of(survivor.text).startswith("Trẻ em")


def test_a_run_ends_when_every_kind_has_its_number() -> None:
    corpus = load_corpus(load_settings(_env_file=None).corpus_path)
    report = MutationLab(RULES, per_kind=2, kinds=["tenfold_dose", "false_safety"]).run(claims_of_book(corpus, RULES, 1, "paracetamol"))
    assert [row.total for row in report.kinds] == [2, 2]
    assert report.claims < 100


def test_a_run_can_be_stopped() -> None:
    asked: list[int] = []
    report = MutationLab(RULES).run([ADULT, ADULT], should_stop=lambda: bool(asked) or asked.append(1) is not None)
    assert (report.stopped, report.claims) == (True, 1)


def test_the_order_of_the_claims_is_the_seeds() -> None:
    corpus = load_corpus(load_settings(_env_file=None).corpus_path)

    def texts(seed: int) -> list[str]:
        return [each.claim.text for each in claims_of_book(corpus, RULES, seed, "paracetamol", "lieu_luong_cach_dung")]

    assert texts(1) == texts(1) != texts(2)


def test_the_claims_of_a_stored_turn_come_with_its_evidence() -> None:
    trace = next(trace for trace in sample_traces.conversation() if trace.outcome == "answered")
    found = claims_of_turn(trace)
    assert found
    assert all(each.cited for each in found)


def test_a_claim_changed_by_hand_is_checked_against_its_blocks() -> None:
    changed = check_by_hand(Claim(text="Trẻ em: uống 500 mg/lần.", citations=(1,)), ADULT, Guards(RULES), RULES)
    assert [finding.reason for finding in changed.checked.findings] == ["population_mismatch"]
    assert changed.binding.details


def test_a_cell_that_would_run_as_a_formula_is_disarmed() -> None:
    report = MutationLab(RULES, kinds=["false_safety"]).run([verified("Người lớn: uống 500 mg/lần.")])
    spoiled = report.model_copy(update={"mutants": (report.mutants[0].model_copy(update={"claim": "=1+1"}),)})
    rows = list(csv.reader(io.StringIO(report_csv(spoiled).decode("utf-8-sig"))))
    assert rows[1][4] == "'=1+1"


def test_the_checks_catch_nearly_all_over_the_demo_corpus() -> None:
    corpus = load_corpus(load_settings(_env_file=None).corpus_path)
    report = MutationLab(RULES, per_kind=10).run(claims_of_book(corpus, RULES, 11))
    caught, total = sum(row.caught for row in report.kinds), sum(row.total for row in report.kinds)
    assert all(row.total == 10 for row in report.kinds)
    assert caught >= 0.95 * total
    assert [row.kind for row in report.kinds if row.caught < 8] == []
