"""Texts read once and kept: blocks come again with every claim, claims with every replay."""

from __future__ import annotations

import threading
from collections import OrderedDict

from duocthu_core.rulesets.model import Ruleset
from duocthu_core.verification.guards.clauses import read
from duocthu_core.verification.guards.lexicon import Lexicon
from duocthu_core.verification.guards.structure import Reading

_KEPT = 1024
_KEPT_CHARACTERS = 4_000_000
_RULESETS_KEPT = 4


class Readings:
    """Readings under one ruleset, the least recently used forgotten first; bounded in number and in characters."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.lexicon = Lexicon(ruleset)
        self._kept: OrderedDict[str, Reading] = OrderedDict()
        self._characters = 0
        self._lock = threading.Lock()

    def of(self, text: str) -> Reading:
        """NFC ``text`` as the guards see it."""
        with self._lock:
            kept = self._kept.get(text)
            if kept is not None:
                self._kept.move_to_end(text)
                return kept
        reading = read(text, self.lexicon)
        with self._lock:
            if text not in self._kept:
                self._kept[text] = reading
                self._characters += len(text)
            while len(self._kept) > _KEPT or (self._characters > _KEPT_CHARACTERS and len(self._kept) > 1):
                forgotten, _ = self._kept.popitem(last=False)
                self._characters -= len(forgotten)
        return reading


_BY_RULESET: OrderedDict[str, Readings] = OrderedDict()
_LOCK = threading.Lock()


def readings_of(ruleset: Ruleset) -> Readings:
    """The readings under ``ruleset``, shared by all who check with the same rules."""
    with _LOCK:
        found = _BY_RULESET.get(ruleset.ruleset_id)
        if found is None:
            found = _BY_RULESET[ruleset.ruleset_id] = Readings(ruleset)
            if len(_BY_RULESET) > _RULESETS_KEPT:
                _BY_RULESET.popitem(last=False)
        else:
            _BY_RULESET.move_to_end(ruleset.ruleset_id)
        return found
