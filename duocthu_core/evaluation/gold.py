"""Gold in the corpus: the blocks that say a fact, and whether a text says it (figures under their label, without a model)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import filter as filter_names
from functools import lru_cache

from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.model import Block
from duocthu_core.evaluation.model import EvalItem, Expectation, GoldFact
from duocthu_core.text.folding import collapse_spaces, fold, nfc
from duocthu_core.text.sentences import items
from duocthu_core.verification.quotes import find_quote


@dataclass(frozen=True)
class ResolvedFact:
    """A fact and the blocks that say it."""

    fact: GoldFact
    blocks: dict[str, str]
    """Block id -> content hash."""


@dataclass(frozen=True)
class ResolvedTurn:
    """The gold of one turn."""

    expect: Expectation
    facts: tuple[ResolvedFact, ...] = ()
    forbidden_blocks: frozenset[str] = frozenset()
    accepted_blocks: frozenset[str] | None = None
    """Blocks that may be cited; None where the item does not say."""


@dataclass(frozen=True)
class ResolvedItem:
    """An item and its gold in one corpus."""

    item: EvalItem
    gold: tuple[ResolvedTurn | None, ...]
    line: int = 0
    block_hashes: dict[str, str] = field(default_factory=dict)


class GoldError(Exception):
    """Gold that does not stand in the corpus; the message says which and why."""


def resolve(item: EvalItem, corpus: Corpus, line: int = 0) -> ResolvedItem:
    """The item with its gold looked up in ``corpus``; raises :class:`GoldError` for the first thing that does not hold."""
    gold = tuple(_resolved_turn(number, turn.expect, corpus) for number, turn in enumerate(item.turns, 1))
    hashes = {block_id: digest for turn in gold if turn for fact in turn.facts for block_id, digest in fact.blocks.items()}
    return ResolvedItem(item, gold, line, hashes)


def stands(phrase: str, text: str) -> bool:
    """Whether ``phrase`` stands in ``text`` at number and word borders, in any case of letters and white space."""
    return find_quote(_folded(phrase), _folded(text)) is not None


def says(fact: GoldFact, text: str, printed_label: str = "") -> bool:
    """Whether ``text`` (with the label printed in front of it) holds the fact's words, and its figures under its label."""
    whole = f"{printed_label}\n{text}" if printed_label else text
    if not all(stands(term, whole) for term in fact.terms) or (fact.route and not stands(fact.route, whole)):
        return False
    return any(all(stands(figure, part) for figure in fact.figures) for part in _governed_parts(fact.label, text, printed_label))


def _governed_parts(label: str, text: str, printed_label: str) -> list[str]:
    """The parts of ``text`` that ``label`` governs: all of it where the label is printed in front, else from the label to the next item
    with a label of its own."""
    if not label or stands(label, printed_label):
        return [text]
    wanted, parts, spans = _folded(label), list[str](), items(text)
    for position, span in enumerate(spans):
        own = span.of(text)
        found = find_quote(wanted, _folded(own))
        if found is None:
            continue
        rest = [_folded(own)[found.end :]]
        for following in spans[position + 1 :]:
            if ":" in following.of(text):
                break
            rest.append(following.of(text))
        parts.append(" ".join(rest))
    return parts


@lru_cache(maxsize=4096)
def _folded(text: str) -> str:
    return fold(collapse_spaces(nfc(text)))


def _resolved_turn(number: int, expect: Expectation | None, corpus: Corpus) -> ResolvedTurn | None:
    if expect is None:
        return None
    where = f"turn {number}"
    for drug in filter(None, (expect.drug, *(fact.at.split("/")[0] for fact in expect.facts))):
        if drug not in corpus.monographs:
            raise GoldError(f"{where}: the corpus has no drug {drug!r}")
    facts = tuple(_resolved_fact(where, fact, corpus) for fact in expect.facts)
    forbidden = _matching(expect.forbid.cite, corpus)
    _check_contradictions(where, expect, facts, forbidden)
    if expect.outcome == ("answered",) and not expect.facts and not expect.cite:
        raise GoldError(f"{where}: an answer is expected, and neither facts nor cite say which; give one of them")
    accepted = frozenset(block_id for fact in facts for block_id in fact.blocks) | _matching(expect.cite, corpus)
    for pattern in (*expect.cite, *expect.forbid.cite):
        if not _matching((pattern,), corpus):
            raise GoldError(f"{where}: no block is called {pattern!r}; correct it")
    return ResolvedTurn(expect, facts, forbidden, accepted)


def _resolved_fact(where: str, fact: GoldFact, corpus: Corpus) -> ResolvedFact:
    drug, section = fact.at.split("/")
    blocks = corpus.blocks_of(drug, section)
    if not blocks:
        raise GoldError(f"{where}: {fact.at} has no block; use one of {', '.join(corpus.sections_of(drug))}")
    if not fact.figures and not fact.terms:
        raise GoldError(f"{where}: the fact at {fact.at} has neither figures nor terms; give one of them")
    for block_id, digest in fact.pinned.items():
        block = corpus.block(block_id)
        if block is None or block.content_hash != digest:
            raise GoldError(f"{where}: gold is stale, block {block_id} changed since it was written; read it again and pin its new hash")
    said = {block.block_id: block.content_hash for block in blocks if _block_says(fact, block)}
    if said:
        return ResolvedFact(fact, said)
    under = f" under {fact.label!r}" if fact.label else ""
    for name, wanted in (("figure", fact.figures), ("term", fact.terms)):
        for words in wanted:
            if not any(stands(words, block.shown_text) for block in blocks):
                raise GoldError(f"{where}: {name} {words!r} stands in no block of {fact.at}; copy it from the block")
    if fact.page is not None and any(_block_says(fact.model_copy(update={"page": None}), block) for block in blocks):
        raise GoldError(f"{where}: the block of {fact.at}{under} is not on page {fact.page}; correct the page")
    raise GoldError(
        f"{where}: no one block of {fact.at} says {', '.join((*fact.figures, *fact.terms))!r}{under}; correct the label or part"
    )


def _block_says(fact: GoldFact, block: Block) -> bool:
    on_page = fact.page is None or (block.page_start or 0) <= fact.page <= (block.page_end or block.page_start or 0)
    return on_page and says(fact, block.text, block.label or "")


def _check_contradictions(where: str, expect: Expectation, facts: Sequence[ResolvedFact], forbidden: frozenset[str]) -> None:
    required = {collapse_spaces(nfc(figure)) for fact in expect.facts for figure in fact.figures}
    for figure in expect.forbid.figures:
        if collapse_spaces(nfc(figure)) in required:
            raise GoldError(f"{where}: figure {figure!r} is required and forbidden; keep one")
    for fact in facts:
        if fact.blocks.keys() <= forbidden:
            raise GoldError(f"{where}: a fact of {fact.fact.at} is required and its block is forbidden; keep one")


def _matching(patterns: Iterable[str], corpus: Corpus) -> frozenset[str]:
    return frozenset[str]().union(*(_named(pattern, corpus) for pattern in patterns))


@lru_cache(maxsize=512)
def _named(pattern: str, corpus: Corpus) -> frozenset[str]:
    """Ids of the blocks of a name (``*`` for any part)."""
    return frozenset(filter_names([block.block_id for block in corpus.blocks], pattern))
