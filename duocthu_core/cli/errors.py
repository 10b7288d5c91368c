"""What the command line says when it cannot do something: one line on standard error and an exit code (spec 01)."""

from __future__ import annotations

DONE, FAILED, BAD_INPUT = 0, 1, 2


class BadInput(Exception):
    """Input that cannot be used; the message is one line that says what to do."""


def one_line(error: BaseException) -> str:
    """The message of ``error`` on one line."""
    return " ".join(str(error).split()) or type(error).__name__
