"""Providers that lie, break or hang: nobody gets in by it, nobody becomes somebody else, and the page says why."""

from __future__ import annotations

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from adapters.web.signin import oauth, oidc
from tests.doubles.oidc import Lie, Provider
from tests.doubles.signed_in import Page
from tests.doubles.ways_in import (
    DOCUMENT,
    KEYS,
    ME,
    TOKEN,
    WAYS,
    Platform,
    calls,
    described,
    leading,
    never,
    nobody_gets_in,
    saying,
    sending,
    signs_in,
)

ANYTHING: dict[str, Lie] = {
    "a page": sending("<!doctype html><title>Sign in</title>"),
    "a page with an error": sending("<h1>Bad gateway</h1>", 502),
    "nothing": sending(""),
    "a list": saying([]),
    "a list of objects": saying([{"error": "x"}]),
    "null": saying(None),
    "a number": saying(5),
    "text": saying("text"),
    "an empty object": saying({}),
    "an error": saying({"error": "invalid_grant"}, 400),
    "an error of an odd kind": saying({"error": ["x"], "error_description": {}}, 400),
    "an error that is said to be none": saying({"ok": False, "error": "invalid_code"}),
    "brackets in brackets": sending("[" * 20_000),
    "more than anybody sends": sending(" " * (oauth.MAX_BYTES + 1)),
    "a redirect that keeps the request": leading("/elsewhere", 307),
    "a redirect without end": leading("?again", 302),
    "no answer": never,
}


@pytest.fixture(autouse=True)
def hasty(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits long for a provider that does not answer."""
    if "no answer" in request.node.name:
        monkeypatch.setattr(oauth, "TIMEOUT_SECONDS", 1.0)


@pytest.mark.parametrize("lie", ANYTHING)
async def test_whatever_a_code_is_exchanged_for_that_is_no_token_lets_nobody_in(
    lie: str, page: Page, provider: Provider
) -> None:
    provider.lies = dict.fromkeys(TOKEN.values(), ANYTHING[lie])
    for way in WAYS:
        await nobody_gets_in(page, way, lie)
    assert len(provider.asked) == len(WAYS), "a code is sent once"


@pytest.mark.parametrize("lie", ANYTHING)
async def test_whatever_a_provider_says_of_itself_that_it_is_not_lets_nobody_in(
    lie: str, page: Page, provider: Provider
) -> None:
    for path in (DOCUMENT, KEYS):
        provider.lies = {path: ANYTHING[lie]}
        for way in ("openid", "slack"):
            await nobody_gets_in(page, way, path)
        async with page.browser() as browser:
            assert await calls(browser, provider.token()) == (401, 401)
    provider.lies = {}
    for way in ("openid", "slack"):
        assert (await signs_in(page, way)).status_code == 200


@pytest.mark.parametrize("lie", ANYTHING)
async def test_whatever_discord_says_of_a_person_that_names_nobody_lets_nobody_in(
    lie: str, page: Page, provider: Provider
) -> None:
    provider.lies[ME] = ANYTHING[lie]
    await nobody_gets_in(page, "discord", lie)


NO_ADDRESS = (None, 5, [], "", "/authorize", "authorize", "ftp://127.0.0.1/x", "mailto:ann", "http://a b/", "http://ä/")


async def test_an_endpoint_that_is_no_web_address_sends_nobody_anywhere(page: Page, provider: Provider) -> None:
    for name in described(provider):
        for said in NO_ADDRESS:
            provider.lies[DOCUMENT] = saying(described(provider) | {name: said})
            await nobody_gets_in(page, "openid", (name, said))


async def test_a_token_is_not_handed_on_to_where_another_host_is_pointed_at(page: Page, provider: Provider) -> None:
    heard: list[str | None] = []

    async def elsewhere(request: Request) -> Response:
        heard.append(request.headers.get("authorization"))
        return JSONResponse({"id": "77"})

    provider.lies = {"/elsewhere": elsewhere, ME: leading(f"http://localhost:{provider.port}/elsewhere", 302)}
    await signs_in(page, "discord")
    assert heard == [None]


async def test_an_account_of_another_workspace_is_a_strangers(page: Page, provider: Provider) -> None:
    provider.claims["https://slack.com/team_id"] = "T2"
    answer = await signs_in(page, "slack")
    assert answer.status_code == 403
    assert "belongs to no workspace or server" in answer.text


async def test_an_account_that_is_in_no_server_of_ours_is_a_strangers(page: Page) -> None:
    page.adapters["discord"] = Platform("discord:77", groups=frozenset({"discord:user:77"}))
    answer = await signs_in(page, "discord")
    assert answer.status_code == 403
    assert "belongs to no workspace or server" in answer.text


async def test_a_provider_that_names_no_keys_may_change_its_key(
    page: Page, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.named = False
    assert (await signs_in(page, "openid")).status_code == 200
    monkeypatch.setattr(oidc, "KEY_REFRESH_SECONDS", 0.0)
    for turned in (1, 2):
        provider.rotate()
        assert (await signs_in(page, "openid")).status_code == 200
        provider.rotate()
        async with page.browser() as browser:
            assert await calls(browser, provider.token()) == (200, 200)
        assert provider.asked_for_keys == 1 + 2 * turned


async def test_tokens_that_nobody_signed_do_not_have_keys_asked_for_again_and_again(
    page: Page, provider: Provider
) -> None:
    provider.named = False
    assert (await signs_in(page, "openid")).status_code == 200
    provider.rotate(publish=False)
    async with page.browser() as browser:
        for _ in range(10):
            assert await calls(browser, provider.token()) == (401, 401)
    assert provider.asked_for_keys == 1
