"""``ground``: checks 1 and 1b over claims or an answer, no model (spec 01, "Command line")."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from duocthu_core.answering.claims import parse_claims
from duocthu_core.answering.json_reply import MalformedOutput
from duocthu_core.answering.model import Claim
from duocthu_core.cli.chosen_rules import chosen_ruleset
from duocthu_core.cli.errors import BadInput
from duocthu_core.pipeline.checking import check_claims
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.settings import Settings
from duocthu_core.text.folding import fold, nfc
from duocthu_core.verification.grounding import ground_answer
from duocthu_core.verification.guards import GuardContext, Guards
from duocthu_core.verification.model import CheckedClaim


class Grounder:
    """The checks under one ruleset, compiled once."""

    def __init__(self, ruleset: Ruleset) -> None:
        self._ruleset = ruleset
        self._guards = Guards(ruleset)
        self._section_keys = _keys_by_heading(ruleset)

    @classmethod
    def of(cls, settings: Settings) -> Grounder:
        """With the ruleset that is named; raises RulesetError."""
        return cls(chosen_ruleset(settings))

    def ground(self, given: dict[str, Any]) -> dict[str, Any]:
        """``{"ok", "reasons", "claims"}`` for one input object; raises BadInput where its shape is wrong."""
        evidence = _evidence(given.get("evidence"), self._section_keys)
        context = _context(given)
        if ("claims" in given) == ("answer" in given):
            raise BadInput('give either "answer" (a string) or "claims" (a list), and "evidence"')
        if "answer" in given:
            if not isinstance(given["answer"], str):
                raise BadInput('"answer" must be a string')
            return _report(_check_answer(nfc(given["answer"]), evidence, self._guards, context))
        try:
            claims = parse_claims(given["claims"], list_mode=False, rules=self._ruleset.generation)
        except MalformedOutput as error:
            return {"ok": False, "reasons": ["malformed_output"], "claims": [], "malformed": str(error)}
        return _report(check_claims(claims, evidence, self._guards, context) if claims else ground_answer("", evidence))


def _keys_by_heading(ruleset: Ruleset) -> dict[str, str]:
    sections = ruleset.tables["sections"]["sections"]
    return {fold(heading): key for key, section in sections.items() for heading in (section["label_vi"], *section["headings"])}


def _check_answer(answer: str, evidence: tuple[Evidence, ...], guards: Guards, context: GuardContext) -> tuple[CheckedClaim, ...]:
    grounded = ground_answer(answer, evidence)
    if any(claim.rejected for claim in grounded):
        return grounded
    claims = [Claim(text=claim.text, citations=claim.citations) for claim in grounded]
    return check_claims(claims, evidence, guards, context)


def _report(checked: tuple[CheckedClaim, ...]) -> dict[str, Any]:
    rejected = [finding.reason for claim in checked for finding in claim.findings if finding.level == "reject"]
    return {"ok": not rejected, "reasons": list(dict.fromkeys(rejected)), "claims": [_claim(claim) for claim in checked]}


def _claim(claim: CheckedClaim) -> dict[str, Any]:
    findings = [finding.model_dump(mode="json", exclude={"message", "params"}) for finding in claim.findings]
    return {"text": claim.text, "citations": list(claim.citations), "findings": findings}


def _context(given: dict[str, Any]) -> GuardContext:
    asked = given.get("drug_id")
    if asked is not None and not isinstance(asked, str):
        raise BadInput('"drug_id" must be a string')
    return GuardContext(asked_drug_ids=(asked,) if asked else ())


def _evidence(given: Any, section_keys: dict[str, str]) -> tuple[Evidence, ...]:
    if not isinstance(given, list):
        raise BadInput('"evidence" must be a list of strings or of objects with "text"')
    return tuple(_block(index, block, section_keys) for index, block in enumerate(given, start=1))


def _block(index: int, block: Any, section_keys: dict[str, str]) -> Evidence:
    if isinstance(block, str):
        block = {"text": block}
    if not isinstance(block, dict) or not isinstance(block.get("text"), str):
        raise BadInput(f'evidence {index} must be a string or an object with a "text"')
    page = block.get("page")
    heading = block.get("heading") or block.get("section") or ""
    # "Liều lượng và cách dùng > Liều lượng": the section heading comes first.
    section_key = block.get("section_key") or section_keys.get(fold(str(heading).split(">")[0].strip()))
    try:
        return Evidence(
            index=index,
            block_id=str(block.get("block_id", f"evidence/{index}")),
            drug_id=block.get("drug_id"),
            drug_name=block.get("drug_name") or block.get("drug") or "",
            section_key=section_key,
            section_title=heading,
            label=block.get("label"),
            page_start=page,
            page_end=page,
            text=nfc(block["text"]),
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInput(f"evidence {index}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
