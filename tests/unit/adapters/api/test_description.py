"""Whatever is sent, the API answers as its description says."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings

from adapters.http.doors import Doors
from tests.doubles.open_house import opened
from tests.doubles.ports import free_port


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an API in another thread, as callers have it."""
    port, begun, end = free_port(), threading.Event(), threading.Event()

    async def serve() -> None:
        async with (
            opened(tmp_path_factory.mktemp("house")) as (_, app),
            Doors().serving(f"127.0.0.1:{port}", app.routes, setting="CITEWELL_WEB"),
        ):
            begun.set()
            await asyncio.to_thread(end.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert begun.wait(60)
    yield f"http://127.0.0.1:{port}"
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


def operations(served: str) -> dict[str, schemathesis.APIOperation]:
    found = schemathesis.openapi.from_url(f"{served}/api/v1/openapi.json").get_all_operations()
    return {operation.label: operation for operation in (one.ok() for one in found)}


def test_every_call_is_described(served: str) -> None:
    assert set(operations(served)) == set(CALLS)


@pytest.mark.parametrize("call", CALLS)
def test_no_call_fails_or_is_answered_as_nobody_said(call: str, served: str) -> None:
    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=operations(served)[call].as_strategy())
    def holds(case: schemathesis.Case) -> None:
        case.call_and_validate()

    holds()
