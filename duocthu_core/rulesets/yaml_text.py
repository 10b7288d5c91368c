"""Rules as YAML text that a person reads and edits: read with the line of everything in it, written the same every time.

Reading what was written gives the same rules and writing them again the same bytes, so that a file under version control changes only where
a rule does.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any, cast

import yaml

from duocthu_core.rulesets.problems import Problem, RulesetProblems

_WIDTH = 1_000_000
"""No line is broken but where the text breaks it: one rule, one line of a comparison."""
Path = Sequence[str | int]


class _Repeated(Exception):
    def __init__(self, key: object, line: int) -> None:
        super().__init__(key)
        self.key, self.line = key, line


class _StrictLoader(yaml.CSafeLoader):
    """A safe loader that refuses a repeated key, which plain YAML silently overwrites."""


def _mapping_without_repeats(loader: _StrictLoader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: set[Any] = set()
    for key_node, _ in node.value:
        key = loader.construct_object(key_node, deep=True)  # pyright: ignore[reportUnknownMemberType]
        if key in seen:
            raise _Repeated(key, key_node.start_mark.line + 1)
        seen.add(key)
    return loader.construct_mapping(node, deep=True)


_StrictLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping_without_repeats)


class YamlText:
    """A YAML text in NFC and the line of each of its parts; raises :class:`RulesetProblems` where it is no YAML."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self._text = unicodedata.normalize("NFC", text)
        self.content: Any = self._read()
        self._node: yaml.Node | None = None

    def _read(self) -> Any:
        try:
            return yaml.load(self._text, Loader=_StrictLoader)  # noqa: S506 - a subclass of the safe loader
        except _Repeated as error:
            problem = Problem(code="repeated_key", place="", line=error.line, detail=f"the key {error.key!r} is given twice; keep one")
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            detail = f"no valid YAML: {error.problem or error.context or 'it breaks off'}"
            problem = Problem(code="no_yaml", place="", line=mark.line + 1 if mark else None, detail=detail)
        except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
            line = self._text.count("\n", 0, getattr(error, "position", 0)) + 1 if hasattr(error, "position") else None
            problem = Problem(code="no_yaml", place="", line=line, detail=f"no valid YAML: {' '.join(str(error).split())[:200]}")
        raise RulesetProblems(self.source, [problem])

    def line_of(self, path: Path) -> int | None:
        """Line (from 1) of the part at ``path``, or of the nearest part above it."""
        if self._node is None:
            self._node = yaml.compose(self._text, Loader=yaml.CSafeLoader)
        node, line = self._node, None
        for step in path:
            found = _child(node, step)
            if found is None:
                break
            line, node = found
        return line if line is not None else (node.start_mark.line + 1 if node is not None else None)


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
