"""Both endpoints, every field and every staleness, through real HTTP (spec 05, "HTTP")."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from duocthu_core.cache.hashing import claim_hash, evidence_hash
from duocthu_core.cache.store import InMemoryCacheStore
from duocthu_core.language_models.port import ModelError
from duocthu_core.service.application import create_app
from tests.cache.conftest import Clock
from tests.pipeline.fakes import Reply, ScriptedModel, verdicts
from tests.servers.contract_server import client_of
from tests.service.conftest import ASKED, CLAIM, PROCESSED, RAW, URL, WRITTEN, services_over

ALL_FIELDS = {
    "cache_status",
    "evidence_sources",
    "verification_staleness",
    "verification",
    "verification_model",
    "verification_tier",
    "verification_prompt_hash",
    "verification_framework_version",
    "verification_cached_at",
    "verification_expires_at",
    "verification_evidence_urls",
    "verification_evidence_hash",
    "verification_claim",
}
"""The fields of spec 05."""


def write(http: httpx.Client, **changes: Any) -> dict[str, Any]:
    answer = http.post("/v1/verification_cache", json=WRITTEN | changes)
    assert answer.status_code == 200, answer.text
    return answer.json()


def gather(http: httpx.Client, **changes: Any) -> dict[str, Any]:
    answer = http.post("/v1/gather", json=ASKED | changes)
    assert answer.status_code == 200, answer.text
    return answer.json()


def meta(http: httpx.Client, **changes: Any) -> dict[str, Any]:
    return gather(http, **changes)["brain_meta"]


# Write, then gather


def test_a_write_answers_with_its_key_and_times(http: httpx.Client, clock: Clock) -> None:
    written = write(http)
    assert set(written) == {"cached", "claim_hash", "evidence_hash", "tier", "created_at", "updated_at", "expires_at"}
    assert (written["cached"], written["tier"]) == (True, "free")
    assert written["claim_hash"] == claim_hash(CLAIM, "didi-v1")
    assert written["evidence_hash"] == evidence_hash([URL])
    assert datetime.fromisoformat(written["created_at"]) == datetime.fromisoformat(written["updated_at"]) == clock.now
    assert datetime.fromisoformat(written["expires_at"]) == clock.now + timedelta(days=30)


def test_what_was_written_is_gathered_fresh_and_unchanged(http: httpx.Client, clock: Clock) -> None:
    written = write(http)
    clock.forward(days=1)
    answer = gather(http)
    found = answer["brain_meta"]
    assert answer["claim"] == CLAIM
    assert set(found) >= ALL_FIELDS
    assert (found["cache_status"], found["verification_staleness"], found["verification_rule"]) == ("hit", "fresh", "all_equal")
    assert found["verification"] == PROCESSED
    assert str(found["verification"]["notes"][-1]) == "1.0"
    assert (found["verification_model"], found["verification_tier"]) == ("bedrock/nova", "free")
    assert (found["verification_prompt_hash"], found["verification_framework_version"]) == ("0123456789ab", "ba9876543210")
    assert found["verification_cached_at"] == written["updated_at"]
    assert found["verification_expires_at"] == written["expires_at"]
    assert (found["verification_evidence_urls"], found["verification_evidence_hash"]) == ([URL], written["evidence_hash"])
    assert found["verification_claim"] == CLAIM
    assert found["verification_evidence_overlap"] == 0.0


def test_a_second_write_keeps_the_creation_and_replaces_the_rest(http: httpx.Client, clock: Clock) -> None:
    first = write(http)
    clock.forward(days=10)
    second = write(http, verification_processed={"status": "unsupported"}, model=None)
    assert second["created_at"] == first["created_at"]
    assert datetime.fromisoformat(second["updated_at"]) == clock.now
    found = meta(http)
    assert (found["verification"], found["verification_model"]) == ({"status": "unsupported"}, None)


def test_only_the_required_fields_are_enough(http: httpx.Client) -> None:
    required = {name: WRITTEN[name] for name in ("claim", "evidence_urls", "tier", "prompt_hash", "verification_processed")}
    assert http.post("/v1/verification_cache", json=required).status_code == 200
    found = meta(http, framework_version=None)
    assert (found["verification_staleness"], found["verification_framework_version"]) == ("fresh", None)
    other = meta(http)
    assert (other["verification_staleness"], other["verification_rule"]) == ("stale_prompt", "raw_missing")


# Staleness


def test_nothing_written_is_a_miss(http: httpx.Client) -> None:
    found = meta(http)
    assert (found["cache_status"], found["verification_staleness"], found["verification_rule"]) == ("miss", "miss", "no_row")
    empty = {name for name in ALL_FIELDS if name.startswith("verification") and found[name] is None}
    assert empty == ALL_FIELDS - {"cache_status", "evidence_sources", "verification_staleness", "verification_tier"}


@pytest.mark.parametrize(
    ("changes", "staleness", "rule", "verification"),
    [
        ({"prompt_hash": "another"}, "stale_prompt", "prompt_differs", None),
        ({"prompt_hash": None}, "stale_prompt", "prompt_not_given", None),
        ({"framework_version": "another"}, "stale_framework", "framework_differs", RAW),
        ({"framework_version": None}, "stale_framework", "framework_not_given", RAW),
        ({"model": "openai/other"}, "stale_prompt", "model_differs", None),
        ({"model": "bedrock/nova"}, "fresh", "all_equal", PROCESSED),
        ({"prompt_hash": "another", "framework_version": "another"}, "stale_prompt", "prompt_differs", None),
    ],
)
def test_what_comes_back_follows_from_what_differs(
    http: httpx.Client, changes: dict[str, Any], staleness: str, rule: str, verification: Any
) -> None:
    write(http)
    found = meta(http, **changes)
    assert (found["verification_staleness"], found["verification_rule"], found["verification"]) == (staleness, rule, verification)
    assert found["cache_status"] == ("miss" if verification is None else "hit")
    assert found["verification_prompt_hash"] == WRITTEN["prompt_hash"], "what is stored is shown, so that a caller sees what differs"


def test_an_expired_entry_is_a_miss(http: httpx.Client, clock: Clock) -> None:
    write(http)
    clock.forward(days=30, microseconds=-1)
    assert meta(http)["verification_staleness"] == "fresh"
    clock.forward(microseconds=1)
    assert meta(http)["verification_staleness"] == "miss"


def test_a_tier_never_sees_the_other(http: httpx.Client) -> None:
    write(http)
    assert meta(http, tier="premium")["verification_staleness"] == "miss"
    write(http, tier="premium", verification_processed={"status": "premium"})
    assert (meta(http)["verification"], meta(http, tier="premium")["verification"]) == (PROCESSED, {"status": "premium"})


# Hash profiles


def test_the_default_profile_is_that_of_the_contract(http: httpx.Client) -> None:
    write(http, claim="România a câștigat 9 medalii.")
    assert meta(http, claim="romania a castigat 9 medalii")["verification_staleness"] == "fresh"
    assert meta(http, claim="romania a castigat 8 medalii")["verification_staleness"] == "miss"
    assert meta(http, claim="romania nu a castigat 9 medalii")["verification_staleness"] == "miss"


def test_the_profile_of_this_product_keeps_marks_and_asks_for_the_drug(http: httpx.Client) -> None:
    about = {"schema_name": "duocthu-v1", "drug_id": "paracetamol", "section_key": "than_trong"}
    write(http, claim="Dùng thuốc khi có phát ban.", **about)
    assert meta(http, claim="Dùng thuốc khi có phát ban", **about)["verification_staleness"] == "fresh"
    assert meta(http, claim="Dừng thuốc khi có phát ban.", **about)["verification_staleness"] == "miss"
    assert meta(http, claim="Dùng thuốc khi có phát ban.", **(about | {"drug_id": "ibuprofen"}))["verification_staleness"] == "miss"
    assert meta(http, claim="Dùng thuốc khi có phát ban.")["verification_staleness"] == "miss", "a row of one profile answers for no other"


def test_a_claim_with_hidden_characters_is_refused_and_known_of_none(http: httpx.Client) -> None:
    hidden = {"claim": "Liều 50\u200b0 mg.", "schema_name": "duocthu-v1"}
    answer = http.post("/v1/verification_cache", json=WRITTEN | hidden)
    assert answer.status_code == 422
    assert "no reader sees" in answer.text
    assert meta(http, **hidden)["verification_rule"] == "claim_refused"


# Evidence


def test_evidence_comes_from_the_books_own_blocks(memory_http: httpx.Client) -> None:
    answer = gather(memory_http, include_verification=False, max_evidence=2)
    assert 0 < len(answer["evidence"]) <= 2
    first = answer["evidence"][0]
    assert first["block_id"] == "paracetamol/lieu_luong_cach_dung/1"
    assert first["url"].startswith("duocthu://Bộ thử/paracetamol/lieu_luong_cach_dung/1?h=sha256:")
    assert (first["drug_id"], first["page_start"], first["source"]) == ("paracetamol", 1120, "Bộ thử")
    assert "0,5 - 1 g/lần" in first["text"]
    assert answer["brain_meta"]["evidence_sources"] == ["Bộ thử"]


def test_drug_and_section_of_the_request_say_what_the_claim_leaves_unsaid(memory_http: httpx.Client) -> None:
    bare = {"claim": "Suy gan nặng.", "include_verification": False}
    answer = gather(memory_http, **bare, drug_id="paracetamol", section_key="chong_chi_dinh")
    assert [block["block_id"] for block in answer["evidence"]] == ["paracetamol/chong_chi_dinh/1"]
    for unknown in ({"drug_id": "no-such-drug"}, {"section_key": "no_such_section"}):
        assert memory_http.post("/v1/gather", json=bare | unknown).status_code == 200


def test_without_include_verification_no_verification_field_comes_back(memory_http: httpx.Client) -> None:
    write(memory_http)
    answer = gather(memory_http, include_verification=False)
    assert set(answer["brain_meta"]) == {"cache_status", "evidence_sources"}
    assert answer["brain_meta"]["cache_status"] == "not_asked"


def test_the_least_request_is_a_claim(memory_http: httpx.Client) -> None:
    answer = memory_http.post("/v1/gather", json={"claim": "Chống chỉ định của paracetamol"})
    assert answer.status_code == 200
    assert [block["block_id"] for block in answer.json()["evidence"]] == ["paracetamol/chong_chi_dinh/1"]


def test_no_evidence_is_an_empty_list(memory_http: httpx.Client) -> None:
    answer = gather(memory_http, claim="Bitcoin sẽ tăng giá năm nay.", run_nli=True)
    assert (answer["evidence"], answer["brain_meta"]["evidence_sources"]) == ([], [])
    assert answer["brain_meta"]["nli_status"] == "no_evidence"
    assert gather(memory_http, max_evidence=0)["evidence"] == []


def test_a_quarantined_table_is_no_evidence(memory_http: httpx.Client) -> None:
    answer = gather(memory_http, claim="Liều cefazolin cho người suy thận", max_evidence=50)
    assert "cefazolin/lieu_luong_cach_dung/2" not in [block["block_id"] for block in answer["evidence"]]


def test_the_overlap_is_that_of_stored_and_gathered_evidence(memory_http: httpx.Client) -> None:
    urls = [block["url"] for block in gather(memory_http)["evidence"]]
    write(memory_http, evidence_urls=[*urls, "https://elsewhere.example/1"])
    assert meta(memory_http)["verification_evidence_overlap"] == pytest.approx(len(urls) / (len(urls) + 1))


# The judge's word on each block


def judged(tmp_path: Path, *says: Reply) -> dict[str, Any]:
    services = services_over(InMemoryCacheStore(), tmp_path, judge=ScriptedModel(*says))
    with client_of(create_app(services)) as client:
        return gather(client, run_nli=True, include_verification=False, max_evidence=1)


def test_run_nli_gives_the_judges_word_on_each_block(tmp_path: Path) -> None:
    answer = judged(tmp_path, verdicts("SUPPORTS"))
    (block,) = answer["evidence"]
    assert answer["brain_meta"]["nli_status"] == "ran"
    assert (block["nli"]["stance"], block["nli"]["confidence"], block["nli"]["model"]) == ("SUPPORTS", 95, "recorded/scripted")
    assert block["nli"]["evidence_quote"] in block["text"]


@pytest.mark.parametrize(
    ("says", "status"),
    [
        (ModelError("unavailable", "down"), "provider_unavailable"),
        (ModelError("budget_exhausted", "slow"), "request_budget_exhausted"),
        (ModelError("malformed", "odd"), "malformed_output"),
        ("không phải JSON", "malformed_output"),
    ],
)
def test_a_judge_that_cannot_be_asked_is_no_no(tmp_path: Path, says: Reply, status: str) -> None:
    answer = judged(tmp_path, says)
    assert answer["brain_meta"]["nli_status"] == status
    assert [block["nli"] for block in answer["evidence"]] == [None]


def test_run_nli_is_not_asked_for_in_vain(memory_http: httpx.Client) -> None:
    answer = gather(memory_http, include_verification=False)
    assert "nli_status" not in answer["brain_meta"]
    assert all("nli" not in block for block in answer["evidence"])
