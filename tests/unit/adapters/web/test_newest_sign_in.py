"""What was told of a person last holds wherever they are: in older sessions, in other processes, behind a proxy."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.requests import Request

from adapters.web.signin.authenticator import READERS_CACHE_SECONDS, SessionAuthenticator, SessionCookie
from adapters.web.signin.identity import make_web_identity
from pipeline.values import PersonId, Readers
from tests.doubles.clock import Clock
from tests.doubles.engines import Engine
from tests.doubles.oidc import CLIENT, SECRET, Provider
from tests.doubles.signed_in import PROXY, opened

LEADS = make_web_identity("ann", "Ann", ("leads",))
STAFF = make_web_identity("ann", "Ann", ("staff",))


async def test_who_signs_in_without_a_role_has_it_in_no_older_session_any_more(tmp_path: Path) -> None:
    async with Provider().serving() as provider:
        openid = {
            "oidc_issuer": provider.issuer,
            "oidc_client_id": CLIENT,
            "oidc_client_secret": SECRET,
        }
        async with opened(tmp_path, web=openid) as page, page.browser() as older, page.browser() as newer:
            provider.claims["groups"] = ["leads"]
            await older.get("/sign-in/openid")
            assert "How it goes" in (await older.get("/you")).text
            assert (await older.get("/admin")).status_code == 200
            provider.claims["groups"] = ["staff"]
            await newer.get("/sign-in/openid")
            assert "How it goes" not in (await older.get("/you")).text
            assert (await older.get("/admin")).status_code != 200
            readers = await page.adapters["web"].get_readers(PersonId.parse("web:ann"))
            assert "web:group:staff" in readers.groups
            assert "web:group:leads" not in readers.groups


async def nowhere(_: PersonId) -> Readers | None:
    return None


def proxied(groups: str) -> Request:
    headers = {"x-citewell-proxy": PROXY, "x-forwarded-user": "ann", "x-forwarded-groups": groups}
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "GET", "path": "/", "headers": raw})


@pytest.fixture
def clock() -> Clock:
    return Clock()


async def test_what_a_proxy_says_holds_in_every_process_within_a_minute_however_busy_its_person_is(
    engine: Engine, clock: Clock
) -> None:
    async with engine.storage() as storage:
        here, there = (
            SessionAuthenticator(storage.sessions, nowhere, SessionCookie(secure=True), PROXY, clock) for _ in range(2)
        )
        await here.authenticate(proxied("staff"))
        await storage.sessions.create(LEADS)
        for _ in range(10):
            clock.now += READERS_CACHE_SECONDS / 8
            visitor = await here.authenticate(proxied("staff"))
            assert visitor
            assert visitor.actor.groups == visitor.readers.groups
            assert "web:group:leads" not in visitor.readers.groups
        assert "web:group:leads" not in (await there.readers("web:ann")).groups
        await there.authenticate(proxied(""))
        assert not {group for group in (await here.readers("web:ann")).groups if ":group:" in group}
