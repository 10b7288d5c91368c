"""Requests made up from the OpenAPI document, valid and broken, find no 500 and no answer that it does not describe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from duocthu_core.cache.store import InMemoryCacheStore
from duocthu_core.service.application import create_app
from tests.servers.contract_server import served
from tests.service.conftest import services_over

EXAMPLES = 150
SLOW = (HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large, HealthCheck.large_base_example)
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(create_app(services_over(InMemoryCacheStore(), tmp_path_factory.mktemp("openapi")))) as url:
        yield url


@pytest.fixture(scope="module")
def openapi(address: str) -> schemathesis.BaseSchema:
    return schemathesis.openapi.from_url(f"{address}/v1/openapi.json")


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize(
    ("path", "method"),
    [("/v1/verification_cache", "POST"), ("/v1/gather", "POST"), ("/healthz", "GET"), ("/metrics", "GET")],
)
def test_no_made_up_request_is_a_server_error(
    openapi: schemathesis.BaseSchema, address: str, path: str, method: str, mode: GenerationMode
) -> None:
    seen: Counter[int] = Counter()

    @given(case=openapi[path][method].as_strategy(generation_mode=mode))
    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None, suppress_health_check=SLOW)
    def check(case: Case) -> None:
        answer = case.call(base_url=address)
        seen[answer.status_code] += 1
        case.validate_response(answer, checks=CHECKS)

    try:
        check()
    except Unsatisfiable:
        assert method == "GET", "an operation without parameters has no broken requests"
    if path == "/v1/verification_cache":
        assert seen[200 if mode is GenerationMode.POSITIVE else 422] > EXAMPLES / 4, seen
