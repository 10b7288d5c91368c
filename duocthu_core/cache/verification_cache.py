"""The verification cache: hashes, times, limits and staleness over any store (spec 05)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import get_args

from duocthu_core.cache.hashing import ClaimRefused, claim_hash, evidence_hash, evidence_overlap
from duocthu_core.cache.model import (
    CacheAnswer,
    CacheEntry,
    CacheGroup,
    CacheQuery,
    CacheStats,
    CurrentJudge,
    EntryFilters,
    EntryKind,
    Staleness,
    StalenessRule,
    Standing,
    Tier,
    VerdictToKeep,
)
from duocthu_core.cache.staleness import staleness_by_judge, staleness_of
from duocthu_core.cache.store import CacheStore
from duocthu_core.text.folding import collapse_spaces, nfc

STALENESS: tuple[Staleness, ...] = get_args(Staleness)
DEFAULT_TTL = timedelta(days=30)
DEFAULT_MAX_PAYLOAD_BYTES = 64 * 1024


@dataclass(frozen=True)
class Ages:
    """How long ago an entry was last written: at least, and less than; None for no bound."""

    at_least: timedelta | None = None
    less_than: timedelta | None = None


ANY_AGE = Ages()


class PayloadTooLarge(ValueError):
    """A verdict over the limit; the message says both sizes in bytes."""


class VerificationCache:
    """Keeps what a judge said and gives it back unchanged, with what it is still worth.

    ``overlap_min`` is the share of common evidence from which a verdict may be used again; the clock is replaceable. Every method may raise
    the store's own error; :class:`duocthu_core.cache.fail_open.FailOpenCache` is for those who must not fail.
    """

    def __init__(
        self,
        store: CacheStore,
        *,
        ttl: timedelta = DEFAULT_TTL,
        max_payload_bytes: int = DEFAULT_MAX_PAYLOAD_BYTES,
        overlap_min: float = 1.0,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._store = store
        self._ttl = ttl
        self._max_payload_bytes = max_payload_bytes
        self._overlap_min = overlap_min
        self._clock = clock

    def under(self, *, ttl: timedelta, overlap_min: float) -> VerificationCache:
        """The same entries under other rules."""
        return VerificationCache(
            self._store, ttl=ttl, max_payload_bytes=self._max_payload_bytes, overlap_min=overlap_min, clock=self._clock
        )

    @property
    def max_payload_bytes(self) -> int:
        """The largest body that is taken."""
        return self._max_payload_bytes

    def get(self, query: CacheQuery) -> CacheAnswer:
        """What is known about one claim."""
        return self.get_all([query])[0]

    def get_all(self, queries: Sequence[CacheQuery]) -> list[CacheAnswer]:
        """What is known about each claim, in order: one statement a tier, so one for all claims of a turn."""
        hashes = [_hash_or_none(query) for query in queries]
        wanted: dict[Tier, dict[str, None]] = {}
        for query, found in zip(queries, hashes, strict=True):
            if found is not None:
                wanted.setdefault(query.tier, {})[found] = None
        now = self._clock()
        rows = {tier: self._store.read(tier, list(found), now) for tier, found in wanted.items()}
        return [
            self._answer(query, found, rows[query.tier].get(found) if found is not None else None)
            for query, found in zip(queries, hashes, strict=True)
        ]

    def put(self, verdict: VerdictToKeep, *, measured: bool = False) -> CacheEntry:
        """Stores one verdict and returns it as stored; raises :class:`ClaimRefused` and :class:`PayloadTooLarge`.

        ``measured``: the caller has held the bytes that it received to the limit (:meth:`check_size`), and they are what counts.
        """
        return self.put_all([verdict], measured=measured)[0]

    def put_all(self, verdicts: Sequence[VerdictToKeep], *, measured: bool = False) -> list[CacheEntry]:
        """Stores verdicts, all or none; of two with one key the last is written, and returned for both."""
        now = self._clock()
        for verdict in verdicts if not measured else ():
            self.check_size(_size_of(verdict))
        entries = [self._entry(verdict, now) for verdict in verdicts]
        created = self._store.write(entries) if entries else {}
        kept = {
            (entry.claim_hash, entry.tier): entry.model_copy(update={"created_at": created[entry.claim_hash, entry.tier]})
            for entry in entries
        }
        return [kept[entry.claim_hash, entry.tier] for entry in entries]

    def check_size(self, size_bytes: int) -> None:
        """Raises :class:`PayloadTooLarge` for a body of more bytes than the limit; a door measures what it received, before parsing."""
        if size_bytes > self._max_payload_bytes:
            raise PayloadTooLarge(f"{size_bytes} bytes are more than the limit of {self._max_payload_bytes}")

    def check(self, verdict: VerdictToKeep) -> str:
        """The claim hash of a verdict that can be stored; raises :class:`ClaimRefused` and :class:`PayloadTooLarge` for one that cannot."""
        self.check_size(_size_of(verdict))
        return _hash_of(verdict)

    def page(self, limit: int = 50, offset: int = 0, tier: Tier | None = None) -> list[CacheEntry]:
        """Live entries, last written first."""
        return self._store.page(self._clock(), EntryFilters(tier=tier), limit, offset)

    def filters(
        self, judge: CurrentJudge, staleness: Staleness | None = None, tier: Tier | None = None, ages: Ages = ANY_AGE
    ) -> EntryFilters:
        """What a list shows that is narrowed by what ``judge`` would find (``miss``: what is expired), by tier, and by the time since the
        last write."""
        now = self._clock()
        written_after = None if ages.less_than is None else now - ages.less_than
        written_until = None if ages.at_least is None else now - ages.at_least
        kinds = None
        if staleness not in (None, "miss"):
            known = [(_kind_of(group), self._worth(group, judge)[0]) for group in self._store.groups(now)]
            kinds = tuple(dict.fromkeys(kind for kind, worth in known if worth == staleness))
        return EntryFilters(tier=tier, expired=staleness == "miss", kinds=kinds, written_after=written_after, written_until=written_until)

    def listed(self, judge: CurrentJudge, filters: EntryFilters, limit: int = 50, offset: int = 0) -> list[Standing]:
        """Entries that meet ``filters``, last written first, each with what it is worth to ``judge``."""
        return [self.standing(entry, judge) for entry in self._store.page(self._clock(), filters, limit, offset)]

    def count(self, filters: EntryFilters) -> int:
        """How many entries :meth:`listed` would list without a limit."""
        return self._store.count(self._clock(), filters)

    def entry(self, tier: Tier, claim_hash: str) -> CacheEntry | None:
        """The entry of a key, also where its time is over."""
        return self._store.entry(tier, claim_hash)

    def worded(self, claim: str, limit: int = 20) -> list[CacheEntry]:
        """Entries about the same words, whatever their drug, section, tier or profile: none of them answers for another."""
        bare = collapse_spaces(nfc(claim)).removesuffix(".").rstrip()
        try:
            return self._store.worded(list(dict.fromkeys((claim, bare, f"{bare}."))), limit) if bare else []
        except UnicodeEncodeError:  # half a character, which no entry holds
            return []

    def standing(self, entry: CacheEntry, judge: CurrentJudge) -> Standing:
        """What ``entry`` is worth to ``judge``."""
        left = entry.expires_at - self._clock()
        if left <= timedelta(0):
            return Standing(entry=entry, staleness="miss", rule="expired", time_left=timedelta(0))
        staleness, rule = self._worth(entry, judge)
        return Standing(entry=entry, staleness=staleness, rule=rule, time_left=left)

    def stats(self, judge: CurrentJudge) -> CacheStats:
        """The whole cache as ``judge`` would find it: with the judge of other rules, what those rules would make stale."""
        now = self._clock()
        by_tier: Counter[Tier] = Counter()
        by_staleness: Counter[Staleness] = Counter()
        expired = 0
        for group in self._store.groups(now):
            staleness, _ = self._worth(group, judge)
            by_tier[group.tier] += group.live
            by_staleness[staleness] += group.live
            expired += group.expired
        totals = self._store.totals(now)
        return CacheStats(
            live=by_tier.total(),
            expired=expired,
            by_tier=dict(by_tier),
            by_staleness={name: expired if name == "miss" else by_staleness[name] for name in STALENESS},
            oldest=totals.oldest,
            newest=totals.newest,
            payload_bytes=totals.payload_bytes,
        )

    def prune(self) -> int:
        """Deletes the entries whose time is over and says how many there were."""
        return self._store.prune(self._clock())

    @staticmethod
    def _worth(of: CacheEntry | CacheGroup, judge: CurrentJudge) -> tuple[Staleness, StalenessRule]:
        return staleness_by_judge(
            stored_prompt=of.prompt_hash,
            stored_framework=of.framework_version,
            stored_model=of.model,
            has_raw=of.has_raw if isinstance(of, CacheGroup) else of.verification_raw is not None,
            prompt=judge.prompt_for(of.prompt_hash),
            framework=judge.framework_version,
            model=judge.model,
        )

    def _answer(self, query: CacheQuery, found: str | None, entry: CacheEntry | None) -> CacheAnswer:
        if found is None:
            return CacheAnswer(claim_hash="", tier=query.tier, staleness="miss", rule="claim_refused")
        if entry is None:
            return CacheAnswer(claim_hash=found, tier=query.tier, staleness="miss", rule="no_row")
        staleness, rule = staleness_of(entry, query)
        if staleness == "miss":
            return CacheAnswer(claim_hash=found, tier=query.tier, staleness=staleness, rule=rule)
        overlap = None if query.evidence_urls is None else evidence_overlap(query.evidence_urls, entry.evidence_urls)
        # No shared evidence is never enough, whatever the ruleset's minimum.
        enough = overlap is None or (overlap > 0 and overlap >= self._overlap_min)
        return CacheAnswer(
            claim_hash=found, tier=query.tier, staleness=staleness, rule=rule, entry=entry, overlap=overlap, enough_overlap=enough
        )

    def _entry(self, verdict: VerdictToKeep, now: datetime) -> CacheEntry:
        return CacheEntry(
            **verdict.model_dump(),
            claim_hash=_hash_of(verdict),
            evidence_hash=evidence_hash(verdict.evidence_urls),
            created_at=now,
            updated_at=now,
            expires_at=now + self._ttl,
        )


def _size_of(verdict: VerdictToKeep) -> int:
    return len(verdict.model_dump_json(exclude_none=True, exclude_defaults=True).encode())


def _hash_of(verdict: VerdictToKeep) -> str:
    return claim_hash(verdict.claim, verdict.schema_name, verdict.drug_id, verdict.section_key)


def _hash_or_none(query: CacheQuery) -> str | None:
    try:
        return claim_hash(query.claim, query.schema_name, query.drug_id, query.section_key)
    except (ClaimRefused, UnicodeEncodeError):
        return None


def _kind_of(group: CacheGroup) -> EntryKind:
    return EntryKind.model_validate(group.model_dump(include=set(EntryKind.model_fields)))
