"""The judge against people: cells, rates, coefficients, and the bound of severe harm."""

from __future__ import annotations

from duocthu_core.agreement.harm import HarmCount, HarmReport
from duocthu_core.evaluation.judge_agreement import JudgeAgreement, Rate
from pages.components.eval_parts.shared import NONE, between, between_statistics, counted, share, statistic
from pages.components.facts.parts import Cell, Figure, KeyValues, Note, Part, Table
from pages.frame import formats
from pages.frame.words import _, _n


def agreement_parts(found: JudgeAgreement) -> list[Part]:
    """Whether the agreement still holds, then the cells, then what is made of them."""
    parts: list[Part] = []
    if found.expired:
        what = ", ".join(_(f"expired.{name}") for name in found.expired)
        parts.append(Note(_("people.expired", what=what), "warning", "alert"))
    about: list[tuple[str, Cell]] = [
        (_("people.judge"), Figure(found.judge_model)),
        (_("people.prompt_hash"), Figure(found.prompt_hash)),
        (_("people.sample"), _("people.sample_of", items=found.items, claims=found.claims, reviewers=found.reviewers)),
        (_("people.cannot_tell"), Figure(counted(found.cannot_tell.k, found.cannot_tell.n))),
        (_("people.left_out"), _("people.left_out_of", targeted=found.targeted_left_out, split=found.undecided, unjudged=found.not_run)),
    ]
    parts.append(KeyValues(about))
    if not found.claims:
        return [*parts, Note(_("people.none"))]
    cells = found.confusion.table
    rows = [(_("people.says_right"), *map(_cell, cells[0])), (_("people.says_wrong"), *map(_cell, cells[1]))]
    columns = (_("people.people"), _("people.supported"), _("people.unsupported"))
    return [*parts, Table(columns, rows, _("people.cells")), Note(_("people.dangerous_cell"), "warning", "alert"), _rates(found)]


def _cell(count: int) -> Figure:
    return Figure(formats.number(count))


def _rates(found: JudgeAgreement) -> Table:
    shares = ("accuracy", "majority", "tpr", "tnr", "true_rate")
    coefficients = ("kappa", "ac1", "alpha")
    rows: list[tuple[Cell, ...]] = []
    for name in (*shares, *coefficients):
        rate: Rate = getattr(found, name)
        if name in shares:
            value, interval = share(rate.value) if rate.value is not None else _("evaluation.undefined"), between(rate.interval)
        else:
            value, interval = statistic(rate.value), between_statistics(rate.interval)
        rows.append((_(f"people.{name}"), Figure(value), Figure(interval), _(f"people_about.{name}")))
    columns = tuple(_(f"evaluation.{name}") for name in ("metric", "value", "interval", "means"))
    return Table(columns, rows, _("people.rates"))


def harm_parts(report: HarmReport) -> list[Part]:
    """Severe and harmful conversations with their bounds, and how many more must be reviewed."""
    rows = [_harm_row("severe", report.severe), _harm_row("harmful", report.harmful)]
    columns = tuple(_(f"harm.{name}") for name in ("what", "count", "upper", "needed"))
    answered = share(report.answered / report.reviewed) if report.reviewed else NONE
    parts: list[Part] = [
        Table(columns, rows, _("harm.title")),
        KeyValues([(_("harm.answer_rate"), Figure(f"{answered} ({counted(report.answered, report.reviewed)})"))]),
    ]
    return [*parts, Note(_n("harm.pending", report.pending), "warning", "alert")] if report.pending else parts


def _harm_row(name: str, count: HarmCount) -> tuple[Cell, ...]:
    upper = _("evaluation.undefined") if count.upper is None else f"≤ {share(count.upper)}"
    return _(f"harm.{name}"), Figure(counted(count.k, count.n)), Figure(upper), Figure(formats.number(count.more_needed))
