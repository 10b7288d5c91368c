"""Whether edited tables have the form of those that ship: what every reader of a table relies on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from duocthu_core.rulesets.problems import Problem

_WORDS = {dict: "a mapping", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number", type(None): "nothing"}
_NUMBERS = (int, float)


def shape_problems(tables: Mapping[str, Any], shipped: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], Problem]]:
    """What ``tables`` lack of ``shipped``, or have as another kind of thing, each with its path."""
    for name, table in shipped.items():
        if name not in tables:
            yield (name,), Problem(code="missing", place=f"tables.{name}", detail="the table is missing")
            continue
        for key in table:
            if key not in tables[name]:
                yield (name,), Problem(code="missing", place=f"tables.{name}.{key}", detail=f"the key {key!r} is missing")
        yield from _differing(tables[name], table, (name,))


def _differing(value: Any, model: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Problem]]:
    if not _same_kind(value, model):
        detail = f"{_kind(value)} stands where the rules that ship have {_kind(model)}"
        yield path, Problem(code="wrong_kind", place=".".join(map(str, ("tables", *path))), detail=detail)
    elif isinstance(model, dict):
        for key in value:
            if key in model:
                yield from _differing(value[key], model[key], (*path, key))
            elif value[key] is None:
                place = ".".join(map(str, ("tables", *path, key)))
                yield (*path, key), Problem(code="wrong_kind", place=place, detail="nothing stands behind the key")
    elif isinstance(model, list) and model:
        kinds = {type(item) for item in model}
        for number, item in enumerate(value):
            if not any(_same_kind(item, known()) for known in kinds if known is not type(None)) and type(None) not in kinds:
                expected = " or ".join(sorted(_WORDS.get(kind, kind.__name__) for kind in kinds))
                place = ".".join(map(str, ("tables", *path, number + 1)))
                detail = f"{_kind(item)} stands in a list of {expected}; quote it if it is a word"
                yield (*path, number), Problem(code="wrong_kind", place=place, detail=detail)


def _same_kind(value: Any, model: Any) -> bool:
    if isinstance(value, bool) or isinstance(model, bool):
        return isinstance(value, bool) and isinstance(model, bool)
    if isinstance(model, _NUMBERS):
        return isinstance(value, _NUMBERS)
    return model is None or isinstance(value, type(model)) or (isinstance(model, str) and isinstance(value, _NUMBERS))


def _kind(value: Any) -> str:
    return _WORDS.get(type(value), type(value).__name__)
