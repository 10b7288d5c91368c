"""From a model's reply to a well-formed draft (spec 04, "Claims, one representation").

Well formed says nothing about truth: an empty list of citations or an index that no block has is well formed and fails later, in
grounding, under its own reason. What is refused here is refused whole: one bad entry makes the payload ``malformed_output``.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from duocthu_core.answering.json_reply import MalformedOutput, read_object
from duocthu_core.answering.model import Claim, Draft
from duocthu_core.language_models.port import StopReason
from duocthu_core.rulesets.model import GenerationRules
from duocthu_core.text.folding import has_invisible, nfc

__all__ = ["DRAFT_SCHEMA", "MalformedOutput", "parse_draft"]

DRAFT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["claims", "evidence_sufficient", "clarifying_question", "quick_replies"],
    "properties": {
        "claims": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["text", "citations", "drug_id"],
                "properties": {
                    "text": {"type": "string"},
                    "citations": {"type": "array", "items": {"type": "integer"}},
                    "drug_id": {"type": ["string", "null"]},
                },
            },
        },
        "evidence_sufficient": {"type": "boolean"},
        "clarifying_question": {"type": ["string", "null"]},
        "quick_replies": {"type": "array", "items": {"type": "string"}},
    },
}
"""JSON schema of a draft, for providers with structured output."""

# Brackets of any writing around nothing but a number: "[1]", "[ 12 ]", "[1, 2]", "［1］", "【²】". An interval "[10; 20]" is content.
_BRACKETED_NUMBER = re.compile(r"[\[［〔【⟦](?P<inside>[^\[\]［］〔〕【】⟦⟧]{1,24})[\]］〕】⟧]")
_ID_MAX_CHARS = 120


def parse_draft(reply: str, *, list_mode: bool, stop_reason: StopReason, rules: GenerationRules) -> Draft:
    """The draft in ``reply``; raises :class:`MalformedOutput` with what is wrong for anything that has not the agreed form.

    ``list_mode`` makes a drug_id obligatory in every claim. Texts come out in NFC, trimmed, otherwise as the model wrote them.
    """
    content = read_object(reply, stop_reason)
    entries = content.get("claims")
    sufficient = content.get("evidence_sufficient")
    if not isinstance(sufficient, bool):
        raise MalformedOutput("'evidence_sufficient' is neither true nor false")
    claims = parse_claims(entries, list_mode=list_mode, rules=rules)
    if asked := next((number for number, claim in enumerate(claims, start=1) if claim.text.endswith("?")), None):
        # A small model likes to hand the reader's question back as its answer; every word of it can stand in the book.
        raise MalformedOutput(f"claim {asked} is a question, not a statement")
    question = _question(content.get("clarifying_question"), rules)
    if sufficient and not claims and question is None:
        raise MalformedOutput("no claim, no question, and the evidence is said to be sufficient")
    return Draft(
        claims=claims,
        evidence_sufficient=sufficient,
        clarifying_question=question,
        quick_replies=_quick_replies(content.get("quick_replies"), rules),
    )


def parse_claims(entries: object, *, list_mode: bool, rules: GenerationRules) -> tuple[Claim, ...]:
    """The claims of a list as it stands in a reply; raises :class:`MalformedOutput`."""
    if not isinstance(entries, list):
        raise MalformedOutput("'claims' is no list")
    return tuple(_claim(entry, f"claim {number}", list_mode, rules) for number, entry in enumerate(entries, start=1))


def _claim(entry: object, name: str, list_mode: bool, rules: GenerationRules) -> Claim:
    if not isinstance(entry, dict):
        raise MalformedOutput(f"{name} is no object")
    text = _text(entry.get("text"), f"the text of {name}", rules.claim_max_chars)
    if _has_bracketed_number(text):
        raise MalformedOutput(f"{name} has a number in square brackets, which would forge a citation marker")
    citations = entry.get("citations")
    if not isinstance(citations, list):
        raise MalformedOutput(f"the citations of {name} are no list")
    for citation in citations:
        if isinstance(citation, bool) or not isinstance(citation, int):
            raise MalformedOutput(f"{name} has a citation that is no integer")
    return Claim(text=text, citations=tuple(citations), drug_id=_drug_id(entry.get("drug_id"), name, list_mode))


def _drug_id(value: object, name: str, list_mode: bool) -> str | None:
    if value is None:
        if list_mode:
            raise MalformedOutput(f"{name} has no drug_id, which list mode needs")
        return None
    return _text(value, f"the drug_id of {name}", _ID_MAX_CHARS)


def _text(value: object, name: str, max_chars: int) -> str:
    if not isinstance(value, str):
        raise MalformedOutput(f"{name} is no string")
    text = nfc(value)
    if has_invisible(text):
        raise MalformedOutput(f"{name} has a zero-width, bidirectional or control character")
    text = text.strip()
    if not text:
        raise MalformedOutput(f"{name} is blank")
    if len(text) > max_chars:
        raise MalformedOutput(f"{name} has {len(text)} characters; at most {max_chars} are allowed")
    return text


def _has_bracketed_number(text: str) -> bool:
    return any(_is_number_list(match.group("inside")) for match in _BRACKETED_NUMBER.finditer(text))


def _is_number_list(inside: str) -> bool:
    """Whether ``inside`` holds at least one digit of any script and nothing else but spaces, commas, points and signs."""
    has_digit = False
    for character in unicodedata.normalize("NFKC", inside):
        if character.isdigit() or character.isnumeric():
            has_digit = True
        elif not (character.isspace() or character in ",.+"):
            return False
    return has_digit


def _question(value: object, rules: GenerationRules) -> str | None:
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    return _text(value, "'clarifying_question'", rules.claim_max_chars)


def _quick_replies(value: object, rules: GenerationRules) -> tuple[str, ...]:
    """The replies, each once. One alone is no choice and more than the limit are no quick choice: then there are none (rule 8)."""
    if value is None:
        return ()
    if not isinstance(value, list):
        raise MalformedOutput("'quick_replies' is no list")
    replies = tuple(dict.fromkeys(_text(reply, "a quick reply", rules.claim_max_chars) for reply in value))
    return replies if 2 <= len(replies) <= rules.quick_replies_max else ()
