"""Words for one pair: what the two turns did not have in common, whose verdicts flipped, what each took."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from duocthu_core.pipeline.comparing import ComparedStage, Comparison
from duocthu_core.pipeline.trace import Trace, Why
from duocthu_core.rulesets.diffing import FieldChange, diff_rulesets
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.model import RejectReason, VerdictStatus
from pages.components.compare_view.compare_view import SIDES, SideName, claim_marks
from pages.components.facts.parts import Cell, Figure, Note, Part, Table
from pages.components.turn_view.turn_view import checks_off_line
from pages.frame import formats, labels
from pages.frame.shown_text import shortened
from pages.frame.words import _, _n, knows, word

_CHANGES_SHOWN = 4
_VALUE_LENGTH = 60
RulesPair = tuple[Ruleset | None, Ruleset | None]
"""The rules of both sides; None where they are not stored here."""


def side_name(trace: Trace, rules: Ruleset | None) -> SideName:
    """What stands over a side: its rules, and the models below."""
    name = labels.ruleset_name(rules) if rules is not None else _("ruleset.other")
    about = _("compare.side_models", generator=trace.models.generator, judge=trace.models.judge)
    return SideName(_("badge.rules", name=name, id=labels.short_id(trace.ruleset_id)), about, checks_off_line(trace))


def causes(comparison: Comparison, rules: RulesPair) -> list[str]:
    """One sentence for each thing that the turns did not have in common; then how the first different stage went."""
    said: list[str] = []
    if not comparison.same_question:
        said.append(_("compare.cause_question"))
    if comparison.corpora[0] != comparison.corpora[1]:
        said.append(_("compare.cause_corpus"))
    if comparison.rulesets[0] != comparison.rulesets[1]:
        said += _rules_cause(rules)
    for kind, (one, other) in (("generator", comparison.generators), ("judge", comparison.judges)):
        if one != other:
            said.append(_(f"compare.cause_{kind}", a=one, b=other))
    first = next((stage for stage in comparison.stages if stage.is_first_difference), None)
    if first is None:
        return [*said, _("compare.same_though")] if said else [_("compare.same_of_all")]
    return [*(said or [_("compare.cause_none")]), *_how_it_went(first)]


def _rules_cause(rules: RulesPair) -> list[str]:
    one, other = rules
    if one is None or other is None:
        return [_("compare.cause_rules_unknown")]
    changes = diff_rulesets(one, other).changes
    told = [_change(change) for change in changes[:_CHANGES_SHOWN]]
    more = len(changes) - len(told)
    return [_("compare.cause_rules", changes="; ".join(told)) + (" " + _n("compare.more_changes", more) if more else "")]


def _change(change: FieldChange) -> str:
    section, _dot, name = change.place.partition(".")
    if section == "guards":
        before, after = (_(f"guard_level.{level}") if knows(f"guard_level.{level}") else level for level in (change.before, change.after))
        return _("compare.rule_change", place=_("compare.guard", name=word("reason", name)), a=before, b=after)
    field, _dot, rest = name.partition(".")
    place = " ".join(filter(None, [word("rule_field", field), rest]))
    if change.words:
        return _("compare.rule_reworded", section=word("rules_section", section), place=place)
    before, after = (shortened(value, _VALUE_LENGTH) or "–" for value in (change.before, change.after))
    return _("compare.rule_change", place=place, a=before, b=after)


def _how_it_went(stage: ComparedStage) -> list[str]:
    """Why the first different stage came out as it did, side by side, where the two reasons are not the same."""
    if stage.why[0] == stage.why[1]:
        return [_("compare.same_reason")]
    return [f"{side}: {_reason(why)}" for side, why in zip(SIDES, stage.why, strict=True)]


def _reason(why: Why | None) -> str:
    if why is None:
        return _("compare.not_there")
    values = dict(why.params)
    if "stage" in values:
        values["stage"] = word("stage", values["stage"])
    key = f"why.{why.code}"
    return _(key, **values) if knows(key) else word("reason", why.code)


def pair_parts(comparison: Comparison) -> list[Part]:
    """Verdicts that flipped, and what each turn took."""
    flips = [
        (claim.text[0] or "", _marks(claim.verdict[0], claim.findings[0]), _marks(claim.verdict[1], claim.findings[1]))
        for claim in comparison.flips
    ]
    parts: list[Part] = []
    if flips:
        parts.append(Table((_("compare.claim"), *SIDES), flips, _("compare.flips")))
    else:
        parts.append(Note(_("compare.no_flips"), icon="check"))
    return [*parts, Table(("", *SIDES), _amount_rows(comparison), _("compare.amounts"))]


def _marks(verdict: VerdictStatus | None, findings: Sequence[RejectReason]) -> str:
    return " · ".join(mark.text for mark in claim_marks(verdict, findings))


def _amount_rows(comparison: Comparison) -> list[tuple[Cell, ...]]:
    ours, theirs = comparison.amounts

    def line(key: str, value: Callable[[int], str]) -> tuple[Cell, ...]:
        return _(key), Figure(value(0)), Figure(value(1))

    both = (ours, theirs)
    return [
        line("compare.time", lambda n: formats.seconds(both[n].duration_ms)),
        line("compare.model_calls", lambda n: formats.number(both[n].model_calls)),
        line("compare.judge_calls", lambda n: formats.number(both[n].judge_calls)),
        line("compare.tokens", lambda n: formats.number(both[n].tokens)),
        line("compare.cost", lambda n: formats.money(both[n].cost_usd)),
    ]
