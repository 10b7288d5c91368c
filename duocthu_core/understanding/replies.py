"""A short reply to a question that we asked back continues the original question (spec 02; ``dialogue.clarification_answers``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from duocthu_core.conversation.model import PendingClarification
from duocthu_core.text.folding import fold
from duocthu_core.text.spans import Span
from duocthu_core.understanding.dialogue_acts import DialogueReader
from duocthu_core.understanding.lexicon import TextWords, phrase_key
from duocthu_core.understanding.model import DrugOffer, MaskedItem, Mention, Question, Stated

_VALUE_INTENTS = frozenset({"section", "smalltalk", "survey", "compare", "interaction"})


class ReplyReader:
    """Decides whether a turn answers our question, and joins the two."""

    def __init__(self, dialogue: Mapping[str, Any], acts: DialogueReader) -> None:
        self._acts = acts
        answers = dialogue["clarification_answers"]
        self._values = {phrase_key(str(phrase)) for phrase in answers["value_forms"]}
        self._small = {fold(word) for phrase in answers["value_words"] for word in str(phrase).split()}

    def continued(self, reply: Question, pending: PendingClarification, read: Callable[[str], Question]) -> Question | None:
        """The original question with the reply's values, or None where the turn is a question of its own.

        ``reply`` is the turn read alone; ``read`` reads the two together.
        """
        words = TextWords(reply.text)
        if not words.words or not self._acts.is_short(words):
            return None
        kind = self._acts.answer_kind(words)
        if kind == "change":
            return reply.model_copy(update={"intent": "smalltalk"})
        original = read(pending.original_question)
        choice = self._acts.chosen(words, pending.options)
        if choice is None and kind == "yes" and len(pending.options) == 1:
            choice = 0
        if kind is None and choice is None and not self._is_value(reply, original, words):
            return None
        said = reply.text if choice is None else pending.options[choice]
        return self._joined(original, reply, pending, read, said=said, kind=kind)

    def _is_value(self, reply: Question, original: Question, words: TextWords) -> bool:
        """Whether the turn is nothing but a value that was asked for: an age, a weight, a group, a route, a drug."""
        if tuple(word.folded for word in words.words) in self._values:
            return True
        if reply.is_followup or reply.section_keys or reply.unrecognised_names or reply.intent not in _VALUE_INTENTS:
            return False
        names_other_drug = bool(original.drug_ids) and bool(set(reply.drug_ids) - set(original.drug_ids) or reply.unknown_names)
        if names_other_drug or not (
            reply.drug_ids or reply.offers or reply.stated or reply.populations or reply.routes or _has_amount(reply)
        ):
            return False
        covered = [mention.span for mention in reply.mentions] + [value.span for value in reply.stated]
        offered = {word for offer in reply.offers for word in fold(offer.words).split()}
        rest = [
            word.folded
            for word in words.words
            if word.folded.isalpha() and not any(span.covers(word.span) for span in covered) and word.folded not in self._small | offered
        ]
        return not rest

    def _joined(
        self,
        original: Question,
        reply: Question,
        pending: PendingClarification,
        read: Callable[[str], Question],
        *,
        said: str,
        kind: str | None,
    ) -> Question:
        start = len(pending.original_question) + 1
        joined = read(f"{pending.original_question}\n{said}")
        drug_ids, offers, mentions = self._drugs(original, joined, kind, said=Span(start, start + len(said)))
        replied = {value.kind for value in joined.stated if value.span.start >= start}
        stated: tuple[Stated, ...] = tuple(value for value in joined.stated if value.span.start >= start or value.kind not in replied)
        own = read(said) if said != reply.text else reply
        masked = tuple(
            MaskedItem(kind=item.kind, mask=item.mask, span=Span(item.span.start + start, item.span.end + start))
            for item in reply.masked
            if said == reply.text
        )
        return joined.model_copy(
            update={
                "masked": masked,
                "mentions": mentions,
                "drug_ids": drug_ids,
                "offers": offers,
                "stated": stated,
                "population": own.population if own.populations else joined.population if not own.stated else original.population,
                "populations": own.populations or joined.populations,
                "route": own.route if own.routes else joined.route,
                "routes": own.routes or joined.routes,
                "intent": joined.intent if joined.intent != "smalltalk" else original.intent,
                "reply_start": start,
                "continues_turn": pending.asked_at_turn,
            }
        )

    @staticmethod
    def _drugs(
        original: Question, joined: Question, kind: str | None, *, said: Span
    ) -> tuple[tuple[str, ...], tuple[DrugOffer, ...], tuple[Mention, ...]]:
        """Drugs after the reply: an accepted or chosen offer is named now; a refused one is gone."""
        mentions = joined.mentions
        chosen = [mention.value for mention in mentions if mention.kind in ("drug", "brand") and mention.span.start >= said.start]
        if original.offers and kind == "yes" and not chosen:
            candidates = {offer.drug_id: offer for offer in original.offers}
            if len(candidates) == 1:
                (offer,) = candidates.values()
                mention = Mention(kind="drug", value=offer.drug_id, words=offer.words, span=said)
                return (*original.drug_ids, offer.drug_id), (), tuple(sorted((*mentions, mention), key=lambda found: found.span))
        if original.offers and (chosen or kind == "no"):
            return tuple(dict.fromkeys((*original.drug_ids, *chosen))), (), mentions
        return joined.drug_ids, joined.offers, mentions


def _has_amount(question: Question) -> bool:
    return any(mention.kind == "amount" for mention in question.mentions)
