"""Comparing a claim with the best window of its blocks, word by word: the offline judge (spec 03, "The offline model")."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

from duocthu_core.language_models.offline.lexicon import Lexicon, covered
from duocthu_core.language_models.offline.reading import BlockReader, ShownBlock
from duocthu_core.text.folding import collapse_spaces, fold
from duocthu_core.text.numbers import cached_numeric_tokens
from duocthu_core.text.phrases import PhraseMatcher, Word, words
from duocthu_core.text.sentences import sentences
from duocthu_core.text.spans import Span

Direction = Literal["upper", "lower"]

_FILLERS = frozenset(["là", "liều", "khoảng", "hàng", "hằng", "ngày", "phải", "mức", "một", "cho", "được"])
_SCOPE_WORDS = 3
_RANGE_SIGN = re.compile(r"\s*[-–—]\s*")


@dataclass(frozen=True)
class Judgement:
    """What the comparison says of one claim."""

    stance: str
    confidence: int
    quote: str
    reasoning: str


@dataclass(frozen=True)
class _Said:
    """What a stretch of text says, in comparable form."""

    terms: frozenset[str]
    """Content words and numbers, a number with the unit behind it."""
    denied: frozenset[tuple[str, ...]]
    """First content words behind each negation."""
    plain: frozenset[str]
    """Content words outside the reach of a negation."""
    bounds: frozenset[tuple[str, Direction]]
    """Numbers that are bounded, and which way."""


class Comparer:
    """Judges claims with the words of one lexicon."""

    def __init__(self, lexicon: Lexicon, reader: BlockReader) -> None:
        self._lexicon = lexicon
        self._reader = reader
        negations, comparators = lexicon.tables["negations"], lexicon.tables["comparators"]
        cues = negations["cues"]
        self._negators = _matcher(
            phrase
            for strength in ("forbid", "advise_against", "deny")
            for phrase in cues[strength]["phrases"]
            if phrase not in cues[strength].get("weak", ())
        )
        self._false_friends = _matcher(entry["phrase"] for entry in negations["false_friends"] if not entry.get("negates"))
        self._enders = _matcher(negations["scope_enders"])
        bounds = comparators["bounds"]
        before: dict[str, Direction | None] = {}
        after: dict[str, Direction] = {}
        for kind, entry in bounds.items():
            if kind.startswith(("upper", "lower")):
                direction: Direction = "upper" if kind.startswith("upper") else "lower"
                before |= {str(phrase): direction for phrase in (*entry.get("signs", ()), *entry.get("before", ()))}
                after |= {str(phrase): direction for phrase in entry.get("after", ())}
        for phrases in comparators["not_bound"].values():
            before |= {str(phrase): None for phrase in phrases}
        self._before: PhraseMatcher[Direction | None] = PhraseMatcher(before)
        self._after: PhraseMatcher[Direction] = PhraseMatcher(after)
        self._permissions = _matcher(lexicon.rules["permissions"])
        self._said = lru_cache(maxsize=4096)(self._read)

    def judge(self, claim: str, blocks: Sequence[ShownBlock]) -> Judgement:
        """Compares ``claim`` with the blocks it cites."""
        said = self._said(claim)
        if not said.terms:
            return Judgement("NOT_FOUND", 0, "", "mệnh đề không có từ nội dung")
        found = [(self._best_window(claim, said, block), block) for block in blocks]
        (window, share), block = max(found, key=lambda pair: pair[0][1])
        confidence = round(share * 100)
        quote = collapse_spaces(window.of(block.text)) if share > 0 else ""
        difference = self._contradiction(claim, said, window, block) if share >= self._partial else None
        if difference:
            return Judgement("CONTRADICTS", confidence, quote, difference)
        if share == 1.0:
            return Judgement("SUPPORTS", 100, quote, "mọi từ nội dung đều có trong đoạn trích")
        missing = ", ".join(sorted(said.terms - self._terms_of(window, block)))[:200]
        if share >= self._partial:
            return Judgement("PARTIAL", confidence, quote, f"không thấy trong đoạn trích: {missing}")
        return Judgement("NOT_FOUND", confidence, "", f"không thấy trong khối được dẫn: {missing}")

    @property
    def _partial(self) -> float:
        return float(self._lexicon.rules["partial_share"])

    def _best_window(self, claim: str, said: _Said, block: ShownBlock) -> tuple[Span, float]:
        """The shortest run of sentences that covers most of the claim, and the share it covers, governing labels included."""
        parts = [span for span in sentences(block.text) if span.start >= block.own_start] or [Span(0, len(block.text))]
        longest = max(1, len(sentences(claim))) + 1
        best, best_share = parts[0], -1.0
        for length in range(1, longest + 1):
            for first in range(len(parts) - length + 1):
                window = Span(parts[first].start, parts[first + length - 1].end)
                share = len(said.terms & self._terms_of(window, block)) / len(said.terms)
                if share > best_share:
                    best, best_share = window, share
            if best_share == 1.0:
                break
        return best, max(best_share, 0.0)

    def _terms_of(self, window: Span, block: ShownBlock) -> frozenset[str]:
        """What a window says with the labels that govern its lines, wherever in the block they stand."""
        heads = dict.fromkeys(head for item in self._reader.read(block) if item.span.overlaps(window) for head in item.heads)
        return self._said(window.of(block.text)).terms | self._said("\n".join(heads)).terms

    def _contradiction(self, claim: str, said: _Said, window: Span, block: ShownBlock) -> str | None:
        text = window.of(block.text)
        folded_claim, folded_text = fold(collapse_spaces(claim).rstrip(".;, ")), fold(collapse_spaces(block.text))
        if folded_claim in folded_text:
            return self._cut_negation(folded_claim, folded_text)
        there = self._said(text)
        for number, direction in said.bounds:
            other: Direction = "lower" if direction == "upper" else "upper"
            if (number, other) in there.bounds and (number, direction) not in there.bounds:
                return f"giới hạn của {number} ngược với sách"
        if block.section_key in self._lexicon.negating_sections:
            allowed = self._permissions.find(claim) and not self._permissions.find(text)
            return "mục này nêu trường hợp không được dùng" if allowed and not said.denied else None
        flipped = self._flipped(there.denied, said) or self._flipped(said.denied, there)
        return f"khác nhau ở chỗ phủ định: {flipped}" if flipped else None

    def _flipped(self, denied: Iterable[tuple[str, ...]], other: _Said) -> str | None:
        """Words that one side denies and the other says plainly."""
        for scope in denied:
            if scope and all(word in other.plain for word in scope) and scope not in other.denied:
                return " ".join(scope)
        return None

    def _cut_negation(self, claim: str, text: str) -> str | None:
        """A copy that starts one word late can lose the word that turns it round."""
        places = [match.start() for match in re.finditer(re.escape(claim), text)]
        lost = [before for place in places if (before := text[max(0, place - 40) : place].rstrip()) and self._ends_in_negation(before)]
        return "câu bị cắt mất từ phủ định đứng trước" if lost and len(lost) == len(places) else None

    def _ends_in_negation(self, before: str) -> bool:
        return any(hit.span.end == len(before) for hit in self._negators.find(before))

    def _read(self, text: str) -> _Said:
        text_words = words(text)
        content = self._lexicon.grammar.find(text)
        bound_hits = [hit for hit in self._before.find(text, text_words) if hit.value is not None]
        ignored = covered(text_words, [hit.span for hit in bound_hits])
        denied, reached = self._negated(text, text_words, content, ignored)
        numbers = cached_numeric_tokens(text)
        terms = {word.folded for word in content if not any(token.span.overlaps(word.span) for token in numbers)}
        terms -= self._polarity_words
        facts = [token for token in numbers if token.is_fact]
        terms |= {_number_term(token.text, token.span, text) for token in facts}
        terms |= {f"{low.text}-{high.text}" for low, high in pairwise(facts) if _RANGE_SIGN.fullmatch(text, low.span.end, high.span.start)}
        return _Said(
            terms=frozenset(terms),
            denied=denied,
            plain=frozenset(word.folded for word in content if word.span.start not in reached),
            bounds=self._bounds(text, text_words, bound_hits),
        )

    @property
    def _polarity_words(self) -> frozenset[str]:
        return frozenset(map(str, self._lexicon.tables["function_words"]["polarity"]))

    def _negated(
        self, text: str, text_words: list[Word], content: list[Word], ignored: set[int]
    ) -> tuple[frozenset[tuple[str, ...]], set[int]]:
        """The first content words behind each negation, and the positions of all words in its reach."""
        friends = covered(text_words, [hit.span for hit in self._false_friends.find(text, text_words)])
        enders = [hit.span.start for hit in self._enders.find(text, text_words)]
        stops = sorted([*enders, *(word.span.start for word in text_words if word.folded in (".", ";", ":", "!", "?"))])
        denied: set[tuple[str, ...]] = set()
        reached: set[int] = set()
        for hit in self._negators.find(text, text_words):
            if hit.span.start in friends or hit.span.start in ignored:
                continue
            end = next((stop for stop in stops if stop >= hit.span.end), len(text))
            inside = [word for word in content if hit.span.end <= word.span.start < end]
            denied.add(tuple(word.folded for word in inside[:_SCOPE_WORDS]))
            reached |= {word.span.start for word in inside} | {word.span.start for word in content if hit.span.covers(word.span)}
        return frozenset(denied), reached

    def _bounds(self, text: str, text_words: list[Word], before: Sequence[Any]) -> frozenset[tuple[str, Direction]]:
        found: set[tuple[str, Direction]] = set()
        after = self._after.find(text, text_words)
        for token in cached_numeric_tokens(text):
            if not token.is_quantity:
                continue
            for hit in before:
                if hit.span.end <= token.span.start and _only_fillers(text[hit.span.end : token.span.start]):
                    found.add((token.text, hit.value))
            for hit in after:
                if token.span.end <= hit.span.start <= token.span.end + 14 and not any(
                    c.isdigit() for c in text[token.span.end : hit.span.start]
                ):
                    found.add((token.text, hit.value))
        return frozenset(found)


def _only_fillers(between: str) -> bool:
    found = [word.folded for word in words(between)]
    return len(found) <= 4 and all(word in _FILLERS for word in found)


def _number_term(number: str, span: Span, text: str) -> str:
    """A number with the letters of the unit behind it, so that "5 mg" is not "5 g"."""
    unit = next((word.folded for word in words(text[span.end : span.end + 12])[:1] if word.folded.isalpha()), "")
    return f"{number} {unit}".strip()


def _matcher(phrases: Iterable[Any]) -> PhraseMatcher[bool]:
    return PhraseMatcher({str(phrase): True for phrase in phrases})
