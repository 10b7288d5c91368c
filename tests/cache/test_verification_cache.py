"""Keeping verdicts and giving them back: in memory, on SQLite and on PostgreSQL alike."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest

from duocthu_core.cache.hashing import evidence_overlap
from duocthu_core.cache.model import CacheGroup, CurrentJudge
from duocthu_core.cache.store import CacheStore, InMemoryCacheStore
from duocthu_core.cache.verification_cache import Ages, PayloadTooLarge, VerificationCache
from duocthu_core.settings import SettingsError, load_settings
from tests.cache.conftest import Clock
from tests.cache.verdicts import CLAIM, JUDGED_WITH, OTHER_URL, PROCESSED, RAW, URL, query, verdict
from tests.conftest import cases

CASES = {case["id"]: case for case in cases("cache_store")}
JUDGE = CurrentJudge(**JUDGED_WITH)


# Staleness at read


def test_an_empty_cache_misses(cache: VerificationCache) -> None:
    answer = cache.get(query())
    assert (answer.staleness, answer.rule, answer.verification, answer.action) == ("miss", "no_row", None, "judge")


def test_an_equal_judge_gets_the_processed_verdict_unchanged(cache: VerificationCache) -> None:
    stored = cache.put(verdict())
    answer = cache.get(query())
    assert (answer.staleness, answer.rule, answer.action) == ("fresh", "all_equal", "use")
    assert answer.verification == PROCESSED
    assert answer.entry is not None
    assert answer.entry == stored
    assert json.dumps(answer.entry.verification_raw) == json.dumps(RAW)


def test_other_thresholds_get_the_raw_verdict_to_recompute(cache: VerificationCache) -> None:
    cache.put(verdict())
    answer = cache.get(query(framework_version="other"))
    assert (answer.staleness, answer.rule, answer.action) == ("stale_framework", "framework_differs", "recompute")
    assert answer.verification == RAW


def test_thresholds_that_are_not_given_are_other_ones(cache: VerificationCache) -> None:
    cache.put(verdict())
    assert cache.get(query(framework_version=None)).rule == "framework_not_given"


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"prompt_hash": "another prompt"}, "prompt_differs"),
        ({"prompt_hash": None}, "prompt_not_given"),
        ({"model": "bedrock/another"}, "model_differs"),
        ({"prompt_hash": "another prompt", "framework_version": "other"}, "prompt_differs"),
    ],
)
def test_another_prompt_or_model_asks_the_judge(cache: VerificationCache, changes: dict[str, Any], rule: str) -> None:
    cache.put(verdict())
    answer = cache.get(query(**changes))
    assert (answer.staleness, answer.rule, answer.verification, answer.action) == ("stale_prompt", rule, None, "judge")
    assert answer.entry is not None


def test_other_thresholds_without_a_raw_verdict_ask_the_judge(cache: VerificationCache) -> None:
    cache.put(verdict(verification_raw=None))
    assert (cache.get(query()).staleness, cache.get(query(framework_version="other")).staleness) == ("fresh", "stale_prompt")
    assert cache.get(query(framework_version="other")).rule == "raw_missing"


def test_a_caller_that_names_no_model_is_not_held_to_one(cache: VerificationCache) -> None:
    cache.put(verdict())
    assert cache.get(query(model=None)).staleness == "fresh"


def test_the_case_of_a_changed_prompt(cache: VerificationCache) -> None:
    case = CASES["store-007"]
    row, lookup = case["context"]["row"], case["input"]["lookup"]
    cache.put(verdict(prompt_hash=row["prompt_hash"] * 2, framework_version=row["framework_version"]))
    found = cache.get(query(prompt_hash=lookup["prompt_hash"] * 2, framework_version=lookup["framework_version"]))
    assert found.staleness == case["expected"]["staleness"]


# The key


def test_tiers_are_wholly_separate(cache: VerificationCache) -> None:
    cache.put(verdict(tier="premium"))
    assert cache.get(query()).staleness == "miss"
    assert cache.get(query(tier="premium")).staleness == "fresh"


@pytest.mark.parametrize("changes", [{"drug_id": "aspirin"}, {"section_key": "than_trong"}, {"drug_id": None}])
def test_one_sentence_about_another_drug_or_section_is_another_claim(cache: VerificationCache, changes: dict[str, Any]) -> None:
    cache.put(verdict())
    assert cache.get(query(**changes)).staleness == "miss"


def test_a_row_of_one_profile_never_answers_for_another(cache: VerificationCache) -> None:
    about: dict[str, Any] = {"claim": "lieu 5 mg", "drug_id": None, "section_key": None}
    cache.put(verdict(schema_name="didi-v1", **about))
    assert cache.get(query(**about)).staleness == "miss"
    cache.put(verdict(**about, verification_processed={"status": "unsupported"}))
    assert cache.get(query(schema_name="didi-v1", **about)).verification == PROCESSED
    assert cache.get(query(**about)).verification == {"status": "unsupported"}


def test_the_case_of_a_row_made_with_another_key(store: CacheStore, clock: Clock) -> None:
    case = CASES["store-019"]
    cache = VerificationCache(store, clock=clock)
    made_with_the_lossy_key = cache.put(verdict(claim=case["context"]["row"]["claim"], schema_name="didi-v1"))
    looked_up = query(claim=case["input"]["claim"])
    store.write([made_with_the_lossy_key.model_copy(update={"claim_hash": cache.check(verdict(claim=case["input"]["claim"]))})])
    answer = cache.get(looked_up)
    assert (answer.action == "use") is case["expected"]["served_from_cache"]
    assert (answer.staleness, answer.rule, answer.entry) == ("miss", "profile_differs", None)


def test_a_hash_that_leads_to_another_claim_is_a_miss(store: CacheStore, clock: Clock) -> None:
    cache = VerificationCache(store, clock=clock)
    stored = cache.put(verdict())
    store.write([stored.model_copy(update={"claim": "Dừng thuốc."})])
    answer = cache.get(query())
    assert (answer.staleness, answer.rule, answer.entry) == ("miss", "claim_differs", None)


def test_a_claim_that_is_refused_is_a_miss(cache: VerificationCache) -> None:
    answer = cache.get(query(claim="Liều 50\u200b0 mg"))
    assert (answer.staleness, answer.rule, answer.claim_hash) == ("miss", "claim_refused", "")


# Evidence


def test_a_verdict_on_other_evidence_is_fresh_and_not_used(cache: VerificationCache) -> None:
    cache.put(verdict(evidence_urls=(URL, OTHER_URL)))
    answer = cache.get(query(evidence_urls=(URL,)))
    assert (answer.staleness, answer.overlap, answer.enough_overlap, answer.action) == ("fresh", 0.5, False, "judge")
    assert cache.get(query(evidence_urls=(OTHER_URL.upper(), URL + "/"))).action == "use"


def test_a_block_with_other_text_is_other_evidence(cache: VerificationCache) -> None:
    cache.put(verdict())
    assert cache.get(query(evidence_urls=(URL.replace("a" * 64, "c" * 64),))).action == "judge"


def test_a_caller_that_judges_the_overlap_itself_gets_the_urls(cache: VerificationCache) -> None:
    cache.put(verdict(evidence_urls=(OTHER_URL, URL)))
    answer = cache.get(query(evidence_urls=None))
    assert (answer.overlap, answer.action) == (None, "use")
    assert answer.entry is not None
    assert answer.entry.evidence_urls == (OTHER_URL, URL)


@pytest.mark.parametrize("case_id", ["store-009", "store-011", "store-013"])
def test_the_cases_of_overlap(case_id: str, clock: Clock) -> None:
    case = CASES[case_id]
    one, other = case["input"]["overlap"]["a"], case["input"]["overlap"]["b"]
    if "ratio" in case["expected"]:
        assert evidence_overlap(one, other) == case["expected"]["ratio"]
    cache = VerificationCache(InMemoryCacheStore(), overlap_min=case["context"]["threshold"], clock=clock)
    stored = cache.put(verdict(evidence_urls=other or [URL]))
    assert (cache.get(query(evidence_urls=one)).action == "use") is case["expected"]["recommended"]
    assert stored.evidence_urls


def test_without_shared_evidence_nothing_is_used_even_at_a_minimum_of_zero(clock: Clock) -> None:
    cache = VerificationCache(InMemoryCacheStore(), overlap_min=0.0, clock=clock)
    cache.put(verdict())
    assert cache.get(query(evidence_urls=(OTHER_URL,))).action == "judge"
    assert cache.get(query(evidence_urls=())).action == "judge"


# Times


@pytest.mark.parametrize("case_id", ["store-001", "store-003", "store-005"])
def test_the_cases_of_time(store: CacheStore, clock: Clock, case_id: str) -> None:
    case = CASES[case_id]
    cache = VerificationCache(store, ttl=timedelta(days=case["context"]["ttl_days"]), clock=clock)
    clock.now = datetime.fromisoformat(case["context"]["created_at"])
    cache.put(verdict())
    clock.now = datetime.fromisoformat(case["input"]["now"])
    assert cache.get(query()).staleness == case["expected"].get("staleness", "fresh")


def test_an_entry_is_invisible_from_the_moment_its_time_is_over(cache: VerificationCache, clock: Clock) -> None:
    stored = cache.put(verdict())
    assert stored.expires_at - stored.created_at == timedelta(days=30)
    clock.forward(days=30, microseconds=-1)
    assert cache.get(query()).staleness == "fresh"
    clock.forward(microseconds=1)
    assert cache.get(query()).staleness == "miss"
    assert cache.page() == []


def test_a_write_renews_the_time_and_keeps_the_creation(cache: VerificationCache, clock: Clock) -> None:
    first = cache.put(verdict())
    clock.forward(days=20)
    second = cache.put(verdict(verification_processed={"status": "unsupported"}))
    assert second.created_at == first.created_at
    assert second.updated_at == clock.now
    assert second.expires_at == clock.now + timedelta(days=30)
    clock.forward(days=20)
    answer = cache.get(query())
    assert answer.entry == second
    assert answer.verification == {"status": "unsupported"}


def test_a_write_over_an_expired_entry_makes_it_visible_again(cache: VerificationCache, clock: Clock) -> None:
    first = cache.put(verdict())
    clock.forward(days=31)
    assert cache.put(verdict()).created_at == first.created_at
    assert cache.get(query()).staleness == "fresh"


def test_pruning_deletes_what_is_over_and_only_that(cache: VerificationCache, clock: Clock) -> None:
    cache.put(verdict())
    clock.forward(days=15)
    cache.put(verdict(claim="Dừng thuốc."))
    clock.forward(days=15)
    assert cache.stats(JUDGE).expired == 1
    assert cache.prune() == 1
    assert cache.prune() == 0
    assert cache.stats(JUDGE).expired == 0
    assert cache.get(query(claim="Dừng thuốc.")).staleness == "fresh"


# Limits and batches


def test_a_write_replaces_the_whole_row(cache: VerificationCache) -> None:
    cache.put(verdict())
    stored = cache.put(
        verdict(model=None, framework_version=None, verification_raw=None, evidence_urls=(OTHER_URL,), prompt_hash="another")
    )
    assert cache.page() == [stored]
    assert (stored.model, stored.framework_version, stored.verification_raw) == (None, None, None)


def test_a_batch_that_holds_one_key_twice_writes_the_last(cache: VerificationCache) -> None:
    stored = cache.put_all([verdict(verification_processed=1), verdict(tier="premium"), verdict(verification_processed=2)])
    assert [entry.verification_processed for entry in stored] == [2, PROCESSED, 2]
    assert cache.get(query()).verification == 2
    assert len(cache.page()) == 2


def test_an_empty_batch_is_nothing(cache: VerificationCache) -> None:
    assert (cache.put_all([]), cache.get_all([])) == ([], [])


def test_a_batch_larger_than_a_statement_is_written_whole(cache: VerificationCache) -> None:
    cache.put_all([verdict(claim=f"Liều {number} mg.") for number in range(1203)])
    assert cache.stats(JUDGE).live == 1203
    answers = cache.get_all([query(claim=f"Liều {number} mg.") for number in range(1203)])
    assert {answer.action for answer in answers} == {"use"}


def test_answers_come_in_the_order_of_the_queries(cache: VerificationCache) -> None:
    cache.put_all([verdict(claim="một", verification_processed=1), verdict(claim="hai", verification_processed=2, tier="premium")])
    wanted = [query(claim="hai", tier="premium"), query(claim="không"), query(claim="một"), query(claim="Liều\u200b"), query(claim="một.")]
    assert [answer.verification for answer in cache.get_all(wanted)] == [2, None, 1, None, 1]


def test_the_case_of_a_payload_within_the_limit(cache: VerificationCache) -> None:
    case = CASES["store-015"]
    cache.check_size(case["context"]["limit_bytes"])
    assert cache.put(verdict(verification_processed="x" * 1000)) is not None


def test_the_limit_is_measured_in_bytes_and_is_allowed_itself(clock: Clock) -> None:
    size = len(verdict(verification_processed="ắ" * 100).model_dump_json(exclude_none=True, exclude_defaults=True).encode())
    VerificationCache(InMemoryCacheStore(), max_payload_bytes=size, clock=clock).put(verdict(verification_processed="ắ" * 100))
    small = VerificationCache(InMemoryCacheStore(), max_payload_bytes=size - 1, clock=clock)
    with pytest.raises(PayloadTooLarge, match=f"{size} bytes are more than the limit of {size - 1}"):
        small.put(verdict(verification_processed="ắ" * 100))
    assert small.page() == []


def test_one_verdict_over_the_limit_keeps_a_batch_out(cache: VerificationCache) -> None:
    with pytest.raises(PayloadTooLarge):
        cache.put_all([verdict(), verdict(claim="x", verification_processed="x" * 70_000)])
    assert cache.page() == []


def test_of_two_writers_at_once_one_is_stored_whole(store: CacheStore, clock: Clock) -> None:
    case = CASES["store-017"]
    cache = VerificationCache(store, clock=clock)
    writers = [(row[2], row[3]) for row in case["input"]["concurrent"]]

    def write(number: int) -> None:
        value, evidence = writers[number % 2]
        cache.put(verdict(verification_raw={"by": value}, verification_processed={"by": value}, evidence_urls=(evidence,), model=value))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(40)))
    (entry,) = cache.page()
    assert len(cache.page()) == case["expected"]["rows"]
    columns = (entry.verification_raw, entry.verification_processed, entry.model, entry.evidence_urls)
    assert columns in [({"by": value}, {"by": value}, value, (evidence,)) for value, evidence in case["expected"]["value_is_one_of"]]


def test_batches_of_the_same_keys_at_once_do_not_lock_each_other_out(store: CacheStore, clock: Clock) -> None:
    cache = VerificationCache(store, clock=clock)
    claims = [f"Liều {number} mg." for number in range(60)]

    def write(writer: int) -> None:
        order = claims if writer % 2 else list(reversed(claims))
        cache.put_all([verdict(claim=claim, verification_processed=writer) for claim in order])

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(write, range(12)))
    assert len({json.dumps(entry.verification_processed) for entry in cache.page(limit=100)}) == 1
    assert cache.stats(JUDGE).live == 60


# The cache as a whole


def test_the_list_shows_the_last_written_first_and_one_tier_where_asked(cache: VerificationCache, clock: Clock) -> None:
    for number in range(3):
        cache.put(verdict(claim=f"Liều {number} mg.", tier="premium" if number == 1 else "free"))
        clock.forward(minutes=1)
    assert [entry.claim for entry in cache.page()] == ["Liều 2 mg.", "Liều 1 mg.", "Liều 0 mg."]
    assert [entry.claim for entry in cache.page(limit=1, offset=1)] == ["Liều 1 mg."]
    assert [entry.claim for entry in cache.page(tier="free")] == ["Liều 2 mg.", "Liều 0 mg."]


def test_entries_are_listed_by_what_a_judge_would_find(cache: VerificationCache, clock: Clock) -> None:
    cache.put(verdict(claim="hết hạn"))
    clock.forward(days=30)
    cache.put_all([verdict(claim="một"), verdict(claim="hai", tier="premium"), verdict(claim="ba", framework_version=None)])
    cache.put_all([verdict(claim="bốn", framework_version="other", verification_raw=None), verdict(claim="năm", model=None)])
    clock.forward(days=2)

    def listed(staleness: Any = None, **narrowed: Any) -> list[tuple[str, str]]:
        filters = cache.filters(JUDGE, staleness, **narrowed)
        found = cache.listed(JUDGE, filters, limit=10)
        assert cache.count(filters) == len(found)
        assert staleness in (None, *{standing.staleness for standing in found})
        return sorted((standing.entry.claim, standing.rule) for standing in found)

    assert listed("fresh") == [("hai", "all_equal"), ("một", "all_equal")]
    assert listed("fresh", tier="premium") == [("hai", "all_equal")]
    assert listed("stale_framework") == [("ba", "framework_differs")]
    assert listed("stale_prompt") == [("bốn", "raw_missing"), ("năm", "model_differs")]
    assert listed("miss") == [("hết hạn", "expired")]
    assert len(listed()) == 5
    assert cache.listed(JUDGE, cache.filters(JUDGE))[0].time_left == timedelta(days=28)
    assert cache.count(cache.filters(CurrentJudge(prompt_hash="none", framework_version="none"), "fresh")) == 0


def test_entries_are_listed_by_the_time_since_they_were_written(cache: VerificationCache, clock: Clock) -> None:
    for number in range(3):
        cache.put(verdict(claim=f"{number}"))
        clock.forward(days=5)

    def listed(**bounds: timedelta) -> list[str]:
        return [standing.entry.claim for standing in cache.listed(JUDGE, cache.filters(JUDGE, ages=Ages(**bounds)))]

    assert listed(less_than=timedelta(days=6)) == ["2"]
    assert listed(at_least=timedelta(days=10)) == ["1", "0"]
    assert listed(at_least=timedelta(days=6), less_than=timedelta(days=12)) == ["1"]


def test_an_entry_is_found_by_its_key_and_by_its_words_also_once_it_is_expired(cache: VerificationCache, clock: Clock) -> None:
    kept = [cache.put(verdict()), cache.put(verdict(drug_id="ibuprofen")), cache.put(verdict(tier="premium"))]
    cache.put(verdict(claim="Mệnh đề khác."))
    clock.forward(days=31)
    assert cache.entry("free", kept[0].claim_hash) == kept[0]
    assert cache.entry("premium", kept[1].claim_hash) is None
    for words in (CLAIM, f"  {CLAIM.removesuffix('.')} "):
        assert {(entry.claim_hash, entry.tier) for entry in cache.worded(words)} == {(entry.claim_hash, entry.tier) for entry in kept}
    assert cache.worded("") == cache.worded("\ud800") == []


def test_statistics_say_what_a_judge_would_find(cache: VerificationCache, clock: Clock) -> None:
    cache.put(verdict(claim="hết hạn"))
    clock.forward(days=30)
    written = clock.now
    cache.put_all([verdict(claim="một"), verdict(claim="hai", tier="premium"), verdict(claim="ba", framework_version="other")])
    cache.put_all([verdict(claim="bốn", framework_version="other", verification_raw=None), verdict(claim="năm", prompt_hash="another")])
    cache.put(verdict(claim="sáu", model="bedrock/another"))
    stats = cache.stats(JUDGE)
    assert (stats.live, stats.expired) == (6, 1)
    assert stats.by_tier == {"free": 5, "premium": 1}
    assert stats.by_staleness == {"fresh": 2, "stale_framework": 1, "stale_prompt": 3, "miss": 1}
    assert (stats.oldest, stats.newest) == (written, written)
    assert stats.payload_bytes == 5 * len(json.dumps(RAW, separators=(",", ":"))) + 6 * len(json.dumps(PROCESSED, separators=(",", ":")))
    under_other_rules = cache.stats(CurrentJudge(prompt_hash="another", framework_version="ba9876543210"))
    assert under_other_rules.by_staleness == {"fresh": 1, "stale_framework": 0, "stale_prompt": 5, "miss": 1}


def test_statistics_of_an_empty_cache(cache: VerificationCache) -> None:
    stats = cache.stats(JUDGE)
    assert (stats.live, stats.expired, stats.oldest, stats.payload_bytes) == (0, 0, None, 0)


def test_groups_count_what_was_judged_alike(store: CacheStore, clock: Clock) -> None:
    VerificationCache(store, clock=clock).put_all([verdict(claim="một"), verdict(claim="hai")])
    assert store.groups(clock.now) == [CacheGroup(tier="free", schema_name="duocthu-v1", has_raw=True, live=2, expired=0, **JUDGED_WITH)]


def test_time_and_size_limits_are_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIFICATION_CACHE_TTL_DAYS", "7")
    monkeypatch.setenv("DUOCTHU_VERIFICATION_CACHE_MAX_PAYLOAD_KB", "16")
    settings = load_settings(_env_file=None)
    assert (settings.verification_cache_ttl_days, settings.verification_cache_max_payload_kb) == (7, 16)
    monkeypatch.setenv("VERIFICATION_CACHE_TTL_DAYS", "0")
    with pytest.raises(SettingsError, match="VERIFICATION_CACHE_TTL_DAYS"):
        load_settings(_env_file=None)
