"""A run of the mutation lab at work in a thread of its own, so that the page can show how far it is and stop it. No Streamlit call is made
in that thread."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable

from duocthu_core.evaluation.mutation_lab import MutationLab, MutationReport
from duocthu_core.evaluation.verified_claims import VerifiedClaim

_log = logging.getLogger(__name__)


class RunningMutation:
    """One run: how far it is, and at the end its report (of what was done, where it was stopped) or what went wrong."""

    def __init__(self, lab: MutationLab, claims: Iterable[VerifiedClaim], edition: str, corpus_id: str) -> None:
        self.share = 0.0
        self.report: MutationReport | None = None
        self.error: Exception | None = None
        self._lab, self._claims, self._edition, self._corpus_id = lab, claims, edition, corpus_id
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mutation", daemon=True)

    def start(self) -> None:
        """Begins the run."""
        self._thread.start()

    def stop(self) -> None:
        """Asks the run to end before its next claim."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Waits at most ``seconds``; whether the run has ended."""
        self._thread.join(seconds)
        return self.ended

    @property
    def ended(self) -> bool:
        """Whether there is a report or an error."""
        return self.report is not None or self.error is not None

    @property
    def stopping(self) -> bool:
        """Whether the reader asked to stop and the run has not ended yet."""
        return self._stop.is_set() and not self.ended

    def _run(self) -> None:
        try:
            self.report = self._lab.run(self._claims, self._edition, self._corpus_id, self._advance, self._stop.is_set)
        except Exception as error:  # the reader is told, whatever it was; the server's log has the rest
            _log.exception("a run of the mutation lab failed")
            self.error = error

    def _advance(self, share: float) -> None:
        self.share = min(1.0, share)
