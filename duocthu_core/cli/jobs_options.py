"""The options of ``jobs`` and ``worker``, apart from what they do: a wrong one is told before the services load."""

from __future__ import annotations

import argparse


def add_jobs_parser(jobs: argparse.ArgumentParser, parser_class: type[argparse.ArgumentParser]) -> None:
    """The actions of ``jobs``."""
    actions = jobs.add_subparsers(required=True, metavar="ACTION", parser_class=parser_class)
    submitting = actions.add_parser("submit", help="eval.run set=demo · verdicts.rejudge · corpus.import FILE … edition=NAME")
    submitting.add_argument("kind", metavar="KIND")
    submitting.add_argument("arguments", nargs="*", metavar="NAME=VALUE")
    submitting.add_argument("--wait", action="store_true", help="until it has ended; always so on SQLite, where this process does it")
    listing = actions.add_parser("list", help="the newest jobs")
    listing.add_argument("--limit", type=int, default=20, metavar="N")
    showing = actions.add_parser("show", help="one job as it stands")
    cancelling = actions.add_parser("cancel", help="stop a job after what is under way")
    for name, action in (("submit", submitting), ("list", listing), ("show", showing), ("cancel", cancelling)):
        if name in ("show", "cancel"):
            action.add_argument("job", metavar="JOB")
        action.add_argument("--json", action="store_true")
        action.set_defaults(action=name)


def add_worker_options(worker: argparse.ArgumentParser) -> None:
    """The options of ``worker``."""
    worker.add_argument(
        "--concurrency", type=int, default=1, metavar="N", help="parts at a time; more than 1 where models are on the network"
    )
    worker.add_argument(
        "--stalled-after", type=float, default=30.0, metavar="SECONDS", help="a worker not heard of for so long has lost its parts"
    )
