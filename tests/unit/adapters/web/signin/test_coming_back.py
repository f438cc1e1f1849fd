"""Who comes back from a provider is let in by what they began themselves, once, and stays on this site."""

from __future__ import annotations

import time
from collections.abc import Callable
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

import httpx2 as httpx
import pytest
from itsdangerous import TimestampSigner

from tests.doubles.oidc import Provider
from tests.doubles.signed_in import Page
from tests.doubles.ways_in import DOCUMENT, WAYS, described, nobody_gets_in, saying


async def begun(browser: httpx.AsyncClient, way: str) -> str:
    """The address that the provider sends the browser back to."""
    there = (await browser.get(f"/sign-in/{way}", follow_redirects=False)).headers["location"]
    async with httpx.AsyncClient(trust_env=False, verify=False) as client:
        return str((await client.get(there)).headers["location"])


def said(address: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}


def changed(address: str, **changes: str | None) -> str:
    query = {name: value for name, value in (said(address) | changes).items() if value is not None}
    return urlunsplit(urlsplit(address)._replace(query=urlencode(query)))


BACK: dict[str, Callable[[str, str], str]] = {
    "no state": lambda mine, theirs: changed(mine, state=None),
    "an empty state": lambda mine, theirs: changed(mine, state=""),
    "the state of another attempt": lambda mine, theirs: changed(mine, state=said(theirs)["state"]),
    "a state that is longer": lambda mine, theirs: changed(mine, state=said(mine)["state"] + "x"),
    "a state that is no text": lambda mine, theirs: changed(mine, state="\x00ä"),
    "the code of another attempt": lambda mine, theirs: changed(mine, code=said(theirs)["code"]),
    "no code": lambda mine, theirs: changed(mine, code=None),
    "a code that is none": lambda mine, theirs: changed(mine, code="guessed"),
    "an error": lambda mine, theirs: changed(mine, code=None, error="access_denied"),
    "the address of another attempt": lambda mine, theirs: theirs,
}


@pytest.mark.parametrize("way", WAYS)
async def test_who_comes_back_with_what_they_did_not_begin_with_is_not_let_in(way: str, page: Page) -> None:
    for wrong, made in BACK.items():
        async with page.browser() as mine, page.browser() as theirs:
            back = made(await begun(mine, way), await begun(theirs, way))
            assert (await mine.get(back)).status_code == 403, wrong
            assert (await mine.get("/you")).url.path == "/sign-in"


@pytest.mark.parametrize("way", WAYS)
async def test_an_address_opens_once_even_with_the_cookie_that_it_was_begun_with(way: str, page: Page) -> None:
    async with page.browser() as browser, page.browser() as copy:
        back = await begun(browser, way)
        copy.cookies.update(browser.cookies)
        assert (await browser.get(back)).url.path == "/"
        assert (await browser.get(back)).status_code == 403
        assert (await copy.get(back)).status_code == 403
        assert (await copy.get("/you")).url.path == "/sign-in"


@pytest.mark.parametrize("way", WAYS)
async def test_an_attempt_at_one_provider_is_not_gone_on_with_at_another(way: str, page: Page) -> None:
    for other in set(WAYS) - {way}:
        async with page.browser() as browser:
            back = (await begun(browser, way)).replace(f"/sign-in/{way}/", f"/sign-in/{other}/")
            assert (await browser.get(back)).status_code == 403
            assert (await browser.get("/you")).url.path == "/sign-in"


@pytest.mark.parametrize("way", ["openid", "slack"])
async def test_an_answer_that_says_it_is_another_issuers_is_not_taken(way: str, page: Page, provider: Provider) -> None:
    for issuer, status in (("https://elsewhere.example", 403), (f"{provider.issuer}/", 403), (provider.issuer, 200)):
        async with page.browser() as browser:
            answer = await browser.get(changed(await begun(browser, way), iss=issuer))
            assert answer.status_code == status


async def test_where_a_provider_says_that_it_names_itself_an_answer_without_its_name_is_not_taken(
    page: Page, provider: Provider
) -> None:
    provider.lies[DOCUMENT] = saying(described(provider) | {"authorization_response_iss_parameter_supported": True})
    await nobody_gets_in(page, "openid", "no issuer")
    async with page.browser() as browser:
        answer = await browser.get(changed(await begun(browser, "openid"), iss=provider.issuer))
        assert answer.status_code == 200


@pytest.mark.parametrize(
    ("ahead", "status"), [(0, 200), (5, 200), (55, 200), (120, 403), (86_400, 403), (-500, 200), (-610, 403)]
)
async def test_an_attempt_lasts_ten_minutes_and_the_clocks_of_two_processes_may_differ(
    ahead: int, status: int, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with page.browser() as browser:
        with monkeypatch.context() as patch:
            patch.setattr(TimestampSigner, "get_timestamp", lambda _: int(time.time()) + ahead)
            back = await begun(browser, "discord")
        assert (await browser.get(back)).status_code == status


ELSEWHERE = (
    "//elsewhere.example",
    "///elsewhere.example",
    "/\\elsewhere.example",
    "\\\\elsewhere.example",
    "https://elsewhere.example",
    "https:elsewhere.example",
    "/\t/elsewhere.example",
    "/\n/elsewhere.example",
    " //elsewhere.example",
    "/..//elsewhere.example",
    "/.//elsewhere.example",
    "/%2F/elsewhere.example",
    "javascript:void",
    "@elsewhere.example",
    "",
)


async def test_nobody_is_led_to_another_site_after_signing_in(page: Page) -> None:
    for then in ELSEWHERE:
        async with page.browser() as browser:
            answer = await browser.get("/sign-in/openid", params={"next": then})
            assert str(answer.url).startswith(f"{page.address}/"), then
