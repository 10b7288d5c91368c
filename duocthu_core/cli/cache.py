"""``cache get``, ``put``, ``stats`` and ``prune``: the verification cache from a script (spec 01, "Command line"; 05)."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from duocthu_core.audit.log import AuditLog
from duocthu_core.bootstrap import current_judge, verification_cache_of
from duocthu_core.cache.hashing import ClaimRefused
from duocthu_core.cache.model import CacheQuery, CurrentJudge, VerdictToKeep
from duocthu_core.cache.verification_cache import PayloadTooLarge, VerificationCache
from duocthu_core.cli.chosen_rules import ruleset_in_force
from duocthu_core.cli.errors import BadInput, one_line
from duocthu_core.cli.users import BY
from duocthu_core.language_models.factory import build_model
from duocthu_core.settings import Settings
from duocthu_core.storage.audit import SqlAuditLog
from duocthu_core.storage.database import open_database
from duocthu_core.storage.verification_cache import SqlCacheStore

_Given = TypeVar("_Given", bound=BaseModel)


def opened_cache(settings: Settings) -> VerificationCache:
    """The configured database's cache under the configured rules; raises StorageUnavailable, RulesetError, SettingsError."""
    store = SqlCacheStore(open_database(settings.effective_database_url))
    return verification_cache_of(settings, ruleset_in_force(settings), store)


def configured_judge(settings: Settings) -> CurrentJudge:
    """What claims are judged with under the settings."""
    ruleset = ruleset_in_force(settings)
    return current_judge(ruleset, build_model(settings, "judge", ruleset))


def get(given: dict[str, Any], cache: VerificationCache) -> dict[str, Any]:
    """What is known about a claim: the fields of a look-up in, staleness, rule, action, verdict and the whole entry out."""
    answer = cache.get(_read(CacheQuery, given))
    return answer.model_dump(mode="json") | {"action": answer.action, "verification": answer.verification}


def put(given: dict[str, Any], cache: VerificationCache) -> dict[str, Any]:
    """Keeps a verdict and gives the entry as it was stored."""
    try:
        return cache.put(_read(VerdictToKeep, given)).model_dump(mode="json")
    except (ClaimRefused, PayloadTooLarge) as error:
        raise BadInput(one_line(error)) from error


def stats(cache: VerificationCache, judge: CurrentJudge) -> dict[str, Any]:
    """Counts of the whole cache as ``judge`` would find it."""
    return cache.stats(judge).model_dump(mode="json") | {"judge": judge.model_dump(mode="json")}


def opened_audit_log(settings: Settings) -> AuditLog:
    """The audit log of the configured database; raises StorageUnavailable."""
    return SqlAuditLog(open_database(settings.effective_database_url))


def prune(cache: VerificationCache, audit: AuditLog) -> dict[str, Any]:
    """Deletes what is expired, and notes it in the audit log."""
    pruned = cache.prune()
    audit.record(BY, "cache.prune", detail={"pruned": pruned})
    return {"pruned": pruned}


def _read(form: type[_Given], given: dict[str, Any]) -> _Given:
    try:
        return form.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the object"
        raise BadInput(f"{where}: {first['msg']}") from error
