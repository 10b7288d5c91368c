"""Guard over polarity: the claim affirms what the block negates, or the reverse.

The claim's sentence is laid beside the block's sentences that share most words with it; the claim is turned round when the words a cue
on one side reaches stand on the other side without any cue.
"""

from __future__ import annotations

import itertools
from functools import lru_cache

from duocthu_core.text.folding import strip_marks
from duocthu_core.verification.guards.antonyms import antonym_finding
from duocthu_core.verification.guards.band_ends import same_band
from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.lexicon import Lexicon
from duocthu_core.verification.guards.polarity import Negation, Sentence, compared_words, is_content, nearest, polar_sentences
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.structure import Label, Reading
from duocthu_core.verification.model import Finding

_HEAD_WORDS = 3
_MEMBER_WORDS = 4
_LONG_HEAD = 6
_ALIGNED_MIN = 0.5
_FORBIDDING = ("forbid", "advise_against")
_ELSEWHERE_MIN = 0.75
_SAID_CLEARLY = 3
_RARELY_REACH = 10


def negation_findings(comparison: Comparison) -> list[Finding]:
    """Sentences of the claim that are turned round against the block."""
    found = _against_heading(comparison)
    originals = polar_sentences(comparison.block, comparison.lexicon)
    for sentence in polar_sentences(comparison.claim, comparison.lexicon):
        near = nearest(sentence, originals, comparison.drug_words)
        finding = (
            _turned_round(sentence, _of_the_same_band(sentence, near, comparison), comparison)
            or antonym_finding(sentence, near, comparison)
            or _rarely_dropped(sentence, near, comparison)
            or _warning_made_rule(sentence, near, comparison)
        )
        if finding is not None:
            found.append(finding)
    return found


def _turned_round(sentence: Sentence, near: list[tuple[Sentence, float]], comparison: Comparison) -> Finding | None:
    """Against the nearest sentence first; a further one counts only in what the nearer ones say nothing of."""
    nearer: list[Sentence] = []
    for other, share in near:
        if share < _ALIGNED_MIN:
            return None
        finding = _dropped(sentence, other, nearer, comparison) or _added(sentence, other, nearer, comparison)
        if finding is not None:
            return finding
        nearer.append(other)
    return None


def _dropped(sentence: Sentence, other: Sentence, nearer: list[Sentence], comparison: Comparison) -> Finding | None:
    """What the block negates and the claim affirms."""
    stopped = any(negation.category == "stop" for negation in sentence.negations)
    for negation in other.negations:
        if negation.category == "stop" and (stopped or sentence.negations):
            continue
        if negation.conditional and has_exception(sentence, comparison.claim):
            continue
        if negation.category in _FORBIDDING and any(said.category in _FORBIDDING for said in sentence.negations):
            continue  # "Chống chỉ định ở người suy gan" told as "Người suy gan không được dùng": whom is said before the cue
        places = _affirmed(negation, comparison.block, other, sentence, comparison.lexicon)
        if places is None or (nearer and len(places) < 2):  # "không dùng" alone may be said of anything
            continue
        words = [compared_words(comparison.claim, comparison.lexicon)[place] for place in places]
        if negation.category == "stop" and not any(is_content(word, comparison.lexicon) for word in words):
            continue  # "phải ngừng thuốc": the claim's "thuốc" may be said of anything
        telling = [word for word in words if word not in comparison.lexicon.dosing_words] or words
        if any(all(_stands_plainly(word, each) for word in telling) for each in nearer):
            continue
        if any(_says_it_behind(said, comparison) for said in sentence.negations if said.category == negation.category):
            continue
        there = (negation.start, max(negation.reach[:_HEAD_WORDS]) + 1)
        return comparison.finding("negation_mismatch", "negation_dropped", (places[0], places[-1] + 1), there)
    return None


def _says_it_behind(negation: Negation, comparison: Comparison) -> bool:
    """ "Kéo dài thuốc sau phẫu thuật là không cần thiết": what is denied stands in front of the cue."""
    words = comparison.claim.tokens.words
    return words[negation.start - 1 : negation.start] == ["là"] and len(negation.reach) < _HEAD_WORDS


def _added(sentence: Sentence, other: Sentence, nearer: list[Sentence], comparison: Comparison) -> Finding | None:
    """What the claim negates and the block affirms."""
    for negation in sentence.negations:
        if negation.category == "stop" or forbidden_by_heading(negation.category, comparison) or _is_purpose(negation, comparison):
            continue
        if negation.conditional and (has_exception(other, comparison.block) or _has_condition(sentence, comparison)):
            continue
        places = _affirmed(negation, comparison.claim, sentence, other, comparison.lexicon)
        if places is None or denied_elsewhere(sentence, comparison):
            continue
        if negation.category in _FORBIDDING and (
            _under_negating_label(places[0], comparison) or _forbidden_behind(places, sentence, other, comparison)
        ):
            continue
        words = [compared_words(comparison.block, comparison.lexicon)[place] for place in places]
        if any(_denies(each) or any(word in each.label_words for word in words) for each in nearer):
            continue
        here = (negation.start, max(negation.reach[:_HEAD_WORDS]) + 1)
        return comparison.finding("negation_mismatch", "negation_added", here, (places[0], places[-1] + 1))
    return None


def _is_purpose(negation: Negation, comparison: Comparison) -> bool:
    """ "Để tránh phản ứng phản vệ": what is done it for, no denial."""
    before = comparison.claim.tokens.words[negation.start - 1] if negation.start else ""
    return negation.category == "advise_against" and before in comparison.lexicon.purpose_words


def _has_condition(sentence: Sentence, comparison: Comparison) -> bool:
    """Whether a sentence of the block near to the claim's has a denial behind "nếu", too."""
    near = nearest(sentence, polar_sentences(comparison.block, comparison.lexicon), comparison.drug_words)
    return any(negation.conditional for other, _ in near for negation in other.negations)


def _of_the_same_band(sentence: Sentence, near: list[tuple[Sentence, float]], comparison: Comparison) -> list[tuple[Sentence, float]]:
    """The sentences that speak of the claim's age, weight or clearance where there are such; else all."""
    bands = _bands_in(sentence, comparison.claim)
    same = [entry for entry in near if any(same_band(band, other) for band in bands for other in _bands_in(entry[0], comparison.block))]
    return same or near


def _bands_in(sentence: Sentence, reading: Reading) -> list[Quantity]:
    return [band for band in reading.quantities if band.band is not None and sentence.start <= band.start < sentence.end]


def denied_elsewhere(sentence: Sentence, comparison: Comparison) -> bool:
    """Whether a sentence of the block denies just what the claim's sentence denies, however they are ordered."""
    lexicon = comparison.lexicon
    denied = {word for word, places in sentence.words.items() if any(place in sentence.negated for place in places)}
    for other, share in nearest(sentence, polar_sentences(comparison.block, lexicon), comparison.drug_words):
        if (share < _ELSEWHERE_MIN and len(denied) < _SAID_CLEARLY) or not _denies(other):
            continue
        there = {word for word, places in other.words.items() if any(place in other.negated | other.shadowed for place in places)}
        if denied <= there | other.label_words:
            return True
    return False


def _rarely_dropped(sentence: Sentence, near: list[tuple[Sentence, float]], comparison: Comparison) -> Finding | None:
    """ "Hiếm khi" left out: what hardly ever happens told as what happens."""
    lexicon, claim, block = comparison.lexicon, comparison.claim, comparison.block
    words = compared_words(block, lexicon)
    if sentence.negations or lexicon.rare_words & set(claim.tokens.words[sentence.start : sentence.end]):
        return None
    said = set(compared_words(claim, lexicon)[sentence.start : sentence.end])
    for other, share in near:
        for hit in block.hits.get("rarely", ()):
            if share < _ALIGNED_MIN or not other.start <= hit.start < other.end:
                continue
            reach = list(itertools.takewhile(lambda word: word not in ",;.:", words[hit.end : min(other.end, hit.end + _RARELY_REACH)]))
            if len(reach) > 1 and said.issuperset(reach):
                places = list(sentence.words.get(reach[-1], [sentence.start]))
                return comparison.finding("negation_mismatch", "negation_dropped", (places[0], places[0] + 1), (hit.start, hit.end))
    return None


def _warning_made_rule(sentence: Sentence, near: list[tuple[Sentence, float]], comparison: Comparison) -> Finding | None:
    """ "Thận trọng" told as "không được dùng": a warning is no prohibition."""
    cue = next((negation for negation in sentence.negations if negation.category == "forbid" and not negation.conditional), None)
    if cue is None or not near or near[0][1] < _ALIGNED_MIN or forbidden_by_heading("forbid", comparison):
        return None
    if any(sentence.start <= hit.start < sentence.end for hit in comparison.claim.hits.get("limit", ())):
        return None
    best = near[0][0]
    if any(negation.category != "stop" for other, share in near if share >= _ALIGNED_MIN for negation in other.negations):
        return None
    limit = next((hit for hit in comparison.block.hits.get("limit", ()) if best.start <= hit.start < best.end), None)
    if limit is None:
        return None
    return comparison.finding("negation_mismatch", "negation_added", (cue.start, cue.end), (limit.start, limit.end))


def _stands_plainly(word: str, sentence: Sentence) -> bool:
    return any(place not in sentence.negated and place not in sentence.shadowed for place in sentence.words.get(word, ()))


def _denies(sentence: Sentence) -> bool:
    return any(negation.category != "stop" and not negation.conditional for negation in sentence.negations)


def has_exception(sentence: Sentence, reading: Reading) -> bool:
    """Whether the sentence makes an exception ("trừ khi do thầy thuốc hướng dẫn")."""
    return any(sentence.start <= hit.start < sentence.end for hit in reading.hits.get("exception", ()))


def forbidden_by_heading(category: str, comparison: Comparison) -> bool:
    """Whether a cue of the claim only says what the block's heading says ("Chống chỉ định" over "Suy gan nặng.")."""
    evidence = comparison.evidence
    return category in ("forbid", "advise_against") and is_negating_section(
        evidence.section_key, evidence.section_title, comparison.lexicon
    )


def _forbidden_behind(places: list[int], sentence: Sentence, other: Sentence, comparison: Comparison) -> bool:
    """ "Dạng viên đặt không thích hợp …": the block forbids what stands before the cue, in the same clause."""
    words, lexicon = comparison.block.tokens.words, comparison.lexicon
    for cue in other.negations:
        if cue.category in _FORBIDDING and not cue.conditional and places[-1] < cue.start:
            between = words[places[-1] : cue.start]
            if not any(word in ",;:" or word in lexicon.contrast_words for word in between):
                return True
            reached = {words[place] for place in cue.reach}
            denied = {word for word, at in sentence.words.items() if any(place in sentence.negated for place in at)}
            if len((denied & reached) - {words[place] for place in places} - lexicon.dosing_words) > 1:
                return True
    return False


def _under_negating_label(place: int, comparison: Comparison) -> bool:
    """Whether a label such as "Chống chỉ định:" inside the block stands over the token at ``place``."""
    clauses, words = comparison.block.clauses, comparison.block.tokens.words
    over = [
        label for clause in clauses for label in clause.labels if clause.start <= place < clause.end or label.start <= place < label.end
    ]
    return any(is_forbidding(label, words, comparison.lexicon) for label in over)


_CONTRAINDICATION = ("chong chi dinh", "ccd")  # without marks: scans change its marks


def is_forbidding(label: Label, words: list[str], lexicon: Lexicon) -> bool:
    """Whether a label forbids what stands under it ("Chống chỉ định:", "Không dùng:")."""
    if strip_marks(" ".join(words[label.start : label.end])).startswith(_CONTRAINDICATION):
        return True
    return any(tuple(words[label.start : label.start + len(title)]) == title for title in lexicon.forbidding_titles)


def _affirmed(negation: Negation, owner: Reading, own: Sentence, other: Sentence, lexicon: Lexicon) -> list[int] | None:
    """Places of the negated words on the other side, where all of them stand there without a cue."""
    compared = compared_words(owner, lexicon)
    heads = list(dict.fromkeys(compared[place] for place in negation.reach if compared[place]))
    heads = [head for head in heads if head not in lexicon.heading_words] or heads
    places = _plain_places(heads[:_HEAD_WORDS], own, other)
    if places is None and len(heads) > _HEAD_WORDS:
        places = _member_affirmed(negation, heads[0], owner, own, other)
    forbids = negation.category in _FORBIDDING
    if places is None and forbids and len(heads) > _MEMBER_WORDS and all(head in other.words for head in heads[1:_LONG_HEAD]):
        rest = _plain_places(heads[1:_LONG_HEAD], own, other) or []  # the first words may be said both ways
        places = rest if len(rest) > 1 else None
    if places is None and heads and heads[0] in lexicon.effect_words and not (other.negations and _tells_an_effect(own, lexicon)):
        objects = [head for head in heads if head not in lexicon.effect_words][:_HEAD_WORDS]
        if len(objects) > 1 and _tells_an_effect(other, lexicon):  # "không ảnh hưởng đến hấp thu" against "làm giảm hấp thu"
            places = _plain_places(objects, own, other)
    return places


def _member_affirmed(negation: Negation, head: str, owner: Reading, own: Sentence, other: Sentence) -> list[int] | None:
    """ "Không dùng trong Herpes ở mắt, sốt rét thể não": each member of the list is denied by itself."""
    words = owner.tokens.words
    members: list[list[str]] = [[]]
    last = negation.end
    for place in negation.reach:
        if members[-1] and "," in words[last:place]:
            members.append([])
        members[-1].append(words[place])
        last = place
    for member in members[1:]:
        told = member[:_MEMBER_WORDS]
        if len(told) > 1 and all(word in other.words for word in [head, *told]):
            places = _plain_places([head, *told], own, other)
            if places is not None:
                return places
    return None


def _plain_places(heads: list[str], own: Sentence, other: Sentence) -> list[int] | None:
    present = [head for head in heads if head in other.words]
    if not present or (len(present) < len(heads) and len(present) < 2):
        return None
    if heads[0] not in other.words and len(present) < _HEAD_WORDS - 1:
        return None
    places: list[int] = []
    for head in present:
        if any(place in other.negated or place in other.shadowed for place in other.words[head]):
            return None
        if any(place not in own.negated for place in own.words.get(head, ())):
            continue  # said both ways on its own side: not clear enough
        places.append(other.words[head][0])
    return sorted(places) or None


def _tells_an_effect(sentence: Sentence, lexicon: Lexicon) -> bool:
    return any(word in lexicon.effect_words and _stands_plainly(word, sentence) for word in sentence.words)


# --- headings that negate


def _against_heading(comparison: Comparison) -> list[Finding]:
    """Under Chống chỉ định the heading negates every item: a claim that says to use the drug turns it round."""
    if not is_negating_section(comparison.evidence.section_key, comparison.evidence.section_title, comparison.lexicon):
        return []
    claim = comparison.claim
    found: list[Finding] = []
    for sentence in polar_sentences(claim, comparison.lexicon):
        if any(negation.category in ("forbid", "advise_against", "stop") for negation in sentence.negations):
            continue
        place = _permission(claim.tokens.words[sentence.start : sentence.end], comparison.lexicon)
        if place is not None:
            at = sentence.start + place
            found.append(comparison.finding("negation_mismatch", "heading_negates", (at, min(at + 2, sentence.end))))
    return found


def _permission(words: list[str], lexicon: Lexicon) -> int | None:
    for phrase in lexicon.permissions:
        for place in range(len(words) - len(phrase) + 1):
            if tuple(words[place : place + len(phrase)]) == phrase and not (place and words[place - 1] in lexicon.no_permission_behind):
                return place
    return None


@lru_cache(maxsize=256)
def _folded(title: str) -> str:
    return title.casefold()


def is_negating_section(key: str | None, title: str, lexicon: Lexicon) -> bool:
    """Whether the section's heading itself negates its items."""
    keys = lexicon.ruleset.tables["negations"]["negating_sections"]
    return (key or "") in keys or _folded(title).startswith("chống chỉ định")
