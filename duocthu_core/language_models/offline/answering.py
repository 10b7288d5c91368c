"""The offline model's answer: chosen lines of the book with their labels, or a question back (spec 03, "The offline model")."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from duocthu_core.language_models.offline.asking_back import AskBack, Asker
from duocthu_core.language_models.offline.choosing import Chooser
from duocthu_core.language_models.offline.lexicon import Lexicon
from duocthu_core.language_models.offline.question import Asked, Topic, asked_in
from duocthu_core.language_models.offline.reading import BlockReader, Item, ShownBlock, shown_blocks
from duocthu_core.language_models.offline.wording import NoFigures, WordedClaim, worded
from duocthu_core.text.folding import fold
from duocthu_core.text.phrases import words

_DOSING_SECTION = "lieu_luong_cach_dung"
_TOPIC_MAX_CHARS, _TOPICS_QUOTED = 60, 3


class Answerer:
    """Writes answers from payloads."""

    def __init__(self, lexicon: Lexicon, reader: BlockReader, claim_max_chars: int) -> None:
        self._lexicon = lexicon
        self._reader = reader
        self._chooser = Chooser(lexicon)
        self._asker = Asker(lexicon)
        self._max_chars = claim_max_chars
        self._no_figures = NoFigures(lexicon.figure_names, lexicon.turns_round)

    def reply(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """The content of the reply, in the form of every model's draft."""
        blocks = shown_blocks(payload)
        asked = asked_in(payload, self._lexicon, {block.drug_name for block in blocks})
        items = [item for block in blocks for item in self._reader.read(block)]
        if asked.mode == "candidate_list":
            allowed = set(payload.get("allowed_drug_ids") or ())
            items = [item for item in items if not allowed or item.block.drug_id in allowed]
        chosen = self._chosen(items, asked)
        if isinstance(chosen, AskBack):
            return _ask(chosen)
        chosen = self._with_missing(chosen, items, asked.repair_missing)
        if not chosen:
            return _ask(self._nothing_stated(asked, blocks))
        with_drug = asked.mode in ("candidate_list", "compare", "interaction") or len({item.block.drug_id for item in chosen}) > 1
        claims = worded(chosen, no_figures=self._no_figures if asked.no_figures else None, with_drug=with_drug, max_chars=self._max_chars)
        if not claims:
            return _ask(AskBack(self._lexicon.rules["ask"]["only_figures"]))
        return _draft(claims)

    def chosen_lines(self, payload: Mapping[str, Any]) -> list[Item]:
        """The lines that answer the question of ``payload``; none where a question would be asked back. For finding what was left out."""
        blocks = shown_blocks(payload)
        asked = asked_in(payload, self._lexicon, {block.drug_name for block in blocks})
        items = [item for block in blocks for item in self._reader.read(block)]
        chosen = self._chosen(items, asked)
        return [] if isinstance(chosen, AskBack) else chosen

    def _chosen(self, items: Sequence[Item], asked: Asked) -> list[Item] | AskBack:
        if asked.mode == "interaction":
            return self._interaction(items, asked)
        doses = [item for item in items if item.block.section_key == _DOSING_SECTION]
        others = [item for item in items if item.block.section_key != _DOSING_SECTION]
        chosen: list[Item] = []
        if doses:
            fitting = self._chooser.dosing(doses, asked)
            question = self._asker.question_about(fitting, asked)
            question = question or self._asker.question_about_undecided(fitting, self._chooser.undecided(doses, asked), asked)
            beside = others and asked.section_key != _DOSING_SECTION and not self._chooser.is_by_age(asked)
            if question is not None and not beside:
                return question
            chosen += self._lines_of_doses(fitting, asked)
        for section in dict.fromkeys((item.block.drug_id, item.block.section_key) for item in others):
            of_section = [item for item in others if (item.block.drug_id, item.block.section_key) == section]
            prose = self._chooser.prose(of_section, asked)
            chosen += self._limited(prose or [], section[1], asked)
        return chosen

    def _lines_of_doses(self, fitting: list[Item], asked: Asked) -> list[Item]:
        """Dosing lines and limits; how a drug is taken or mixed only where more detail, or just that, is asked."""
        if asked.asks_rate and (rates := [item for item in fitting if self._lexicon.rate_lines.find(item.text)]):
            return rates
        if asked.asks_manner:
            return self._manner_lines(fitting, asked)
        doses = [item for item in fitting if (item.is_dose and not item.is_manner) or item.has_limit]
        about = self._chooser.about(fitting, asked.topics)
        if not any(item.is_dose and not item.is_manner for item in fitting):
            # No dose for this patient: what the book says of the group without figures, or of the topic, but never limits alone.
            return [item for item in fitting if item.populations and not item.is_manner] or about
        if asked.detailed or asked.survey:
            return fitting[: self._lexicon.rules["detailed_claims"]]
        if about and not asked.asks_amount and not any(item.is_dose for item in about):
            return about
        return doses

    def _manner_lines(self, fitting: list[Item], asked: Asked) -> list[Item]:
        """How the drug is taken, given or mixed: lines with the question's own words for it, else those of the route, else all."""
        manner = [item for item in fitting if item.is_manner or not item.is_dose]
        if asked.manner:
            return [item for item in manner if asked.manner & {word.folded for word in words(item.text)}]
        manner = [item for item in manner if item.is_manner] or manner
        of_route = [item for item in manner if asked.route in item.routes]
        return self._chooser.about(manner, asked.topics) or of_route or manner or fitting

    def _limited(self, items: list[Item], section_key: str | None, asked: Asked) -> list[Item]:
        """At most as many lines as an answer of this length holds; lines with a limit or a ban go before others."""
        limits = self._lexicon.rules["concise_claims"]
        most = self._lexicon.rules["detailed_claims"] if asked.detailed or asked.survey else limits.get(section_key, limits["default"])
        if not most or len(items) <= most:
            return items
        urgent = [item for item in items if item.has_limit or self._forbids(item)]
        kept = {item.place for item in [*urgent, *items][:most]}
        return [item for item in items if item.place in kept]

    def _forbids(self, item: Item) -> bool:
        folded = f" {fold(item.text)} "
        cues = self._lexicon.tables["negations"]["cues"]
        return any(f" {phrase} " in folded for strength in ("forbid", "advise_against", "limit") for phrase in cues[strength]["phrases"])

    def _interaction(self, items: Sequence[Item], asked: Asked) -> list[Item]:
        """Lines in the monograph of one drug that name another one of the question."""
        headings = {item.block.drug_id: item.block.drug_name for item in items if item.block.drug_id}
        slugs = {drug_id: drug_id.replace("-", " ") for drug_id in asked.drug_ids}
        named = [*headings.items(), *slugs.items(), *((None, name) for name in asked.named_drugs)]
        named += [(None, words_of) for words_of in (*(topic.text for topic in asked.topics), *asked.class_words)]
        chosen: list[Item] = []
        for item in items:
            own = [name for drug_id, name in named if drug_id == item.block.drug_id]
            others = [name for drug_id, name in named if drug_id != item.block.drug_id and not _is_one_of(name, own)]
            text = {word.folded for word in words("\n".join((*item.heads, item.text)))}
            if any(_is_named(name, text) for name in others):
                chosen.append(item)
        return chosen

    def _with_missing(self, chosen: list[Item], items: Sequence[Item], missing: Sequence[str]) -> list[Item]:
        """A repair: the lines that hold what the draft before left out, besides those chosen before."""
        if not missing:
            return chosen
        wanted = [" ".join(quote.split()) for quote in missing]
        added = [item for item in items if any(quote in " ".join(item.text.split()) for quote in wanted)]
        places = {item.place for item in chosen}
        return [*chosen, *(item for item in added if item.place not in places)]

    def _nothing_stated(self, asked: Asked, blocks: Sequence[ShownBlock]) -> AskBack:
        """The book's gap, said as a gap (rule 5): not found is not "none" and not "safe"."""
        ask, names = self._lexicon.rules["ask"], self._lexicon.rules["names"]
        drugs = list(dict.fromkeys(block.drug_name for block in blocks if block.drug_name))
        drug = " và ".join(drugs) if 0 < len(drugs) <= 2 else names["the_drug"]
        topic = _quoted(asked.topics) or (names["the_question"] if asked.population else "")
        if asked.mode == "interaction" and len(drugs) == 2:
            topic = _filled(names["the_interaction"], drug=drug)
        return AskBack(_filled(ask["not_stated"], topic=topic, drug=drug) if topic else ask["nothing_to_quote"])


def _is_named(name: str, text: set[str]) -> bool:
    """Whether one of the names in a monograph's heading stands in a text."""
    parts = [part for part in name.replace(")", "(").split("(") if part.strip()]
    return any(all(word.folded in text for word in words(part) if word.folded.isalnum()) for part in parts)


def _filled(template: str, **values: str) -> str:
    """``template`` with its marks filled in one pass: braces in a value stay."""
    return re.sub(r"\{([a-z]+)\}", lambda mark: values.get(mark.group(1), mark.group()), template)


def _is_one_of(name: str, own: Sequence[str]) -> bool:
    return any(_is_named(name, {word.folded for word in words(heading)}) for heading in own)


def _quoted(topics: Sequence[Topic]) -> str:
    """The topics in the reader's words, no more of them than a question can carry."""
    texts = [
        topic.text if len(topic.text) <= _TOPIC_MAX_CHARS else topic.text[:_TOPIC_MAX_CHARS].rsplit(" ", 1)[0] + " …" for topic in topics
    ]
    return ", ".join(f"“{text}”" for text in texts[:_TOPICS_QUOTED])


def _ask(asked_back: AskBack) -> dict[str, Any]:
    return {
        "claims": [],
        "evidence_sufficient": False,
        "clarifying_question": asked_back.question,
        "quick_replies": list(asked_back.quick_replies),
    }


def _draft(claims: Sequence[WordedClaim]) -> dict[str, Any]:
    return {
        "claims": [{"text": claim.text, "citations": [claim.index], "drug_id": claim.drug_id} for claim in claims],
        "evidence_sufficient": True,
        "clarifying_question": None,
        "quick_replies": [],
    }
