"""Comparing a claim with the best window of its blocks, word by word: the offline judge (spec 03, "The offline model")."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from duocthu_core.language_models.offline.lexicon import Lexicon
from duocthu_core.language_models.offline.reading import BlockReader, ShownBlock
from duocthu_core.language_models.offline.saying import Direction, Said, SayingReader
from duocthu_core.text.folding import collapse_spaces, fold
from duocthu_core.text.phrases import PhraseMatcher
from duocthu_core.text.sentences import sentences
from duocthu_core.text.spans import Span

_CUT_REACH = 40


@dataclass(frozen=True)
class Judgement:
    """What the comparison says of one claim."""

    stance: str
    confidence: int
    quote: str
    reasoning: str


@dataclass(frozen=True)
class _Sentence:
    """A sentence of a block with everything that governs it."""

    span: Span
    governing: str
    terms: frozenset[str]
    denied: frozenset[tuple[str, ...]]


@dataclass(frozen=True)
class _Window:
    """A run of sentences of a block, and how much of the claim it covers."""

    block: ShownBlock
    span: Span
    governing: str
    terms: frozenset[str]
    share: float

    @property
    def text(self) -> str:
        return self.span.of(self.block.text)


class Comparer:
    """Judges claims with the words of one lexicon."""

    def __init__(self, lexicon: Lexicon, reader: BlockReader) -> None:
        self._lexicon = lexicon
        self._reader = reader
        self._sayings = SayingReader(lexicon)
        self._permissions = PhraseMatcher({str(phrase): True for phrase in lexicon.rules["permissions"]})
        self._partial = float(lexicon.rules["partial_share"])
        self._sentences = lru_cache(maxsize=1024)(self._sentences_of)

    def judge(self, claim: str, blocks: Sequence[ShownBlock]) -> Judgement:
        """Compares ``claim`` with the blocks it cites: SUPPORTS where every content word stands in one window with the same polarity and
        bounds, CONTRADICTS where one of these differs, PARTIAL above a share of the words, else NOT_FOUND."""
        said = self._sayings.read(claim)
        if not said.terms or not blocks:
            return Judgement("NOT_FOUND", 0, "", "mệnh đề không có từ nội dung")
        window = max((self._best_window(claim, self._wanted(said, block), block) for block in blocks), key=lambda found: found.share)
        confidence = round(window.share * 100)
        quote = collapse_spaces(window.text)
        if window.share >= self._partial:
            difference = self._contradiction(claim, said, window)
            if difference:
                return Judgement("CONTRADICTS", confidence, quote, difference)
            if window.share == 1.0:
                return Judgement("SUPPORTS", 100, quote, "mọi từ nội dung đều có trong đoạn trích")
        missing = ", ".join(sorted(self._wanted(said, window.block) - window.terms))[:200]
        if window.share >= self._partial:
            return Judgement("PARTIAL", confidence, quote, f"không thấy trong đoạn trích: {missing}")
        return Judgement("NOT_FOUND", confidence, "", f"không thấy trong khối được dẫn: {missing}")

    def _wanted(self, said: Said, block: ShownBlock) -> frozenset[str]:
        """The terms a window must have: a monograph does not repeat its own drug's name in each line, and where the heading forbids,
        "không dùng" need not stand in the line as well."""
        taken = self._sayings.read(block.drug_name).terms | (said.forbids if self._forbids(block) else frozenset())
        return said.terms - taken or said.terms

    def _forbids(self, block: ShownBlock) -> bool:
        return block.section_key in self._lexicon.negating_sections

    def _sentences_of(self, block: ShownBlock) -> tuple[_Sentence, ...]:
        """The sentences of a block's own text, each with the labels that govern it, wherever in the block they stand."""
        found: list[_Sentence] = []
        items = self._reader.read(block)
        first = 0
        for span in sentences(block.text):
            if span.start < block.own_start:
                continue
            while first < len(items) and items[first].span.end <= span.start:
                first += 1
            heads = items[first].heads if first < len(items) and items[first].span.overlaps(span) else block.label_lines
            governing = "\n".join(heads)
            said = self._sayings.read(span.of(block.text))
            found.append(_Sentence(span, governing, said.terms | self._sayings.read(governing).terms, said.denied))
        whole = self._sayings.read(block.text)
        return tuple(found) or (_Sentence(Span(0, len(block.text)), "", whole.terms, whole.denied),)

    def _best_window(self, claim: str, wanted: frozenset[str], block: ShownBlock) -> _Window:
        """The shortest run of sentences that covers most of the claim, governing labels included; of several, one that denies what the
        claim denies."""
        parts = self._sentences(block)
        denied = self._sayings.read(claim).denied
        longest = min(len(parts), max(1, len(sentences(claim))) + 1)
        best: tuple[float, bool, int, int] = (-1.0, False, 0, 1)
        for length in range(1, longest + 1):
            for first in range(len(parts) - length + 1):
                terms = parts[first].terms if length == 1 else frozenset().union(*(part.terms for part in parts[first : first + length]))
                share = len(wanted & terms) / len(wanted)
                same = frozenset().union(*(part.denied for part in parts[first : first + length])) == denied
                if (share, same) > best[:2]:
                    best = (share, same, first, length)
            if best[0] == 1.0:
                break
        share, _, first, length = best
        run = parts[first : first + length]
        return _Window(
            block=block,
            span=Span(run[0].span.start, run[-1].span.end),
            governing="\n".join(dict.fromkeys(part.governing for part in run)),
            terms=frozenset().union(*(part.terms for part in run)),
            share=share,
        )

    def _contradiction(self, claim: str, said: Said, window: _Window) -> str | None:
        folded_claim, folded_text = fold(collapse_spaces(claim).rstrip(".;, ")), fold(collapse_spaces(window.block.text))
        if folded_claim in folded_text:
            return self._cut_negation(folded_claim, folded_text)
        there = self._sayings.read(f"{window.governing}\n{window.text}")
        for number, direction in said.bounds:
            other: Direction = "lower" if direction == "upper" else "upper"
            if (number, other) in there.bounds and (number, direction) not in there.bounds:
                return f"giới hạn của {number} ngược với sách"
        if self._forbids(window.block):
            allowed = self._permissions.find(claim) and not self._permissions.find(window.text)
            return "mục này nêu trường hợp không được dùng" if allowed and not said.denied else None
        flipped = _flipped(there.denied, said) or _flipped(said.denied, there)
        return f"khác nhau ở chỗ phủ định: {flipped}" if flipped else None

    def _cut_negation(self, claim: str, text: str) -> str | None:
        """A copy that starts one word late can lose the word that turns it round."""
        places = [match.start() for match in re.finditer(re.escape(claim), text)]
        before = [text[max(0, place - _CUT_REACH) : place].rstrip() for place in places]
        lost = all(any(hit.span.end == len(part) for hit in self._sayings.negators.find(part)) for part in before)
        return "câu bị cắt mất từ phủ định đứng trước" if lost else None


def _flipped(denied: Iterable[tuple[str, ...]], other: Said) -> str | None:
    """Words that one side denies and the other says plainly."""
    for scope in denied:
        if scope and all(word in other.plain for word in scope) and scope not in other.denied:
            return " ".join(scope)
    return None
