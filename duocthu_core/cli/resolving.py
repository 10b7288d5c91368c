"""``resolve``: what each turn of a conversation is taken to be about (spec 01, 02). Always the offline model: no call, no cost."""

from __future__ import annotations

from typing import Any

from duocthu_core.cli.chosen_rules import chosen_ruleset
from duocthu_core.cli.errors import BadInput, one_line
from duocthu_core.conversation.focus import expire
from duocthu_core.conversation.model import ConversationState, Focus
from duocthu_core.corpus.jsonl import load_corpus
from duocthu_core.corpus.names import load_names
from duocthu_core.language_models.offline import OfflineModel
from duocthu_core.language_models.pricing import shipped_prices
from duocthu_core.pipeline.asking import BadQuestion, check_question
from duocthu_core.pipeline.running import Pipeline
from duocthu_core.pipeline.trace import Trace
from duocthu_core.settings import Settings


def offline_pipeline(settings: Settings) -> Pipeline:
    """The configured corpus and rules with the offline model, whatever provider is set."""
    ruleset = chosen_ruleset(settings)
    model = OfflineModel(ruleset)
    names = load_names(settings.names_path)
    return Pipeline(load_corpus(settings.corpus_path), ruleset, model, model, price=shipped_prices().cost, names=names)


def turns_of(given: dict[str, Any], max_chars: int) -> list[str]:
    """The user's messages of ``{"turns": […]}``; raises BadInput."""
    turns = given.get("turns")
    if not isinstance(turns, list) or not turns or not all(isinstance(turn, str) for turn in turns):
        raise BadInput('give {"turns": ["…", …]} with at least one question')
    for number, turn in enumerate(turns, start=1):
        try:
            check_question(turn, max_chars)
        except BadQuestion as error:
            raise BadInput(f"turn {number}: {one_line(error)}") from error
    return turns


def resolve(given: dict[str, Any], pipeline: Pipeline, max_chars: int) -> list[dict[str, Any]]:
    """One object a turn, of one conversation that is kept nowhere."""
    ttl = pipeline.parts.ruleset.conversation.focus_ttl_turns
    state = ConversationState(conversation_id="command-line")
    resolved: list[dict[str, Any]] = []
    for question in turns_of(given, max_chars):
        asked_at = state.turn_count
        result = pipeline.run(question, state)
        state = result.state
        resolved.append(_resolved(result.trace, expire(state.focus, asked_at, ttl)))
    return resolved


def _resolved(trace: Trace, focus: Focus) -> dict[str, Any]:
    resolved = trace.resolved
    return {
        "drug_ids": list(resolved.drug_ids),
        "drug_id": focus.drug_id,
        "section_key": resolved.section_key,
        "population": resolved.population,
        "verbosity": resolved.verbosity,
        "intent": resolved.intent,
        "inherited": resolved.inherited,
        "is_smalltalk": resolved.intent == "smalltalk",
        "outcome": trace.outcome,
        "reject_reason": trace.reject_reason,
    }
