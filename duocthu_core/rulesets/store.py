"""Where edited rulesets are kept: every save is a new version of a name, content-addressed, and nothing is ever written over (spec 01)."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol

from pydantic import AwareDatetime, BaseModel, ConfigDict

from duocthu_core.rulesets.drafts import DraftStore, InMemoryDraftStore
from duocthu_core.rulesets.loading import shipped_names, shipped_ruleset
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.problems import Problem, RulesetError, RulesetProblems

_NAME = re.compile(r"[^\W_][\w .\-]{0,59}")
_SHORTEST_ID = 6


class RulesetHeading(BaseModel):
    """A line of the list of rulesets: one version of one name."""

    model_config = ConfigDict(frozen=True)

    name: str
    version: int
    """Running number of the save under this name, from 1; 0 for rules that ship."""
    ruleset_id: str
    parent: str | None
    author: str
    note: str
    created_at: AwareDatetime | None
    """None for rules that ship."""

    @property
    def is_shipped(self) -> bool:
        """Whether it came with the product and cannot be saved over."""
        return self.version == 0


class Activation(BaseModel):
    """A line of the history of which rules answer everybody."""

    model_config = ConfigDict(frozen=True)

    number: int
    """Running number, from 1."""
    ruleset_id: str | None
    """None: the rules that the settings name."""
    name: str
    actor: str
    created_at: AwareDatetime


class RulesetConflict(Exception):
    """Somebody else saved under this name since the edit began; ``head`` is what they saved. Nothing was written."""

    def __init__(self, name: str, head: RulesetHeading | None) -> None:
        super().__init__(
            f"the ruleset {name!r} was changed by somebody else meanwhile"
            + (f" (version {head.version} by {head.author or 'unknown'})" if head else "")
            + "; look at their version first, or save under another name"
        )
        self.name, self.head = name, head


class StoredRulesetError(RulesetError):
    """A stored ruleset that cannot be read back, or whose content is not what its id says."""


class RulesetStore(Protocol):
    """Keeps versions of rulesets. Names of shipped rules are no concern of it."""

    @property
    def drafts(self) -> DraftStore:
        """Edits that are not saved yet."""
        ...

    def save(self, ruleset: Ruleset, expected_head: str | None) -> RulesetHeading:
        """Adds ``ruleset`` as the next version of its name where the newest is ``expected_head`` (a ruleset id; None: no such name yet),
        else raises :class:`RulesetConflict`. Saving what the newest version is already adds nothing."""
        ...

    def load(self, ruleset_id: str) -> Ruleset | None:
        """The rules of an id, named as they were saved last; None for an unknown id. Raises :class:`StoredRulesetError`."""
        ...

    def heads(self) -> list[RulesetHeading]:
        """The newest version of each name, last saved first."""
        ...

    def history(self, name: str) -> list[RulesetHeading]:
        """The versions of a name, newest first."""
        ...

    def ids_beginning(self, prefix: str) -> list[str]:
        """Ids that begin with ``prefix``, at most two."""
        ...

    def activate(self, ruleset_id: str | None, name: str, actor: str) -> Activation:
        """Notes that these rules answer everybody from now on; None: those that the settings name. Older lines stay."""
        ...

    def activations(self, limit: int = 20) -> list[Activation]:
        """Which rules were put in force when and by whom, newest first; the first one is in force."""
        ...


class InMemoryRulesetStore:
    """A real, thread-safe store without a database."""

    def __init__(self, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._versions: list[tuple[RulesetHeading, Ruleset]] = []
        self._activations: list[Activation] = []
        self.drafts: DraftStore = InMemoryDraftStore(clock)
        self._clock = clock
        self._lock = threading.Lock()

    def save(self, ruleset: Ruleset, expected_head: str | None) -> RulesetHeading:
        with self._lock:
            head = next(iter(self.history(ruleset.name)), None)
            if (head.ruleset_id if head else None) != expected_head:
                raise RulesetConflict(ruleset.name, head)
            if head is not None and head.ruleset_id == ruleset.ruleset_id:
                return head
            saved = heading_of(ruleset, (head.version if head else 0) + 1, self._clock())
            self._versions.append((saved, ruleset))
            return saved

    def load(self, ruleset_id: str) -> Ruleset | None:
        return next((ruleset for heading, ruleset in reversed(self._versions) if heading.ruleset_id == ruleset_id), None)

    def heads(self) -> list[RulesetHeading]:
        newest = {heading.name: heading for heading, _ in self._versions}
        return sorted(
            newest.values(), key=lambda heading: (heading.created_at or datetime.min.replace(tzinfo=UTC), heading.name), reverse=True
        )

    def history(self, name: str) -> list[RulesetHeading]:
        return [heading for heading, _ in reversed(self._versions) if heading.name == name]

    def ids_beginning(self, prefix: str) -> list[str]:
        return sorted({heading.ruleset_id for heading, _ in self._versions if heading.ruleset_id.startswith(prefix)})[:2]

    def activate(self, ruleset_id: str | None, name: str, actor: str) -> Activation:
        with self._lock:
            number = len(self._activations) + 1
            line = Activation(number=number, ruleset_id=ruleset_id, name=name, actor=actor, created_at=self._clock())
            self._activations.append(line)
        return line

    def activations(self, limit: int = 20) -> list[Activation]:
        return self._activations[::-1][:limit]


def heading_of(ruleset: Ruleset, version: int, created_at: datetime | None) -> RulesetHeading:
    """The list line of ``ruleset``."""
    return RulesetHeading(
        name=ruleset.name,
        version=version,
        ruleset_id=ruleset.ruleset_id,
        parent=ruleset.parent,
        author=ruleset.author,
        note=ruleset.note,
        created_at=created_at,
    )


class RulesetLibrary:
    """Shipped and stored rulesets together: what can be chosen by name or id."""

    def __init__(self, store: RulesetStore) -> None:
        self.store = store

    def headings(self) -> list[RulesetHeading]:
        """Stored ones, last saved first, then those that ship."""
        return [*self.store.heads(), *(heading_of(shipped_ruleset(name), 0, None) for name in shipped_names())]

    def head(self, name: str) -> RulesetHeading | None:
        """The newest version of a stored name."""
        return next(iter(self.store.history(name)), None)

    def find(self, name_or_id: str) -> Ruleset:
        """The ruleset of a name (its newest version), of an id, or of the beginning of one; raises :class:`RulesetError` with one line."""
        if name_or_id in shipped_names():
            return shipped_ruleset(name_or_id)
        if (head := self.head(name_or_id)) is not None:
            found = self.store.load(head.ruleset_id)
            # Two names may hold the same rules: they are shown under the name that was asked for.
            return self._present(found, name_or_id).model_copy(update=head.model_dump(include={"name", "author", "note", "parent"}))
        wanted = name_or_id if name_or_id.startswith("sha256:") else f"sha256:{name_or_id}"
        shipped = [shipped_ruleset(name) for name in shipped_names()]
        if len(wanted.removeprefix("sha256:")) >= _SHORTEST_ID:
            matching = {ruleset.ruleset_id for ruleset in shipped if ruleset.ruleset_id.startswith(wanted)}
            matching |= set(self.store.ids_beginning(wanted))
            if len(matching) > 1:
                raise RulesetError(f"several rulesets begin with {name_or_id!r}; give more of the id")
            for ruleset_id in matching:
                own = next((ruleset for ruleset in shipped if ruleset.ruleset_id == ruleset_id), None)
                return own or self._present(self.store.load(ruleset_id), name_or_id)
        known = ", ".join(heading.name for heading in self.headings())
        raise RulesetError(f"there is no ruleset {name_or_id!r}; known: {known}")

    def save(self, ruleset: Ruleset, expected_head: str | None) -> RulesetHeading:
        """Stores checked rules (see :meth:`RulesetStore.save`); raises :class:`RulesetProblems` for a name that cannot be saved under."""
        if ruleset.name in shipped_names():
            detail = f"{ruleset.name!r} is the name of rules that ship; save under another name"
            raise RulesetProblems("the edit", [Problem(code="name_ships", place="name", detail=detail, values={"name": ruleset.name})])
        if not _NAME.fullmatch(ruleset.name) or ruleset.name != ruleset.name.strip():
            detail = "a name begins with a letter or digit and has at most 60 letters, digits, spaces, dots, dashes and underscores"
            raise RulesetProblems("the edit", [Problem(code="bad_name", place="name", detail=detail)])
        return self.store.save(ruleset, expected_head)

    def in_force(self, default: str) -> Ruleset:
        """The rules that answer everybody: those that were put in force last, else those of the name ``default``; raises
        :class:`RulesetError`."""
        newest = next(iter(self.store.activations(1)), None)
        if newest is None or newest.ruleset_id is None:
            return self.find(default)
        if newest.name in shipped_names():
            return shipped_ruleset(newest.name)  # what ships under a name may be newer than when it was chosen
        return self._present(self.store.load(newest.ruleset_id), newest.ruleset_id).model_copy(update={"name": newest.name})

    @staticmethod
    def _present(ruleset: Ruleset | None, asked: str) -> Ruleset:
        if ruleset is None:
            raise StoredRulesetError(f"the ruleset {asked!r} has a heading and no content")
        return ruleset
