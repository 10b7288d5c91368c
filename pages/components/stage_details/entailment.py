"""Entailment: the judge's verdicts, raw and as the thresholds made them, each quote marked in its block."""

from __future__ import annotations

from collections.abc import Sequence

from duocthu_core.agreement.people import JudgeConfidence
from duocthu_core.pipeline.outputs import EntailmentOutput
from duocthu_core.verification.model import Verdict
from pages.components.facts.parts import Cell, Figure, Group, KeyValues, Note, Part, Pill, Table, Tone
from pages.components.stage_details.cache import problem_notes
from pages.components.stage_details.shared import Shown, quoted_passage
from pages.frame import formats
from pages.frame.words import _, word

_STATUS_LOOK: dict[str, tuple[Tone, str]] = {
    "supported": ("found", "check"),
    "unsupported": ("missing", "cross"),
    "not_run": ("warning", "running"),
}


def parts(output: EntailmentOutput, shown: Shown) -> list[Part]:
    found: list[Part] = [*problem_notes(output.cache_problems)]
    if output.malformed:
        found.append(Note(_("entailment.malformed", detail=output.malformed), "warning", "alert"))
    about: list[tuple[str, Cell]] = [
        (_("entailment.judge"), Figure(output.judge_model or "–")),
        (_("entailment.prompt_hash"), Figure(output.prompt_hash or "–")),
        (_("entailment.framework_version"), Figure(output.framework_version or "–")),
        (_("entailment.people"), _of_people(output, shown.people)),
    ]
    return [*found, *verdict_parts(output.verdicts, shown), KeyValues(about)]


def _of_people(output: EntailmentOutput, people: JudgeConfidence | None) -> str:
    """How far this judge may be trusted: what people found, never what it says of itself; nothing where they judged another."""
    if people is None or (people.judge_model, people.prompt_hash) != (output.judge_model, output.prompt_hash):
        return _("entailment.people_none")
    low, high = people.interval
    share = formats.percent(people.value)
    return _(
        "entailment.people_agree",
        share=share,
        low=formats.percent(low),
        high=formats.percent(high),
        claims=people.claims,
        turns=people.turns,
    )


def verdict_parts(verdicts: Sequence[Verdict], shown: Shown) -> list[Part]:
    """One framed group a claim: status and why, what the judge said untouched, and its quote in the block."""
    texts = _claim_texts(shown)
    return [_verdict(verdict, texts.get(verdict.claim_index, ""), shown) for verdict in verdicts]


def _verdict(verdict: Verdict, text: str, shown: Shown) -> Group:
    tone, icon = _STATUS_LOOK[verdict.status]
    rows: list[tuple[str, Cell]] = [(_("entailment.claim"), text or "–"), (_("entailment.why"), word("verdict", verdict.why))]
    if verdict.from_cache:
        rows.append((_("entailment.source"), _("entailment.from_cache")))
    parts_of_group: list[Part] = [KeyValues(rows)]
    if verdict.raw is not None:
        raw = verdict.raw
        columns = tuple(_(f"entailment.{name}") for name in ("stance", "confidence", "quote", "reasoning"))
        said = (
            word("stance", raw.stance),
            Figure(formats.number(raw.confidence)),
            f"“{raw.evidence_quote}”" if raw.evidence_quote else "–",
            raw.reasoning or "–",
        )
        parts_of_group.append(Table(columns, [said], _("entailment.raw")))
    passage = quoted_passage(shown, verdict.quote)
    if passage is not None:
        parts_of_group.append(passage)
    state = Pill(_(f"status.{verdict.status}"), tone, icon)
    return Group(_("binding.claim_number", n=verdict.claim_index + 1), parts_of_group, state)


def _claim_texts(shown: Shown) -> dict[int, str]:
    for name in ("repair", "guards", "grounding"):
        record = shown.trace.stage(name)  # type: ignore[arg-type]
        claims = getattr(record.output, "claims", ()) if record is not None else ()
        if claims:
            return {claim.claim_index: claim.text for claim in claims}
    return {}
