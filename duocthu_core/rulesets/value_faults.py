"""What is wrong with the values of a ruleset, told by what to write instead: the validator's own words are for programmers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pydantic import BaseModel, ValidationError
from rapidfuzz import fuzz, process

from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.problems import Problem, ProblemCode

_CODES: dict[str, ProblemCode] = {
    "missing": "missing",
    "extra_forbidden": "unknown",
    "less_than_equal": "too_large",
    "greater_than_equal": "too_small",
    "literal_error": "not_offered",
    "too_short": "too_few",
    "too_long": "too_many",
    "tuple_type": "no_list",
    "list_type": "no_list",
    "dict_type": "no_mapping",
    "model_type": "no_mapping",
    "model_attributes_type": "no_mapping",
    "string_type": "no_text",
    "bool_type": "no_switch",
    "bool_parsing": "no_switch",
    "int_type": "no_whole_number",
    "int_parsing": "no_whole_number",
    "int_parsing_size": "no_whole_number",
    "int_from_float": "no_whole_number",
    "float_type": "no_number",
    "float_parsing": "no_number",
    "finite_number": "no_number",
}
"""What pydantic calls a fault -> what it is called here."""
_LIMITS = {"ge": "least", "min_length": "least", "le": "most", "max_length": "most", "actual_length": "actual"}
_ALIKE_MIN = 70.0
_SHOWN = 60


def problems_of(error: ValidationError, line_of: Callable[[tuple[str | int, ...]], int | None] | None) -> list[Problem]:
    """The faults of a ruleset in the order of its text; ``line_of`` gives the line of a place, where there is a text."""
    found = [_problem(fault, line_of) for fault in error.errors(include_url=False)]
    found = [problem for problem in found if not (problem.code == "too_few" and _has_wrong_items(problem, found))]
    return sorted(found, key=lambda problem: problem.line or 0)


def nearest(key: str, known: Iterable[str]) -> str:
    """The known key that ``key`` was probably meant to be; empty where none looks like it."""
    best = process.extractOne(key.lower(), list(known), scorer=fuzz.ratio, processor=str.lower, score_cutoff=_ALIKE_MIN)
    return best[0] if best is not None else ""


def _problem(fault: Any, line_of: Callable[[tuple[str | int, ...]], int | None] | None) -> Problem:
    place: tuple[str | int, ...] = fault["loc"]
    code: ProblemCode = _CODES.get(fault["type"], "bad_value")
    limits: dict[str, Any] = fault.get("ctx", {})
    values = {"word": str(place[-1]) if place else "", "given": str(fault.get("input"))[:_SHOWN]}
    values |= {name: f"{limits[key]:g}" for key, name in _LIMITS.items() if key in limits}
    detail = fault["msg"]
    if code == "not_offered":
        values["offered"] = str(limits.get("expected", "")).replace("'", "").replace(" or ", ", ")
    if code == "unknown" and (near := nearest(values["word"], _keys_beside(place))):
        values["near"] = near
        detail += f"; did you mean {near!r}?"
    line = line_of(place) if line_of is not None else None
    return Problem(code=code, place=".".join(_step(step) for step in place), line=line, detail=detail, values=values)


def _step(step: str | int) -> str:
    return str(step + 1) if isinstance(step, int) else step  # a person counts from one


def _has_wrong_items(problem: Problem, found: Iterable[Problem]) -> bool:
    """A list with items that are no texts counts as too short, which says nothing more."""
    return any(other.place.startswith(f"{problem.place}.") for other in found)


def _keys_beside(place: tuple[str | int, ...]) -> Iterable[str]:
    """The keys that may stand where an unknown one was found."""
    model: type[BaseModel] = Ruleset
    for step in place[:-1]:
        field = model.model_fields.get(str(step))
        if field is None or not (isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)):
            return ()
        model = field.annotation
    return model.model_fields
