"""Rules as YAML text that a person reads and edits: read with the line of everything in it, written the same every time.

Reading what was written gives the same rules and writing them again the same bytes, so that a file under version control changes only where
a rule does. What is read is plain: texts, numbers, true and false, lists, mappings whose keys are texts. A word stays a word:
``no``, ``on``, ``off`` and ``12:30`` are texts here, though YAML 1.1 reads them as something else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, cast

import yaml

from duocthu_core.rulesets.problems import Problem, ProblemCode, RulesetProblems
from duocthu_core.rulesets.yaml_faults import problem_of, problem_of_character

MOST_CHARS = 2_000_000
"""Longest text that is read: the rules that ship, with all their tables, take a fifth of it."""
_WIDTH = 1_000_000
"""No line is broken but where the text breaks it: one rule, one line of a comparison."""
_LONGEST_NUMBER = 400
Path = Sequence[str | int]


class _Fault(Exception):
    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


class _PlainLoader(yaml.CSafeLoader):
    """Reads plain values alone."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}


_TAG = "tag:yaml.org,2002:"
# Each a part of what YAML 1.1 reads as such: what is written quotes all of that, so that a text is never read back as a number.
_PlainLoader.add_implicit_resolver(f"{_TAG}bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"), list("tTfF"))
_PlainLoader.add_implicit_resolver(f"{_TAG}int", re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z"), list("-+0123456789"))
_PlainLoader.add_implicit_resolver(
    f"{_TAG}float", re.compile(r"(?:[-+]?[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?\Z"), list("-+0123456789.")
)
_PlainLoader.add_implicit_resolver(f"{_TAG}null", re.compile(r"(?:~|null|Null|NULL|)\Z"), ["~", "n", "N", ""])
_PLAIN_TAGS = frozenset(f"{_TAG}{name}" for name in ("bool", "int", "float", "null", "str", "seq", "map"))


def _number(loader: _PlainLoader, node: yaml.ScalarNode) -> int | float:
    text = loader.construct_scalar(node)
    try:
        if len(text) <= _LONGEST_NUMBER:
            return int(text) if node.tag.endswith("int") else float(text)
    except ValueError:
        pass
    problem = Problem(code="no_number", place="", line=node.start_mark.line + 1, detail=f"{text[:40]!r} is no number that can be read")
    raise _Fault(problem)


def _mapping(loader: _PlainLoader, node: yaml.MappingNode) -> dict[str, Any]:
    return {key.value: loader.construct_object(value, deep=True) for key, value in node.value}  # pyright: ignore[reportUnknownMemberType]


_PlainLoader.add_constructor(f"{_TAG}int", _number)
_PlainLoader.add_constructor(f"{_TAG}float", _number)
_PlainLoader.add_constructor(f"{_TAG}map", _mapping)


def decoded(data: bytes, source: str) -> str:
    """The text of a file in UTF-8, with or without a mark at its beginning; raises :class:`RulesetProblems` with the line of the first
    byte that is none."""
    if len(data) > MOST_CHARS * 4:
        raise RulesetProblems(source, [_too_big(len(data))])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        detail = f"no UTF-8 text ({error.reason}); save the file as UTF-8"
        raise RulesetProblems(source, [Problem(code="not_utf8", place="", line=line, detail=f"no valid YAML: {detail}")]) from None


class YamlText:
    """A YAML text in NFC and the line of each of its parts; raises :class:`RulesetProblems` where it is no YAML."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        if len(text) > MOST_CHARS:
            raise RulesetProblems(source, [_too_big(len(text))])
        self.text = unicodedata.normalize("NFC", text)
        self._node, self.content = self._read()

    def _read(self) -> tuple[yaml.Node | None, Any]:
        try:
            loader = _PlainLoader(self.text)
            node = loader.get_single_node()
            problem = next(_faults(node), None) if node is not None else None
            if problem is None:
                return node, loader.construct_document(node) if node is not None else None  # pyright: ignore[reportUnknownMemberType]
        except _Fault as fault:
            problem = fault.problem
        except yaml.reader.ReaderError as error:
            problem = problem_of_character(error, self.text)
        except yaml.MarkedYAMLError as error:
            problem = problem_of(error, self.text)
        except RecursionError:
            problem = Problem(code="too_deep", place="", detail="no valid YAML: too many levels inside each other")
        except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError) as error:  # a tag before a value that is none of it
            problem = Problem(code="no_yaml", place="", detail=f"no valid YAML: {' '.join(str(error).split())[:200]}")
        raise RulesetProblems(self.source, [problem])

    def line_of(self, path: Path) -> int | None:
        """Line (from 1) of the part at ``path``, or of the nearest part above it."""
        node, line = self._node, None
        for step in path:
            found = _child(node, step)
            if found is None:
                break
            line, node = found
        return line if line is not None else (node.start_mark.line + 1 if node is not None else None)


def _too_big(size: int) -> Problem:
    detail = f"the text is too long ({size:,} characters; at most {MOST_CHARS:,})"
    return Problem(code="too_big", place="", detail=detail, values={"size": str(size), "most": str(MOST_CHARS)})


def _faults(root: yaml.Node) -> Iterator[Problem]:
    """What the parser lets through and rules may not hold: references, tags, keys that are no text or stand twice."""
    seen: set[int] = set()
    waiting: list[tuple[yaml.Node, int]] = [(root, root.start_mark.line)]
    while waiting:
        node, line = waiting.pop()
        if id(node) in seen:
            yield _fault("alias", line, "anchors and references (&, *) are not read; write the value out")
            return  # a reference may stand for ever more of them
        seen.add(id(node))
        if node.tag not in _PLAIN_TAGS:
            yield _fault("tag", line, f"the tag {node.tag[:60]!r} is not read; write the value alone", tag=node.tag.removeprefix(_TAG)[:60])
        if isinstance(node, yaml.MappingNode):
            pairs = cast("list[tuple[yaml.Node, yaml.Node]]", node.value)
            yield from _key_faults(pairs)
            waiting += [(value, key.start_mark.line) for key, value in pairs]
        elif isinstance(node, yaml.SequenceNode):
            waiting += [(item, item.start_mark.line) for item in cast("list[yaml.Node]", node.value)]


def _key_faults(pairs: Sequence[tuple[yaml.Node, yaml.Node]]) -> Iterator[Problem]:
    lines: dict[str, int] = {}
    for key, _ in pairs:
        line = key.start_mark.line
        if not isinstance(key, yaml.ScalarNode):
            yield _fault("bad_value", line, "a key is one text")
        elif key.value in lines:
            detail = f"the key {key.value!r} is given twice (first in line {lines[key.value] + 1}); keep one"
            yield _fault("repeated_key", line, detail, word=key.value, first=str(lines[key.value] + 1))
        else:
            lines[key.value] = line


def _fault(code: ProblemCode, line: int, detail: str, **values: str) -> Problem:
    return Problem(code=code, place="", line=line + 1, detail=detail, values=values)


def _child(node: yaml.Node | None, step: str | int) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
            if key.value == str(step):
                return key.start_mark.line + 1, value
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step].start_mark.line + 1, node.value[step]
    return None


class _ReadableDumper(yaml.SafeDumper):
    """Long texts as blocks, lists set in, no aliases."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002 - the base names it
        super().increase_indent(flow, indentless=False)

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _string(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_ReadableDumper.add_representer(str, _string)


def yaml_text(content: Any) -> str:
    """``content`` (plain JSON values) as YAML, its keys in their order."""
    return yaml.dump(content, Dumper=_ReadableDumper, allow_unicode=True, sort_keys=False, width=_WIDTH, default_flow_style=False)
