"""The options of ``rules`` and ``replay``, apart from what they do, so that a wrong one is told before the services load."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import get_args

from duocthu_core.settings import JudgeProvider, Provider

PROVIDERS = get_args(Provider)
JUDGE_PROVIDERS = get_args(JudgeProvider)


def add_rules_parser(rules: argparse.ArgumentParser, parser_class: type[argparse.ArgumentParser]) -> None:
    """The actions of ``rules``."""
    actions = rules.add_subparsers(required=True, metavar="ACTION", parser_class=parser_class, dest="action")
    listing = actions.add_parser("list", help="stored rulesets and those that ship")
    show = actions.add_parser("show", help="one ruleset with its hashes and versions")
    show.add_argument("ruleset", metavar="NAME_OR_ID")
    exporting = actions.add_parser("export", help="a ruleset as one YAML document")
    exporting.add_argument("ruleset", metavar="NAME_OR_ID")
    exporting.add_argument("--output", type=Path, metavar="FILE", help="default: standard output")
    importing = actions.add_parser("import", help="check a YAML document and store it as the next version of its name")
    importing.add_argument("file", type=Path, metavar="FILE")
    importing.add_argument("--name", metavar="NAME", help="default: the name in the document")
    importing.add_argument("--note", default=None, metavar="TEXT")
    importing.add_argument("--over", metavar="ID", help="the version it was made from; needed where the name exists already")
    activating = actions.add_parser("activate", help="put saved rules in force for everybody")
    activating.add_argument("ruleset", metavar="NAME_OR_ID", nargs="?", help="default: back to the rules that the settings name")
    for name, text in (
        ("diff", "what one ruleset changes in another"),
        ("impact", "what becomes stale and what judging again costs"),
    ):
        action = actions.add_parser(name, help=text)
        action.add_argument("before", metavar="BEFORE")
        action.add_argument("after", metavar="AFTER")
        if name == "impact":
            action.add_argument("--turns", type=int, metavar="N", help="newest stored turns to count calls over")
        action.add_argument("--json", action="store_true")
    for action in (listing, show, importing, activating):
        action.add_argument("--json", action="store_true")


def add_replay_options(replay: argparse.ArgumentParser) -> None:
    """The options of ``replay``."""
    replay.add_argument("trace", metavar="TRACE", help="id of a stored turn")
    replay.add_argument("--from", dest="start", metavar="STAGE", help="first stage that is run")
    replay.add_argument("--ruleset", dest="under", metavar="NAME_OR_ID", help="default: the rules in force")
    replay.add_argument("--provider", choices=PROVIDERS, help="who drafts: default: the one of the settings")
    replay.add_argument("--model", metavar="ID", help="the model that drafts")
    replay.add_argument("--judge-provider", choices=JUDGE_PROVIDERS, help="who judges; default: who drafts")
    replay.add_argument("--judge-model", metavar="ID", help="the model that judges")
    replay.add_argument("--json", action="store_true", help="the whole new trace")
