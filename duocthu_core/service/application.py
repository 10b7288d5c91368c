"""The HTTP contract as an ASGI application (spec 05, "HTTP"). Whoever knows only this file knows every address and every code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import anyio
from anyio import to_thread
from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.responses import Response

from duocthu_core import metrics
from duocthu_core.bootstrap import Services
from duocthu_core.cache.hashing import evidence_overlap
from duocthu_core.cache.model import CacheAnswer, CacheEntry, CacheQuery
from duocthu_core.retrieval.model import Evidence
from duocthu_core.service.access import Access
from duocthu_core.service.body_limit import BodyLimit
from duocthu_core.service.contract import (
    GatherRequest,
    GatherResponse,
    Health,
    InvalidRequest,
    Problem,
    VerificationWrite,
    VerificationWritten,
)
from duocthu_core.service.gathering import compare, evidence_for
from duocthu_core.service.json_body import JsonRoute
from duocthu_core.service.rate_limit import RateLimit
from duocthu_core.service.responses import EXCEPTION_HANDLERS, AsciiJson, ErrorBoundary
from duocthu_core.storage.errors import StorageUnavailable

_THREADS = 10
"""Requests that may wait for the database or the judge at once; the others queue here, not among those of the pages."""
_ERRORS: dict[int | str, dict[str, Any]] = {
    401: {"model": Problem, "description": "No token, or a wrong one"},
    403: {"model": Problem, "description": "Asked from another machine while no token is set"},
    413: {"model": Problem, "description": "More bytes than the limit, measured before parsing"},
    422: {"model": InvalidRequest, "description": "Invalid"},
    429: {"model": Problem, "description": "Asked too often; Retry-After says when to come back"},
    500: {"model": Problem, "description": "Anything else"},
    503: {"model": Problem, "description": "The database cannot be reached; the next try may succeed"},
}
_PROBE_ERRORS = {code: _ERRORS[code] for code in (401, 403, 429, 500)}
_T = TypeVar("_T")


def create_app(services: Services, *, only_with_token: bool = False) -> FastAPI:
    """The contract over ``services``: both endpoints, OpenAPI, ``/healthz`` and ``/metrics``, with their full paths.

    ``only_with_token``: this machine, too, needs the token, for a proxy or a colleague may stand behind its address.
    """
    app = FastAPI(
        title="Dược Thư: verification cache",
        version="1",
        description="Evidence out of the formulary and kept verdicts, for other backends.",
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    app.router.route_class = JsonRoute
    for error, handler in EXCEPTION_HANDLERS.items():
        app.add_exception_handler(error, handler)
    threads = anyio.CapacityLimiter(_THREADS)
    _add_endpoints(app, services, threads)
    _add_probes(app, services, threads)
    known = frozenset({app.openapi_url or ""} | {route.path for route in app.routes if isinstance(route, APIRoute)})
    # The last one added stands outermost.
    app.add_middleware(BodyLimit, max_bytes=services.verification_cache.max_payload_bytes)
    app.add_middleware(RateLimit, per_minute=services.settings.http_requests_per_minute)
    token = services.settings.http_token.get_secret_value()
    app.add_middleware(Access, token=token, only_with_token=only_with_token or bool(services.settings.proxy_user_header))
    app.add_middleware(ErrorBoundary, observe=lambda path, code: services.metrics.observe_request(path if path in known else "other", code))
    return app


def _add_endpoints(app: FastAPI, services: Services, threads: anyio.CapacityLimiter) -> None:
    @app.post("/v1/verification_cache", responses={200: {"model": VerificationWritten}, **_ERRORS}, tags=["verification cache"])
    async def verification_cache(written: VerificationWrite) -> Response:
        """Keeps a verdict of a judge that ran and answered whole; the last writer of a key (claim, tier) wins."""
        # The bytes of the request were held to the limit already, and they are what counts.
        entry = await _run(threads, lambda: services.verification_cache.put(written, measured=True))
        services.metrics.observe_write()
        return AsciiJson({"cached": True} | _key_and_times(entry))

    @app.post("/v1/gather", responses={200: {"model": GatherResponse}, **_ERRORS}, tags=["verification cache"])
    async def gather(asked: GatherRequest) -> Response:
        """Evidence for a claim and, on request, the verdict that is kept for it, with what it is still worth."""
        return AsciiJson(await _run(threads, lambda: gathered(asked, services)))


def _add_probes(app: FastAPI, services: Services, threads: anyio.CapacityLimiter) -> None:
    unavailable: dict[int | str, dict[str, Any]] = {503: {"model": Health, "description": "The database cannot be reached"}}

    @app.get("/healthz", responses={200: {"model": Health}, **unavailable}, tags=["probes"])
    async def healthz() -> Response:
        """Whether requests can be served; the one address that asks for no token."""
        probe = CacheQuery(claim="healthz", tier="free")
        try:
            await _run(threads, lambda: services.verification_cache.get(probe))
        except StorageUnavailable:
            # Where the database is, and why it fails, is for those who may ask.
            return AsciiJson({"status": "unavailable", "database": "cannot be reached; the server's log says why"}, 503)
        return AsciiJson({"status": "ok", "database": "ok"})

    @app.get("/metrics", responses={200: {"content": {"text/plain": {}}, "description": "Text format"}, **_PROBE_ERRORS}, tags=["probes"])
    async def prometheus() -> Response:
        """Counters for Prometheus."""
        return Response(services.metrics.exposition(), headers={"Content-Type": metrics.CONTENT_TYPE})


async def _run(threads: anyio.CapacityLimiter, work: Callable[[], _T]) -> _T:
    return await to_thread.run_sync(work, limiter=threads)


def gathered(asked: GatherRequest, services: Services) -> dict[str, Any]:
    """The answer to a gather request, ready for JSON."""
    evidence = evidence_for(asked, services)
    blocks = [_shown(block, services) for block in evidence]
    about: dict[str, Any] = {"cache_status": "not_asked", "evidence_sources": list(dict.fromkeys(block["source"] for block in blocks))}
    if asked.run_nli:
        comparison = compare(asked.claim, evidence, services)
        about["nli_status"] = comparison.status
        judge = services.current_judge().model
        for block, shown in zip(evidence, blocks, strict=True):
            verdict = comparison.verdicts.get(block.index)
            shown["nli"] = verdict.model_dump(exclude={"index"}) | {"model": judge} if verdict else None
    if asked.include_verification:
        about |= _verification(asked, evidence, services)
    return {"claim": asked.claim, "evidence": blocks, "brain_meta": about}


def _verification(asked: GatherRequest, evidence: tuple[Evidence, ...], services: Services) -> dict[str, Any]:
    assert asked.tier is not None, "required with include_verification"
    answer = services.verification_cache.get(
        CacheQuery(
            claim=asked.claim,
            drug_id=asked.drug_id,
            section_key=asked.section_key,
            tier=asked.tier,
            prompt_hash=asked.prompt_hash,
            framework_version=asked.framework_version,
            model=asked.model,
            schema_name=asked.schema_name,
        )
    )
    services.metrics.observe_lookup(answer.staleness, answer.action)
    return {"cache_status": "hit" if answer.action != "judge" else "miss"} | _verification_fields(answer, evidence)


def _verification_fields(answer: CacheAnswer, evidence: tuple[Evidence, ...]) -> dict[str, Any]:
    entry = answer.entry
    times = {} if entry is None else entry.model_dump(mode="json", include={"updated_at", "expires_at"})
    return {
        "verification_staleness": answer.staleness,
        "verification_rule": answer.rule,
        "verification": answer.verification,
        "verification_claim": entry and entry.claim,
        "verification_model": entry and entry.model,
        "verification_tier": answer.tier,
        "verification_prompt_hash": entry and entry.prompt_hash,
        "verification_framework_version": entry and entry.framework_version,
        "verification_cached_at": times.get("updated_at"),
        "verification_expires_at": times.get("expires_at"),
        "verification_evidence_urls": entry and list(entry.evidence_urls),
        "verification_evidence_hash": entry and entry.evidence_hash,
        "verification_evidence_overlap": entry and evidence_overlap([block.url for block in evidence], entry.evidence_urls),
    }


def _shown(block: Evidence, services: Services) -> dict[str, Any]:
    fields = ("url", "block_id", "drug_id", "drug_name", "section_key", "section_title", "label", "page_start", "page_end", "text")
    monograph = services.corpus.monographs.get(block.drug_id or "")
    return {name: getattr(block, name) for name in fields} | {"source": monograph.edition if monograph else services.corpus.edition}


def _key_and_times(entry: CacheEntry) -> dict[str, Any]:
    return entry.model_dump(mode="json", include={"claim_hash", "evidence_hash", "tier", "created_at", "updated_at", "expires_at"})
