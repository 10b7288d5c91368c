"""Reading rulesets from YAML: one file of rules, one folder of phrase tables beside it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from duocthu_core.rulesets.documents import ruleset_of
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.problems import RulesetError
from duocthu_core.rulesets.yaml_text import YamlText, decoded

__all__ = ["RULESETS_FOLDER", "TABLE_NAMES", "RulesetError", "load_ruleset", "read_yaml", "shipped_names", "shipped_ruleset"]

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


def read_yaml(path: Path) -> Any:
    """The content of a YAML file in NFC, or a RulesetError that names the line."""
    return _yaml_of(path).content


def _yaml_of(path: Path) -> YamlText:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RulesetError(f"{path}: cannot be read ({error.strerror}); check the path") from error
    return YamlText(decoded(data, str(path)), str(path))


def load_ruleset(path: Path) -> Ruleset:
    """The ruleset of ``path`` (``NAME.yaml``) with the phrase tables of the folder that its ``tables`` key names.

    A file may also hold its tables itself, as an exported one does.
    """
    written = _yaml_of(path)
    content = written.content
    if not isinstance(content, dict):
        raise RulesetError(f"{path}: a ruleset is a mapping of its parts; see data/rulesets/default.yaml")
    if isinstance(content.get("tables"), dict):
        return ruleset_of(written)
    folder = path.parent / str(content.get("tables", "default"))
    tables = {name: read_yaml(folder / f"{name}.yaml") for name in TABLE_NAMES}
    return ruleset_of(written, tables=tables)


def shipped_names() -> tuple[str, ...]:
    """Names of the rulesets that ship."""
    return tuple(sorted(file.stem for file in RULESETS_FOLDER.glob("*.yaml")))


@lru_cache(maxsize=8)
def shipped_ruleset(name: str = "default") -> Ruleset:
    """A ruleset of ``data/rulesets``, read once."""
    path = RULESETS_FOLDER / f"{name}.yaml"
    if not path.is_file():
        raise RulesetError(f"there is no ruleset named {name!r}; known: {', '.join(shipped_names())}")
    return load_ruleset(path)
