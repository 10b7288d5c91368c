"""Hashes of claims and evidence, and the cases of which claims are one."""

from __future__ import annotations

import hashlib
import unicodedata
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from duocthu_core.cache.hashing import ClaimRefused, claim_hash, evidence_hash, evidence_overlap, normalised_claim, normalised_urls
from duocthu_core.cache.model import CacheQuery, VerdictToKeep
from duocthu_core.cache.store import InMemoryCacheStore
from duocthu_core.cache.verification_cache import VerificationCache
from tests.conftest import case_ids, cases

KEY_CASES = cases("cache_key")
TIERS = {"T1": "free", "T2": "premium"}


def _fields(side: str | dict[str, Any]) -> dict[str, Any]:
    given_fields = {"claim": side} if isinstance(side, str) else side
    evidence = given_fields.get("evidence", ["duocthu://demo/a/b/1"])
    return {
        "claim": given_fields["claim"],
        "drug_id": given_fields.get("drug"),
        "section_key": given_fields.get("section"),
        "evidence_urls": tuple([evidence] if isinstance(evidence, str) else evidence),
        "tier": TIERS[given_fields.get("tier", "T1")],
        "prompt_hash": "0123456789ab",
        "framework_version": "f1",
    }


@pytest.mark.parametrize("case", KEY_CASES, ids=case_ids(KEY_CASES))
def test_cases_of_what_is_one_claim(case: dict[str, Any]) -> None:
    cache = VerificationCache(InMemoryCacheStore())
    stored = VerdictToKeep.model_validate(_fields(case["put"]) | {"verification_processed": {"status": "supported"}})
    refused = False
    try:
        cache.put(stored)
    except ClaimRefused:
        refused = True
    answer = cache.get(CacheQuery.model_validate(_fields(case["get"])))
    assert (answer.action == "use") is case["served"], case["why"]
    assert not (refused and case["served"])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("România a câștigat 9 medalii.", "romania a castigat 9 medalii"),
        ("România a câștigat 9 medalii.", "  ROMÂNIA  a\tcâștigat 9 medalii?!."),
        ("Dùng thuốc.", "Dừng thuốc."),
    ],
)
def test_didi_drops_marks_case_and_closing_points(one: str, other: str) -> None:
    assert claim_hash(one, "didi-v1") == claim_hash(other, "didi-v1")


@pytest.mark.parametrize(
    ("one", "other"),
    [("România a câștigat 9 medalii.", "România nu a câștigat 9 medalii."), ("9 medalii", "8 medalii"), ("9 medalii!", "! 9 medalii")],
)
def test_didi_keeps_negations_numbers_and_inner_points(one: str, other: str) -> None:
    assert claim_hash(one, "didi-v1") != claim_hash(other, "didi-v1")


def test_a_didi_hash_is_sha256_of_the_normalised_claim() -> None:
    assert claim_hash("România a câștigat 9 medalii.", "didi-v1") == hashlib.sha256(b"romania a castigat 9 medalii").hexdigest()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Dùng thuốc", "Dừng thuốc"),
        ("viêm gân", "viêm gan"),
        ("chứa", "chưa"),
        ("10² tế bào", "102 tế bào"),
        ("2½ viên", "21⁄2 viên"),
        ("Clcr ≠ 30", "Clcr = 30"),
        ("3 MU", "3 mU"),
        ("5 %", "5 ‰"),
        ("−20 °C", "20 °C"),
        ("0,5 mg", "0.5 mg"),
        ("1.500 mg", "1500 mg"),
        ("liều 1 mg!", "liều 1 mg"),
        ("liều 1 mg..", "liều 1 mg"),
        ("５００ mg", "500 mg"),
        ("Ⅳ", "IV"),
        ("x\u0338", "x"),
    ],
)
def test_duocthu_keeps_all_that_carries_meaning(one: str, other: str) -> None:
    assert claim_hash(one, "duocthu-v1") != claim_hash(other, "duocthu-v1")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Uống sau bữa ăn.", unicodedata.normalize("NFD", "Uống sau bữa ăn")),
        ("liều 5 \u00b5g", "liều 5 \u03bcg"),
        ("  liều\u00a05\n mg ", "liều 5 mg"),
        ("liều 5 mg.", "liều 5 mg"),
        ("liều 5 mg .", "liều 5 mg"),
    ],
)
def test_duocthu_drops_only_what_a_reader_does_not_see(one: str, other: str) -> None:
    assert claim_hash(one, "duocthu-v1") == claim_hash(other, "duocthu-v1")


@pytest.mark.parametrize("hidden", ["\u200b", "\u202e", "\u2066", "\u00ad", "\ufeff", "\x00", "\x07", "\ufe0f"])
def test_duocthu_refuses_what_no_reader_sees(hidden: str) -> None:
    with pytest.raises(ClaimRefused, match="no reader sees"):
        claim_hash(f"Liều 50{hidden}0 mg", "duocthu-v1")


def test_a_claim_is_hashed_with_its_drug_and_section() -> None:
    hashes = {
        claim_hash("Dùng được cho trẻ em.", "duocthu-v1", *about) for about in [(), ("a",), ("b",), ("a", "b"), (None, "a"), ("a,b",)]
    }
    assert len(hashes) == 6


def test_no_claim_has_one_hash_under_both_profiles() -> None:
    assert claim_hash("lieu 5 mg", "didi-v1") != claim_hash("lieu 5 mg", "duocthu-v1")


@given(st.text(max_size=60))
def test_normalising_never_changes_a_digit_or_a_case(claim: str) -> None:
    try:
        normalised = normalised_claim(claim, "duocthu-v1")
    except ClaimRefused:
        return
    composed = unicodedata.normalize("NFC", claim)
    assert [c for c in normalised if c.isdigit()] == [c for c in composed if c.isdigit()]
    assert [c for c in normalised if c.isupper()] == [c for c in composed if c.isupper()]


@given(st.text(max_size=60).filter(lambda text: all(not 0xD800 <= ord(c) < 0xE000 for c in text)))
def test_every_claim_has_a_hash_or_is_refused(claim: str) -> None:
    assert len(claim_hash(claim, "didi-v1")) == 64
    with suppress(ClaimRefused):
        assert len(claim_hash(claim, "duocthu-v1")) == 64


def test_evidence_is_hashed_as_a_set_of_normalised_urls() -> None:
    urls = [" HTTPS://A.example/b/ ", "", "https://a.example/a//", "https://a.example/b"]
    assert normalised_urls(urls) == ("https://a.example/a", "https://a.example/b")
    assert evidence_hash(urls) == hashlib.sha256(b"https://a.example/a\nhttps://a.example/b").hexdigest()


@given(st.lists(st.sampled_from(["u1", "U1/", "u2", "u3", "", " "])), st.lists(st.sampled_from(["u1", "u2", "u3", "u4", ""])))
def test_overlap_is_a_share_and_the_same_both_ways(one: list[str], other: list[str]) -> None:
    overlap = evidence_overlap(one, other)
    assert 0 <= overlap <= 1
    assert overlap == evidence_overlap(other, one)
    assert (overlap == 1) == (bool(normalised_urls(one)) and normalised_urls(one) == normalised_urls(other))


@pytest.mark.parametrize(
    "wrong",
    [
        {"evidence_urls": ()},
        {"evidence_urls": ("", " / ")},
        {"prompt_hash": "abc"},
        {"claim": ""},
        {"claim": "liều\x00"},
        {"claim": "nửa \ud800"},
        {"tier": "T1"},
        {"schema_name": "of-tomorrow"},
        {"verification_processed": None},
        {"verification_raw": {"confidence": float("nan")}},
    ],
)
def test_what_cannot_be_stored_is_refused(wrong: dict[str, Any]) -> None:
    fields = _fields("Liều 5 mg.") | {"verification_processed": {"status": "supported"}}
    VerdictToKeep.model_validate(fields)
    with pytest.raises(ValidationError):
        VerdictToKeep.model_validate(fields | wrong)
