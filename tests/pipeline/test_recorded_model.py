"""Turns of a real model (Qwen2.5-Coder-1.5B over the demo corpus), its words as it said them: run again they are the same from each stage.

What the model was asked follows the rules of today; what it said is kept in ``recorded/``, so that a change of rules never makes it
say more than it did.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from duocthu_core.bootstrap import configured_corpus
from duocthu_core.conversation.model import ConversationState
from duocthu_core.corpus.collection import Corpus
from duocthu_core.language_models.openai_compatible import OpenAICompatibleModel
from duocthu_core.pipeline.replaying import replay
from duocthu_core.pipeline.running import Pipeline
from duocthu_core.pipeline.trace import STAGE_ORDER, Trace
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.settings import load_settings
from tests.pipeline.real_model import free
from tests.pipeline.test_replaying import result_of, stored
from tests.servers.openai_server import fails, openai_server, reply
from tests.servers.scripted_http import ScriptedServer

_FOLDER = Path(__file__).parent / "recorded"


class Recorded(BaseModel):
    """A turn's question and what the model replied, call by call."""

    question: str
    model: str
    outcome: str
    reject_reason: str | None
    replies: list[str]


def recorded() -> list[Recorded]:
    return [Recorded.model_validate(json.loads(path.read_text(encoding="utf-8"))) for path in sorted(_FOLDER.glob("*.json"))]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return configured_corpus(load_settings(_env_file=None))


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """Whatever is asked beyond the recorded replies fails."""
    with openai_server() as running:
        running.default = fails(503, "nothing more was recorded")
        yield running


def asked(server: ScriptedServer, turn: Recorded, pipeline: Pipeline) -> Trace:
    """The turn, its calls answered with the recorded words."""
    for text in turn.replies:
        body = reply(text)
        server.then(lambda exchange, body=body: exchange.send(200, body))
    return stored(pipeline.run(turn.question, ConversationState(conversation_id="c")).trace)


@pytest.mark.parametrize("turn", recorded(), ids=lambda turn: turn.question)
def test_it_comes_out_byte_for_byte_the_same_from_every_stage(
    server: ScriptedServer, corpus: Corpus, ruleset: Ruleset, turn: Recorded
) -> None:
    model = OpenAICompatibleModel(f"{server.url}/v1", turn.model)
    pipeline = Pipeline(corpus, ruleset, model, model, price=free)
    parent = asked(server, turn, pipeline)
    calls = len(server.received)
    assert calls == parent.totals.model_calls >= 1
    for start in (None, *STAGE_ORDER):
        again = replay(pipeline, parent, start=start)
        ours, theirs = (json.dumps(result_of(trace), ensure_ascii=False) for trace in (again.trace, parent))
        assert ours.encode() == theirs.encode(), start
        assert again.fresh_calls == ()
    assert len(server.received) == calls, "nothing was asked again"


@pytest.mark.parametrize("turn", recorded(), ids=lambda turn: turn.question)
def test_what_the_model_got_wrong_does_not_reach_a_reader(server: ScriptedServer, corpus: Corpus, ruleset: Ruleset, turn: Recorded) -> None:
    model = OpenAICompatibleModel(f"{server.url}/v1", turn.model)
    trace = asked(server, turn, Pipeline(corpus, ruleset, model, model, price=free))
    assert (trace.outcome, trace.reject_reason) == (turn.outcome, turn.reject_reason)
