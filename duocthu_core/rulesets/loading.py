"""Reading rulesets from YAML: one file of rules, one folder of phrase tables beside it."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from duocthu_core.rulesets.model import Ruleset

RULESETS_FOLDER = Path(__file__).resolve().parents[2] / "data" / "rulesets"
TABLE_NAMES = (
    "answering",
    "comparators",
    "dialogue",
    "frequency",
    "function_words",
    "guards",
    "lookalikes",
    "negations",
    "number_words",
    "populations",
    "routes",
    "safety",
    "sections",
    "severity",
    "units",
)


class RulesetError(Exception):
    """A ruleset that cannot be read; the message names the file and what to correct."""


class _StrictLoader(yaml.CSafeLoader):
    """A safe loader that refuses a repeated key, which plain YAML silently overwrites."""


def _mapping_without_repeats(loader: _StrictLoader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: set[Any] = set()
    for key_node, _ in node.value:
        key = loader.construct_object(key_node, deep=True)  # pyright: ignore[reportUnknownMemberType]
        if key in seen:
            raise RulesetError(f"{node.start_mark.name}, line {key_node.start_mark.line + 1}: key {key!r} is given twice; keep one")
        seen.add(key)
    return loader.construct_mapping(node, deep=True)


_StrictLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping_without_repeats)


def read_yaml(path: Path) -> Any:
    """The content of a YAML file in NFC, or a RulesetError that names the line."""
    try:
        text = unicodedata.normalize("NFC", path.read_text(encoding="utf-8"))
        return yaml.load(text, Loader=_StrictLoader)  # noqa: S506 - a subclass of the safe loader
    except OSError as error:
        raise RulesetError(f"{path}: cannot be read ({error.strerror}); check the path") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise RulesetError(f"{path}: no valid YAML: {' '.join(str(error).split())}") from error


def load_ruleset(path: Path) -> Ruleset:
    """The ruleset of ``path`` (``NAME.yaml``) with the phrase tables of the folder that its ``tables`` key names."""
    content = read_yaml(path)
    if not isinstance(content, dict):
        raise RulesetError(f"{path}: a ruleset is a mapping of its parts; see data/rulesets/default.yaml")
    folder = path.parent / str(content.pop("tables", "default"))
    tables = {name: read_yaml(folder / f"{name}.yaml") for name in TABLE_NAMES}
    try:
        return Ruleset(**content, tables=tables)
    except ValidationError as error:
        first = error.errors()[0]
        raise RulesetError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error


@lru_cache(maxsize=8)
def shipped_ruleset(name: str = "default") -> Ruleset:
    """A ruleset of ``data/rulesets``, read once."""
    path = RULESETS_FOLDER / f"{name}.yaml"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in RULESETS_FOLDER.glob("*.yaml")))
        raise RulesetError(f"there is no ruleset named {name!r}; known: {known}")
    return load_ruleset(path)
