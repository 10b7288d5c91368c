"""The kinds of jobs over the services of an installation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from duocthu_core.cache.model import CurrentJudge
from duocthu_core.cache.verification_cache import VerificationCache
from duocthu_core.corpus.shelf import CorpusShelf
from duocthu_core.evaluation.evaluating import Evaluating
from duocthu_core.jobs.eval_runs import EvalRuns
from duocthu_core.jobs.gates import Gates
from duocthu_core.jobs.importing import IMPORT, Imports
from duocthu_core.jobs.kinds import Passing
from duocthu_core.jobs.rejudging import Judging, Rejudging
from duocthu_core.jobs.store import JobStore
from duocthu_core.jobs.working import Work
from duocthu_core.pipeline.running import Pipeline
from duocthu_core.pipeline.trace_store import TraceStore
from duocthu_core.rulesets.model import Ruleset


class JobServices(Protocol):
    """What jobs need of an installation."""

    @property
    def ruleset(self) -> Ruleset: ...

    @property
    def pipeline(self) -> Pipeline: ...

    @property
    def verification_cache(self) -> VerificationCache: ...

    @property
    def traces(self) -> TraceStore: ...

    @property
    def job_store(self) -> JobStore: ...

    def with_ruleset(self, ruleset: str, /) -> JobServices:
        """The same under other rules; raises RulesetError."""
        ...

    def evaluating(self) -> Evaluating: ...

    def current_judge(self) -> CurrentJudge: ...


def work_of(
    services: Callable[[], JobServices], data_dir: Path, passing: Passing, reopen: Callable[[], None] = lambda: None, *, at_once: int = 1
) -> Work:
    """The work that jobs are, done with the services of the moment.

    ``passing``: errors of a database that is away. ``reopen`` builds the services anew: a worker does so where a job began with a corpus
    that was chosen after the worker was started. ``at_once``: cases of an evaluation that wait for a model at the same time.
    """

    def under(ruleset: str | None) -> JobServices:
        now = services()
        return now if ruleset in (None, now.ruleset.ruleset_id) else now.with_ruleset(ruleset)

    def judging(ruleset: str | None) -> Judging:
        chosen = under(ruleset)
        return Judging(chosen.verification_cache, chosen.current_judge(), chosen.pipeline)

    def evaluating(ruleset: str | None) -> Evaluating:
        return under(ruleset).evaluating()

    kinds = {
        "eval.run": EvalRuns(evaluating, lambda: services().traces, reopen, at_once=at_once),
        "eval.gate": Gates(evaluating, reopen),
        "verdicts.rejudge": Rejudging(judging, reopen),
        IMPORT: Imports(CorpusShelf(data_dir)),
    }
    return Work(services().job_store, kinds, passing)
