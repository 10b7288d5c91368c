"""Who acts on whom: "isoniazid làm tăng độc tính của paracetamol" told as "paracetamol làm tăng độc tính của isoniazid"."""

from __future__ import annotations

from dataclasses import dataclass

from duocthu_core.verification.guards.comparison import Comparison
from duocthu_core.verification.guards.foreign_terms import is_foreign
from duocthu_core.verification.guards.polarity import polar_sentences
from duocthu_core.verification.guards.structure import Reading
from duocthu_core.verification.model import Finding

_ENDS = frozenset({";", ".", ":", "\n"})


@dataclass(frozen=True, slots=True)
class _Act:
    """A drug, what it does, and the drug that it does it to."""

    agents: frozenset[str]
    verb: int
    patients: frozenset[str]


def agent_findings(comparison: Comparison) -> list[Finding]:
    """Acts of the claim whose two drugs are exchanged against the block's."""
    mine = _acts(comparison.claim, comparison)
    theirs = _acts(comparison.block, comparison) if mine else []
    for act in mine:
        turned = next((other for other in theirs if act.agents & other.patients and act.patients & other.agents), None)
        stands = any(act.agents & other.agents and act.patients & other.patients for other in theirs)
        if turned is not None and not stands:
            here, there = (act.verb, act.verb + 1), (turned.verb, turned.verb + 1)
            return [comparison.finding("negation_mismatch", "agent_exchanged", here, there)]
    return []


def _acts(reading: Reading, comparison: Comparison) -> list[_Act]:
    lexicon, words = comparison.lexicon, reading.tokens.words
    found: list[_Act] = []
    for sentence in polar_sentences(reading, lexicon):
        for verb in range(sentence.start + 1, sentence.end - 1):
            if words[verb] not in lexicon.acting_words:
                continue
            floor = max((at + 1 for at in range(sentence.start, verb) if words[at] in _ENDS), default=sentence.start)
            before = words[floor:verb]
            agents = _terms(before, comparison)
            patients = _terms(_object(words[verb + 1 : sentence.end], comparison), comparison)
            if agents and patients and not lexicon.acting_borders & set(before):
                found.append(_Act(agents, verb, patients - agents))
    return [*found, *_listed_acts(reading, comparison)]


def _listed_acts(reading: Reading, comparison: Comparison) -> list[_Act]:
    """ "Losartan làm tăng tác dụng: lithi": who acts stands in the label, on whom under it; or, where the label begins with the verb
    ("Tăng nồng độ losartan: …"), the other way round."""
    lexicon, words = comparison.lexicon, reading.tokens.words
    found: list[_Act] = []
    for clause in reading.clauses:
        listed = _terms(words[clause.start : clause.end], comparison)
        if not listed or not clause.labels or lexicon.acting_words.intersection(words[clause.start : clause.end]):
            continue
        label = clause.labels[-1]
        verb = next((at for at in range(label.start, label.end) if words[at] in lexicon.acting_words), None)
        if verb is None or lexicon.acting_borders.intersection(words[label.start : verb]):
            continue
        before, behind = _terms(words[label.start : verb], comparison), _terms(words[verb + 1 : label.end], comparison)
        if before and not behind:
            found.append(_Act(before, verb, listed - before))
        elif behind and not before:
            found.append(_Act(listed - behind, verb, behind))
    return found


def _object(words: list[str], comparison: Comparison) -> list[str]:
    """What stands behind the verb, up to where something else begins."""
    borders = comparison.lexicon.acting_borders - {"của"}
    end = next((at for at, word in enumerate(words) if word in borders or word in _ENDS or word == ","), len(words))
    return words[:end]


def _terms(words: list[str], comparison: Comparison) -> frozenset[str]:
    return frozenset(word for word in words if is_foreign(word, comparison.lexicon))
