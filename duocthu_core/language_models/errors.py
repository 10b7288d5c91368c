"""Provider errors as text that may be stored and shown: everything said, no credential in it (spec 01, "Models")."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from urllib.parse import quote, unquote

from duocthu_core.text.folding import collapse_spaces

HIDDEN = "[hidden]"
DETAIL_MAX_CHARS = 600
_READ_MAX_CHARS = 20_000
"""An error page is read this far; what follows is dropped before anything is looked for."""
_SECRET_MIN_CHARS = 4

_NAMES_OF_SECRETS = (
    r"api[_-]?key|access[_-]?key|secret|passw(?:or)?d|passphrase|session[_-]?token|security[_-]?token|auth[_-]?token|access[_-]?token"
    r"|refresh[_-]?token|bearer[_-]?token|id[_-]?token|credential|signature|authorization|cookie"
)
_VALUE_FOLLOWS = r"(?:\\?[\"'])?\s{0,4}[:=]\s{0,4}(?:\\?[\"'])?"
# Every repetition is bounded or over one class of characters that what follows cannot begin with: none looks at a character more than a
# fixed number of times.
_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    # Headers whole, also inside the "canonical request" that a signature error quotes.
    (
        re.compile(
            rf"(?i)\b((?:proxy-)?authorization|x-amz-[a-z0-9-]{{1,40}}|x-api-key|api-key|set-cookie|cookie)({_VALUE_FOLLOWS})[^\r\n\"'<>]+"
        ),
        rf"\1\2{HIDDEN}",
    ),
    # NAME=value, "name": "value", "api key provided: value".
    (re.compile(rf"(?i)\b([\w-]{{0,40}}(?:{_NAMES_OF_SECRETS})[\w-]{{0,40}}{_VALUE_FOLLOWS})[^\s\"',;&<>]+"), rf"\1{HIDDEN}"),
    (re.compile(r"(?i)\b(api key(?: provided)?:\s{0,4}[\"']?)[^\s\"',;&<>]+"), rf"\1{HIDDEN}"),
    (re.compile(r"(?i)\b(bearer\s{1,4})[A-Za-z0-9._~+/=-]{4,}"), rf"\1{HIDDEN}"),
    (re.compile(r"\b(?:AKIA|ASIA|ABIA|ACCA|AIDA|AROA)[A-Z0-9]{12,}"), HIDDEN),
    (re.compile(r"\b(?:sk|pk|rk|gsk|hf|ghp|gho|glpat|xox[abps])[-_][A-Za-z0-9_*-]{6,}"), HIDDEN),
    (re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_.-]+"), HIDDEN),
    # AWS account ids, in an ARN or alone.
    (re.compile(r"(?<!\d)\d{12}(?!\d)"), HIDDEN),
)
_URL = re.compile(r"\b([a-zA-Z][a-zA-Z0-9+.-]{1,20}://)([^\s/?#\"'<>]{0,300}@)?([^\s?#\"'<>]*)(\?[^\s#\"'<>]*)?")


def scrub(text: str, secrets: Iterable[str] = ()) -> str:
    """``text`` without credentials.

    Hidden are: every string of ``secrets`` (as it is, percent-encoded and in base64), and whatever looks like a credential although it is
    not known here: signed headers, ``name=value`` pairs with a secret's name, access keys, tokens, account ids, and the user info and query
    of every URL. Hides rather too much than too little; linear in the length of ``text``.
    """
    for known in _forms_of(secrets):
        text = text.replace(known, HIDDEN)
    text = _URL.sub(_bare_url, text)
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    return text


def detail_of(text: str, secrets: Iterable[str] = ()) -> str:
    """A provider's error as one scrubbed line of at most 600 characters."""
    secrets = list(secrets)
    if len(text) > _READ_MAX_CHARS:
        # The cut may leave the head of a credential; what could be one is dropped with the rest.
        text = text[: _READ_MAX_CHARS - max(map(len, secrets), default=0)]
    line = collapse_spaces(scrub(text, secrets))
    return line if len(line) <= DETAIL_MAX_CHARS else line[: DETAIL_MAX_CHARS - 1] + "…"


def _forms_of(secrets: Iterable[str]) -> list[str]:
    forms: set[str] = set()
    for secret in secrets:
        if len(secret) >= _SECRET_MIN_CHARS:
            encoded = base64.b64encode(secret.encode()).decode()
            forms |= {secret, quote(secret, safe=""), quote(secret), unquote(secret), encoded, encoded.rstrip("=")}
    return sorted(forms, key=len, reverse=True)


def _bare_url(match: re.Match[str]) -> str:
    scheme, user, place, query = match.groups()
    return f"{scheme}{HIDDEN + '@' if user else ''}{place}{'?' + HIDDEN if query else ''}"
