"""The parts a pipeline is composed of; built once per corpus, ruleset and pair of models."""

from __future__ import annotations

from dataclasses import dataclass

from duocthu_core.corpus.collection import Corpus
from duocthu_core.language_models.port import LanguageModel
from duocthu_core.pipeline.calling import CallLog, CallPrice
from duocthu_core.pipeline.verdict_cache import VerdictCache
from duocthu_core.retrieval.search import SearchIndex
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.understanding.reading import Understander
from duocthu_core.verification.guards import Guards


@dataclass(frozen=True)
class Parts:
    """What stays the same from turn to turn."""

    corpus: Corpus
    ruleset: Ruleset
    understander: Understander
    index: SearchIndex
    guards: Guards
    generator: LanguageModel
    judge: LanguageModel
    price: CallPrice
    verdicts: VerdictCache | None
    """None: every claim goes to the judge."""


@dataclass(frozen=True)
class Tools(Parts):
    """The parts and this turn's call log: everything a stage may use."""

    calls: CallLog

    @property
    def judge_name(self) -> str:
        """The judge as it is stored with what it judged: ``provider/model_id``."""
        return f"{self.judge.provider}/{self.judge.model_id}"
