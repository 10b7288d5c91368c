"""A report as titled parts of plain text: what HTML and PDF both draw, in the report's language."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from duocthu_core.exports.audit_report import AuditReport, ReportBlock, ReportBody, ReportClaim, ReportReview
from duocthu_core.text.catalogue import Language, sentence


@dataclass(frozen=True)
class Entry:
    """A line or a few lines of one thing: what it is, its own words, what is said of it."""

    head: str
    text: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Part:
    """A part of the report under its title."""

    title: str
    entries: tuple[Entry, ...]


class Words:
    """The catalogue in the report's language."""

    def __init__(self, language: Language) -> None:
        self._language: Language = language

    def say(self, key: str, **values: object) -> str:
        """The sentence of ``key``."""
        return sentence(self._language, key, **values)


def title_of(report: AuditReport) -> str:
    """The report's title."""
    say = Words(report.body.language).say
    return say("report.title")


def parts_of(report: AuditReport) -> list[Part]:
    """The report, part by part, the important first."""
    body, words = report.body, Words(report.body.language)
    say = words.say
    parts = [
        Part(say("report.question"), (Entry(body.question), *_facts(body, words))),
        Part(say("report.answer"), tuple(_answer(body, words))),
        Part(say("report.claims"), tuple(_claim(claim, words) for claim in body.claims)),
        Part(say("report.blocks"), tuple(_block(block, words) for block in body.blocks)),
        Part(say("report.reviews"), tuple(_review(review, words) for review in body.reviews)),
        Part(say("report.hashes"), tuple(_hashes(report, words))),
    ]
    nothing = Entry(say("report.nothing"))
    return [part if part.entries else Part(part.title, (nothing,)) for part in parts]


def _facts(body: ReportBody, words: Words) -> Iterable[Entry]:
    say = words.say
    asked = say("report.asked_at", at=_moment(body.asked_at), turn=body.turn_index, trace=body.trace_id)
    yield Entry(asked, notes=(say("report.models", generator=body.generator, judge=body.judge), body.edition))


def _answer(body: ReportBody, words: Words) -> Iterable[Entry]:
    outcome = words.say(f"outcome.{body.outcome}")
    if body.reject_reason:
        outcome += " · " + words.say(f"reason.{body.reject_reason}")
    yield Entry(outcome, body.message)
    yield from (Entry(line) for line in body.answer)
    yield from (Entry(notice) for notice in body.notices)
    yield Entry(body.disclaimer)


def _claim(claim: ReportClaim, words: Words) -> Entry:
    say = words.say
    cited = " ".join(f"[{index}]" for index in claim.citations)
    notes = [say("report.rejected", reason=say(f"reason.{reason}")) for reason in claim.findings]
    verdict = claim.verdict
    if verdict is None:
        notes.append(say("report.not_judged"))
    else:
        said = say(f"report.status.{verdict.status}")
        if verdict.stance is not None:
            said += f" · {say(f'stance.{verdict.stance}')} · {verdict.confidence}/100"
        notes.append(say("report.judged", said=said))
        if verdict.quote:
            notes.append(say("report.quote", quote=verdict.quote))
    return Entry(say("report.claim", number=claim.number, cited=cited), claim.text, tuple(notes))


def _block(block: ReportBlock, words: Words) -> Entry:
    say = words.say
    pages = say("book.no_page")
    if block.page_start is not None:
        page = str(block.page_start) if block.page_end in (None, block.page_start) else f"{block.page_start}-{block.page_end}"
        pages = say("book.about_page" if block.page_estimated else "book.page", page=page)
    head = f"[{block.index}] {block.drug_name} · {block.section_title} · {pages}"
    text = say("report.quarantined") if block.quarantined else block.text
    return Entry(head, text, (block.url or block.block_id,))


def _review(review: ReportReview, words: Words) -> Entry:
    say = words.say
    about = say("report.whole_turn") if review.claim == 0 else say("report.claim", number=review.claim, cited="").rstrip()
    said = [say(f"judgement.{review.judgement}")]
    if review.error_kind:
        said.append(say(f"error_type.{review.error_kind}"))
    if review.severity:
        said.append(f"NCC MERP {review.severity}")
    head = " · ".join((about, review.reviewer, say(f"review_event.{review.kind}"), _moment(review.at)))
    return Entry(head, " · ".join(said), (review.note,) if review.note else ())


def _hashes(report: AuditReport, words: Words) -> Iterable[Entry]:
    body, say = report.body, words.say
    hashes = body.hashes
    yield Entry(say("report.made", at=_moment(body.made_at), by=body.made_by))
    named = (
        (say("report.hash_report"), report.sha256),
        (say("report.hash_trace"), hashes.trace_sha256),
        (say("report.hash_ruleset"), hashes.ruleset_id),
        (say("report.hash_prompt"), hashes.judge_prompt_hash),
        (say("report.hash_framework"), hashes.framework_version),
        (say("report.hash_corpus"), hashes.corpus_id),
    )
    yield from (Entry(name, value) for name, value in named if value)


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
