"""One catalogue holds every word on the screen (spec 06): nothing is missing, nothing is left over, nothing stands in page code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from duocthu_core.cache.model import StalenessRule
from duocthu_core.language_models.port import ModelErrorKind, Purpose, StopReason
from duocthu_core.pipeline.kept_verdicts import UnusableRule
from duocthu_core.pipeline.trace import Outcome, StageName, StageStatus
from duocthu_core.text.catalogue import LANGUAGES, LOCALES, Language, catalogue
from duocthu_core.understanding.model import Intent
from duocthu_core.verification.model import DetailKind, RejectReason, Stance, VerdictStatus
from pages.frame.address import View

PAGES = Path(__file__).resolve().parents[2] / "pages"
REPORT = PAGES.parent / "duocthu_core" / "exports" / "report_lines.py"
MARK = re.compile(r"\{\w+\}")


def read(language: Language) -> Catalog:
    with (LOCALES / language / "LC_MESSAGES" / "workbench.po").open("rb") as file:
        return read_po(file, locale=language)


def messages(language: Language) -> dict[str, Message]:
    return {_key(message): message for message in read(language) if message.id}


def _key(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def _texts(message: Message) -> list[str]:
    return [message.string] if isinstance(message.string, str) else list(message.string or ())


def source_files() -> list[Path]:
    return sorted(PAGES.rglob("*.py"))


def _strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of every string of a file that is no docstring and no line of the server's log."""
    described = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    documentation = {
        id(statement.value)
        for node in ast.walk(tree)
        for statement in (node.body if isinstance(node, described) else [])
        if isinstance(statement, ast.Expr)
    }
    logged = {
        id(argument)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "_log"
        for argument in node.args
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation | logged:
            yield node.lineno, node.value


def used_keys() -> tuple[set[str], set[str]]:
    """Keys that pages ask for by name, and beginnings of keys that are completed from a code (``stage.``)."""
    whole: set[str] = set()
    begun: set[str] = set()
    for path in [*source_files(), REPORT]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
                continue
            first = node.args[0]
            if node.func.id == "word" and isinstance(first, ast.Constant):
                begun.add(f"{first.value}.")
            elif node.func.id in ("_", "_n", "knows", "say"):
                for choice in (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,):
                    if isinstance(choice, ast.Constant):
                        whole.add(str(choice.value))
                    elif isinstance(choice, ast.JoinedStr) and isinstance(choice.values[0], ast.Constant):
                        begun.add(str(choice.values[0].value))
    return whole, begun


def test_both_languages_have_the_same_keys() -> None:
    assert set(messages("vi")) == set(messages("en"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_is_missing(language: Language) -> None:
    empty = [key for key, message in messages(language).items() if not all(text.strip() for text in _texts(message))]
    assert empty == []


def test_no_sentence_is_doubtful() -> None:
    assert [key for language in LANGUAGES for key, message in messages(language).items() if message.fuzzy] == []


def test_both_languages_fill_the_same_marks() -> None:
    english = messages("en")
    different = [
        key
        for key, message in messages("vi").items()
        if {mark for text in _texts(message) for mark in MARK.findall(text)}
        != {mark for text in _texts(english[key]) for mark in MARK.findall(text)}
    ]
    assert different == []


def test_every_key_that_a_page_asks_for_is_in_the_catalogue() -> None:
    whole, begun = used_keys()
    known = set(messages("vi"))
    assert whole - known - {key for key in whole if key.endswith(".")} == set()
    assert {start for start in begun if not any(key.startswith(start) for key in known)} == set()


def test_no_key_is_left_over() -> None:
    whole, begun = used_keys()
    plain = {text for path in source_files() for _line, text in _strings(ast.parse(path.read_text(encoding="utf-8")))}
    begun |= {text for text in plain if text.endswith(".") and text[:-1].isidentifier()}  # key = f"why.{code}"
    left = {key for key in messages("vi") if key not in whole | plain and not key.startswith(tuple(begun))}
    assert left == set()


@pytest.mark.parametrize(
    ("family", "codes"),
    [
        ("stage", get_args(StageName)),
        ("state", (*get_args(StageStatus), "running", "waiting")),
        ("state_title", get_args(StageStatus)),
        ("outcome", get_args(Outcome)),
        ("reason", get_args(RejectReason)),
        ("detail", get_args(DetailKind)),
        ("intent", get_args(Intent)),
        ("stance", get_args(Stance)),
        ("status", get_args(VerdictStatus)),
        ("purpose", get_args(Purpose)),
        ("stop_reason", get_args(StopReason)),
        ("error_kind", get_args(ModelErrorKind)),
        ("view", get_args(View)),
        ("cache_rule", (*get_args(StalenessRule), *get_args(UnusableRule), "cache_unavailable")),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_of_the_core_has_a_word(family: str, codes: tuple[str, ...], language: Language) -> None:
    known = messages(language)
    assert [code for code in codes if f"{family}.{code}" not in known] == []


def test_every_pipeline_code_has_a_sentence() -> None:
    """The codes of ``Why`` are written in the stages; a new one needs a sentence here."""
    stages = PAGES.parent / "duocthu_core" / "pipeline" / "stages"
    calls = re.compile(r"""(?:ran|stopped)\(\s*(?:[^()"]|\([^()]*\))*?,\s*"([a-z_]+)"|Why\(code="([a-z_]+)\"""")
    codes = {a or b for path in stages.glob("*.py") for a, b in calls.findall(path.read_text(encoding="utf-8"))}
    assert len(codes) > 10, "the pattern no longer finds the codes"
    reasons = set(get_args(RejectReason))
    known = messages("vi")
    assert {code for code in codes if f"why.{code}" not in known and code not in reasons} == set()


def test_the_catalogue_loads_and_counts() -> None:
    assert catalogue("vi").gettext("live.title") == "Hỏi đáp"
    assert catalogue("en").ngettext("strip.calls", "strip.calls", 1) == "{n} call"
    assert catalogue("en").ngettext("strip.calls", "strip.calls", 2) == "{n} calls"


VIETNAMESE = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")
SENTENCE = re.compile(r"[A-Za-z]{2,} [a-z]{2,}")


def test_no_page_holds_text_of_its_own() -> None:
    found = [
        f"{path.relative_to(PAGES)}:{line}: {text!r}"
        for path in source_files()
        for line, text in _strings(ast.parse(path.read_text(encoding="utf-8")))
        if VIETNAMESE.search(text) or SENTENCE.search(text)
    ]
    assert found == []


def test_no_component_holds_text_of_its_own() -> None:
    code_only = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
    found = [
        str(path.relative_to(PAGES))
        for ending in ("js", "html")
        for path in sorted(PAGES.rglob(f"*.{ending}"))
        if VIETNAMESE.search(code_only.sub("", path.read_text(encoding="utf-8")))
    ]
    assert found == []


def test_every_message_of_a_finding_has_a_sentence() -> None:
    """The checks name the sentence for a reader; a new name needs one here."""
    named: set[str] = set()
    for path in (PAGES.parent / "duocthu_core" / "verification").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            given = [argument.value for argument in node.keywords if argument.arg == "message"]
            if isinstance(node.func, ast.Attribute) and node.func.attr == "finding":
                given += node.args[1:2]
            named |= {str(value.value) for value in given if isinstance(value, ast.Constant)}
    assert len(named) > 10, "the pattern no longer finds the names"
    known = messages("vi")
    assert {name for name in named if f"finding.{name}" not in known} == set()
