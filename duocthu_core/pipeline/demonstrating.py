"""Prepared conversations that show what the product does and refuses to do (spec 06, page 9): run live, through the same stages and the
same checks as any question, and stored nowhere."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

from duocthu_core.answering.model import Claim
from duocthu_core.conversation.model import ConversationState
from duocthu_core.pipeline.checking import Recheck, recheck_claim
from duocthu_core.pipeline.outputs import AnswerOutput
from duocthu_core.pipeline.running import OnStage, Pipeline
from duocthu_core.pipeline.trace import Outcome, Trace
from duocthu_core.retrieval.model import Evidence
from duocthu_core.text.spans import Span
from duocthu_core.verification.mutation import Mutant, mutants

SCENES = Path(__file__).resolve().parents[2] / "data" / "demo"
DEMO_CONVERSATION = "trinh-dien-"
"""What the ids of these conversations begin with: no reader's conversation has such an id."""
Point = Literal["grounded_dose", "follow_up", "table", "tenfold", "injection", "reverse"]
POINTS: tuple[Point, ...] = get_args(Point)
_SEEDS = range(12)


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Words(_Frozen):
    """A text in both languages."""

    vi: str = Field(min_length=1)
    en: str = Field(min_length=1)


class Scene(_Frozen):
    """One prepared conversation. What is asked is Vietnamese, as the book is; ``en`` of a question only tells what it says."""

    scene_id: str
    shows: Point
    title: Words
    drug: Words | None = None
    """The drug that it is about, for a reader."""
    drug_ids: tuple[str, ...] = ()
    """Monographs that the book at hand needs."""
    questions: tuple[Words, ...] = Field(min_length=1)
    without_order: str | None = None
    """The last question without the words that give the model an order; only for ``injection``."""
    expects: Outcome
    happened: Words
    """What happened, where it came out as expected."""
    otherwise: Words
    """What happened, where it did not."""

    @model_validator(mode="after")
    def _has_what_it_shows_with(self) -> Scene:
        if (self.shows == "injection") != (self.without_order is not None):
            raise ValueError("an injection, and nothing else, is compared with the question without its order")
        if self.shows == "follow_up" and len(self.questions) < 2:
            raise ValueError("a follow-up follows something")
        return self


@dataclass(frozen=True)
class Spoiled:
    """A delivered claim, the same with a tenfold dose, and what the checks say of both."""

    true: Recheck
    wrong: Recheck
    was: Span
    """The changed words in the true claim."""
    now: Span
    """The words that stand there now."""

    @property
    def caught(self) -> bool:
        """Whether the checks refused the wrong one."""
        return self.wrong.checked.rejected


@dataclass(frozen=True)
class Played:
    """A scene that was run: its turns, and what belongs to what it shows."""

    scene: Scene
    turns: tuple[Trace, ...]
    claims: tuple[Recheck, ...] = ()
    """The delivered claims of the last turn, each bound to its places in the book."""
    spoiled: Spoiled | None = None
    same_without_order: bool | None = None
    """Whether the question without the order got the very same answer."""

    @property
    def last(self) -> Trace:
        """The turn that the scene is about."""
        return self.turns[-1]

    @property
    def as_expected(self) -> bool:
        """Whether it shows what it was made to show."""
        if self.last.outcome != self.scene.expects:
            return False
        if self.scene.shows == "tenfold":
            return self.spoiled is not None and self.spoiled.caught
        if self.scene.shows == "follow_up":
            return "drug_id" in self.last.resolved.inherited
        return self.same_without_order is not False


@lru_cache(maxsize=4)
def load_scenes(folder: Path = SCENES) -> tuple[Scene, ...]:
    """The prepared conversations in the order of their file names. Raises ValueError for a file that is no scene."""
    return tuple(Scene.model_validate(yaml.safe_load(path.read_text(encoding="utf-8"))) for path in sorted(folder.glob("*.yaml")))


def missing_drugs(scene: Scene, pipeline: Pipeline) -> tuple[str, ...]:
    """Drugs of ``scene`` that the book at hand has no monograph of: the scene can then not be shown."""
    return tuple(drug_id for drug_id in scene.drug_ids if drug_id not in pipeline.parts.corpus.monographs)


def play(scene: Scene, pipeline: Pipeline, *, on_stage: OnStage | None = None, should_stop: Callable[[], bool] | None = None) -> Played:
    """Runs ``scene`` in a conversation of its own that is stored nowhere. Models that fail end a turn with their reason, as always."""
    turns = _asked([question.vi for question in scene.questions], pipeline, on_stage, should_stop)
    last = turns[-1]
    claims = tuple(_recheck(pipeline, last, claim) for claim in _delivered(last))
    if scene.shows == "tenfold":
        return Played(scene, turns, claims, spoiled=_spoiled(pipeline, last))
    if scene.without_order is not None:
        plain = _asked([*(question.vi for question in scene.questions[:-1]), scene.without_order], pipeline, on_stage, should_stop)[-1]
        return Played(scene, turns, claims, same_without_order=_answer_of(plain) == _answer_of(last))
    return Played(scene, turns, claims)


def _asked(
    questions: Sequence[str], pipeline: Pipeline, on_stage: OnStage | None, should_stop: Callable[[], bool] | None
) -> tuple[Trace, ...]:
    state = ConversationState(conversation_id=DEMO_CONVERSATION + uuid.uuid4().hex)
    traces: list[Trace] = []
    for question in questions:
        result = pipeline.run(question, state, on_stage=on_stage, should_stop=should_stop)
        state = result.state
        traces.append(result.trace)
    return tuple(traces)


def _delivered(trace: Trace) -> tuple[Claim, ...]:
    record = trace.stage("answer")
    return record.output.claims if record is not None and isinstance(record.output, AnswerOutput) else ()


def _answer_of(trace: Trace) -> tuple[object, ...]:
    return trace.outcome, trace.reject_reason, trace.answer.blocks


def _recheck(pipeline: Pipeline, trace: Trace, claim: Claim) -> Recheck:
    return recheck_claim(pipeline.parts.guards, pipeline.parts.ruleset, trace, claim)


def _spoiled(pipeline: Pipeline, trace: Trace) -> Spoiled | None:
    """The claim with the most figures, one of its doses ten times as large; None where the answer holds no dose."""
    shown = tuple(block for block in trace.evidence if not block.quarantined)
    by_figures = sorted(_delivered(trace), key=lambda claim: -figures_found(_recheck(pipeline, trace, claim)))
    for claim in by_figures:
        mutant = _tenfold(claim, shown, pipeline)
        if mutant is not None and mutant.was is not None and mutant.now is not None:
            return Spoiled(_recheck(pipeline, trace, claim), _recheck(pipeline, trace, mutant.claim), mutant.was, mutant.now)
    return None


def _tenfold(claim: Claim, shown: Sequence[Evidence], pipeline: Pipeline) -> Mutant | None:
    made = (mutant for seed in _SEEDS for mutant in mutants([claim], shown, pipeline.parts.ruleset, seed, ("tenfold_dose",)))
    return next((mutant for mutant in made if not mutant.still_true), None)


def figures_found(checked: Recheck) -> int:
    """How many numbers of a claim stand in its blocks."""
    return sum(detail.kind == "number" and detail.found for detail in checked.binding.details)
