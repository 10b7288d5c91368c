"""The summary of turns that left the window (spec 02, rule 8): labels of sections and drugs, never a word of a question or an answer.

A clinical value cannot get in: a line is made of labels alone, so that no dose is ever restated without a citation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from duocthu_core.conversation.model import Turn
from duocthu_core.text.folding import clean

NO_SECTION = "thông tin chung"
NO_DRUG = "thuốc chưa xác định"


def summary_line(turn: Turn, section_labels: Mapping[str, str]) -> str:
    """``- đã hỏi {section} của {drug}`` for one user turn."""
    section = section_labels.get(turn.section_key or "", NO_SECTION)
    drug = clean(turn.drug_name or "") or NO_DRUG
    return f"- đã hỏi {clean(section)} của {drug}"


def summarise(summary: str, evicted: Iterable[Turn], section_labels: Mapping[str, str], max_chars: int) -> str:
    """``summary`` with one line for each evicted *user* turn, at most ``max_chars`` characters.

    Over budget the oldest lines go, each whole; one line longer than the budget is cut at a word.
    """
    lines = [line for line in summary.split("\n") if line]
    lines += [summary_line(turn, section_labels) for turn in evicted if turn.role == "user"]
    kept: list[str] = []
    length = 0
    for line in reversed(lines):
        needed = len(line) + (1 if kept else 0)
        if length + needed > max_chars:
            break
        kept.append(line)
        length += needed
    if not kept and lines:
        return cut_at_word(lines[-1], max_chars)
    return "\n".join(reversed(kept))


def cut_at_word(line: str, max_chars: int) -> str:
    """The longest beginning of ``line`` that ends at a word and has at most ``max_chars`` characters; a longer first word is cut."""
    if len(line) <= max_chars:
        return line
    if line[max_chars] == " ":
        return line[:max_chars].rstrip()
    head, _, _ = line[:max_chars].rpartition(" ")
    return head.rstrip() or line[:max_chars]
