"""Cases of a run: which came out wrong, and one laid open with what was expected and what came."""

from __future__ import annotations

from collections.abc import Sequence

from duocthu_core.evaluation.comparing import ChangedCase, Comparison, PairedTest
from duocthu_core.evaluation.results import ItemResult, TurnScore
from pages.components.book_list.book_list import BookEntry
from pages.components.eval_parts.shared import NONE, counted, outcome_words, share
from pages.components.facts.parts import Cell, Figure, Group, KeyValues, Note, Part, Pill, Table, Tone
from pages.frame import formats
from pages.frame.words import _, _n

_DIRECTION: dict[str, tuple[Tone, str]] = {"worse": ("missing", "cross"), "better": ("found", "check"), "other": ("quiet", "info")}


def wrong_cases(results: Sequence[ItemResult]) -> list[ItemResult]:
    """The cases with anything wrong in them: unsafe ones first, then crashed ones, wrong outcomes, and what an answer lacks."""
    found = [item for item in results if not item.right or any(turn_faults(turn) for turn in item.scored)]
    return sorted(found, key=lambda item: (not item.unsafe, not item.missing, item.right, item.item_id))


def turn_faults(turn: TurnScore) -> list[Pill]:
    """What is wrong with a turn."""
    faults = [
        (turn.unsafe, "unsafe", "missing", "alert"),
        (turn.outcome == "missing", "missing", "warning", "alert"),
        (not turn.right and turn.outcome != "missing", "outcome", "missing", "cross"),
        (bool(turn.missed_facts) and turn.outcome == "answered", "facts", "warning", "cross"),
        (bool(turn.wrong_focus), "focus", "warning", "cross"),
        (bool(turn.missing_pages) and turn.right, "pages", "warning", "cross"),
    ]
    return [Pill(_(f"fault.{name}"), tone, icon) for holds, name, tone, icon in faults if holds]  # type: ignore[arg-type]


def case_entry(item: ItemResult) -> BookEntry:
    """A wrong case in the list: its id, expected and got of the turn that is wrong, and what is wrong."""
    turn = next((turn for turn in item.scored if turn_faults(turn)), item.turns[-1])
    about = _("evaluation.expected_got", expected=_expected(turn.expected), got=outcome_words(turn.got))
    marks = {pill.text: pill for each in item.scored for pill in turn_faults(each)}
    return BookEntry(item.item_id, about=about, marks=list(marks.values()))


def changed_entry(case: ChangedCase) -> BookEntry:
    """A turn that came out otherwise in the second run."""
    tone, icon = _DIRECTION[case.direction]
    about = _("evaluation.before_after", before=outcome_words(case.got_a), after=outcome_words(case.got_b))
    marks = [Pill(_(f"direction.{case.direction}"), tone, icon)]
    if case.newly_unsafe:
        marks.append(Pill(_("fault.unsafe"), "missing", "alert"))
    return BookEntry(_("evaluation.case_turn", case=case.item_id, n=case.turn), about=about, marks=marks)


def turn_parts(turn: TurnScore) -> list[Part]:
    """One scored turn: expected, got, and every count of it."""
    rows: list[tuple[str, Cell]] = [
        (_("evaluation.expected"), _expected(turn.expected) if turn.scored else _("evaluation.not_scored")),
        (_("evaluation.got"), outcome_words(turn.got)),
    ]
    counts = (("facts", turn.facts), ("citations", turn.citations), ("raw_numbers", turn.raw_numbers))
    rows += [(_(f"evaluation.{name}"), Figure(counted(count.k, count.n))) for name, count in counts if count.n]
    said = (
        ("missed_facts", "; ".join(turn.missed_facts)),
        ("wrong_focus", ", ".join(_(f"focus_fault.{name}") for name in turn.wrong_focus)),
        ("forbidden_figures", ", ".join(turn.forbidden_figures)),
        ("forbidden_citations", ", ".join(turn.forbidden_citations)),
        ("missing_pages", ", ".join(map(str, turn.missing_pages))),
        ("error", turn.error or ""),
    )
    rows += [(_(f"evaluation.{name}"), text) for name, text in said if text]
    faults = turn_faults(turn)
    state = faults[0] if faults else Pill(_("evaluation.turn_right"), "found", "check")
    return [Group(_("evaluation.turn", n=turn.turn), [KeyValues(rows)], state if turn.scored else None)]


def comparison_parts(found: Comparison) -> list[Part]:
    """The paired tests: all items, then slices; and how many items a difference of five points would need."""
    differs = found.overall.differs
    told = _("evaluation.differs") if differs else _("evaluation.no_difference")
    tone: Tone = "warning" if differs else "found"
    columns = tuple(_(f"paired.{name}") for name in ("name", "before", "after", "lost", "won", "p", "says"))
    parts: list[Part] = [
        Note(told, tone, "alert" if differs else "check"),
        Table(columns, [_test_row(test) for test in (found.overall, *found.slices)], _("paired.title")),
        Note(_(f"paired.told_{found.overall.test}")),
    ]
    if found.pairs_for_5_points is not None:
        parts.append(Note(_n("paired.needed", found.pairs_for_5_points)))
    return parts


def _test_row(test: PairedTest) -> tuple[Cell, ...]:
    p = test.p if test.p_holm is None else test.p_holm
    name = _("paired.all") if test.name == "all" else test.name
    says = Pill(_("paired.differs"), "warning", "alert") if test.differs else Pill(_("paired.same"), "quiet", "check")
    right = (share(right / test.items) if test.items else NONE for right in (test.right_a, test.right_b))
    return name, *(Figure(value) for value in right), Figure(str(test.b)), Figure(str(test.c)), Figure(formats.number(p, 4)), says


def _expected(expected: Sequence[str]) -> str:
    return _("evaluation.or").join(outcome_words(code) for code in expected) or NONE
