"""``eval run``, ``compare``, ``rescore``, ``baseline`` and ``list`` (spec 01, "Command line"; 06, page 6).

Exit codes: 1 where the gate found a regression or a run was stopped, 2 where a run and the baseline (or two runs) are of other things.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from duocthu_core.bootstrap import bootstrap
from duocthu_core.cli.errors import BAD_INPUT, DONE, FAILED, BadInput, one_line
from duocthu_core.cli.lines import print_json
from duocthu_core.evaluation.comparing import Comparison, NotComparable
from duocthu_core.evaluation.evaluating import Evaluating, RunReport, UnknownRun
from duocthu_core.evaluation.gate import BASELINE_PATH, GateReport, OtherBaseline, read_baseline, write_baseline
from duocthu_core.evaluation.metrics import Metric, Metrics
from duocthu_core.evaluation.rescoring import NotRescorable
from duocthu_core.evaluation.results import EvalRun
from duocthu_core.evaluation.running import Progress, StopFlag
from duocthu_core.evaluation.sets import EvalSet, EvalSetError
from duocthu_core.settings import Settings

_MOST_CASES = 20


def run_action(options: argparse.Namespace, settings: Settings) -> int:
    """One action; problems of sets, runs and baselines are bad input, in one line (sets: one line each)."""
    if getattr(options, "workers", 1) < 1:
        raise BadInput("--workers: give 1 or more")
    evaluating = bootstrap(settings).evaluating(in_processes=True)
    actions = {"run": _run, "compare": _compare, "baseline": _baseline, "list": _list, "rescore": _rescore}
    try:
        return actions[options.action](options, evaluating)
    except EvalSetError as error:
        sys.stderr.writelines(f"duocthu: {problem}\n" for problem in error.problems[:_MOST_CASES])
        return BAD_INPUT
    except (OtherBaseline, NotComparable, NotRescorable, UnknownRun) as error:
        raise BadInput(one_line(error)) from error


def _run(options: argparse.Namespace, evaluating: Evaluating) -> int:
    evalset = evaluating.load(options.set)
    gated = options.gate is not None
    baseline = read_baseline(Path(options.gate) if options.gate else BASELINE_PATH) if gated else None
    if baseline is not None:
        evaluating.expect_baseline(evalset, baseline)
    # What a stopped run found may come from other code: a gate trusts only what it ran itself.
    run = _finish(evaluating, evalset, options, fresh=options.new or gated, keep_traces=not options.no_traces)
    report = evaluating.report(run.run_id, evalset)
    gate = evaluating.gate(baseline, run) if baseline is not None and run.status == "finished" else None
    if options.json:
        print_json({"report": report.model_dump(mode="json"), "gate": gate.model_dump(mode="json") if gate else None})
    else:
        sys.stdout.write("\n".join([*readable_report(report), *(readable_gate(gate) if gate else ())]) + "\n")
    if run.status != "finished":
        sys.stderr.write(f"duocthu: stopped at {report.done} of {run.items}; the same command goes on\n")
        return FAILED
    return FAILED if gate is not None and gate.status == "regression" else DONE


def _compare(options: argparse.Namespace, evaluating: Evaluating) -> int:
    found = evaluating.compare(options.a, options.b)
    if options.json:
        print_json(found.model_dump(mode="json"))
    else:
        sys.stdout.write("\n".join(readable_comparison(found)) + "\n")
    return DONE


def _rescore(options: argparse.Namespace, evaluating: Evaluating) -> int:
    evalset = evaluating.load(options.set or evaluating.found(options.run).identity.set_name)
    run = evaluating.rescore(options.run, evalset)
    report = evaluating.report(run.run_id, evalset)
    if options.json:
        print_json({"report": report.model_dump(mode="json"), "rescored": options.run})
    else:
        sys.stdout.write("\n".join(readable_report(report)) + "\n")
    return DONE


def _baseline(options: argparse.Namespace, evaluating: Evaluating) -> int:
    evalset = evaluating.load(options.set)
    run = _finish(evaluating, evalset, options, fresh=True, keep_traces=False)
    if run.status != "finished":
        sys.stderr.write(f"duocthu: run {run.run_id} was stopped; no baseline was written\n")
        return FAILED
    baseline, path = evaluating.baseline(evalset, run), options.output or BASELINE_PATH
    write_baseline(baseline, path)
    if options.json:
        print_json({"path": str(path), "run_id": run.run_id, "items": len(baseline.results)})
    else:
        sys.stdout.write(f"{path}: {len(baseline.results)} items of run {run.run_id}\n")
    return DONE


def _list(options: argparse.Namespace, evaluating: Evaluating) -> int:
    sets, runs = evaluating.sets(), evaluating.store.runs()
    if options.json:
        print_json({"sets": [vars(entry) for entry in sets], "runs": [run.model_dump(mode="json") for run in runs]})
        return DONE
    for entry in sets:
        stale = f", gold stale in {len(entry.stale)} blocks" if entry.stale else ""
        sys.stdout.write(f"set {entry.name} ({entry.where}): {entry.problem or f'{entry.items} items'}{stale}\n")
    for run in runs:
        models = f"{run.identity.generator}, {run.identity.judge}"
        sys.stdout.write(f"run {run.run_id} {run.identity.set_name} {run.status} {run.started_at:%Y-%m-%d %H:%M} {models}\n")
    return DONE


def _finish(evaluating: Evaluating, evalset: EvalSet, options: argparse.Namespace, *, fresh: bool, keep_traces: bool) -> EvalRun:
    run = evaluating.begin(evalset, fresh=fresh)
    with _stopping_on_interrupt() as stop:
        return evaluating.run(
            evalset, run, workers=options.workers, keep_traces=keep_traces, on_progress=_Bar(sys.stderr.isatty()), should_stop=stop
        )


class _Bar:
    """Progress on standard error, on one line of a terminal."""

    def __init__(self, shown: bool) -> None:
        self._shown = shown

    def __call__(self, progress: Progress) -> None:
        if self._shown:
            end = "\n" if progress.done == progress.total else ""
            sys.stderr.write(f"\r{progress.done}/{progress.total}, {progress.right} right, {progress.missing} missing{end}")
            sys.stderr.flush()


@contextmanager
def _stopping_on_interrupt() -> Iterator[StopFlag]:
    """Ctrl-C stops a run after the cases under way instead of losing them; a second one ends the program."""
    stop = StopFlag()

    def pull(*_: Any) -> None:
        stop.pull()
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, pull)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def readable_report(report: RunReport) -> list[str]:
    """A run as a person reads it in a terminal."""
    run = report.run
    read = "not second-read" if not report.second_read else f"{report.second_read} items second-read"
    lines = [f"run {run.run_id} · {run.identity.set_name} · {report.done} of {run.items} items · gold: {read}"]
    lines += [f"models {run.identity.generator}, {run.identity.judge}"]
    for title, metrics in (("own model", report.own_model), ("models that cases bring", report.scripted)):
        if metrics.items:
            lines += ["", f"{title}: {metrics.items} items, {metrics.scored_turns} scored turns", *_rates(metrics)]
    lines += [f"missing {item_id}: {error}" for item_id, error in sorted(report.errors.items())]
    return lines


def _rates(metrics: Metrics) -> list[str]:
    lines = [_rate(metric) for metric in (*metrics.rates, *metrics.reasons)]
    lines += [f"  forbidden citations {metrics.forbidden_citations}, forbidden figures {metrics.forbidden_figures}"]
    for spread in metrics.spreads:
        if spread.median is not None and spread.p90 is not None and spread.total is not None:
            lines.append(f"  {spread.name}: median {spread.median:.4g}, p90 {spread.p90:.4g}, sum {spread.total:.6g}")
    return lines


def _rate(metric: Metric) -> str:
    if metric.value is None:
        return f"  {metric.name}: n/a (0/0)"
    between = f" [{metric.interval[0]:.3f}, {metric.interval[1]:.3f}]" if metric.interval else ""
    return f"  {metric.name}: {metric.value:.3f}{between} ({metric.k:g}/{metric.n:g})"


def readable_gate(report: GateReport) -> list[str]:
    """What the gate says, with the cases named."""
    lines = ["", f"gate: {report.status} ({'exact' if report.exact else 'statistical'})"]
    for check in report.checks:
        lines.append(f"  {check.name}: {check.status}, {check.detail}")
        lines += [f"    {case}" for case in check.cases[:_MOST_CASES]]
        if len(check.cases) > _MOST_CASES:
            lines.append(f"    … and {len(check.cases) - _MOST_CASES} more")
    return lines


def readable_comparison(found: Comparison) -> list[str]:
    """Two runs side by side."""
    lines = []
    for test in (found.overall, *found.slices):
        p = test.p if test.p_holm is None else test.p_holm
        verdict = "differs" if test.differs else "no difference shown"
        lines.append(
            f"{test.name}: {test.right_a} → {test.right_b} of {test.items} items right, -{test.b} +{test.c}, p = {p:.4f} {verdict}"
        )
    for case in found.changed:
        unsafe = " UNSAFE" if case.newly_unsafe else ""
        lines.append(
            f"  {case.direction}{unsafe} {case.item_id} turn {case.turn}: {case.got_a} → {case.got_b} ({case.trace_a}, {case.trace_b})"
        )
    return lines
