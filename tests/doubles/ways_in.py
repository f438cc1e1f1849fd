"""A page that people sign in to in every way there is, with one double behind all of them, which may lie."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from pipeline.values import PersonId, Readers
from tests.doubles.oidc import CLIENT, SECRET, Lie, Provider
from tests.doubles.signed_in import PROXY, Page, opened

WAYS = ("openid", "slack", "discord")
TOKEN = {"openid": "/token", "slack": "/token", "discord": "/api/oauth2/token"}
DOCUMENT, KEYS, ME = "/.well-known/openid-configuration", "/keys", "/api/users/@me"
TEAM, USER = "https://slack.com/team_id", "https://slack.com/user_id"


class Platform:
    """Where people are known."""

    def __init__(self, *known: str, groups: frozenset[str] = frozenset({"of a workspace"})) -> None:
        self._known, self._groups = known, groups

    async def get_readers(self, person: PersonId) -> Readers:
        if str(person) not in self._known:
            raise LookupError(person)
        return Readers(groups=self._groups)


@asynccontextmanager
async def every_way(provider: Provider, folder: Path) -> AsyncIterator[Page]:
    """Ann is known in Slack and in Discord."""
    provider.subject = "77"
    provider.claims = {"name": "Ann", "groups": ["staff"], TEAM: "T1", USER: "U7"}
    ways = ("oidc", "slack", "discord")
    web = {
        "oidc_issuer": provider.issuer,
        **{f"{way}_client_id": CLIENT for way in ways},
        **{f"{way}_client_secret": SECRET for way in ways},
        "proxy_secret": PROXY,
    }
    async with opened(folder, web) as page:
        page.adapters["slack"], page.adapters["discord"] = Platform("slack:T1:U7"), Platform("discord:77")
        yield page


async def signs_in(page: Page, way: str) -> httpx.Response:
    """What somebody who signs in is shown."""
    async with page.browser() as browser:
        answer = await browser.get(f"/sign-in/{way}")
        inside = (await browser.get("/you")).url.path == "/you"
        assert inside == (answer.status_code == 200 and answer.url.path == "/")
    return answer


async def nobody_gets_in(page: Page, way: str, why: object) -> None:
    answer = await signs_in(page, way)
    assert answer.status_code in (403, 503), why
    assert "Sign in" in answer.text


async def calls(browser: httpx.AsyncClient, token: str) -> tuple[int, int]:
    """What the API and MCP answer to whoever brings `token`."""
    begin = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
    api = await browser.get("/api/v1/health", headers=headers)
    mcp = await browser.post("/mcp", json=begin, headers=headers)
    return api.status_code, mcp.status_code


def described(provider: Provider) -> dict[str, Any]:
    """The provider's discovery document."""
    paths = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
    return {"issuer": provider.issuer, **{name: f"{provider.issuer}/{path}" for name, path in paths.items()}}


def saying(body: object, status: int = 200) -> Lie:
    async def lie(_: Request) -> Response:
        return JSONResponse(body, status)

    return lie


def sending(body: str, status: int = 200) -> Lie:
    async def lie(_: Request) -> Response:
        return HTMLResponse(body, status)

    return lie


def leading(where: str, status: int) -> Lie:
    async def lie(_: Request) -> Response:
        return RedirectResponse(where, status)

    return lie


async def never(_: Request) -> Response:
    await asyncio.Event().wait()
    raise AssertionError
