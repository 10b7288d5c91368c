"""Whether edited tables have the form of those that ship: what every reader of a table relies on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from duocthu_core.rulesets.problems import Problem, ProblemCode

_WORDS = {dict: "a mapping", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number", type(None): "nothing"}
_NUMBERS = (int, float)
_TABLES_OF_MESSAGES = frozenset({"severity"})
"""Every key of theirs is a code of the program."""
_NEIGHBOURS = 3
"""From so many entries on, what all of them have is no accident."""
Path = tuple[str | int, ...]
Fault = tuple[Path, Problem]


def shape_problems(tables: Mapping[str, Any], shipped: Mapping[str, Any]) -> Iterator[Fault]:
    """What ``tables`` lack of ``shipped``, or have as another kind of thing, each with its path."""
    for name, table in shipped.items():
        if name not in tables:
            yield (name,), Problem(code="missing", place=f"tables.{name}", detail="the table is missing")
            continue
        for key in table:
            if key not in tables[name]:
                yield (name,), Problem(code="missing", place=f"tables.{name}.{key}", detail=f"the key {key!r} is missing")
        yield from _differing(tables[name], table, (name,))


def _differing(value: Any, model: Any, path: Path, required: frozenset[str] | None = None) -> Iterator[Fault]:
    """``required``: keys that a mapping must have where its neighbours in the rules that ship all have them."""
    if not _same_kind(value, model):
        detail = f"{_kind(value)} stands where the rules that ship have {_kind(model)}"
        yield path, _problem("wrong_kind", path, detail)
    elif isinstance(model, dict):
        yield from _differing_mapping(value, model, path, required)
    elif isinstance(model, list) and model:
        yield from _differing_list(value, model, path)


def _differing_mapping(value: dict[Any, Any], model: dict[Any, Any], path: Path, required: frozenset[str] | None) -> Iterator[Fault]:
    is_record = required is not None or _is_record(model, path)
    for key in sorted((required if required is not None else frozenset(model)) if is_record else ()):
        if key not in value:
            yield path, _problem("missing", (*path, key), f"the key {key!r} is missing")
    common = None if is_record else _common_keys(model.values())
    for key, item in value.items():
        if key in model:
            yield from _differing(item, model[key], (*path, key), common)
        elif item is None:
            yield (*path, key), _problem("wrong_kind", (*path, key), "nothing stands behind the key")
        else:
            yield from _lacking(item, common, (*path, key))


def _differing_list(value: list[Any], model: list[Any], path: Path) -> Iterator[Fault]:
    kinds = {type(item) for item in model}
    common = _common_keys(model)
    for number, item in enumerate(value):
        if not any(_same_kind(item, kind()) for kind in kinds if kind is not type(None)) and type(None) not in kinds:
            expected = " or ".join(sorted({_WORDS.get(kind, kind.__name__) for kind in kinds}))
            yield (
                (*path, number),
                _problem("wrong_kind", (*path, number + 1), f"{_kind(item)} stands in a list of {expected}"),
            )
        else:
            yield from _lacking(item, common, (*path, number))


def _lacking(value: Any, required: frozenset[str] | None, path: Path) -> Iterator[Fault]:
    if required and isinstance(value, dict):
        for key in sorted(required - set(value)):
            yield path, _problem("missing", (*path, key), f"the key {key!r} is missing: all its neighbours have it")


def _is_record(model: dict[Any, Any], path: Path) -> bool:
    """Whether the keys are names that the program looks for, not entries of a dictionary that a person may add to and take from."""
    if path[0] in _TABLES_OF_MESSAGES or any(str(key).endswith(("_vi", "_en")) or key in ("vi", "en") for key in model):
        return True
    return len({type(item) for item in model.values()}) > 1


def _common_keys(entries: Iterable[Any]) -> frozenset[str] | None:
    """Keys that all entries have, where all are mappings."""
    found = list(entries)
    if len(found) < _NEIGHBOURS or not all(isinstance(entry, dict) for entry in found):
        return None
    return frozenset.intersection(*(frozenset(map(str, entry)) for entry in found))


def _problem(code: ProblemCode, path: Path, detail: str) -> Problem:
    return Problem(code=code, place=".".join(map(str, ("tables", *path))), detail=detail)


def _same_kind(value: Any, model: Any) -> bool:
    if isinstance(value, bool) or isinstance(model, bool):
        return isinstance(value, bool) and isinstance(model, bool)
    if isinstance(model, _NUMBERS):
        return isinstance(value, _NUMBERS)
    return model is None or isinstance(value, type(model)) or (isinstance(model, str) and isinstance(value, _NUMBERS))


def _kind(value: Any) -> str:
    return _WORDS.get(type(value), type(value).__name__)
