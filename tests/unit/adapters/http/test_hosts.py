"""Under which names the machine and the operations port may be asked for."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import httpx2 as httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request

from adapters.http.hosts import is_private_host, request_host
from bot.run.operations.health import routes


def request(*names: str) -> Request:
    headers = [(b"host", name.encode("latin-1", "replace")) for name in names]
    return Request({"type": "http", "headers": headers, "method": "GET", "path": "/", "server": ("127.0.0.1", 8080)})


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("127.0.0.1:8080", "127.0.0.1"),
        ("LocalHost", "localhost"),
        ("[::1]:80", "[::1]"),
        ("citewell.acme.example:443", "citewell.acme.example"),
    ],
)
def test_a_host_is_its_name_without_the_port(given: str, name: str) -> None:
    assert request_host(request(given)) == name


@pytest.mark.parametrize("names", [(), ("",), ("127.0.0.1", "127.0.0.1"), ("127.0.0.1:",), ("x:port",), ("user@x",)])
def test_what_is_no_host_or_more_than_one_is_nobodys(names: tuple[str, ...]) -> None:
    assert request_host(request(*names)) == ""


@given(st.text(st.characters(max_codepoint=255)))
def test_nothing_but_a_plain_name_is_ever_read_out_of_a_header(text: str) -> None:
    assert re.fullmatch(r"[0-9a-z.:_\[\]-]*", request_host(request(text)))


def test_a_name_that_a_website_can_have_is_not_private() -> None:
    assert all(map(is_private_host, ("127.0.0.1", "10.0.0.7", "[::1]", "localhost", "citewell")))
    assert not any(map(is_private_host, ("", "evil.example", "127.0.0.1.example", "citewell.monitoring.svc")))
    assert is_private_host("citewell.monitoring.svc", {"citewell.monitoring.svc"})


@pytest.fixture
async def operations() -> AsyncIterator[httpx.AsyncClient]:
    async def well() -> list[str]:
        return []

    async def page() -> bytes:
        return b"citewell_answers 1"

    app = Starlette(routes=routes(well, well, page, hosts=("citewell.monitoring.svc",)))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://10.0.0.7:9464") as client:
        yield client


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
async def test_numbers_are_for_the_private_network_and_no_website(operations: httpx.AsyncClient, path: str) -> None:
    for name in ("10.0.0.7:9464", "citewell:9464", "citewell.monitoring.svc"):
        assert (await operations.get(path, headers={"Host": name})).status_code == 200
    for headers in ({"Host": "rebound.example"}, {"Host": "a b"}, {"Sec-Fetch-Site": "cross-site"}):
        refused = await operations.get(path, headers=headers)
        assert (refused.status_code, "citewell_answers" in refused.text) == (403, False)
