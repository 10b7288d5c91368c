"""Scrubbing provider errors."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duocthu_core.language_models.errors import DETAIL_MAX_CHARS, HIDDEN, detail_of, scrub


@pytest.mark.parametrize(
    ("text", "gone", "kept"),
    [
        ("User: arn:aws:sts::123456789012:assumed-role/Pharmacy/s is not authorized", "123456789012", "assumed-role/Pharmacy"),
        (
            "Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20260101/x, Signature=abc123",
            "AKIAIOSFODNN7EXAMPLE",
            "Authorization",
        ),
        ("x-amz-security-token:FwoGZXIvYXdzEBYaD//tok=\nx-amz-date:20260101", "FwoGZXIvYXdzEBYaD", "x-amz-security-token"),
        ('{\\"x-amz-security-token\\": \\"FwoGZXIv\\"}', "FwoGZXIv", "x-amz-security-token"),
        ("key AKIAIOSFODNN7EXAMPLE is disabled", "AKIAIOSFODNN7EXAMPLE", "is disabled"),
        ("Incorrect API key provided: sk-abcd********wxyz. You can find", "wxyz", "Incorrect API key provided"),
        ("Incorrect API key provided: my-own-key", "my-own-key", "Incorrect API key provided"),
        ('"authorization": "Bearer abcdef123456"', "abcdef123456", "authorization"),
        ("sent with Bearer abcdef123456 by mistake", "abcdef123456", "by mistake"),
        ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG failed", "wJalrXUtnFEMI/K7MDENG", "failed"),
        ('{"client_secret": "s3cr3t-value", "code": 7}', "s3cr3t-value", '"code": 7'),
        ("password='hunter22' rejected", "hunter22", "rejected"),
        ("token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig expired", "eyJzdWIiOiIxIn0", "expired"),
        ("Could not connect to https://user:p%40ss@host:8443/v1/x?api-key=abc", "p%40ss", "https://"),
        ("Could not connect to https://user:p@ss@host:8443/v1/x?sig=abc&y=1#f", "sig=abc", "host:8443/v1/x"),
        ("Could not connect to https://user:p@ss@host/v1", "p@ss", "host/v1"),
    ],
)
def test_what_looks_like_a_credential_is_hidden_and_the_rest_is_kept(text: str, gone: str, kept: str) -> None:
    scrubbed = scrub(text)
    assert gone not in scrubbed
    assert kept in scrubbed
    assert HIDDEN in scrubbed


@pytest.mark.parametrize(
    "text",
    [
        "ThrottlingException: Too many requests, please wait before trying again.",
        "HTTP 400: max_tokens must be at most 4096, got 8192; temperature 0.0",
        "no answer within 60.0 s",
        "Could not connect to the endpoint URL: http://127.0.0.1:8777/model/apac.amazon.nova-lite-v1%3A0/converse",
        "The security token included in the request is invalid.",
        "Mô hình không trả lời: thiếu trường “claims”.",
    ],
)
def test_an_error_without_credentials_stays_as_it_is(text: str) -> None:
    assert scrub(text) == text


@given(
    secret=st.text(min_size=4, max_size=60).filter(lambda s: s.strip() == s and s not in HIDDEN),
    before=st.text(max_size=40),
    after=st.text(max_size=40),
)
def test_a_known_secret_never_stays(secret: str, before: str, after: str) -> None:
    encoded = base64.b64encode(secret.encode()).decode()
    text = scrub(f"{before}{secret}{after} {quote(secret, safe='')} {encoded}", [secret])
    assert secret not in text.replace(HIDDEN, "")
    assert quote(secret, safe="") not in text.replace(HIDDEN, "")
    assert encoded not in text.replace(HIDDEN, "")


def test_a_detail_is_one_short_line() -> None:
    detail = detail_of("<html>\n" + "x" * 5000 + "\n</html>")
    assert len(detail) == DETAIL_MAX_CHARS
    assert "\n" not in detail


def test_a_secret_cut_by_the_reading_limit_does_not_show_its_head() -> None:
    secret = "S" * 300
    text = ("password=" + "x" * 19_850)[:19_850] + secret
    assert "SSSS" not in detail_of(text, [secret])
