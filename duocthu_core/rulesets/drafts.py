"""Edits that are not saved yet, kept for each person so that a closed browser loses nothing (spec 01, "Rulesets"; 06, page 4)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol

from pydantic import AwareDatetime, BaseModel, ConfigDict

from duocthu_core.rulesets.documents import RulesetDraft


class KeptDraft(BaseModel):
    """What somebody typed over one version of rules."""

    model_config = ConfigDict(frozen=True)

    draft: RulesetDraft
    base_name: str
    """Name of the version that is edited, for a list."""
    name: str = ""
    """Name that it is to be saved under."""
    note: str = ""
    revision: int = 0
    """Running number of the keeps; 0 for what was never kept."""
    updated_at: AwareDatetime | None = None

    @property
    def base_id(self) -> str:
        """The version that is edited."""
        return self.draft.base_id

    def says_the_same(self, other: KeptDraft) -> bool:
        """Whether both hold the same edit, whenever they were kept."""
        return (self.draft, self.name, self.note) == (other.draft, other.name, other.note)


class DraftOvertaken(Exception):
    """The same person changed the same draft in another tab; ``kept`` is what stands there now (None: it was saved or dropped)."""

    def __init__(self, kept: KeptDraft | None) -> None:
        super().__init__("the draft was changed in another tab meanwhile")
        self.kept = kept


class DraftStore(Protocol):
    """Keeps at most one draft for each person and version."""

    def keep(self, owner: str, draft: KeptDraft) -> KeptDraft:
        """Keeps ``draft`` where the kept one still has its revision (0: there is none), and gives it with the next revision; raises
        :class:`DraftOvertaken`."""
        ...

    def of(self, owner: str, base_id: str) -> KeptDraft | None:
        """What ``owner`` typed over a version."""
        ...

    def all_of(self, owner: str) -> list[KeptDraft]:
        """Every draft of ``owner``, changed last first."""
        ...

    def drop(self, owner: str, base_id: str) -> None:
        """Forgets a draft: it was saved, or is not wanted."""
        ...


class InMemoryDraftStore:
    """A :class:`DraftStore` that lasts as long as the process. Safe to share between threads."""

    def __init__(self, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._kept: dict[tuple[str, str], KeptDraft] = {}
        self._clock = clock
        self._lock = threading.Lock()

    def keep(self, owner: str, draft: KeptDraft) -> KeptDraft:
        with self._lock:
            known = self._kept.get((owner, draft.base_id))
            if (known.revision if known else 0) != draft.revision:
                raise DraftOvertaken(known)
            kept = draft.model_copy(update={"revision": draft.revision + 1, "updated_at": self._clock()})
            self._kept[owner, draft.base_id] = kept
            return kept

    def of(self, owner: str, base_id: str) -> KeptDraft | None:
        return self._kept.get((owner, base_id))

    def all_of(self, owner: str) -> list[KeptDraft]:
        own = [kept for (person, _), kept in self._kept.items() if person == owner]
        return sorted(own, key=lambda kept: kept.updated_at or datetime.min.replace(tzinfo=UTC), reverse=True)

    def drop(self, owner: str, base_id: str) -> None:
        with self._lock:
            self._kept.pop((owner, base_id), None)
