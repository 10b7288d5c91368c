"""Reading a model's reply as exactly one JSON object (spec 04, "Claims, one representation"; the judge's replies go the same way).

A reply is written by a model, so nothing about it is trusted: it may be wrapped in a code fence or prose, cut off, hold two
objects that disagree, repeat a key (plain JSON readers keep the last silently), nest without end or hold numbers of a megabyte.
Whatever is wrong with it, the one error that leaves this module is :class:`MalformedOutput`.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NoReturn

from duocthu_core.language_models.port import StopReason

MAX_REPLY_CHARS = 1_000_000
"""A reply of a few claims has a few thousand; beyond this it is not read at all."""


class MalformedOutput(Exception):
    """A reply that has not the agreed form. ``why`` says what is wrong with it, for the trace; it never quotes the reply at length."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def read_object(reply: str, stop_reason: StopReason = "end_turn") -> dict[str, Any]:
    """The one JSON object of ``reply``, which may stand in a code fence or among prose.

    Raises :class:`MalformedOutput` for a reply that was cut off, has no object or more than one, repeats a key, holds NaN, Infinity
    or half a surrogate pair, or is no JSON at all.
    """
    if stop_reason == "max_tokens":
        raise MalformedOutput("the reply was cut off at the output limit")
    if len(reply) > MAX_REPLY_CHARS:
        raise MalformedOutput(f"the reply has {len(reply)} characters; at most {MAX_REPLY_CHARS} are read")
    start = reply.find("{")
    if start < 0:
        raise MalformedOutput("the reply holds no JSON object")
    found, end = _decode(reply, start)
    before, after = reply[:start].rstrip(), reply[end:].lstrip()
    if "{" in after or "}" in after or "}" in before:
        raise MalformedOutput("the reply holds more than one JSON object, or braces beside it")
    if before.endswith("[") and after.startswith(("]", ",")):
        raise MalformedOutput("the reply is a JSON list, not an object")
    return found


def _decode(reply: str, start: int) -> tuple[dict[str, Any], int]:
    try:
        found, end = _DECODER.raw_decode(reply, start)
        json.dumps(found, ensure_ascii=False).encode("utf-8")  # half a surrogate pair can be escaped into JSON and breaks every store
    except MalformedOutput:
        raise
    except UnicodeEncodeError:
        raise MalformedOutput("the reply holds half a surrogate pair") from None
    except RecursionError:
        raise MalformedOutput("the reply is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise MalformedOutput(f"no valid JSON object: {error.msg} at character {error.pos}") from None
    except ValueError as error:
        raise MalformedOutput(f"no valid JSON object: {str(error)[:120]}") from None
    return found, end


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        repeated = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise MalformedOutput(f"the key {repeated[:40]!r} is given twice")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise MalformedOutput(f"{name} is no JSON value")


_DECODER = json.JSONDecoder(object_pairs_hook=_without_repeats, parse_constant=_refuse_constant)
