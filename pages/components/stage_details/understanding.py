"""Understanding: what the rules read in the question, each find with its words."""

from __future__ import annotations

from duocthu_core.pipeline.outputs import UnderstandingOutput
from duocthu_core.understanding.model import Mention
from pages.components.facts.parts import Cell, KeyValues, Part, Passage, Table
from pages.components.stage_details.shared import Shown, listed
from pages.frame import formats, labels
from pages.frame.shown_text import Mark, pieces
from pages.frame.words import _, word


def parts(output: UnderstandingOutput, shown: Shown) -> list[Part]:
    question = output.question
    marks = [Mark(mention.span, mention.kind) for mention in question.mentions]
    rows: list[tuple[str, Cell]] = [
        (_("understanding.intent"), word("intent", question.intent)),
        (_("understanding.follow_up"), _("answer_word.yes") if question.is_followup or question.refers_back else _("answer_word.no")),
        (_("understanding.asks_amounts"), _("answer_word.yes") if question.asks_amounts else _("answer_word.no")),
    ]
    if question.stated:
        rows.append((_("understanding.stated"), listed([value.text for value in question.stated])))
    if question.unknown_names:
        rows.append((_("understanding.unknown_names"), listed(question.unknown_names)))
    if question.condition:
        rows.append((_("understanding.condition"), question.condition))
    found: list[Part] = [Passage(_("understanding.question"), pieces(question.text, marks)), KeyValues(rows)]
    if question.mentions:
        columns = (_("understanding.words"), _("understanding.taken_for"), _("understanding.value"))
        lines = [(f"“{item.words}”", word("mention", item.kind), _value(item, shown)) for item in question.mentions]
        found.append(Table(columns, lines, _("understanding.mentions")))
    if question.offers:
        columns = (_("understanding.words"), _("understanding.offered"), _("understanding.why"), _("understanding.score"))
        offers = [(f"“{o.words}”", o.drug_name, word("offer", o.why), formats.number(o.score, 0)) for o in question.offers]
        found.append(Table(columns, offers, _("understanding.offers")))
    return found


def _value(mention: Mention, shown: Shown) -> str:
    if mention.kind in ("amount", "followup", "reference"):
        return "–"
    named = {
        "drug": labels.drug(shown.trace, mention.value),
        "brand": labels.drug(shown.trace, mention.value),
        "section": labels.section(shown.ruleset, mention.value),
        "population": labels.population(shown.ruleset, mention.value),
        "route": labels.route(shown.ruleset, mention.value),
        "intent": word("intent", mention.value),
        "verbosity": word("verbosity", mention.value),
    }
    return named.get(mention.kind, mention.value)
