"""What a reviewer can run into. Each message says what happened and what to do next; the pages have words of their own for each kind."""

from __future__ import annotations

from datetime import datetime


class ReviewError(Exception):
    """Something that cannot be done with a review."""


class UnknownQueue(ReviewError):
    """No queue has this id."""


class UnknownItem(ReviewError):
    """No item has this id."""


class BadAssessment(ReviewError):
    """A verdict that lacks what the rubric asks for."""


class ReservationConflict(ReviewError):
    """Every seat at an item is taken; ``free_from`` is when the first one may come free, None where all have finished."""

    def __init__(self, message: str, free_from: datetime | None = None) -> None:
        super().__init__(message)
        self.free_from = free_from


class NotAssigned(ReviewError):
    """The queue was given to other reviewers."""


class AlreadyJudged(ReviewError):
    """A first verdict stands already: creating never updates, a change is an event of its own."""


class NotThirdPerson(ReviewError):
    """Who judged an item does not adjudicate it."""
