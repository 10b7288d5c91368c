"""Builds the services from settings; a test replaces any part (spec 01, "The house")."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from functools import cached_property
from typing import Any, Literal

from duocthu_core.access.store import AccountStore
from duocthu_core.agreement.harm import HarmReport, harm_report
from duocthu_core.agreement.people import JudgeAsAsked, JudgeConfidence, agreement_of, confidence_in
from duocthu_core.answering.model import Claim
from duocthu_core.audit.log import AuditLog
from duocthu_core.cache.model import CurrentJudge
from duocthu_core.cache.pipeline_adapter import PipelineVerdictCache
from duocthu_core.cache.store import CacheStore
from duocthu_core.cache.verification_cache import VerificationCache
from duocthu_core.conversation.store import ConversationStore
from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.corpus.names import load_names
from duocthu_core.corpus.shelf import CorpusShelf
from duocthu_core.evaluation.evaluating import Evaluating
from duocthu_core.evaluation.judge_agreement import JudgeAgreement
from duocthu_core.evaluation.results import EvalStore
from duocthu_core.evaluation.running import CaseRunner
from duocthu_core.exports.spans import SpanSender
from duocthu_core.jobs.desk import Jobs
from duocthu_core.jobs.in_process import InProcessExecutor
from duocthu_core.jobs.store import JobStore
from duocthu_core.jobs.work_of import work_of
from duocthu_core.jobs.working import Work
from duocthu_core.language_models.factory import build_model
from duocthu_core.language_models.offline import OfflineModel
from duocthu_core.language_models.port import LanguageModel
from duocthu_core.language_models.pricing import shipped_prices
from duocthu_core.metrics import Metrics
from duocthu_core.pipeline.asking import TurnNotSaved, TurnStore, ask
from duocthu_core.pipeline.checking import Recheck, recheck_claim
from duocthu_core.pipeline.replaying import Replayed
from duocthu_core.pipeline.running import OnStage, Pipeline
from duocthu_core.pipeline.trace import StageName, Trace
from duocthu_core.pipeline.trace_store import TraceStore
from duocthu_core.pipeline.verdict_cache import VerdictCache
from duocthu_core.review.reviewing import Reviewing
from duocthu_core.review.store import ReviewStore
from duocthu_core.rulesets.fitness import fitting
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.store import RulesetLibrary, RulesetStore
from duocthu_core.settings import Settings
from duocthu_core.storage.accounts import SqlAccountStore
from duocthu_core.storage.audit import SqlAuditLog
from duocthu_core.storage.conversations import SqlConversationStore
from duocthu_core.storage.database import Database, open_database
from duocthu_core.storage.errors import StorageUnavailable
from duocthu_core.storage.evaluation import SqlEvalStore
from duocthu_core.storage.job_queue import hand_over
from duocthu_core.storage.jobs import SqlJobStore
from duocthu_core.storage.reviews import SqlReviewStore
from duocthu_core.storage.rulesets import SqlRulesetStore
from duocthu_core.storage.traces import SqlTraceStore
from duocthu_core.storage.turns import SqlTurnStore
from duocthu_core.storage.verification_cache import SqlCacheStore
from duocthu_core.tuning.desk import RulesDesk
from duocthu_core.tuning.sides import Side, Sides
from duocthu_core.tuning.variants import Variants

ModelChoice = Literal["configured", "offline"]
_CASES_AT_ONCE = 4
"""Of an evaluation by the application itself, where models are on the network."""


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
    reviewing: Reviewing
    evaluations: EvalStore
    accounts: AccountStore
    verification_cache: VerificationCache
    audit: AuditLog
    metrics: Metrics
    rulesets: RulesetLibrary
    variants: Variants
    spans: SpanSender | None
    job_store: JobStore
    job_executor: InProcessExecutor | None
    """None: a queue hands the parts of jobs to workers."""

    def ask(
        self,
        question: str,
        conversation_id: str,
        on_stage: OnStage | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> Trace:
        """Asks in a stored conversation (see :func:`duocthu_core.pipeline.asking.ask`) and counts the turn."""
        try:
            trace = ask(
                self.pipeline,
                self.turns,
                question,
                conversation_id,
                max_chars=self.settings.question_max_chars,
                on_stage=on_stage,
                should_stop=should_stop,
            )
        except TurnNotSaved as error:  # it ran, and what it used was used
            self.metrics.observe_turn(error.trace)
            raise
        self.metrics.observe_turn(trace)
        if self.spans is not None:
            self.spans.send(trace)
        return trace

    @property
    def rules_desk(self) -> RulesDesk:
        """Where rules are changed, weighed and tried."""
        return RulesDesk(self.rulesets, self.variants, self.traces, self.audit)

    def in_force(self) -> Services:
        """These services under the rules that answer everybody now: themselves where nobody put others in force. One short query."""
        if self.settings.ruleset_pinned:
            return self
        newest = next(iter(self.rulesets.store.activations(1)), None)
        ruleset_id = newest.ruleset_id if newest is not None else None
        if ruleset_id is not None and ruleset_id == self.ruleset.ruleset_id:
            return self
        ruleset = self.rulesets.in_force(self.settings.ruleset)
        return self if ruleset.ruleset_id == self.ruleset.ruleset_id else self.with_ruleset(ruleset)

    @property
    def sides(self) -> Sides:
        """Where turns are run on two sides and compared."""
        return Sides(self.variants, self.traces, self.turns)

    @property
    def model_choices(self) -> tuple[ModelChoice, ...]:
        """The models that a side may have: those of the settings, and the offline ones where the settings name others."""
        parts = self.pipeline.parts
        only_offline = parts.generator.provider == parts.judge.provider == "offline"
        return ("configured",) if only_offline else ("configured", "offline")

    def side(self, ruleset: Ruleset | str, models: ModelChoice = "configured") -> Side:
        """One side of a comparison; raises RulesetError for rules that are not known."""
        chosen = ruleset if isinstance(ruleset, Ruleset) else self.rulesets.find(ruleset)
        if models == "configured":
            return Side(chosen)
        model = OfflineModel(chosen)
        return Side(chosen, model, model)

    def with_ruleset(self, ruleset: Ruleset | str) -> Services:
        """The same services under other rules (a ruleset, or the name or id of one); raises RulesetError for one that is not known.

        Pipelines of the rulesets used last are kept, so that several live at once.
        """
        chosen = ruleset if isinstance(ruleset, Ruleset) else self.rulesets.find(ruleset)
        variant = self.variants.of(chosen)
        return replace(self, ruleset=chosen, pipeline=variant.pipeline, verification_cache=variant.verification_cache)

    def replay(
        self,
        trace_id: str,
        ruleset: Ruleset | str | None = None,
        *,
        start: StageName | None = None,
        generator: LanguageModel | None = None,
        judge: LanguageModel | None = None,
        store: bool = True,
        on_stage: OnStage | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> Replayed:
        """A stored turn run again (see :meth:`RulesDesk.replay`) under other rules, or under those in force; by other models where
        ``generator`` and ``judge`` are given. Raises RulesetError, UnknownTrace, StoredTraceError, TurnCancelled."""
        chosen = self.rulesets.find(ruleset) if isinstance(ruleset, str) else ruleset or self.ruleset
        return self.rules_desk.replay(
            trace_id, chosen, start=start, generator=generator, judge=judge, store=store, on_stage=on_stage, should_stop=should_stop
        )

    def current_judge(self) -> CurrentJudge:
        """What claims are judged with now: what the cache's statistics compare its entries with."""
        return current_judge(self.ruleset, self.pipeline.parts.judge)

    def recheck(self, trace: Trace, claim: Claim) -> Recheck:
        """The checks without a model over one claim that a person edited, against the evidence of ``trace``."""
        return recheck_claim(self.pipeline.parts.guards, self.ruleset, trace, claim)

    def prune_cache(self, actor: str) -> int:
        """Deletes the kept verdicts whose time is over, notes who did it in the audit log, and says how many there were."""
        pruned = self.verification_cache.prune()
        self.audit.record(actor, "cache.prune", detail={"pruned": pruned})
        return pruned

    def evaluating(self, *, in_processes: bool = False) -> Evaluating:
        """Evaluation over what answers now. ``in_processes``: offline models may run in processes of their own, which open the database of
        the settings themselves; not where parts were replaced."""
        make = _CaseRunners(self.settings, self.pipeline) if in_processes else None
        return Evaluating(self.pipeline, self.evaluations, self.traces, make)

    @property
    def judge_as_asked(self) -> JudgeAsAsked:
        """The model and the prompt that claims are judged with now."""
        judge = self.pipeline.parts.judge
        return JudgeAsAsked(f"{judge.provider}/{judge.model_id}", self.ruleset.prompt_hash)

    def judge_agreement(self, bound_to: JudgeAsAsked | None = None) -> JudgeAgreement:
        """How people agree with the judge of now, or with the judge model and prompt hash of ``bound_to``."""
        return agreement_of(self.reviewing, self.judge_as_asked, bound_to)

    def judge_confidence(self) -> JudgeConfidence | None:
        """What readers of an answer may be told of the judge of now; None where people have not judged it, or not enough."""
        return confidence_in(self.reviewing, self.judge_as_asked)

    def harm(self) -> HarmReport:
        """Severe harm among the answers that were drawn at random and reviewed."""

        def conversation_of(trace_id: str) -> str | None:
            trace = self.traces.load(trace_id)
            return trace.conversation_id if trace is not None else None

        return harm_report(self.reviewing, conversation_of)

    @property
    def jobs(self) -> Jobs:
        """Where batch work is submitted, looked at and cancelled."""
        return Jobs(job_work(lambda: self), self.audit, self.job_executor)

    def new_conversation_id(self) -> str:
        """An id that no conversation has."""
        return uuid.uuid4().hex


def bootstrap(settings: Settings, **overrides: Any) -> Services:
    """Services over the configured corpus, rules, models and database.

    ``overrides`` replace parts by name: ``corpus``, ``names``, ``ruleset``, ``generator``, ``judge``, ``database``, ``conversations``,
    ``traces``, ``turns``, ``accounts``, ``cache_store``, ``verification_cache``, ``verdicts`` (None: turns run without it), ``audit``,
    ``metrics``.
    ``review_store``, ``reviewing``, ``evaluations`` and ``ruleset_store`` likewise.
    Raises the one-line errors of each part: SettingsError, CorpusError, RulesetError, StorageUnavailable.
    """
    parts = _Parts(settings, overrides)
    return Services(
        settings=settings,
        corpus=parts.corpus,
        ruleset=parts.ruleset,
        pipeline=parts.base_pipeline,
        conversations=parts.conversations,
        traces=parts.traces,
        turns=parts.turns,
        reviewing=parts.reviewing,
        evaluations=parts.evaluations,
        accounts=parts.accounts,
        verification_cache=parts.verification_cache,
        audit=parts.audit,
        metrics=parts.metrics,
        rulesets=parts.rulesets,
        variants=parts.variants_of_rules,
        spans=parts.spans,
        job_store=parts.job_store,
        job_executor=parts.job_executor,
    )


def answering_from(services: Services, corpus: Corpus) -> Services:
    """The same services over another corpus: same stores, rules and models. ``services`` themselves stay as they are, so that turns at
    work end over the book they began with."""
    kept = {field.name: getattr(services, field.name) for field in fields(services) if hasattr(_Parts, field.name)}
    parts = services.pipeline.parts
    kept |= {"corpus": corpus, "generator": parts.generator, "judge": parts.judge, "verdicts": parts.verdicts}
    return bootstrap(services.settings, **kept)


def job_work(services: Callable[[], Services], reopen: Callable[[], None] = lambda: None) -> Work:
    """The work that jobs are, done with the services of the moment (see :func:`work_of`)."""
    now = services()
    at_once = _CASES_AT_ONCE if now.job_executor is not None else 1  # a worker is told with --concurrency
    return work_of(services, now.settings.data_dir, (StorageUnavailable,), reopen, at_once=at_once)


def configured_corpus(settings: Settings) -> Corpus:
    """The corpus that CORPUS_PATH names: the one that answers while no imported one was chosen. Raises :class:`CorpusError`."""
    return load_corpus(settings.corpus_path)


class _CaseRunners:
    """Makes what a process of an evaluation runs cases with. A forked process has the pipeline already; one that is started anew is sent
    the settings alone, and builds it. Each opens the database itself: a connection must not be shared across a fork."""

    def __init__(self, settings: Settings, pipeline: Pipeline | None) -> None:
        self._settings = settings
        self._pipeline = pipeline

    def __call__(self, run_id: str, keep_traces: bool) -> CaseRunner:
        pipeline = self._pipeline or bootstrap(self._settings).pipeline
        traces = SqlTraceStore(open_database(self._settings.effective_database_url, prepare=False)) if keep_traces else None
        return CaseRunner(pipeline.with_parts(verdicts=None), traces, run_id)

    def __getstate__(self) -> dict[str, Any]:
        return {"_settings": self._settings, "_pipeline": None}


def verification_cache_of(settings: Settings, ruleset: Ruleset, store: CacheStore) -> VerificationCache:
    """The verification cache over ``store`` with the limits of the settings and of ``ruleset``: one for each ruleset that runs."""
    return VerificationCache(
        store,
        ttl=timedelta(days=settings.verification_cache_ttl_days or ruleset.cache.ttl_days),
        max_payload_bytes=settings.verification_cache_max_payload_kb * 1024,
        overlap_min=ruleset.cache.evidence_overlap_min,
    )


def current_judge(ruleset: Ruleset, judge: LanguageModel) -> CurrentJudge:
    """What claims are judged with under ``ruleset`` by ``judge``."""
    return CurrentJudge(
        prompt_hash=ruleset.prompt_hash,
        framework_version=ruleset.framework_version,
        model=f"{judge.provider}/{judge.model_id}",
        completeness_prompt_hash=ruleset.completeness_prompt_hash,
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
        return CorpusShelf(self._settings.data_dir).load_chosen() or load_corpus(self._settings.corpus_path)

    @cached_property
    def names(self) -> tuple[dict[str, str], ...]:
        return load_names(self._settings.names_path)

    @cached_property
    def ruleset(self) -> Ruleset:
        if self._settings.ruleset_pinned:
            return fitting(self.rulesets.find(self._settings.ruleset))
        return fitting(self.rulesets.in_force(self._settings.ruleset))

    @cached_property
    def ruleset_store(self) -> RulesetStore:
        return SqlRulesetStore(self.database)

    @cached_property
    def rulesets(self) -> RulesetLibrary:
        return RulesetLibrary(self.ruleset_store)

    @cached_property
    def base_pipeline(self) -> Pipeline:
        return Pipeline(
            self.corpus,
            self.ruleset,
            self.generator,
            self.judge,
            price=shipped_prices().cost,
            names=self.names,
            verdicts=self.verdicts,
            budget_s=self._settings.turn_budget_s,
        )

    @cached_property
    def variants_of_rules(self) -> Variants:
        def models_under(rules: Ruleset) -> tuple[LanguageModel, LanguageModel]:
            # The offline model reads the rules itself; every other one is told what to do with each request.
            generator, judge = (OfflineModel(rules) if model.provider == "offline" else model for model in (self.generator, self.judge))
            return generator, judge

        def cache_under(rules: Ruleset) -> tuple[VerificationCache, VerdictCache]:
            ttl = timedelta(days=self._settings.verification_cache_ttl_days or rules.cache.ttl_days)
            cache = self.verification_cache.under(ttl=ttl, overlap_min=rules.cache.evidence_overlap_min)
            return cache, PipelineVerdictCache(cache, self._settings.tier)

        return Variants(self.base_pipeline, self.verification_cache, names=self.names, models_under=models_under, cache_under=cache_under)

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

    @cached_property
    def accounts(self) -> AccountStore:
        return SqlAccountStore(self.database)

    @cached_property
    def evaluations(self) -> EvalStore:
        return SqlEvalStore(self.database)

    @cached_property
    def review_store(self) -> ReviewStore:
        return SqlReviewStore(self.database)

    @cached_property
    def reviewing(self) -> Reviewing:
        return Reviewing(self.review_store, self.traces)

    @cached_property
    def cache_store(self) -> CacheStore:
        return SqlCacheStore(self.database)

    @cached_property
    def verification_cache(self) -> VerificationCache:
        return verification_cache_of(self._settings, self.ruleset, self.cache_store)

    @cached_property
    def verdicts(self) -> VerdictCache | None:
        return PipelineVerdictCache(self.verification_cache, self._settings.tier)

    @cached_property
    def job_store(self) -> JobStore:
        return SqlJobStore(self.database, hand_over if self.database.is_postgresql else None)

    @cached_property
    def job_executor(self) -> InProcessExecutor | None:
        queued = isinstance(self.job_store, SqlJobStore) and self.job_store.is_queued
        return None if queued else InProcessExecutor()

    @cached_property
    def audit(self) -> AuditLog:
        return SqlAuditLog(self.database)

    @cached_property
    def metrics(self) -> Metrics:
        return Metrics()

    @cached_property
    def spans(self) -> SpanSender | None:
        return SpanSender.to(self._settings.otlp_endpoint) if self._settings.otlp_endpoint else None
