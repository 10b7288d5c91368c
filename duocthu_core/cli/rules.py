"""``rules`` and ``replay``: change rules and try them on stored turns from a script (spec 01, "Command line", "Rulesets", "Replay")."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from duocthu_core.bootstrap import Services
from duocthu_core.cli.errors import DONE, BadInput, one_line
from duocthu_core.cli.lines import print_json
from duocthu_core.language_models.factory import build_model
from duocthu_core.language_models.port import LanguageModel
from duocthu_core.pipeline.replaying import Replayed
from duocthu_core.pipeline.trace import STAGE_ORDER
from duocthu_core.rulesets.diffing import RulesetDiff, diff_rulesets
from duocthu_core.rulesets.documents import ruleset_text
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.problems import RulesetProblems
from duocthu_core.rulesets.store import RulesetConflict, RulesetHeading
from duocthu_core.settings import load_settings
from duocthu_core.tuning.desk import SET_SIZE, UnknownTrace
from duocthu_core.tuning.impact import Impact


def run_rules(options: argparse.Namespace, services: Services) -> int:
    """One action of ``rules``; raises BadInput, RulesetError."""
    actions = {"list": _list, "show": _show, "export": _export, "import": _import, "diff": _diff, "impact": _impact}
    actions["activate"] = _activate
    return actions[options.action](options, services)


def run_replay(options: argparse.Namespace, services: Services) -> int:
    """Runs a stored turn again and stores the new trace; raises BadInput for an unknown one, RulesetError for unknown rules, SettingsError
    for a model that cannot be used."""
    if options.start is not None and options.start not in STAGE_ORDER:
        raise BadInput(f"--from: {options.start!r} is no stage; stages: {', '.join(STAGE_ORDER)}")
    try:
        generator, judge = _models(options, services)
        again = services.replay(options.trace, options.under, start=options.start, generator=generator, judge=judge)
    except UnknownTrace as error:
        raise BadInput(one_line(error)) from error
    if options.json:
        print_json(again.trace.model_dump(mode="json"))
    else:
        sys.stdout.write(_replayed(again) + "\n")
    return DONE


def _models(options: argparse.Namespace, services: Services) -> tuple[LanguageModel | None, LanguageModel | None]:
    """The models that the options name; None: those of the settings."""
    named = {"answer_provider": options.provider, "answer_model": options.model}
    named |= {"judge_provider": options.judge_provider, "judge_model": options.judge_model}
    given = {name: value for name, value in named.items() if value is not None}
    if not given:
        return None, None
    settings = load_settings(**given)
    rules = services.rulesets.find(options.under) if options.under else services.ruleset
    own = services.settings
    drafts_otherwise = (settings.answer_provider, settings.answer_model) != (own.answer_provider, own.answer_model)
    judges_otherwise = (settings.effective_judge_provider, settings.judge_model) != (own.effective_judge_provider, own.judge_model)
    generator = build_model(settings, "generator", rules) if drafts_otherwise else None
    return generator, build_model(settings, "judge", rules) if judges_otherwise else None


def _replayed(again: Replayed) -> str:
    before, after = again.parent, again.trace
    return "\n".join(
        [
            f"{after.trace_id} (of {before.trace_id})",
            f"first difference: {again.first_difference or 'none'}",
            f"outcome: {_ending(before.outcome, before.reject_reason)} -> {_ending(after.outcome, after.reject_reason)}",
            f"calls: {again.recorded_calls} recorded, {len(again.fresh_calls)} made",
        ]
    )


def _ending(outcome: str, reason: str | None) -> str:
    return f"{outcome} ({reason})" if reason else outcome


def _list(options: argparse.Namespace, services: Services) -> int:
    headings = services.rulesets.headings()
    if options.json:
        print_json([heading.model_dump(mode="json") for heading in headings])
    else:
        sys.stdout.writelines(_line(heading) + "\n" for heading in headings)
    return DONE


def _line(heading: RulesetHeading) -> str:
    version = "ships" if heading.is_shipped else f"version {heading.version}"
    return "  ".join([heading.ruleset_id[:19], heading.name, version, heading.author, heading.note]).rstrip()


def _show(options: argparse.Namespace, services: Services) -> int:
    ruleset = services.rulesets.find(options.ruleset)
    shown: dict[str, Any] = {
        "ruleset_id": ruleset.ruleset_id,
        **ruleset.model_dump(mode="json", include={"name", "author", "note", "parent"}),
        "prompt_hash": ruleset.prompt_hash,
        "completeness_prompt_hash": ruleset.completeness_prompt_hash,
        "framework_version": ruleset.framework_version,
        "versions": [heading.model_dump(mode="json") for heading in services.rulesets.store.history(ruleset.name)],
    }
    if options.json:
        print_json(shown)
    else:
        sys.stdout.writelines(f"{name}: {value}\n" for name, value in shown.items() if name != "versions")
        sys.stdout.writelines(_line(heading) + "\n" for heading in services.rulesets.store.history(ruleset.name))
    return DONE


def _export(options: argparse.Namespace, services: Services) -> int:
    text = ruleset_text(services.rulesets.find(options.ruleset))
    if options.output is None:
        sys.stdout.write(text)
        return DONE
    try:
        options.output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{options.output}: cannot be written ({error.strerror}); name another file") from error
    return DONE


def _import(options: argparse.Namespace, services: Services) -> int:
    try:
        data = options.file.read_bytes()
    except OSError as error:
        raise BadInput(f"{options.file}: cannot be read ({one_line(error)}); check the path") from error
    try:
        made = services.rules_desk.imported(data, str(options.file))
        meta = {"name": options.name or made.name, "note": made.note if options.note is None else options.note}
        expected = services.rulesets.find(options.over).ruleset_id if options.over else None
        saved = services.rules_desk.save(made.model_copy(update=meta), expected, "cli")
    except RulesetConflict as error:
        raise BadInput(f"{one_line(error)}; with --over ID you say which version you have seen") from error
    except RulesetProblems as error:
        if len(error.problems) > 1:
            sys.stderr.writelines(problem.sentence(error.source) + "\n" for problem in error.problems[1:])
        raise
    if options.json:
        print_json(saved.model_dump(mode="json"))
    else:
        sys.stdout.write(_line(saved) + "\n")
    return DONE


def _activate(options: argparse.Namespace, services: Services) -> int:
    ruleset = services.rulesets.find(options.ruleset) if options.ruleset else None
    line = services.rules_desk.activate(ruleset, "cli")
    answering = services.rulesets.in_force(services.settings.ruleset)
    if options.json:
        print_json(line.model_dump(mode="json") | {"answering": answering.ruleset_id})
    else:
        sys.stdout.write(f"in force: {answering.name} {answering.ruleset_id[:19]}\n")
    return DONE


def _pair(options: argparse.Namespace, services: Services) -> tuple[Ruleset, Ruleset]:
    return services.rulesets.find(options.before), services.rulesets.find(options.after)


def _diff(options: argparse.Namespace, services: Services) -> int:
    diff = diff_rulesets(*_pair(options, services))
    if options.json:
        print_json(diff.model_dump(mode="json"))
    else:
        sys.stdout.write(_readable(diff))
    return DONE


def _readable(diff: RulesetDiff) -> str:
    lines = [f"{change.place}: {change.before or '–'} -> {change.after or '–'}" for change in diff.changes]
    hashes = {name: getattr(diff, name) for name in ("prompt_hash", "completeness_prompt_hash", "framework_version")}
    lines += [f"{name}: {old} -> {new}" for name, (old, new) in hashes.items() if old != new]
    return "\n".join(lines or ["the rules are the same"]) + "\n"


def _impact(options: argparse.Namespace, services: Services) -> int:
    if options.turns is not None and options.turns < 1:
        raise BadInput("--turns: give a number from 1 on")
    impact = services.rules_desk.impact(*_pair(options, services), turns=options.turns or SET_SIZE)
    if options.json:
        stale = {name: getattr(impact, name) for name in ("becomes_stale_prompt", "becomes_stale_framework")}
        print_json(impact.model_dump(mode="json") | stale)
    else:
        sys.stdout.write(_weighed(impact))
    return DONE


def _weighed(impact: Impact) -> str:
    calls = impact.calls
    cost = "unknown (no price)" if calls.cost_usd is None else f"{calls.cost_usd:.4f} USD"
    return (
        f"become stale_prompt: {impact.becomes_stale_prompt}\n"
        f"become stale_framework: {impact.becomes_stale_framework}\n"
        f"over {calls.turns} stored turns: {calls.judge_calls} judge calls, {calls.tokens} tokens, {cost}; {calls.answer_calls} drafts\n"
    )
