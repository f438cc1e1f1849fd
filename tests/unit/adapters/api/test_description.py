"""Whatever is sent, the API answers as its description says."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import NamedTuple

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance

from adapters.http.servers import UvicornServers
from tests.doubles.open_house import opened
from tests.doubles.ports import free_port


class Served(NamedTuple):
    address: str
    headers: dict[str, str]
    """Of a key that may call as often as a test does: without one, most calls are told to come back later."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An API in another thread, as callers have it."""
    port, begun, end, keys = free_port(), threading.Event(), threading.Event(), list[str]()

    async def serve() -> None:
        async with (
            opened(tmp_path_factory.mktemp("house")) as (citewell, app),
            UvicornServers().serve(f"127.0.0.1:{port}", app.routes, setting="CITEWELL_WEB"),
        ):
            keys.append((await citewell.storage.api_keys.add("test", (), 6000))[1])
            begun.set()
            await asyncio.to_thread(end.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert begun.wait(60)
    yield Served(f"http://127.0.0.1:{port}", {"Authorization": f"Bearer {keys[0]}"})
    end.set()
    thread.join(60)


CALLS = (
    "POST /v1/ask",
    "POST /v1/search",
    "GET /v1/documents",
    "GET /v1/passages",
    "POST /v1/answers/{id}/feedback",
    "GET /v1/sources",
    "GET /v1/health",
)


def operations(served: Served) -> dict[str, schemathesis.APIOperation]:
    found = schemathesis.openapi.from_url(f"{served.address}/api/v1/openapi.json").get_all_operations()
    return {operation.label: operation for operation in (one.ok() for one in found)}


def test_every_call_is_described(served: Served) -> None:
    assert set(operations(served)) == set(CALLS)


@pytest.mark.parametrize("call", CALLS)
def test_no_call_fails_or_is_answered_as_nobody_said(call: str, served: Served) -> None:
    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=operations(served)[call].as_strategy())
    def holds(case: schemathesis.Case) -> None:
        reused = [positive_data_acceptance] if "Idempotency-Key" in (case.headers or {}) else []
        case.call_and_validate(headers=served.headers, excluded_checks=[ignored_auth, *reused])

    holds()
