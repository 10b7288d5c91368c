"""Holding a finished run to the baseline that ships, as a job: the mutation lab that belongs to it takes its time (spec 06, page 6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pydantic import JsonValue

from duocthu_core.evaluation.gate import committed_baseline, differing_parts
from duocthu_core.evaluation.results import EvalRun
from duocthu_core.jobs.eval_runs import EvaluatingUnder
from duocthu_core.jobs.kinds import OtherPlace, Pace
from duocthu_core.jobs.model import Job, JobError, Part, Plan, PlannedPart, text
from duocthu_core.rulesets.loading import RulesetError


def gate_subject(run_id: str) -> str:
    """What a job that holds a run to the baseline works on."""
    return f"eval.gate {run_id}"


class Gates:
    """Jobs of the kind ``eval.gate``. Argument: ``run`` (an id). A run that a job finished is held to the baseline by that job already."""

    def __init__(self, evaluating: EvaluatingUnder, reopen: Callable[[], None] = lambda: None) -> None:
        self._evaluating = evaluating
        self._reopen = reopen

    def plan(self, arguments: Mapping[str, JsonValue]) -> Plan:
        """One part."""
        run = self._run(text(arguments, "run"))
        about: dict[str, JsonValue] = {"run_id": run.run_id, "ruleset_id": run.identity.ruleset_id}
        return Plan(subject=gate_subject(run.run_id), about=about, parts=(PlannedPart(arguments={}, size=1),))

    def run(self, job: Job, part: Part, pace: Pace) -> Mapping[str, int]:  # noqa: ARG002 - it is done in one go
        """Holds the run to the baseline and keeps what the gate says."""
        run = self._run(text(job.about, "run_id"))
        for tried_anew in (False, True):
            try:
                evaluating = self._evaluating(run.identity.ruleset_id)
            except RulesetError as error:
                raise OtherPlace(str(error)) from None
            here = evaluating.pipeline.parts.corpus.corpus_id
            if here == run.identity.corpus_id:
                evaluating.hold(run)
                return {}
            if not tried_anew:
                self._reopen()
        raise OtherPlace(f"this worker answers from corpus {here} and not {run.identity.corpus_id}; start it with that one")

    def finish(self, job: Job) -> None:
        """What the gate says is kept already."""

    def stop(self, job: Job) -> None:
        """Nothing is left behind."""

    def _run(self, run_id: str) -> EvalRun:
        """A finished run that can be held to the baseline that ships; raises JobError for any other."""
        run = self._evaluating(None).store.run(run_id)
        if run is None or run.status != "finished":
            raise JobError(f"run {run_id[:60]!r} is not there or not finished; go on with it first")
        baseline = committed_baseline()
        differing = differing_parts(baseline, run.identity) if baseline is not None else ("everything",)
        if differing:
            remedy = f"make one: python -m duocthu_core eval baseline {run.identity.set_name}"
            raise JobError(f"the baseline that ships differs in {', '.join(differing)}; {remedy}")
        return run
