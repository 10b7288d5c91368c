"""One scene of the demonstration (spec 06, page 9): what was drafted beside what the book says, and in plain words what happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from duocthu_core.answering.messages import disclaimer
from duocthu_core.corpus.collection import Corpus
from duocthu_core.pipeline.checking import Recheck
from duocthu_core.pipeline.demonstrating import Played, Scene, Spoiled, Words, figures_found
from duocthu_core.pipeline.trace import Trace
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.text.sentences import sentences
from duocthu_core.text.spans import Span
from duocthu_core.verification.model import BoundDetail, ClaimBinding
from pages.components.base.registration import component
from pages.components.turn_view.turn_view import focus_line, told_message
from pages.frame import formats
from pages.frame.shown_text import Mark, as_data, pieces, shown
from pages.frame.words import _, _n, language

_draw = component(Path(__file__).parent)
_CLAIMS_SHOWN = 3
_BETWEEN = " \u00a0-\u2013"
_BOOK_LENGTH = 320
"""Characters of the book beside a claim, where its sentences are short; a sentence is never cut."""


@dataclass(frozen=True)
class Step:
    """Where a scene stands among the others."""

    number: int
    scenes: Sequence[Scene]

    @property
    def scene(self) -> Scene:
        """The scene of this step."""
        return self.scenes[self.number - 1]


def demo_scene(
    step: Step, played: Played | None, ruleset: Ruleset, always: Sequence[str], *, key: str, on_step: Callable[[int], None]
) -> None:
    """Draws the scene of ``step``; without ``played`` only what will be asked. ``always`` are the lines that stand under every scene."""

    def act() -> None:
        chosen = st.session_state.get(key, {}).get("step")
        if isinstance(chosen, int) and 1 <= chosen <= len(step.scenes):
            on_step(chosen)

    _draw(key=key, data=scene_data(step, played, ruleset, always), on_step_change=act)


def scene_data(step: Step, played: Played | None, ruleset: Ruleset, always: Sequence[str]) -> dict[str, Any]:
    """What the component draws."""
    scene, total = step.scene, len(step.scenes)
    *earlier, asked = scene.questions
    return {
        "language": language(),
        "words": {"happened": _("demo.happened"), "ways": _("demo.ways")},
        "place": _("demo.place", n=step.number, total=total, title=said(scene.title)),
        "earlier": [{"label": _("demo.earlier"), "text": _("demo.quoted", text=question.vi)} for question in earlier],
        "question": _("demo.quoted", text=asked.vi),
        "gloss": "" if language() == "vi" else _("demo.quoted", text=asked.en),
        "focus": focus_line(played.last, ruleset) if played else "",
        "panes": _panes(played, ruleset) if played else [],
        "verdict": _verdict(played) if played else None,
        "always": [shown(line) for line in always],
        "previous": _way(step, -1),
        "next": _way(step, 1),
        "steps": [
            {"step": number, "current": number == step.number, "spoken": _("demo.place", n=number, total=total, title=said(each.title))}
            for number, each in enumerate(step.scenes, 1)
        ],
    }


def always_said(corpus: Corpus, ruleset: Ruleset) -> list[str]:
    """The disclaimer, and for a demonstration corpus that it is one: on every scene, whatever came out."""
    return [disclaimer(corpus.edition, ruleset, language()), *([_("demo.corpus")] if corpus.is_demo else [])]


def said(words: Words) -> str:
    """The words in the reader's language."""
    return words.en if language() == "en" else words.vi


def _way(step: Step, by: int) -> dict[str, Any] | None:
    number = step.number + by
    if not 1 <= number <= len(step.scenes):
        return None
    title = said(step.scenes[number - 1].title)
    text = _("demo.previous") if by < 0 else _("demo.next", title=title[:1].lower() + title[1:])
    return {"step": number, "text": text}


# --- the two panes


def _panes(played: Played, ruleset: Ruleset) -> list[dict[str, Any]]:
    trace = played.last
    if played.spoiled is not None:
        return [
            _wrong_pane(played.spoiled),
            _book_pane(trace, [played.spoiled.true], _figure_at(played.spoiled.true.binding, played.spoiled.was)),
        ]
    if played.claims:
        claims = _most_telling(played.claims)
        return [_answer_pane(claims, len(played.claims)), _book_pane(trace, claims, None)]
    pane = _pane("silent", "stop", _("demo.machine_silent"), [[_plain(told_message(trace, ruleset))]])
    locked = [block for block in trace.evidence if block.quarantined]
    return [pane, _locked_pane(locked)] if trace.outcome == "verify_pdf" and locked else [pane]


def _most_telling(claims: Sequence[Recheck]) -> list[Recheck]:
    """The claim with the most figures; where none has any, the first ones."""
    best = max(claims, key=figures_found)
    return [best] if figures_found(best) else list(claims[:_CLAIMS_SHOWN])


def _answer_pane(claims: Sequence[Recheck], total: int) -> dict[str, Any]:
    texts = [as_data(pieces(claim.binding.text, _figure_marks(claim.binding))) for claim in claims]
    left = total - len(claims)
    return _pane("accent", "chat", _("demo.machine_answered"), texts, _n("demo.more_sentences", left) if left else "")


def _wrong_pane(spoiled: Spoiled) -> dict[str, Any]:
    wrong = Mark(_figure_at(spoiled.wrong.binding, spoiled.now), "missing")
    texts = [as_data(pieces(spoiled.wrong.binding.text, [wrong]))]
    return _pane("missing", "cross", _("demo.machine_drafted"), texts, _("demo.withheld") if spoiled.caught else _("demo.let_through"))


def _book_pane(trace: Trace, claims: Sequence[Recheck], only: Span | None) -> dict[str, Any]:
    """The sentences of the book that the claims stand on, their figures marked; with ``only``, those of that part of the claim."""
    blocks = {block.index: block for block in trace.evidence}
    texts: list[list[dict[str, object]]] = []
    sources: dict[str, None] = {}
    for claim in claims:
        for index in claim.binding.citations[:1]:
            block = blocks[index]
            details = [detail for detail in claim.binding.details if detail.evidence is not None and detail.evidence.index == index]
            marks = _joined(block.text, _book_marks(details, only))
            places = [detail.evidence.span for detail in details if detail.evidence is not None and detail.evidence.span is not None]
            window = _window(block.text, [mark.span for mark in marks] or places)
            inside = [Mark(Span(mark.span.start - window.start, mark.span.end - window.start), mark.key) for mark in marks]
            texts.append(as_data(pieces(window.of(block.text), inside)))
            sources[_source(block)] = None
    return _pane("found", "book", _("demo.book_says"), texts, " · ".join(sources))


def _locked_pane(blocks: Sequence[Evidence]) -> dict[str, Any]:
    sources = dict.fromkeys(_source(block) for block in blocks)
    return _pane("locked", "lock", _("demo.book_has_table"), [[_plain(line)] for line in [_("demo.open_book"), *sources]])


def _pane(tone: str, sign: str, heading: str, texts: list[list[dict[str, object]]], foot: str = "") -> dict[str, Any]:
    return {"tone": tone, "icon": sign, "heading": heading, "texts": texts, "foot": foot}


def _plain(text: str) -> dict[str, object]:
    return {"text": shown(text), "keys": []}


def _source(block: Evidence) -> str:
    page = formats.pages(block.page_start, block.page_end, estimated=block.page_estimated)
    return shown(", ".join(part for part in (block.drug_name, block.section_title, page) if part))


# --- marks


def _figure_marks(binding: ClaimBinding) -> list[Mark]:
    figures = [detail for detail in binding.details if detail.kind in ("number", "unit")]
    return _joined(binding.text, [Mark(detail.claim_span, "found" if detail.found else "missing") for detail in figures])


def _joined(text: str, marks: Iterable[Mark]) -> list[Mark]:
    """Marks of one kind with nothing but a dash or space between them as one: a range with its unit is one figure to a reader."""
    joined: list[Mark] = []
    for mark in sorted(set(marks), key=lambda mark: (mark.span.start, mark.span.end)):
        last = joined[-1] if joined else None
        if last is not None and last.key == mark.key and not text[last.span.end : mark.span.start].strip(_BETWEEN):
            joined[-1] = Mark(Span(last.span.start, max(last.span.end, mark.span.end)), mark.key)
        else:
            joined.append(mark)
    return joined


def _book_marks(details: Iterable[BoundDetail], only: Span | None) -> list[Mark]:
    kept = [
        detail
        for detail in details
        if detail.kind in ("number", "unit")
        and detail.evidence is not None
        and detail.evidence.span is not None
        and (only is None or _touch(detail.claim_span, only))
    ]
    return [Mark(detail.evidence.span, "found") for detail in kept if detail.evidence is not None and detail.evidence.span is not None]


def _touch(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _figure_at(binding: ClaimBinding, place: Span) -> Span:
    """The whole figure at ``place``, with its other end and its unit."""
    figures = _joined(binding.text, [Mark(detail.claim_span, "") for detail in binding.details if detail.kind in ("number", "unit")])
    return next((mark.span for mark in figures if _touch(mark.span, place)), place)


def _window(text: str, places: Sequence[Span]) -> Span:
    """Whole sentences of the book around ``places``, and as many before them as stay short."""
    borders = sentences(text)
    touched = [number for number, sentence in enumerate(borders) if any(_touch(sentence, place) for place in places)]
    first, last = (touched[0], touched[-1]) if touched else (0, 0)
    while first > 0 and borders[last].end - borders[first - 1].start <= _BOOK_LENGTH:
        first -= 1  # a label that governs the sentence stands before it
    return Span(borders[first].start, borders[last].end) if borders else Span(0, len(text))


# --- the verdict


def _verdict(played: Played) -> dict[str, str]:
    tone, sign, sentence = _judged(played)
    happened = said(played.scene.happened if played.as_expected else played.scene.otherwise)
    return {"tone": tone, "icon": sign, "said": sentence, "happened": shown(happened)}


def _judged(played: Played) -> tuple[str, str, str]:
    if played.spoiled is not None:
        figures = [detail.text for detail in played.spoiled.wrong.binding.details if detail.kind == "number" and not detail.found]
        if not played.spoiled.caught:
            return "warning", "alert", _("demo.verdict_missed")
        return (
            "missing",
            "stop",
            _n("demo.verdict_caught", len(figures), figures=", ".join(figures)) if figures else _("demo.verdict_refused"),
        )
    outcome = played.last.outcome
    if outcome == "verify_pdf":
        return "locked", "lock", _("demo.verdict_table")
    if outcome not in ("answered", "extractive"):
        return "missing", "stop", _("demo.verdict_clarify") if outcome == "clarification" else _("demo.verdict_refused")
    if played.same_without_order:
        return "found", "check", _("demo.verdict_same")
    figures = sum(figures_found(claim) for claim in _most_telling(played.claims)) if played.claims else 0
    return "found", "check", _n("demo.verdict_found", figures) if figures else _("demo.verdict_answered")
