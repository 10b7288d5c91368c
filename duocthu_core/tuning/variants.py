"""Several rulesets live at once: a pipeline for each, the ones used last kept (spec 01, "Rulesets")."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from duocthu_core.cache.verification_cache import VerificationCache
from duocthu_core.language_models.port import LanguageModel
from duocthu_core.pipeline.running import Pipeline
from duocthu_core.pipeline.verdict_cache import VerdictCache
from duocthu_core.rulesets.fitness import fitting
from duocthu_core.rulesets.model import Ruleset

ModelsUnder = Callable[[Ruleset], tuple[LanguageModel, LanguageModel]]
"""Generator and judge under some rules: the offline ones read the rules themselves."""
CacheUnder = Callable[[Ruleset], tuple[VerificationCache, VerdictCache | None]]
_KEPT = 4


@dataclass(frozen=True)
class Variant:
    """What answers under one ruleset."""

    ruleset: Ruleset
    pipeline: Pipeline
    verification_cache: VerificationCache


class Variants:
    """Makes variants of one pipeline; safe to share between threads."""

    def __init__(
        self,
        base: Pipeline,
        cache: VerificationCache,
        *,
        names: Sequence[Mapping[str, str]],
        models_under: ModelsUnder,
        cache_under: CacheUnder,
    ) -> None:
        self._base = Variant(base.parts.ruleset, base, cache)
        self.names = names
        self._models_under = models_under
        self._cache_under = cache_under
        self._made: OrderedDict[str, Variant] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def base(self) -> Variant:
        """The rules in force."""
        return self._base

    def of(self, ruleset: Ruleset) -> Variant:
        """The variant under ``ruleset``; made on first use, which takes a moment. Raises OutdatedRuleset for rules that do not fit."""
        if ruleset.ruleset_id == self._base.ruleset.ruleset_id:
            return self._base
        with self._lock:
            known = self._made.get(ruleset.ruleset_id)
            if known is None:
                known = self._made[ruleset.ruleset_id] = self._make(fitting(ruleset))
                if len(self._made) > _KEPT:
                    self._made.popitem(last=False)
            self._made.move_to_end(ruleset.ruleset_id)
            return known

    def _make(self, ruleset: Ruleset) -> Variant:
        base = self._base.pipeline
        generator, judge = self._models_under(ruleset)
        cache, verdicts = self._cache_under(ruleset)
        pipeline = Pipeline(
            base.parts.corpus,
            ruleset,
            generator,
            judge,
            price=base.price,
            names=self.names,
            verdicts=verdicts if base.parts.verdicts is not None else None,
            budget_s=base.budget_s,
            now=base.now,
        )
        return Variant(ruleset, pipeline, cache)
