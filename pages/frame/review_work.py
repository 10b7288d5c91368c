"""What arrives from a reviewer's desk, done and confirmed (spec 06, page 3): drafts, verdicts, changes, decisions, signs of life.

A desk sends each piece of work until it is confirmed, so each may arrive twice: it carries an id, and the store keeps it once.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Literal, cast

import streamlit as st
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from duocthu_core.access.model import User
from duocthu_core.bootstrap import Services
from duocthu_core.review.errors import AlreadyJudged, BadAssessment, NotAssigned, NotThirdPerson, ReservationConflict, ReviewError
from duocthu_core.review.model import Assessment, ClaimAssessment, DraftFields, Purpose
from duocthu_core.storage.errors import StorageUnavailable
from pages.components.review_desk.review_desk import Saving
from pages.frame import formats
from pages.frame.words import _

_log = logging.getLogger(__name__)
_SAVING = "review_saving"
_ACKED_KEPT = 100


class _SaidOfClaim(BaseModel):
    """A claim of a finished item and what was said of it."""

    model_config = ConfigDict(frozen=True)

    claim: int
    fields: DraftFields


class _Work(BaseModel):
    """One piece of work as the desk sends it."""

    model_config = ConfigDict(frozen=True)

    id: str = Field(min_length=8, max_length=60)
    op: Literal["draft", "beat", "finish", "change", "adjudicate"]
    item: str = Field(max_length=80)
    purpose: Purpose
    claim: int = 0
    base: int = Field(default=0, ge=0)
    number: int = Field(default=0, ge=0, lt=2**53)
    fields: DraftFields = DraftFields()
    claims: tuple[_SaidOfClaim, ...] = ()


def saving() -> Saving:
    """How the work of this window is kept."""
    return st.session_state.get(_SAVING, Saving())


def tell_once(tone: str, text: str) -> None:
    """Puts a notice on the desk until the next piece of work."""
    _set(notice=(tone, text))


def storage_failed() -> None:
    """Says that the database is away: what is on the desk stays there and is sent again."""
    _set(problem=True)


def forget_notice() -> None:
    """Takes the notice off the desk."""
    if saving().notice:
        _set(notice=None)


def do_work(services: Services, user: User, message: Mapping[str, Any]) -> bool:
    """Does what ``message`` brings and confirms it; whether the item has to be read again. Where the database cannot be used nothing is
    confirmed, and the desk sends it again."""
    acked: list[str] = list(saving().acked)
    read_again = False
    given = message.get("ops")
    for raw in given if isinstance(given, list) else []:
        try:
            work = _Work.model_validate(raw)
        except ValidationError:
            _log.warning("the review desk sent work that cannot be read")
            acked.append(str(raw.get("id", "")) if isinstance(raw, Mapping) else "")
            continue
        if work.id in acked:
            continue
        try:
            read_again |= _done(services, user, work)
        except StorageUnavailable as error:
            _log.error("review work could not be stored: %s", error)
            _set(acked=acked, problem=True)
            return read_again
        except ReviewError as error:
            _set(notice=("warning", sentence_of(error)))
            read_again = True
        acked.append(work.id)
    _set(acked=acked[-_ACKED_KEPT:], problem=False)
    return read_again


def sentence_of(error: ReviewError) -> str:
    """What a reviewer is told of ``error``: what happened and what to do next."""
    if isinstance(error, ReservationConflict):
        if error.free_from is None:
            return _("review.conflict_finished")
        return _("review.conflict", time=formats.moment(error.free_from, "HH:mm"))
    known: dict[type[ReviewError], str] = {
        NotAssigned: _("review.not_assigned"),
        NotThirdPerson: _("review.not_third_person"),
        AlreadyJudged: _("review.already_judged"),
        BadAssessment: _("review.bad_assessment"),
    }
    return known.get(type(error), _("review.gone"))


def _done(services: Services, user: User, work: _Work) -> bool:
    reviewing = services.reviewing
    if work.op == "beat":
        reviewing.renew(work.item, user.name, work.purpose)
        return True
    if work.op == "draft":
        saved_at = reviewing.save_draft(work.item, user.name, work.claim, work.fields, base_revision=work.base, number=work.number)
        if saved_at is not None:
            _set(saved_at=saved_at, notice=None)
        # Kept first: where others took the seat meanwhile, its reviewer is told, and what they wrote is still there.
        reviewing.renew(work.item, user.name, work.purpose)
        return False
    if work.op == "finish":
        said = [ClaimAssessment(claim_index=one.claim, assessment=_assessment(one.fields)) for one in work.claims]
        events = reviewing.finish(work.item, user.name, said, work.id)
    elif work.op == "change":
        assessment = _assessment(work.fields)
        events = [reviewing.change(work.item, user.name, work.claim, assessment, reason=work.fields.reason, event_id=work.id)]
    else:
        assessment = _assessment(work.fields)
        events = [reviewing.adjudicate(work.item, user.name, work.claim, assessment, reason=work.fields.reason, event_id=work.id)]
    _set(saved_at=events[-1].created_at, notice=None)
    services.audit.record(user.name, f"review.{work.op}", work.item, {"events": [event.event_id for event in events]})
    return True


def _assessment(fields: DraftFields) -> Assessment:
    if fields.judgement is None:
        raise BadAssessment(_("review.bad_assessment"))
    return Assessment(judgement=fields.judgement, error_kind=fields.error_kind, severity=fields.severity, note=fields.note)


def _set(**changes: Any) -> None:
    before = saving()
    now = {name: getattr(before, name) for name in ("acked", "saved_at", "problem", "notice")} | changes
    st.session_state[_SAVING] = Saving(**cast("Any", now))
