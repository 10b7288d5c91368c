"""What a question wants to know: sections, verbosity, breadth, amounts (tables ``sections`` and ``dialogue``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from duocthu_core.conversation.model import Verbosity
from duocthu_core.text.folding import strip_marks
from duocthu_core.understanding.lexicon import Hit, Lexicon, Places, longest, phrase_key, uncancelled

_JOINT = "+"
_NO_SECTION = ""


@dataclass(frozen=True, slots=True)
class Topics:
    """What was asked for."""

    section_keys: tuple[str, ...] = ()
    section_hits: tuple[Hit, ...] = ()
    weak: bool = False
    """Only words that ask for a section vaguely ("có sao không", "bao lâu")."""
    verbosity: Verbosity | None = None
    verbosity_hit: Hit | None = None
    resets_verbosity: bool = False
    breadth: tuple[Hit, ...] = ()
    whole_monograph: bool = False
    """The reader wants the drug as a whole ("giới thiệu thuốc"): no section is carried over."""
    all_groups: bool = False
    """The reader wants every group ("mọi lứa tuổi"): no group is carried over."""
    amounts: tuple[Hit, ...] = ()
    suppress_numbers: bool = False


class TopicReader:
    """Compiled once from the tables."""

    def __init__(self, sections: Mapping[str, Any], dialogue: Mapping[str, Any], lexicon: Lexicon) -> None:
        self._weak: set[tuple[str, ...]] = set()
        self._add_sections(sections, lexicon)
        verbosity = dialogue["verbosity"]
        for level in ("detailed", "concise", "reset"):
            lexicon.add("verbosity", level, verbosity[level])
        bare = verbosity["accentless"]
        lexicon.add("verbosity", "detailed", (), [words for words in bare if _listed_bare(words, verbosity["detailed"])])
        lexicon.add("verbosity", "concise", (), [words for words in bare if _listed_bare(words, verbosity["concise"])])
        lexicon.add("verbosity:not", "", verbosity["not_verbosity"])
        breadth = dialogue["breadth"]
        lexicon.add("breadth", "all", breadth["all"], breadth["accentless"])
        lexicon.add("breadth:not", "", breadth["not_all"])
        lexicon.add("breadth:whole", "", breadth["whole_monograph"])
        lexicon.add("breadth:groups", "", breadth["all_groups"])
        lexicon.add("amount", "", dialogue["amount_cues"], dialogue["amount_accentless"])
        lexicon.add("amount:not", "", dialogue["amount_not"])
        lexicon.add("suppress", "", dialogue["numeric_suppression"])

    def _add_sections(self, table: Mapping[str, Any], lexicon: Lexicon) -> None:
        """Confusables first: where two tables list one phrase, the first entry decides."""
        for entry in table["confusables"]:
            lexicon.add("section", entry["section"] or _NO_SECTION, [entry["phrase"]])
            if entry.get("weak"):
                self._weak.add(phrase_key(entry["phrase"]))
        for entry in table["joint"]:
            lexicon.add("section", _JOINT.join(entry["sections"]), [entry["phrase"]])
        for key, entry in table["sections"].items():
            lexicon.add("section", key, (*entry["ask"], entry["label_vi"]), entry.get("accentless", ()))
            self._weak.update(phrase_key(phrase) for phrase in entry.get("weak", ()))
            for short, how in entry.get("abbreviations", {}).items():
                if str(how).endswith("sure"):
                    lexicon.add("section", key, [short])

    def read(self, found: Mapping[str, Sequence[Hit]], names: Places, orders: Sequence[Hit]) -> Topics:
        """``names``: places of drug names, which are no section words; ``orders``: injected orders, whose words ask for nothing."""
        ordered = Places(hit.span for hit in orders)
        hits = [hit for hit in found.get("section", ()) if not names.cover(hit.span) and not ordered.overlap(hit.span)]
        strong = [hit for hit in longest(h for h in hits if phrase_key(h.entry.phrase) not in self._weak) if hit.value != _NO_SECTION]
        hits = strong or [hit for hit in longest(hits) if hit.value != _NO_SECTION]
        keys = tuple(dict.fromkeys(key for hit in hits for key in hit.value.split(_JOINT)))
        levels = longest(uncancelled(found.get("verbosity", ()), found.get("verbosity:not", ())))
        level = levels[-1] if levels else None
        verbosity: Verbosity | None = None
        if level is not None and level.value != "reset":
            verbosity = "detailed" if level.value == "detailed" else "concise"
        said = Places([*(hit.span for hit in orders), *(hit.span for hit in levels)])
        breadth = [
            hit for hit in longest(uncancelled(found.get("breadth", ()), found.get("breadth:not", ()))) if not said.overlap(hit.span)
        ]
        amounts = uncancelled(found.get("amount", ()), found.get("amount:not", ()))
        return Topics(
            section_keys=keys,
            section_hits=tuple(hits),
            weak=not strong,
            verbosity=verbosity,
            verbosity_hit=level,
            resets_verbosity=level is not None and level.value == "reset",
            breadth=tuple(breadth),
            whole_monograph=bool(breadth) and bool(found.get("breadth:whole")),
            all_groups=bool(breadth) and bool(found.get("breadth:groups")),
            amounts=tuple(longest(amounts)),
            suppress_numbers=bool(found.get("suppress")),
        )


def _listed_bare(words: str, phrases: Sequence[str]) -> bool:
    """Whether an accentless form belongs to a list of phrases with marks."""
    return words in {strip_marks(str(phrase)) for phrase in phrases}
