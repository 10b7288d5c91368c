"""Hướng dẫn, without a browser: every reason has its entry, every address opens, and what the guide tells people to type exists."""

from __future__ import annotations

import re
import shlex
from typing import get_args

import pytest

from duocthu_core.bootstrap import Services
from duocthu_core.cli import main
from duocthu_core.text.catalogue import LANGUAGES, Language
from duocthu_core.verification.model import RejectReason
from pages.components.guide_text.guide_text import guide_data
from pages.components.turn_view.turn_view import turn_data
from pages.frame.guide_texts import FOLDER, REASONS_PART, guide_link, guide_parts, reason_entries
from tests.app import sample_traces as sample
from tests.app.conftest import Opening
from tests.app.test_words import _texts, messages

PAGE = "guide.py"
ROOT = FOLDER.parents[1]


def commands() -> list[str]:
    """Every command line of the guide that starts the product's own command."""
    lines = [line for part in guide_parts() for block in part.blocks for line in block.run.splitlines()]
    return [line.split("-m duocthu_core ", 1)[1] for line in lines if "-m duocthu_core " in line]


def test_every_reject_reason_has_one_entry() -> None:
    assert set(reason_entries()) == set(get_args(RejectReason))


@pytest.mark.parametrize("reason", get_args(RejectReason))
def test_each_reason_has_an_address_of_its_own(built: Services, reason: str) -> None:
    part = next(part for part in guide_parts() if part.part_id == REASONS_PART)
    entries = guide_data(part, reason, built.ruleset)["reasons"]
    assert [entry["code"] for entry in entries if entry["current"]] == [reason]
    assert guide_link(reason).startswith(f"huong-dan?reason={reason}&")


@pytest.mark.parametrize("query", [{}, *({"part": part.part_id} for part in guide_parts()), {"reason": "unit_mismatch"}, {"part": "<b>"}])
def test_every_chapter_and_every_address_opens(open_page: Opening, query: dict[str, str]) -> None:
    assert not open_page(PAGE, **query).exception


def test_an_unknown_reason_is_said_to_be_one(open_page: Opening) -> None:
    at = open_page(PAGE, reason="nothing")
    assert "Không có lý do nào" in at.warning[0].value


def test_a_turn_without_an_answer_leads_to_its_reason(built: Services) -> None:
    traces = [trace for trace in sample.conversation() if trace.reject_reason]
    assert traces
    for trace in traces:
        stop = turn_data(trace, built.ruleset, opened=True, newest=False)["stop"]
        assert stop["guide"]["href"] == guide_link(str(trace.reject_reason))


@pytest.mark.parametrize("command", commands())
def test_the_command_line_knows_what_the_guide_tells_people_to_type(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each word that is no value of the reader's own is known: asked for its help, the command explains itself."""
    words = [word for word in shlex.split(command) if word != "--help"]
    with pytest.raises(SystemExit) as ended:
        main([*words, "--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert [option for option in words if option.startswith("--") and option not in text] == []


def test_the_files_that_the_guide_names_are_there() -> None:
    text = (FOLDER / "guide.yaml").read_text(encoding="utf-8")
    named = set(re.findall(r"data/[\w./-]+\.(?:md|jsonl|json)", text))
    assert named
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_the_settings_that_the_guide_names_exist() -> None:
    settings = (ROOT / "duocthu_core" / "settings.py").read_text(encoding="utf-8")
    named = set(re.findall(r"DUOCTHU_([A-Z_]+)", (FOLDER / "guide.yaml").read_text(encoding="utf-8")))
    assert [name for name in named if name not in settings] == []


SAID_OTHERWISE = {"eval list", "verify", "Trở lại …", "Back to …", "Liều paracetamol uống cho người lớn?"}
"""Quoted words of the guide that are no label: commands, a label with a name in it, what a reader types."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_labels_that_the_guide_quotes_stand_on_the_pages(language: Language) -> None:
    """Word for word: a label that is renamed is renamed in the guide, too. Outcomes in quotes in an explaining sentence are not steps."""
    known = {text for message in messages(language).values() for text in _texts(message)}
    quoted = [
        label
        for part in guide_parts()
        for block in part.blocks
        for words in block.steps
        for label in re.findall("“([^”]+)”", words.vi if language == "vi" else words.en)
    ]
    assert len(quoted) > 30
    assert [label for label in quoted if label not in known | SAID_OTHERWISE] == []
