"""The command line: each command a few lines over the services (spec 01, "Command line").

Exit codes: 0 done (an abstention is done), 1 failed, 2 bad input, with one line on standard error that says what to do.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from duocthu_core.access.model import ROLES
from duocthu_core.cli.errors import BAD_INPUT, DONE, FAILED, BadInput, one_line
from duocthu_core.cli.jobs_options import add_jobs_parser, add_worker_options
from duocthu_core.cli.rules_options import add_replay_options, add_rules_parser
from duocthu_core.settings import Settings, SettingsError, load_settings

Command = Callable[[argparse.Namespace], int]


class _OneLineParser(argparse.ArgumentParser):
    """argparse whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        raise BadInput(f"{message}; see: {self.prog} --help")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code; every expected failure is one line on standard error."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    try:
        options = _parser().parse_args(arguments)
        command: Command = options.command
        return command(options)
    except BadInput as error:
        return _said(error, BAD_INPUT)
    except BrokenPipeError:
        return FAILED
    except KeyboardInterrupt:
        return _said(RuntimeError("stopped by the keyboard"), FAILED)
    except Exception as error:
        code = _exit_code_of(error)
        if code is None:
            raise
        return _said(error, code)


def _said(error: BaseException, code: int) -> int:
    sys.stderr.write(f"duocthu: {one_line(error)}\n")
    return code


def _exit_code_of(error: Exception) -> int | None:
    """Exit code of the errors that the services are known to raise; None for a fault of our own."""
    from duocthu_core.corpus.collection import CorpusError  # noqa: PLC0415 - only when something went wrong
    from duocthu_core.pipeline.asking import TurnNotSaved  # noqa: PLC0415
    from duocthu_core.rulesets.loading import RulesetError  # noqa: PLC0415
    from duocthu_core.storage.errors import StorageUnavailable  # noqa: PLC0415

    if isinstance(error, SettingsError | CorpusError | RulesetError):
        return BAD_INPUT
    if isinstance(error, StorageUnavailable | TurnNotSaved):
        return FAILED
    return None


def _parser() -> argparse.ArgumentParser:
    parser = _OneLineParser(prog="python -m duocthu_core", description="Dược Thư Workbench")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_OneLineParser)

    ask = commands.add_parser("ask", help="a question through the whole pipeline")
    ask.add_argument("question", nargs="?")
    ask.add_argument("--conversation", metavar="ID")
    ask.add_argument("--ruleset", metavar="NAME")
    ask.add_argument("--provider", metavar="P", help="offline, openai, bedrock, recorded or disabled")
    _json_options(ask)
    ask.set_defaults(command=_ask)

    ground = commands.add_parser("ground", help="checks without a model over the claims or the answer on standard input")
    ground.add_argument("--ruleset", metavar="NAME")
    _json_options(ground)
    ground.set_defaults(command=_ground)

    resolve = commands.add_parser("resolve", help="what each turn on standard input is taken to be about")
    resolve.add_argument("--ruleset", metavar="NAME")
    _json_options(resolve)
    resolve.set_defaults(command=_resolve)

    _corpus_parser(commands.add_parser("corpus", help="import, check or count a corpus"))
    _cache_parser(commands.add_parser("cache", help="the verification cache"))

    _traces_parser(commands.add_parser("traces", help="export, import or send stored turns"))
    report = commands.add_parser("report", help="the audit report of a stored turn")
    report.add_argument("trace", metavar="TRACE")
    report.add_argument("--format", choices=("html", "pdf", "json"), default="html")
    report.add_argument("--output", type=Path, metavar="PATH", help="default: standard output")
    report.set_defaults(command=_report)
    verify = commands.add_parser("verify", help="whether an audit report is still the one that was made")
    verify.add_argument("file", type=Path, metavar="FILE")
    verify.add_argument("--alone", action="store_true", help="check the file only, not against the stored turn")
    verify.set_defaults(command=_verify)
    _users_parser(commands.add_parser("users", help="who may sign in, with which role"))

    _eval_parser(commands.add_parser("eval", help="run, compare and gate evaluation sets"))

    _review_parser(commands.add_parser("review", help="queues of stored turns that people review: list, export, import"))

    _mutate_parser(commands.add_parser("mutate", help="wrong claims made from true ones, and what the checks catch"))

    add_rules_parser(commands.add_parser("rules", help="rulesets: list, show, import, export, compare, weigh"), _OneLineParser)
    add_replay_options(commands.add_parser("replay", help="a stored turn once more, from any stage, under other rules"))
    commands.choices["rules"].set_defaults(command=_rules)
    commands.choices["replay"].set_defaults(command=_replay)

    add_jobs_parser(commands.add_parser("jobs", help="batch work: submit, list, show, cancel"), _OneLineParser)
    add_worker_options(commands.add_parser("worker", help="do the jobs of the queue; as many as wanted, on any machine"))
    commands.choices["jobs"].set_defaults(command=_jobs)
    commands.choices["worker"].set_defaults(command=_worker)

    serve = commands.add_parser("serve", help="the HTTP contract alone")
    serve.add_argument("--host", default="127.0.0.1")
    serve.add_argument("--port", type=int, default=8090)
    serve.set_defaults(command=_serve)

    database = commands.add_parser("db", help="the database")
    actions = database.add_subparsers(required=True, metavar="ACTION", parser_class=_OneLineParser)
    actions.add_parser("upgrade", help="bring the tables to this version").set_defaults(command=_upgrade)
    return parser


def _json_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--json", action="store_true", help="one JSON object")
    group.add_argument("--jsonl", action="store_true", help="one input object a line, one output object a line")


def _corpus_parser(corpus: argparse.ArgumentParser) -> None:
    actions = corpus.add_subparsers(required=True, metavar="ACTION", parser_class=_OneLineParser)
    importing = actions.add_parser("import", help="PDF, Markdown, text or JSONL files into a corpus")
    importing.add_argument("files", nargs="+", metavar="FILE")
    importing.add_argument("--edition", required=True, metavar="NAME")
    importing.add_argument("--output", type=Path, metavar="PATH", help="corpus file to write; default: the configured one")
    importing.add_argument("--merge", action="store_true", help="keep the other drugs of the existing corpus")
    importing.add_argument("--json", action="store_true")
    importing.add_argument("--report", type=Path, metavar="FILE", help="write the whole report: JSON if the name ends in .json, else text")
    importing.set_defaults(command=_corpus_import)
    for name, command, text in (
        ("check", _corpus_check, "what is wrong in a corpus"),
        ("stats", _corpus_stats, "counts of a corpus"),
    ):
        action = actions.add_parser(name, help=text)
        action.add_argument("--json", action="store_true")
        action.set_defaults(command=command)
        if name == "check":
            action.add_argument("--source", type=Path, action="append", default=[], metavar="FILE", help="text whose numbers must be kept")
            action.add_argument("--names", type=Path, metavar="FILE", help="list of names (CSV), each of which must have a monograph")


def _cache_parser(cache: argparse.ArgumentParser) -> None:
    actions = cache.add_subparsers(required=True, metavar="ACTION", parser_class=_OneLineParser)
    for name, text in (
        ("get", "what is known about the claim on standard input"),
        ("put", "keep the verdict on standard input"),
        ("stats", "counts, and what the configured judge would find"),
        ("prune", "delete what is expired"),
    ):
        action = actions.add_parser(name, help=text)
        action.add_argument("--json", action="store_true", help="JSON in and out, as always here")
        if name != "prune":
            action.add_argument("--ruleset", metavar="NAME")
        action.set_defaults(command=_cache, action=name)


def _traces_parser(traces: argparse.ArgumentParser) -> None:
    actions = traces.add_subparsers(required=True, metavar="ACTION", parser_class=_OneLineParser)
    exporting = actions.add_parser("export", help="as JSONL, or their claims as CSV")
    exporting.add_argument("--format", choices=("jsonl", "csv"), default="jsonl")
    exporting.add_argument("--conversation", metavar="ID")
    exporting.add_argument("--output", type=Path, metavar="PATH", help="default: standard output")
    importing = actions.add_parser("import", help="exported JSONL, without loss")
    importing.add_argument("file", type=Path, metavar="FILE")
    sending = actions.add_parser("send", help="to an OpenTelemetry collector, with OpenInference attributes")
    sending.add_argument("endpoint", metavar="URL", help="http://127.0.0.1:4318/v1/traces")
    sending.add_argument("--conversation", metavar="ID")
    for name, action in (("export", exporting), ("import", importing), ("send", sending)):
        action.set_defaults(command=_traces, action=name)


def _users_parser(users: argparse.ArgumentParser) -> None:
    actions = users.add_subparsers(required=True, metavar="ACTION", parser_class=_OneLineParser)
    setting = actions.add_parser("set", help="make an account, or give it another role")
    setting.add_argument("email", metavar="EMAIL")
    setting.add_argument("--role", required=True, choices=ROLES)
    removing = actions.add_parser("remove", help="take an account away")
    removing.add_argument("email", metavar="EMAIL")
    listing = actions.add_parser("list", help="every account, as JSON")
    for name, action in (("set", setting), ("remove", removing), ("list", listing)):
        action.set_defaults(command=_users, action=name)


def _eval_parser(evaluation: argparse.ArgumentParser) -> None:
    actions = evaluation.add_subparsers(required=True, metavar="ACTION", parser_class=_OneLineParser)
    run = actions.add_parser("run", help="run a set; goes on with a run that was stopped")
    run.add_argument("set", metavar="SET", help="a JSONL file, or the name of a set")
    run.add_argument("--gate", nargs="?", const="", metavar="FILE", help="hold the run to a baseline; default: data/evals/baseline.json")
    run.add_argument("--new", action="store_true", help="begin a new run beside one that was stopped")
    run.add_argument("--no-traces", action="store_true", help="keep no traces; changed cases cannot be opened then")
    compare = actions.add_parser("compare", help="two runs over the same items, in pairs")
    compare.add_argument("a", metavar="A")
    compare.add_argument("b", metavar="B")
    baseline = actions.add_parser("baseline", help="run a set and write the result as the baseline that the gate holds others to")
    baseline.add_argument("set", metavar="SET")
    baseline.add_argument("--output", type=Path, metavar="FILE", help="default: data/evals/baseline.json")
    listing = actions.add_parser("list", help="sets and runs")
    rescore = actions.add_parser("rescore", help="score a finished run again after what is expected changed; asks nothing anew")
    rescore.add_argument("run", metavar="RUN")
    rescore.add_argument("--set", metavar="SET", help="default: the set of the run's name, as it stands now")
    for action, name in ((run, "run"), (compare, "compare"), (baseline, "baseline"), (listing, "list"), (rescore, "rescore")):
        action.add_argument("--json", action="store_true")
        action.set_defaults(command=_eval, action=name)
        if name in ("run", "baseline"):
            action.add_argument("--workers", type=int, default=2, metavar="N")
        if name != "list":
            action.add_argument("--ruleset", metavar="NAME")


def _review_parser(review: argparse.ArgumentParser) -> None:
    actions = review.add_subparsers(required=True, metavar="ACTION", parser_class=_OneLineParser)
    listing = actions.add_parser("queues", help="every queue and how far it is, one JSON object a line")
    exporting = actions.add_parser("export", help="one queue with its history, as JSONL, or its verdicts as CSV")
    exporting.add_argument("queue", metavar="QUEUE")
    exporting.add_argument("--format", choices=("jsonl", "csv"), default="jsonl")
    exporting.add_argument("--output", type=Path, metavar="PATH", help="default: standard output")
    importing = actions.add_parser("import", help="an exported JSONL file, without loss")
    importing.add_argument("file", type=Path, metavar="FILE")
    for name, action in (("queues", listing), ("export", exporting), ("import", importing)):
        action.set_defaults(command=_review, action=name)


def _mutate_parser(mutate: argparse.ArgumentParser) -> None:
    mutate.add_argument("--corpus", type=Path, metavar="PATH", help="corpus file; default: the configured one")
    mutate.add_argument("--seed", type=int, default=1, metavar="N")
    mutate.add_argument("--per-kind", type=int, default=20, metavar="N", help="wrong claims of each kind (default 20)")
    mutate.add_argument("--kind", action="append", metavar="K", help="only this kind of mutant; repeatable")
    mutate.add_argument("--ruleset", metavar="NAME")
    form = mutate.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true")
    form.add_argument("--csv", action="store_true")
    mutate.set_defaults(command=_mutate)


def _mutate(options: argparse.Namespace) -> int:
    from duocthu_core.cli.mutating import run_mutate  # noqa: PLC0415

    return run_mutate(options, _settings(options))


def _settings(options: argparse.Namespace) -> Settings:
    overrides: dict[str, object] = {}
    if getattr(options, "ruleset", None):
        overrides |= {"ruleset": options.ruleset, "ruleset_pinned": True}
    provider = getattr(options, "provider", None)
    if provider:
        overrides["answer_provider"] = provider
    return load_settings(**overrides)


def _ask(options: argparse.Namespace) -> int:
    from duocthu_core.bootstrap import bootstrap  # noqa: PLC0415 - a wrong argument is told before the services load
    from duocthu_core.cli.asking import ask_once, ask_turns, readable  # noqa: PLC0415
    from duocthu_core.cli.lines import answer_lines, print_json  # noqa: PLC0415

    if not options.jsonl and options.question is None:
        raise BadInput('give a question: python -m duocthu_core ask "…"')
    services = bootstrap(_settings(options))
    if options.jsonl:
        answer_lines(sys.stdin, sys.stdout, lambda given: ask_turns(given, services))
        return DONE
    trace = ask_once(services, options.question, options.conversation)
    if options.json:
        print_json(trace.model_dump(mode="json"))
    else:
        sys.stdout.write(readable(trace, services.ruleset, services.settings.language) + "\n")
    return DONE


def _ground(options: argparse.Namespace) -> int:
    from duocthu_core.cli.grounding import Grounder  # noqa: PLC0415
    from duocthu_core.cli.lines import answer_lines, print_json, read_object  # noqa: PLC0415

    grounder = Grounder.of(_settings(options))
    if options.jsonl:
        answer_lines(sys.stdin, sys.stdout, grounder.ground)
    else:
        print_json(grounder.ground(read_object(sys.stdin)))
    return DONE


def _resolve(options: argparse.Namespace) -> int:
    from duocthu_core.cli.lines import answer_lines, print_json, read_object  # noqa: PLC0415
    from duocthu_core.cli.resolving import offline_pipeline, resolve  # noqa: PLC0415

    settings = _settings(options)
    pipeline = offline_pipeline(settings)
    if options.jsonl:
        answer_lines(sys.stdin, sys.stdout, lambda given: resolve(given, pipeline, settings.question_max_chars))
    else:
        print_json(resolve(read_object(sys.stdin), pipeline, settings.question_max_chars))
    return DONE


def _corpus_import(options: argparse.Namespace) -> int:
    from duocthu_core.cli.corpus import run_import  # noqa: PLC0415

    return run_import(options, load_settings().corpus_path)


def _corpus_check(options: argparse.Namespace) -> int:
    from duocthu_core.cli.corpus import run_check  # noqa: PLC0415

    return run_check(options, load_settings())


def _corpus_stats(options: argparse.Namespace) -> int:
    from duocthu_core.cli.corpus import run_stats  # noqa: PLC0415

    return run_stats(options, load_settings())


def _cache(options: argparse.Namespace) -> int:
    from duocthu_core.cli import cache  # noqa: PLC0415
    from duocthu_core.cli.lines import print_json, read_object  # noqa: PLC0415

    settings = _settings(options)
    given = read_object(sys.stdin) if options.action in ("get", "put") else {}
    opened = cache.opened_cache(settings)
    actions = {
        "get": lambda: cache.get(given, opened),
        "put": lambda: cache.put(given, opened),
        "stats": lambda: cache.stats(opened, cache.configured_judge(settings)),
        "prune": lambda: cache.prune(opened, cache.opened_audit_log(settings)),
    }
    print_json(actions[options.action]())
    return DONE


def _traces(options: argparse.Namespace) -> int:
    from duocthu_core.bootstrap import bootstrap  # noqa: PLC0415
    from duocthu_core.cli import exporting  # noqa: PLC0415

    services = bootstrap(load_settings())
    if options.action == "export":
        return exporting.run_export(services, options.format, options.conversation, options.output)
    if options.action == "import":
        return exporting.run_import(services, options.file)
    return exporting.run_send(services, options.endpoint, options.conversation)


def _report(options: argparse.Namespace) -> int:
    from duocthu_core.bootstrap import bootstrap  # noqa: PLC0415
    from duocthu_core.cli.exporting import run_report  # noqa: PLC0415

    return run_report(bootstrap(load_settings()), options.trace, options.format, options.output)


def _verify(options: argparse.Namespace) -> int:
    from duocthu_core.bootstrap import bootstrap  # noqa: PLC0415
    from duocthu_core.cli.exporting import run_verify  # noqa: PLC0415

    return run_verify(options.file, None if options.alone else bootstrap(load_settings()))


def _users(options: argparse.Namespace) -> int:
    from duocthu_core.cli import users  # noqa: PLC0415

    accounts = users.opened_accounts(load_settings())
    if options.action == "set":
        return users.run_set(accounts, options.email, options.role)
    if options.action == "remove":
        return users.run_remove(accounts, options.email)
    return users.run_list(accounts)


def _eval(options: argparse.Namespace) -> int:
    from duocthu_core.cli import evaluating  # noqa: PLC0415

    return evaluating.run_action(options, _settings(options))


def _review(options: argparse.Namespace) -> int:
    from duocthu_core.bootstrap import bootstrap  # noqa: PLC0415
    from duocthu_core.cli import reviewing  # noqa: PLC0415

    return reviewing.run_action(options, bootstrap(load_settings()))


def _rules(options: argparse.Namespace) -> int:
    from duocthu_core.bootstrap import bootstrap  # noqa: PLC0415 - a wrong argument is told before the services load
    from duocthu_core.cli.rules import run_rules  # noqa: PLC0415

    return run_rules(options, bootstrap(load_settings()))


def _replay(options: argparse.Namespace) -> int:
    from duocthu_core.bootstrap import bootstrap  # noqa: PLC0415
    from duocthu_core.cli.rules import run_replay  # noqa: PLC0415

    return run_replay(options, bootstrap(load_settings()))


def _jobs(options: argparse.Namespace) -> int:
    from duocthu_core.bootstrap import bootstrap  # noqa: PLC0415 - a wrong argument is told before the services load
    from duocthu_core.cli.jobs import run_jobs  # noqa: PLC0415

    return run_jobs(options, bootstrap(load_settings()))


def _worker(options: argparse.Namespace) -> int:
    from duocthu_core.cli.working import run_worker  # noqa: PLC0415

    return run_worker(load_settings(), options.concurrency, options.stalled_after)


def _serve(options: argparse.Namespace) -> int:
    from duocthu_core.cli.serving import run_serve  # noqa: PLC0415

    return run_serve(load_settings(), options.host, options.port)


def _upgrade(options: argparse.Namespace) -> int:  # noqa: ARG001
    from duocthu_core.storage.database import open_database  # noqa: PLC0415
    from duocthu_core.storage.schema import upgrade  # noqa: PLC0415

    upgrade(open_database(load_settings().effective_database_url, prepare=False))
    sys.stderr.write("the database is up to date\n")
    return DONE
