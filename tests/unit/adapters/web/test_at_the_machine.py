"""A page at the machine, where nobody signs in: whoever opened its link is the operator, and no website is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import httpx2 as httpx
import pytest

from tests.doubles.browser import Seen
from tests.doubles.signed_in import Page, opened

ROUTES = ("/", "/you", "/admin", "/static/site.css", "/api", "/api/v1/openapi.json", "/api/v1/health", "/s/nothing")
NOT_HERE = ("rebound.example", "localhost.example", "127.0.0.1.example", "a b", "", "127.0.0.1,x", "[::1", "2130706433")
"""Names under which a browser may be led here, and what is no name at all."""


@pytest.fixture
async def page(tmp_path: Path) -> AsyncIterator[Page]:
    async with opened(tmp_path, web={"url": "http://127.0.0.1:1"}) as running:
        yield running


@pytest.fixture
async def operator(page: Page) -> AsyncIterator[httpx.AsyncClient]:
    assert page.machine
    async with page.browser() as browser:
        assert (await browser.get(f"/open/{page.machine.secret}")).url.path == "/"
        yield browser


async def raw(page: Page, path: str, name: str, cookie: str) -> int:
    """The status for a request with that very Host header."""

    def ask() -> int:
        with closing(HTTPConnection(urlsplit(page.address).netloc)) as connection:
            connection.putrequest("GET", path, skip_host=True)
            connection.putheader("Host", name)
            connection.putheader("Cookie", cookie)
            connection.endheaders()
            with connection.getresponse() as answer:
                return answer.status

    return await anyio.to_thread.run_sync(ask)


async def test_the_page_opens_by_the_link_of_this_start_and_says_so_to_whoever_comes_without(page: Page) -> None:
    assert page.machine
    async with page.browser() as browser:
        for path in ("/", "/you", "/admin", "/open/guessed"):
            closed = await browser.get(path)
            assert closed.status_code == 403
            assert "Open the link that Citewell printed when it started" in Seen(closed.text).text
        opening = await browser.get(f"/open/{page.machine.secret}", follow_redirects=False)
        assert opening.headers["location"] == "/"
        assert {"HttpOnly", "SameSite=strict"} <= set(opening.headers["set-cookie"].split("; "))
        assert "Max-Age" not in opening.headers["set-cookie"]
        assert page.machine.secret not in opening.headers["set-cookie"]
        assert (await browser.get("/admin")).status_code == 200


async def test_under_a_name_that_is_not_the_machines_own_nobody_is_the_operator(
    page: Page, operator: httpx.AsyncClient
) -> None:
    cookie = "; ".join(f"{name}={value}" for name, value in operator.cookies.items())
    assert await raw(page, "/you", urlsplit(page.address).netloc, cookie) == 200
    assert await raw(page, "/you", "LOCALHOST", cookie) == 200
    assert {await raw(page, "/you", name, cookie) for name in NOT_HERE} <= {303, 400}


async def test_what_a_proxy_hands_on_is_not_the_operators_although_it_names_no_caller(page: Page) -> None:
    async with page.browser() as browser:
        assert (await browser.get("/you")).status_code == 403
        assert (await browser.get("/api/v1/health")).status_code == 401
        assert (await browser.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "initialize"})).status_code == 401


@pytest.mark.parametrize("name", ["Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP"])
async def test_nor_is_it_with_the_operators_cookie(operator: httpx.AsyncClient, name: str) -> None:
    assert (await operator.get("/you", headers={name: "10.0.0.1"})).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_no_route_answers_a_page_of_another_site(operator: httpx.AsyncClient, site: str) -> None:
    for path in ROUTES:
        refused = await operator.get(path, headers={"Sec-Fetch-Site": site})
        assert (refused.status_code, refused.text[:15]) == (403, "Another website"), path
    elsewhere = {"Origin": "http://evil.example"}
    assert (await operator.post("/press", data={"action": "export"}, headers=elsewhere)).status_code == 403


async def test_a_link_to_a_source_is_followed_from_chat_and_shows_nothing_of_the_operators(
    operator: httpx.AsyncClient,
) -> None:
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    shown = await operator.get("/s/nothing", headers=followed)
    assert shown.status_code == 404
    assert ">Admin<" not in shown.text
