"""A job, its parts, and how they stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue

JobStatus = Literal["queued", "running", "done", "failed", "cancelled"]
ENDED: frozenset[JobStatus] = frozenset({"done", "failed", "cancelled"})
ERROR_MAX_CHARS = 300


class JobError(Exception):
    """Work that cannot be done, now or later; the message is one line that says what to do."""


class UnknownJob(JobError):
    """No job has this id."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class PlannedPart(_Frozen):
    """A piece of a job that one worker does in one go."""

    arguments: dict[str, JsonValue]
    size: int = Field(ge=1)
    """Units of work in it (cases, verdicts, files): what progress counts."""


class Plan(_Frozen):
    """What a kind of work makes of the arguments of a new job."""

    subject: str
    """What is worked on. While a job of this subject has not ended, no second one is begun."""
    about: dict[str, JsonValue] = Field(default_factory=dict)
    """What the parts share, as ids: a run, a ruleset."""
    parts: tuple[PlannedPart, ...] = ()


class NewJob(_Frozen):
    """A job as it is handed to the store."""

    job_id: str
    kind: str
    arguments: dict[str, JsonValue]
    plan: Plan
    submitted_by: str
    submitted_at: AwareDatetime


class Job(_Frozen):
    """A job as it stands."""

    job_id: str
    kind: str
    """``eval.run`` | ``eval.gate`` | ``verdicts.rejudge`` | ``corpus.import``."""
    arguments: dict[str, JsonValue]
    about: dict[str, JsonValue]
    status: JobStatus
    done: int
    total: int
    counts: dict[str, int] = Field(default_factory=dict)
    """What its finished parts counted, by name."""
    error: str | None = None
    """Why it failed, in one line."""
    submitted_by: str
    submitted_at: AwareDatetime
    ended_at: AwareDatetime | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing of it is done any more."""
        return self.status in ENDED


class Part(_Frozen):
    """A part that was begun."""

    number: int
    """From 0."""
    arguments: dict[str, JsonValue]
    size: int
    attempts: int
    """How often it was begun, this time included."""


def one_line(error: BaseException) -> str:
    """``error`` as it is kept and shown: one line, its kind named unless the message is meant for readers."""
    said = " ".join(str(error).split())
    return (said if isinstance(error, JobError) and said else f"{type(error).__name__}: {said}")[:ERROR_MAX_CHARS]


def texts(arguments: Mapping[str, JsonValue], name: str) -> list[str]:
    """A list of texts out of stored arguments; raises :class:`JobError` for anything else."""
    value = arguments.get(name)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise JobError(f"{name}: give a list of texts")
    return [str(item) for item in value]


def text(arguments: Mapping[str, JsonValue], name: str, default: str | None = None) -> str:
    """A text out of arguments; raises :class:`JobError` where it is missing or none."""
    value = arguments.get(name, default)
    if not isinstance(value, str) or not value.strip():
        raise JobError(f"{name}: give a text")
    return value


def chunks(count: int, *, parts: int = 40, largest: int = 25) -> int:
    """Units a part: about ``parts`` parts, so that several workers share a job to its end, and none so large that a killed one is dear."""
    return max(1, min(largest, -(-count // parts)))
