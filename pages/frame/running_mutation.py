"""A run of the mutation lab at work beside the page."""

from __future__ import annotations

from collections.abc import Iterable

from duocthu_core.evaluation.mutation_lab import MutationLab, MutationReport
from duocthu_core.evaluation.verified_claims import VerifiedClaim
from pages.frame.background import Background


class RunningMutation(Background[MutationReport]):
    """One run: how far it is, and at the end its report (of what was done, where it was stopped). It is stopped before its next claim."""

    def __init__(self, lab: MutationLab, claims: Iterable[VerifiedClaim], edition: str, corpus_id: str) -> None:
        super().__init__("mutation")
        self.share = 0.0
        self._lab, self._claims, self._edition, self._corpus_id = lab, claims, edition, corpus_id

    @property
    def report(self) -> MutationReport | None:
        """The report, once the run has ended."""
        return self.result

    def work(self) -> MutationReport:
        """Makes and checks the mutants."""
        return self._lab.run(self._claims, self._edition, self._corpus_id, self._advance, self.stop_asked)

    def _advance(self, share: float) -> None:
        self.share = min(1.0, share)
