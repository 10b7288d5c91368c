"""Builds the services from settings; a test replaces any part (spec 01, "The house")."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from duocthu_core.answering.model import Claim
from duocthu_core.conversation.store import ConversationStore
from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.language_models.factory import build_model
from duocthu_core.language_models.port import LanguageModel
from duocthu_core.language_models.pricing import shipped_prices
from duocthu_core.pipeline.asking import TurnStore, ask
from duocthu_core.pipeline.checking import Recheck, recheck_claim
from duocthu_core.pipeline.running import OnStage, Pipeline
from duocthu_core.pipeline.trace import Trace
from duocthu_core.pipeline.trace_store import TraceStore
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.settings import Settings
from duocthu_core.storage.conversations import SqlConversationStore
from duocthu_core.storage.database import Database, open_database
from duocthu_core.storage.traces import SqlTraceStore
from duocthu_core.storage.turns import SqlTurnStore


@dataclass(frozen=True)
class Services:
    """Everything the doors and the pages use."""

    settings: Settings
    corpus: Corpus
    ruleset: Ruleset
    pipeline: Pipeline
    conversations: ConversationStore
    traces: TraceStore
    turns: TurnStore

    def ask(
        self,
        question: str,
        conversation_id: str,
        on_stage: OnStage | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> Trace:
        """Asks in a stored conversation (see :func:`duocthu_core.pipeline.asking.ask`)."""
        return ask(
            self.pipeline,
            self.turns,
            question,
            conversation_id,
            max_chars=self.settings.question_max_chars,
            on_stage=on_stage,
            should_stop=should_stop,
        )

    def recheck(self, trace: Trace, claim: Claim) -> Recheck:
        """The checks without a model over one claim that a person edited, against the evidence of ``trace``."""
        return recheck_claim(self.pipeline.parts.guards, trace, claim)

    def new_conversation_id(self) -> str:
        """An id that no conversation has."""
        return uuid.uuid4().hex


def bootstrap(settings: Settings, **overrides: Any) -> Services:
    """Services over the configured corpus, rules, models and database.

    ``overrides`` replace parts by name: ``corpus``, ``ruleset``, ``generator``, ``judge``, ``database``, ``conversations``, ``traces``,
    ``turns``.
    Raises the one-line errors of each part: SettingsError, CorpusError, RulesetError, StorageUnavailable.
    """
    parts = _Parts(settings, overrides)
    return Services(
        settings=settings,
        corpus=parts.corpus,
        ruleset=parts.ruleset,
        pipeline=Pipeline(
            parts.corpus, parts.ruleset, parts.generator, parts.judge, price=shipped_prices().cost, budget_s=settings.turn_budget_s
        ),
        conversations=parts.conversations,
        traces=parts.traces,
        turns=parts.turns,
    )


class _Parts:
    """Each part made once, on first use, unless it was handed in."""

    def __init__(self, settings: Settings, overrides: dict[str, Any]) -> None:
        self._settings = settings
        for name, part in overrides.items():
            if not hasattr(type(self), name):
                raise TypeError(f"bootstrap has no part {name!r}")
            self.__dict__[name] = part

    @cached_property
    def corpus(self) -> Corpus:
        return load_corpus(self._settings.corpus_path)

    @cached_property
    def ruleset(self) -> Ruleset:
        return shipped_ruleset(self._settings.ruleset)

    @cached_property
    def generator(self) -> LanguageModel:
        return build_model(self._settings, "generator", self.ruleset)

    @cached_property
    def judge(self) -> LanguageModel:
        return build_model(self._settings, "judge", self.ruleset)

    @cached_property
    def database(self) -> Database:
        return open_database(self._settings.effective_database_url)

    @cached_property
    def conversations(self) -> ConversationStore:
        return SqlConversationStore(self.database)

    @cached_property
    def traces(self) -> TraceStore:
        return SqlTraceStore(self.database)

    @cached_property
    def turns(self) -> TurnStore:
        return SqlTurnStore(self.database)
