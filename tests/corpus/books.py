"""Pages of a made-up book, in our own words."""

from __future__ import annotations

from duocthu_core.corpus.import_markdown import MarkdownImport, import_markdown
from duocthu_core.corpus.model import Block

DOSES = "Liều lượng và cách dùng"


def book(*sections: tuple[str, str], name: str = "THUỐC THỬ") -> str:
    """A monograph of these sections (heading, text)."""
    return "\n\n".join([f"# **{name}**", *(f"#### **{heading}**\n\n{text}" for heading, text in sections)])


def read(text: str) -> MarkdownImport:
    """What the importer makes of ``text``."""
    return import_markdown(text, "sach.md", "Bản thử")


def doses(text: str) -> list[Block]:
    """The blocks of a dosage section with this text."""
    return list(read(book((DOSES, text))).blocks)


def labelled(blocks: list[Block]) -> list[tuple[str | None, str]]:
    """(labels in one line, text) of each block."""
    return [(block.label.replace("\n", " ") if block.label else None, block.text) for block in blocks]
