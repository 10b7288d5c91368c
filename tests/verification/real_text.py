"""Blocks of real text from the shared corpus, cut so that a test can point at them."""

from __future__ import annotations

import json
import re
from pathlib import Path

from duocthu_core.answering.model import Claim
from duocthu_core.retrieval.model import Evidence
from duocthu_core.text.folding import nfc
from duocthu_core.text.sentences import items, sentences
from duocthu_core.verification.guards.structure import Reading

BLOCK_CHARACTERS = 1500


def monograph_blocks(corpus: Path) -> list[Evidence]:
    """Paragraph groups of the three raw monographs, and the sections."""
    cut: list[tuple[str, str, str]] = []
    for name in ("paracetamol", "amoxicilin", "cefazolin"):
        text = re.sub(r"\*+", "", nfc((corpus / f"raw_{name}.md").read_text(encoding="utf-8")))
        heading, gathered = "", ""
        for paragraph in filter(None, (part.strip() for part in re.split(r"\n\s*\n", text))):
            if paragraph.startswith("#") or len(gathered) + len(paragraph) > BLOCK_CHARACTERS:
                cut.append((name, heading, gathered))
                gathered = ""
            if paragraph.startswith("#"):
                heading = paragraph.strip("# ")
            else:
                gathered = f"{gathered}\n{paragraph}".strip()
        cut.append((name, heading, gathered))
    for line in (corpus / "formulary_sections.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        cut.append((row["drug"].lower().split(" ")[0], row["section_heading"], nfc(row["text"])))
    return _evidence([entry for entry in cut if entry[2]])


def leaflet_blocks(corpus: Path) -> list[Evidence]:
    """Every page of the leaflets."""
    pages: list[tuple[str, str, str]] = []
    for name in ("leaflets_text", "leaflets_ocr"):
        for line in (corpus / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            pages += [(row["drug_name"], "", nfc(page["text"])) for page in row["pages"]]
    return _evidence(pages)


def _evidence(cut: list[tuple[str, str, str]]) -> list[Evidence]:
    return [
        Evidence(index=place, block_id=str(place), drug_id=drug, drug_name=drug, section_key=None, section_title=heading, text=text)
        for place, (drug, heading, text) in enumerate(cut, 1)
    ]


def copies(block: Evidence) -> list[Claim]:
    """Every sentence, item and line of a block as a claim, each with the label it carries."""
    spans = dict.fromkeys([*sentences(block.text), *items(block.text)])
    texts = dict.fromkeys([*(span.of(block.text) for span in spans), *(line.strip() for line in block.text.split("\n"))])
    return [Claim(text=text, citations=(block.index,)) for text in texts if any(map(str.isalnum, text)) and len(text) <= BLOCK_CHARACTERS]


def labelled_copies(block: Evidence, reading: Reading) -> list[Claim]:
    """Sentences with the labels of earlier lines that govern them printed in front, as an answer prints them."""
    made: list[Claim] = []
    for span in sentences(block.text):
        inside = [clause for clause in reading.clauses if span.start <= reading.tokens.starts[clause.start] < span.end]
        labels = inside[0].labels if inside else ()
        before = [label for label in labels if reading.tokens.starts[label.start] < span.start][:3]
        shown = dict.fromkeys(reading.words_of(label.start, label.end) for label in before)
        text = "".join(f"{label}: " for label in shown if len(label) < 80) + span.of(block.text)
        if 12 < len(text) <= BLOCK_CHARACTERS:
            made.append(Claim(text=text, citations=(block.index,)))
    return made
