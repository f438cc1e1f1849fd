"""Who gets in, and who does not: an OpenID provider, a proxy, and the platforms where people are known."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.web import wiring
from adapters.web.signin import oidc
from adapters.web.signin.routes import local_path
from pipeline.errors import Misconfigured
from pipeline.values import PersonId, Readers
from tests.doubles.browser import Seen
from tests.doubles.oidc import CLIENT, SECRET, Provider
from tests.doubles.signed_in import PROXY, Page, opened


@pytest.fixture
async def provider() -> AsyncIterator[Provider]:
    async with Provider().serving() as served:
        yield served


@pytest.fixture
async def page(provider: Provider, tmp_path: Path) -> AsyncIterator[Page]:
    openid = {
        "oidc_issuer": provider.issuer,
        "oidc_client_id": CLIENT,
        "oidc_client_secret": SECRET,
        "proxy_secret": PROXY,
    }
    async with opened(tmp_path, web=openid) as opening:
        yield opening


async def test_whoever_signs_in_comes_back_to_where_they_were_and_sees_what_their_groups_see(page: Page) -> None:
    async with page.browser() as browser:
        first = await browser.get("/you")
        assert "Sign in with OpenID" in first.text
        link = re.search(r'href="(/sign-in/openid[^"]*)"', first.text)
        assert link
        here = await browser.get(link[1])
        assert here.url.path == "/you"
    readers = await page.citewell.storage.sessions.latest_of("web:ann")
    assert readers
    assert readers.who.groups == ("web:group:staff",)
    audience = await page.citewell.services.audience(Readers(groups=frozenset(readers.who.groups)))
    assert "hr" in audience.collections or not await page.citewell.storage.library.list_collections()


WRONG: dict[str, Callable[[Provider], Any]] = {
    "issuer": lambda it: it.claims.update(iss="http://127.0.0.1:1"),
    "audience": lambda it: it.claims.update(aud="another"),
    "no audience": lambda it: it.claims.update(aud=[]),
    "nonce": lambda it: setattr(it, "token", lambda _: Provider.token(it, "another")),
    "expired": lambda it: it.claims.update(exp=int(time.time()) - 600),
    "not yet": lambda it: it.claims.update(nbf=int(time.time()) + 600),
    "signed by nobody": lambda it: it.rotate(publish=False),
    "not signed": lambda it: setattr(it, "token", lambda _: "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ."),
    "no subject": lambda it: it.claims.update(sub=""),
}


@pytest.mark.parametrize("wrong", WRONG)
async def test_what_is_wrong_with_a_token_lets_nobody_in(wrong: str, page: Page, provider: Provider) -> None:
    async with page.browser() as browser:
        await browser.get("/sign-in/openid")
    WRONG[wrong](provider)
    async with page.browser() as browser:
        refused = await browser.get("/sign-in/openid")
        assert refused.status_code == 403
        assert "you are not signed in" in refused.text
        assert (await browser.get("/you")).url.path == "/sign-in"


async def test_keys_that_the_provider_rotates_are_asked_for_again(
    page: Page, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oidc, "KEY_REFRESH_SECONDS", 0.0)
    for asked in (1, 2):
        async with page.browser() as browser:
            assert (await browser.get("/sign-in/openid")).url.path == "/"
        assert provider.asked_for_keys == asked
        provider.rotate()


async def test_what_another_browser_began_is_not_gone_on_with(page: Page) -> None:
    async with page.browser() as one, page.browser() as other:
        begun = await one.get("/sign-in/openid", follow_redirects=False)
        back = (await httpx_get(begun.headers["location"])).headers["location"]
        assert (await other.get(back)).status_code == 403
        assert (await one.get(back)).url.path == "/"
        assert (await one.get(back)).status_code == 403  # a code is good once


async def httpx_get(url: str) -> httpx.Response:
    async with httpx.AsyncClient(trust_env=False, verify=False) as client:
        return await client.get(url)


async def test_who_signed_out_is_out_and_a_form_of_another_page_does_nothing(page: Page) -> None:
    async with page.browser() as browser:
        await browser.get("/sign-in/openid")
        shown = Seen((await browser.get("/")).text)
        token = next(one.value for one in shown.fields if one.name == "csrf")
        assert (await browser.post("/sign-out", data={"csrf": "guessed"})).status_code == 403
        elsewhere = {"Sec-Fetch-Site": "cross-site"}
        assert (await browser.post("/sign-out", data={"csrf": token}, headers=elsewhere)).status_code == 403
        async with page.browser() as thief:
            thief.cookies.update(browser.cookies)
            assert (await thief.get("/you")).url.path == "/you"
            assert (await browser.post("/sign-out", data={"csrf": token})).url.path == "/sign-in"
            assert (await thief.get("/you")).url.path == "/sign-in"


async def test_a_person_who_is_forgotten_is_signed_out(page: Page) -> None:
    async with page.browser() as browser:
        await browser.get("/sign-in/openid")
        assert '"sessions"' in await page.citewell.services.export_person("web:ann")
        await page.citewell.services.erase_person("web:ann")
        assert (await browser.get("/you")).url.path == "/sign-in"


async def test_a_proxy_vouches_by_its_secret_and_nobody_else_by_its_headers(page: Page) -> None:
    said = {"X-Forwarded-User": "bob", "X-Forwarded-Groups": "leads, staff"}
    async with page.browser() as browser:
        assert (await browser.get("/you", headers=said)).url.path == "/sign-in"
        assert (await browser.get("/you", headers={**said, "X-Citewell-Proxy": "guessed"})).url.path == "/sign-in"
        inside = await browser.get("/you", headers={**said, "X-Citewell-Proxy": PROXY})
    assert inside.url.path == "/you"
    assert "How it goes" in inside.text
    known = await page.citewell.storage.sessions.latest_of("web:bob")
    assert known
    assert known.who.groups == ("web:group:leads", "web:group:staff")


async def test_an_access_token_of_the_provider_opens_the_api(page: Page, provider: Provider) -> None:
    async with page.browser() as browser:
        for token, status in (
            (provider.token(), 200),
            (provider.token(aud=f"{page.address}/mcp"), 200),
            (provider.token(aud="another"), 401),
            (provider.token(exp=int(time.time()) - 600), 401),
            ("nothing", 401),
        ):
            called = await browser.get("/api/v1/health", headers={"Authorization": f"Bearer {token}"})
            assert called.status_code == status
        assert (await browser.get("/api/v1/health")).status_code == 401
        metadata = (await browser.get("/.well-known/oauth-protected-resource/mcp")).json()
        assert metadata["authorization_servers"] == [provider.issuer]


async def test_two_subjects_are_never_one_person(page: Page, provider: Provider) -> None:
    people = set()
    for subject in ("a:b", "a%3Ab", "a b", "a+b", "a/b"):
        provider.subject = subject
        async with page.browser() as browser:
            await browser.get("/sign-in/openid")
            exported = await browser.post("/press", data={"csrf": await csrf(browser), "action": "export"})
            people.add(exported.json()["person"])
    assert len(people) == 5
    assert all(str(PersonId.parse(person)) == person for person in people)


async def csrf(browser: httpx.AsyncClient) -> str:
    return next(one.value for one in Seen((await browser.get("/")).text).fields if one.name == "csrf")


async def test_a_page_that_strangers_reach_does_not_open_without_a_way_to_sign_in(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="nothing is set for people to sign in with"):
        async with opened(tmp_path, web={"url": "https://citewell.example"}):
            pass


class Platform:
    """Where somebody is known, as it tells of them now."""

    readers_of: dict[str, Readers]

    def __init__(self, **readers: Readers) -> None:
        self.readers_of = readers

    async def get_readers(self, person: PersonId) -> Readers:
        return self.readers_of[person.user]


CHAT = {
    "slack": {"slack_client_id": CLIENT, "slack_client_secret": SECRET},
    "discord": {"discord_client_id": CLIENT, "discord_client_secret": SECRET},
}


@pytest.mark.parametrize(("name", "person"), [("slack", "slack:T1:U7"), ("discord", "discord:77")])
async def test_who_signs_in_with_a_platform_is_the_same_person_as_there_and_strangers_are_refused(
    name: str, person: str, provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wiring, name.upper(), provider.issuer)
    provider.subject = "77"
    provider.claims = {"https://slack.com/team_id": "T1", "https://slack.com/user_id": "U7", "name": "Ann"}
    async with opened(tmp_path, web=CHAT[name]) as page:
        async with page.browser() as browser:
            refused = await browser.get(f"/sign-in/{name}")
            assert refused.status_code == 403
            assert "no workspace or server" in refused.text
        inside = Readers(groups=frozenset({f"{name}:T1", f"{name}:T1:C2"}))
        page.adapters[name] = Platform(**{PersonId.parse(person).user: inside})
        async with page.browser() as browser:
            assert (await browser.get(f"/sign-in/{name}")).url.path == "/"
            exported = await browser.post("/press", data={"csrf": await csrf(browser), "action": "export"})
            assert exported.json()["person"] == person
        assert await page.adapters["web"].readers(PersonId.parse(person)) == inside


@given(st.text())
def test_nobody_is_led_to_another_site(path: str) -> None:
    found = local_path(path)
    assert found.startswith("/")
    assert not found.startswith("//")
    assert "\\" not in found
