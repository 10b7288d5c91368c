"""Guards over wording: ranking, false reassurance, and a claim whose words are not the block's."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from duocthu_core.verification.guards.antonyms import phrase_places
from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.foreign_terms import foreign_term_findings, is_foreign
from duocthu_core.verification.guards.lexicon import Hit, Lexicon
from duocthu_core.verification.guards.polarity import nearest, polar_sentences
from duocthu_core.verification.guards.structure import Reading, content_words
from duocthu_core.verification.model import Finding

# With fewer content words than this a share says nothing.
_JUDGED_FROM = 3
_SAME_STATEMENT = 0.5
_BESIDE = 3
# "Sử dụng an toàn … trong thời kỳ mang thai chưa được xác định": the gap stands at the end of the clause.
_GAP_WITHIN = 14
_CLAUSE_ENDS = frozenset(",.;:") | {"nhưng", "tuy", "nếu", "vì"}


def ranking_findings(comparison: Comparison) -> list[Finding]:
    """First choice, best, standard: only where the block says the same."""
    words = comparison.claim.tokens.words
    hits = list(comparison.claim.hits.get("ranking", ()))
    taken = {place for hit in hits for place in range(hit.start, hit.end)}
    lexicon = comparison.lexicon
    hits += [
        Hit(place - 1, place + 1, "superlative")
        for place in range(1, len(words))
        if words[place] == "nhất" and place not in taken and words[place - 1] not in lexicon.no_ranking_before
        if words[place - 1][0].isalpha()  # ", nhất là" singles out, it does not rank
    ]
    return [
        comparison.finding("ranking_claim", "ranking_claim", (hit.start, hit.end))
        for hit in hits
        if not _is_peak(hit, comparison)
        and not _stands(words[hit.start : hit.end], comparison.block.tokens.words)
        and not _stands_with_fillers(words[hit.start : hit.end], comparison)
    ]


def _is_peak(hit: Hit, comparison: Comparison) -> bool:
    """ "Mạnh nhất ở 20 - 60 phút": when an effect is at its peak, no rank of a drug."""
    times = (quantity.start for quantity in comparison.claim.quantities if quantity.kind == "time" and quantity.band is None)
    return any(hit.end < start <= hit.end + _BESIDE for start in times)


def _stands_with_fillers(phrase: list[str], comparison: Comparison) -> bool:
    core = [word for word in phrase if word not in comparison.lexicon.ranking_fillers]
    return len(core) > _BESIDE and bool(_in_order(core, comparison.block.tokens.words, comparison.lexicon.ranking_fillers))


def safety_findings(comparison: Comparison) -> list[Finding]:
    """Reassurance: only where the block says it in a sentence of the same polarity and about the same thing."""
    found: list[Finding] = []
    for hit in comparison.claim.hits.get("safety", ()):
        if not _is_reassuring(hit, comparison) or _block_reassures(hit, comparison):
            continue
        found.append(comparison.finding("absence_as_safety", "absence_as_safety", (hit.start, hit.end)))
    return found


def weakening_findings(comparison: Comparison) -> list[Finding]:
    """ "chưa thấy" told as "không có": not seen, not known or rare turned into never."""
    told = comparison.claim.hits.get("weakened_to", ())
    if not told:
        return []
    found: list[Finding] = []
    for sentence in polar_sentences(comparison.claim, comparison.lexicon):
        hits = [hit for hit in told if sentence.start <= hit.start < sentence.end]
        best = nearest(sentence, polar_sentences(comparison.block, comparison.lexicon))
        if not hits or not best or best[0][1] < _SAME_STATEMENT:
            continue
        block = best[0][0]
        for hit in hits:
            for source in comparison.block.hits.get("weakened_from", ()):
                inside = block.start <= source.start < block.end
                if (
                    inside
                    and source.value == hit.value
                    and not _stands(comparison.claim.tokens.words[hit.start : hit.end], comparison.block.tokens.words)
                ):
                    found.append(
                        comparison.finding("absence_as_safety", "absence_as_safety", (hit.start, hit.end), (source.start, source.end))
                    )
    return found


def _is_reassuring(hit: Hit, comparison: Comparison) -> bool:
    claim, lexicon = comparison.claim, comparison.lexicon
    words = claim.tokens.words
    if words[hit.start] in lexicon.plain_negators:
        return True
    before = itertools.takewhile(lambda word: word not in ",;", reversed(words[max(0, hit.start - _BESIDE) : hit.start]))
    if any(word in lexicon.gap_words for word in before):
        return False  # warns, states a gap or names a property
    for sentence in polar_sentences(claim, lexicon):
        if hit.start in sentence.shadowed and hit.start in sentence.negated and sentence.start <= hit.start < sentence.end:
            cues = [negation.end for negation in sentence.negations if negation.end <= hit.start]
            if cues and "," not in words[cues[-1] : hit.start]:
                return False  # "chưa xác định được cefazolin có an toàn hay không"
    return not any(word in lexicon.plain_negators for word in words[hit.end : hit.end + _BESIDE])


def _block_reassures(hit: Hit, comparison: Comparison) -> bool:
    claim, block, lexicon = comparison.claim.tokens.words, comparison.block.tokens.words, comparison.lexicon
    phrase = claim[hit.start : hit.end]
    subject = _subject(hit, comparison)
    negators = lexicon.plain_negators
    negative = phrase[0] in negators
    core = [word for word in phrase if word not in lexicon.reassuring_fillers]
    for place, end in _in_order(core, block, (lexicon.empty_words - lexicon.plain_negators) | set(phrase[1:])):
        around = block[max(0, place - 2) : place]
        denied = any(word in negators for word in around)
        behind = list(itertools.takewhile(lambda word: word not in _CLAUSE_ENDS, block[end : end + _GAP_WITHIN]))
        gap = any(word in negators for word in behind) or any(word in lexicon.gap_words for word in around)
        if denied is not negative or (not negative and gap):
            continue
        if not _named_there(subject, place, comparison):
            continue
        near = set(content_words(block[max(0, place - 30) : place + 30], lexicon))
        if not subject or 2 * len(subject & near) >= len(subject):
            return True
    return False


def _in_order(core: list[str], block: list[str], fillers: frozenset[str]) -> list[tuple[int, int]]:
    """Where the words of ``core`` stand in the block, with nothing between them but one or two ``fillers``."""
    found: list[tuple[int, int]] = []
    for place, word in enumerate(block):
        if word != core[0]:
            continue
        at, matched = place + 1, 1
        spare = _FILLERS_BETWEEN
        while matched < len(core) and at < len(block):
            if block[at] == core[matched]:
                matched, spare = matched + 1, _FILLERS_BETWEEN
            elif spare and block[at] in fillers:
                spare -= 1
            else:
                break
            at += 1
        if matched == len(core):
            found.append((place, at))
    return found


_FILLERS_BETWEEN = 2


def _named_there(subject: set[str], place: int, comparison: Comparison) -> bool:
    """Whether the drugs and substances of the claim's reassurance stand in the block's sentence, not only near it."""
    named = {word for word in subject if is_foreign(word, comparison.lexicon)} - comparison.heading.content - comparison.drug_words
    if not named:
        return True
    sentences = polar_sentences(comparison.block, comparison.lexicon)
    return any(sentence.start <= place < sentence.end and named <= sentence.words.keys() | sentence.label_words for sentence in sentences)


def _subject(hit: Hit, comparison: Comparison) -> set[str]:
    """What the reassurance is said of: the content words of its sentence."""
    for sentence in polar_sentences(comparison.claim, comparison.lexicon):
        if sentence.start <= hit.start < sentence.end:
            inside = set(range(hit.start, hit.end))
            return {word for word, places in sentence.words.items() if not set(places) & inside and word[0].isalpha()}
    return set()


def support_findings(comparisons: Sequence[Comparison]) -> list[Finding]:
    """Too small a share of the claim's content words stands in the cited blocks, their headings and drug names."""
    comparison = comparisons[0]
    cited = [each.block for each in comparisons]
    lexicon = comparison.lexicon
    thresholds = lexicon.ruleset.thresholds
    words = comparison.claim.tokens.words
    known = _known(comparisons)
    foreign = foreign_term_findings(comparison, cited, known)
    if foreign:
        return foreign
    wanted = list(dict.fromkeys(word for word in content_words(words, lexicon) if word not in lexicon.dosing_words))
    if not wanted:
        return []
    missing = [word for word in wanted if word not in known and word not in lexicon.abbreviations]
    share = 1 - len(missing) / len(wanted)
    too_few = share < thresholds.support_share_min and len(missing) >= thresholds.support_missing_min
    if not too_few and not (share <= thresholds.support_share_floor and len(wanted) >= _JUDGED_FROM):
        return []
    return [
        comparison.finding("low_support", "low_support", (0, len(words)), share=f"{round(100 * share)}", missing=", ".join(missing[:8]))
    ]


def _known(comparisons: Sequence[Comparison]) -> frozenset[str]:
    """The words of the cited blocks and of their headings, and what other people say for them."""
    known: frozenset[str] = frozenset()
    for each in comparisons:
        known |= each.heading.content | each.drug_words | each.block.content | synonymous(each.block, each.lexicon)
    return known


def synonymous(block: Reading, lexicon: Lexicon) -> frozenset[str]:
    """The words that other people use for what the block says ("tác dụng phụ" for "ADR")."""
    if "synonymous" not in block.derived:
        words = block.tokens.words
        present = set(words)
        block.derived["synonymous"] = frozenset(
            word
            for group in lexicon.synonyms
            if any(present.issuperset(phrase) and phrase_places(phrase, words) for phrase in group)
            for phrase in group
            for word in phrase
        )
    return block.derived["synonymous"]


def _stands(phrase: list[str], words: list[str]) -> bool:
    return any(words[place : place + len(phrase)] == phrase for place in range(len(words) - len(phrase) + 1))
