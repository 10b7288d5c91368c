"""The desk at which rules are changed: find, check, compare, weigh, try, save (spec 06, page 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from duocthu_core.audit.log import AuditLog
from duocthu_core.language_models.port import LanguageModel
from duocthu_core.pipeline.accepting import check_ruleset, lines_of_draft, lines_of_text
from duocthu_core.pipeline.recomputing import Recomputation, RecomputedSet
from duocthu_core.pipeline.replaying import Replayed, replay
from duocthu_core.pipeline.running import OnStage
from duocthu_core.pipeline.trace import StageName, Trace
from duocthu_core.pipeline.trace_store import TraceFilters, TraceStore
from duocthu_core.rulesets.documents import RulesetDraft, assembled, read_ruleset
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.store import RulesetHeading, RulesetLibrary
from duocthu_core.tuning.impact import Impact, impact_of
from duocthu_core.tuning.variants import Variants

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
        made = assembled(draft, base, name=name, author=author, note=note)
        corpus = self.variants.base.pipeline.parts.corpus
        check_ruleset(made, corpus, self.variants.names, line_of=lines_of_draft(draft, base))
        return made

    def imported(self, text: str, source: str) -> Ruleset:
        """The ruleset of an exported document, after it was tried; raises RulesetProblems with the line of each fault."""
        made = read_ruleset(text, source)
        corpus = self.variants.base.pipeline.parts.corpus
        check_ruleset(made, corpus, self.variants.names, line_of=lines_of_text(text, source), source=source)
        return made

    def save(self, ruleset: Ruleset, expected_head: str | None, actor: str) -> RulesetHeading:
        """Stores checked rules as the next version of their name; raises RulesetConflict where somebody else saved meanwhile."""
        saved = self.library.save(ruleset, expected_head)
        detail: dict[str, Any] = {"name": saved.name, "version": saved.version, "note": saved.note}
        self.audit.record(actor, "ruleset.save", target=saved.ruleset_id, detail=detail)
        return saved

    def impact(self, before: Ruleset, after: Ruleset, *, turns: int = SET_SIZE) -> Impact:
        """What ``after`` makes stale of what was judged under ``before``, over the newest ``turns`` stored turns of those rules."""
        base = self.variants.base
        judge = base.pipeline.parts.judge
        return impact_of(
            before,
            after,
            judge_model=f"{judge.provider}/{judge.model_id}",
            cache=base.verification_cache,
            traces=self._stored(before, turns),
            price=base.pipeline.price,
        )

    def recompute(self, before: Ruleset, after: Ruleset, *, turns: int, on_turn: Callable[[int], None] | None = None) -> RecomputedSet:
        """The newest ``turns`` stored turns of ``before`` under the thresholds and guard levels of ``after``, without a call; raises
        CannotRecompute."""
        return Recomputation(before, after).over(self._stored(before, turns), on_turn=on_turn)

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
    ) -> Replayed:
        """Runs a stored turn again (see :func:`duocthu_core.pipeline.replaying.replay`) and stores it as a child of it; None: under the
        rules in force. Neither the conversation nor the verification cache is changed. Raises UnknownTrace, StoredTraceError."""
        parent = self.traces.load(trace_id)
        if parent is None:
            raise UnknownTrace(f"there is no stored turn {trace_id!r}; list them with the page of stored turns")
        variant = self.variants.of(ruleset) if ruleset is not None else self.variants.base
        pipeline = variant.pipeline
        if generator is not None or judge is not None:
            pipeline = pipeline.with_parts(generator=generator or pipeline.parts.generator, judge=judge or pipeline.parts.judge)
        again = replay(pipeline, parent, start=start, on_stage=on_stage, known=pipeline.parts.verdicts)
        if store:
            self.traces.save(again.trace)
        return again

    def _stored(self, before: Ruleset, turns: int) -> Iterator[Trace]:
        """The newest original turns under ``before``, oldest first; one that this version cannot read is passed over."""
        headings = self.traces.recent(limit=turns, filters=TraceFilters(ruleset_id=before.ruleset_id))
        for heading in reversed(headings):
            if heading.parent_trace_id is None and (trace := self.traces.load(heading.trace_id)) is not None:
                yield trace
