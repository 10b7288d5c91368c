"""Whether edited tables have the form of those that ship: what every reader of a table relies on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from duocthu_core.rulesets.problems import Kind, Problem
from duocthu_core.rulesets.value_faults import nearest

_KINDS: dict[type, Kind] = {
    dict: "mapping",
    list: "list",
    str: "text",
    bool: "switch",
    int: "number",
    float: "number",
    type(None): "nothing",
}
"""In this order: a switch counts as a number in Python."""
_WORDS: dict[Kind, str] = {
    "mapping": "a mapping",
    "list": "a list",
    "text": "text",
    "switch": "true or false",
    "number": "a number",
    "nothing": "nothing",
}
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
            yield (name,), _missing((), name, "the table is missing", tables, shipped)
            continue
        for key in table:
            if key not in tables[name]:
                yield (name,), _missing((name,), str(key), f"the key {key!r} is missing", tables[name], table)
        yield from _differing(tables[name], table, (name,))


def emptied(tables: Mapping[str, Any], shipped: Mapping[str, Any]) -> Iterator[Fault]:
    """Lists that hold nothing where those that ship hold something, and empty texts in lists of texts: a check whose words were all taken
    away lets everything pass, and a word without a letter is found everywhere."""
    for name, table in shipped.items():
        if isinstance(tables.get(name), dict):
            yield from _emptied(tables[name], table, (name,), blank_ships=False)


def _emptied(value: Any, model: Any, path: Path, *, blank_ships: bool) -> Iterator[Fault]:
    """``blank_ships``: an empty text means something in this part of the table."""
    if value == model:
        return
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _emptied(item, model.get(key) if isinstance(model, dict) else None, (*path, key), blank_ships=blank_ships)
    elif isinstance(value, list):
        known = model if isinstance(model, list) else []
        blank_ships = blank_ships or _has_blank(known)
        if known and not value:
            yield path, Problem(code="empty_list", place=_place(path), detail="the list is empty; leave at least one entry")
        for number, item in enumerate(value):
            if item in known:
                continue
            if isinstance(item, str) and not item.strip() and not blank_ships:
                detail = "the text is empty; write it, or take the entry out"
                yield (*path, number), Problem(code="empty_text", place=_place((*path, number + 1)), detail=detail)
            beside = known[number] if len(known) == len(value) else None
            yield from _emptied(item, beside, (*path, number), blank_ships=blank_ships)


def _has_blank(value: Any) -> bool:
    return any(_has_blank(item) for item in value) if isinstance(value, list) else isinstance(value, str) and not value.strip()


def _differing(value: Any, model: Any, path: Path, required: frozenset[str] | None = None) -> Iterator[Fault]:
    """``required``: keys that a mapping must have where its neighbours in the rules that ship all have them."""
    if not _same_kind(value, model):
        yield path, _wrong_kind(path, value, [model])
    elif isinstance(model, dict):
        yield from _differing_mapping(value, model, path, required)
    elif isinstance(model, list) and model:
        yield from _differing_list(value, model, path)


def _differing_mapping(value: dict[Any, Any], model: dict[Any, Any], path: Path, required: frozenset[str] | None) -> Iterator[Fault]:
    is_record = required is not None or _is_record(model, path)
    for key in sorted((required if required is not None else frozenset(model)) if is_record else ()):
        if key not in value:
            yield path, _missing(path, key, f"the key {key!r} is missing", value, model)
    common = None if is_record else _common_keys(model.values())
    for key, item in value.items():
        if key in model:
            yield from _differing(item, model[key], (*path, key), common)
        elif item is None:
            yield (*path, key), _wrong_kind((*path, key), None, list(model.values()))
        else:
            yield from _lacking(item, common, (*path, key))


def _differing_list(value: list[Any], model: list[Any], path: Path) -> Iterator[Fault]:
    kinds = {type(item) for item in model}
    common = _common_keys(model)
    for number, item in enumerate(value):
        if not any(_same_kind(item, kind()) for kind in kinds if kind is not type(None)) and type(None) not in kinds:
            yield (*path, number), _wrong_kind((*path, number + 1), item, model)
        else:
            yield from _lacking(item, common, (*path, number))


def _lacking(value: Any, required: frozenset[str] | None, path: Path) -> Iterator[Fault]:
    if required and isinstance(value, dict):
        for key in sorted(required - set(value)):
            yield path, _missing(path, key, f"the key {key!r} is missing: all its neighbours have it", value, required)


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


def _missing(path: Path, key: str, detail: str, beside: Iterable[Any], known: Iterable[Any]) -> Problem:
    """``beside``: the keys that stand where this one is missing. One of them that nobody ``known`` looks like it was meant to be it."""
    near = nearest(key, set(map(str, beside)) - set(map(str, known)))
    values = {"word": key} | ({"near": near} if near else {})
    return Problem(code="missing", place=_place((*path, key)), detail=detail, values=values)


def _wrong_kind(path: Path, value: Any, models: list[Any]) -> Problem:
    """``models``: what the rules that ship have there, or beside it."""
    expected: list[Kind] = list(dict.fromkeys(_kind(model) for model in models))
    detail = f"{_WORDS[_kind(value)]} stands where the rules that ship have {' or '.join(_WORDS[kind] for kind in expected)}"
    return Problem(code="wrong_kind", place=_place(path), detail=detail, values={"found": _kind(value), "expected": " ".join(expected)})


def _place(path: Path) -> str:
    return ".".join(map(str, ("tables", *path)))


def _same_kind(value: Any, model: Any) -> bool:
    if isinstance(value, bool) or isinstance(model, bool):
        return isinstance(value, bool) and isinstance(model, bool)
    if isinstance(model, _NUMBERS):
        return isinstance(value, _NUMBERS)
    return model is None or isinstance(value, type(model)) or (isinstance(model, str) and isinstance(value, _NUMBERS))


def _kind(value: Any) -> Kind:
    found: Iterator[Kind] = (kind for known, kind in _KINDS.items() if isinstance(value, known))
    return next(found)
