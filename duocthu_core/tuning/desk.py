"""The desk at which rules are changed: find, check, compare, weigh, try, save (spec 06, page 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from duocthu_core.audit.log import AuditLog
from duocthu_core.language_models.port import LanguageModel
from duocthu_core.pipeline.accepting import check_ruleset, lines_of_draft, lines_of_text
from duocthu_core.pipeline.recomputing import Recomputation, RecomputedSet
from duocthu_core.pipeline.replaying import Replayed, replay
from duocthu_core.pipeline.running import OnStage
from duocthu_core.pipeline.trace import StageName, Trace
from duocthu_core.pipeline.trace_store import StoredTraceError, TraceFilters, TraceStore
from duocthu_core.rulesets.documents import RulesetDraft, assembled, read_ruleset
from duocthu_core.rulesets.fitness import fitting
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.problems import Problem, RulesetProblems
from duocthu_core.rulesets.store import Activation, RulesetHeading, RulesetLibrary
from duocthu_core.rulesets.yaml_text import decoded
from duocthu_core.tuning.impact import Impact, impact_of
from duocthu_core.tuning.variants import Variants

OnTurn = Callable[[int, int], None]
"""How many of how many stored turns are done."""
ShouldStop = Callable[[], bool]
_A_PAGE = 200
SET_SIZE = 200
"""Stored turns that an impact is counted over, unless another number is asked for."""


class UnknownTrace(Exception):
    """There is no stored turn of that id; the message names it."""


@dataclass(frozen=True)
class RulesDesk:
    """Everything the Rules page and ``rules`` on the command line do."""

    library: RulesetLibrary
    variants: Variants
    traces: TraceStore
    audit: AuditLog

    def checked(self, draft: RulesetDraft, base: Ruleset, *, name: str, author: str, note: str) -> Ruleset:
        """The ruleset that an edit makes, after it was tried; raises RulesetProblems with the line of each fault."""
        corpus = self.variants.base.pipeline.parts.corpus

        def text_of(problem: Problem) -> str | None:
            _, _, name = problem.place.partition("tables.")
            return draft.tables.get(name.partition(".")[0])

        try:
            made = assembled(draft, base, name=name, author=author, note=note)
            check_ruleset(made, corpus, self.variants.names, line_of=lines_of_draft(draft, base))
        except RulesetProblems as problems:
            raise problems.quoting(text_of) from None
        return made

    def imported(self, data: bytes, source: str) -> Ruleset:
        """The ruleset of an exported document, after it was tried; raises RulesetProblems with the line of each fault."""
        text = decoded(data, source)
        corpus = self.variants.base.pipeline.parts.corpus
        try:
            made = read_ruleset(text, source)
            check_ruleset(made, corpus, self.variants.names, line_of=lines_of_text(text, source), source=source)
        except RulesetProblems as problems:
            raise problems.quoting(lambda _problem: text) from None
        return made

    def save(self, ruleset: Ruleset, expected_head: str | None, actor: str) -> RulesetHeading:
        """Stores checked rules as the next version of their name; raises RulesetConflict where somebody else saved meanwhile."""
        saved = self.library.save(ruleset, expected_head)
        detail: dict[str, Any] = {"name": saved.name, "version": saved.version, "note": saved.note}
        self.audit.record(actor, "ruleset.save", target=saved.ruleset_id, detail=detail)
        return saved

    def activate(self, ruleset: Ruleset | None, actor: str) -> Activation:
        """Puts saved rules in force for everybody (None: those that the settings name) and notes who did it; raises RulesetError for rules
        that are neither saved nor ship. Services take it up with ``in_force``."""
        name, ruleset_id = (ruleset.name, ruleset.ruleset_id) if ruleset is not None else ("", None)
        if ruleset_id is not None:
            fitting(self.library.find(ruleset_id))
        before = next(iter(self.library.store.activations(1)), None)
        line = self.library.store.activate(ruleset_id, name, actor)
        self.audit.record(actor, "ruleset.activate", target=ruleset_id or "", detail={"name": name, "before": before and before.ruleset_id})
        return line

    def impact(
        self,
        before: Ruleset,
        after: Ruleset,
        *,
        turns: int = SET_SIZE,
        on_turn: OnTurn | None = None,
        should_stop: ShouldStop = lambda: False,
    ) -> Impact:
        """What ``after`` makes stale of what was judged under ``before``, over the newest ``turns`` stored turns of those rules;
        ``on_turn`` is told how many of how many are done. Where it was stopped, calls are counted over fewer turns: ``calls.turns``."""
        base = self.variants.base
        judge = base.pipeline.parts.judge
        return impact_of(
            before,
            after,
            judge_model=f"{judge.provider}/{judge.model_id}",
            cache=base.verification_cache,
            traces=self._stored(before, turns, on_turn),
            price=base.pipeline.price,
            should_stop=should_stop,
        )

    def recompute(
        self,
        before: Ruleset,
        after: Ruleset,
        *,
        turns: int,
        on_turn: OnTurn | None = None,
        should_stop: ShouldStop = lambda: False,
    ) -> RecomputedSet:
        """The newest ``turns`` stored turns of ``before`` under the thresholds and guard levels of ``after``, without a call; where it was
        stopped, those that were done. Raises CannotRecompute."""
        return Recomputation(before, after).over(self._stored(before, turns, on_turn), should_stop=should_stop)

    def replay(
        self,
        trace_id: str,
        ruleset: Ruleset | None = None,
        *,
        start: StageName | None = None,
        generator: LanguageModel | None = None,
        judge: LanguageModel | None = None,
        store: bool = True,
        on_stage: OnStage | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Replayed:
        """Runs a stored turn again (see :func:`duocthu_core.pipeline.replaying.replay`) and stores it as a child of it; None: under the
        rules that the services began with. Neither the conversation nor the verification cache is changed. Raises UnknownTrace,
        StoredTraceError, TurnCancelled."""
        parent = self.traces.load(trace_id)
        if parent is None:
            raise UnknownTrace(f"there is no stored turn {trace_id!r}; list them with the page of stored turns")
        variant = self.variants.of(ruleset) if ruleset is not None else self.variants.base
        pipeline = variant.pipeline
        if generator is not None or judge is not None:
            pipeline = pipeline.with_parts(generator=generator or pipeline.parts.generator, judge=judge or pipeline.parts.judge)
        again = replay(pipeline, parent, start=start, on_stage=on_stage, should_stop=should_stop, known=pipeline.parts.verdicts)
        if store:
            self.traces.save(again.trace)
        return again

    def _stored(self, before: Ruleset, turns: int, on_turn: OnTurn | None = None) -> Iterator[Trace]:
        """The newest original turns under ``before``, oldest first; one that this version cannot read is passed over."""
        chosen = list(islice(self._originals(before), turns))
        for number, trace_id in enumerate(reversed(chosen)):
            if on_turn is not None:
                on_turn(number, len(chosen))
            try:
                trace = self.traces.load(trace_id)
            except StoredTraceError:
                continue
            if trace is not None:
                yield trace

    def _originals(self, before: Ruleset) -> Iterator[str]:
        filters, offset = TraceFilters(ruleset_id=before.ruleset_id), 0
        while page := self.traces.recent(_A_PAGE, offset, filters):
            yield from (heading.trace_id for heading in page if heading.parent_trace_id is None)
            offset += len(page)
