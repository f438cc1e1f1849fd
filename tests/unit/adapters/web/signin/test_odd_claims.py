"""Claims, ids and tokens of an odd kind: who they name is nobody, what they add is nothing, and nothing breaks."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from typing import Any

import pytest

from tests.doubles.oidc import CLIENT, Provider
from tests.doubles.signed_in import PROXY, Page
from tests.doubles.ways_in import ME, TEAM, TOKEN, USER, calls, nobody_gets_in, saying, sending, signs_in

LONE = "\ud800"
"""Half of a pair: JSON can say it, and nothing can write it down."""


async def groups_of(page: Page) -> tuple[str, ...]:
    """Those of whoever signs in with OpenID."""
    assert (await signs_in(page, "openid")).status_code == 200
    session = await page.citewell.storage.sessions.latest_of("web:77")
    assert session
    return session.who.groups


ODD = [None, 5, 1.5, True, {}, {"staff": True}, [["staff"]], ["staff", 5], ["staff", None], [{}], LONE, ["staff", LONE]]


async def test_groups_of_an_odd_kind_are_none_on_the_page_the_api_and_mcp(page: Page, provider: Provider) -> None:
    for groups in ODD:
        provider.claims["groups"] = groups
        assert await groups_of(page) == (), groups
        async with page.browser() as browser:
            assert await calls(browser, provider.token()) == (200, 200), groups


async def test_groups_are_a_text_or_a_list_of_texts(page: Page, provider: Provider) -> None:
    for groups, known in (("staff", ["staff"]), (["a", "", "b"], ["a", "b"]), ([], []), ("", [])):
        provider.claims["groups"] = groups
        assert await groups_of(page) == tuple(f"web:group:{one}" for one in known)


TIMES: list[object] = [[], {}, "soon", ["x"], True]
CLAIMS: dict[str, list[Any]] = {
    "sub": [None, 5, True, [], ["77"], {}, "", LONE, "7" * 2000, "ä" * 400],
    "aud": [None, 5, True, {}, {CLIENT: 1}, [], [[CLIENT]], [CLIENT, 5], [None], "", "another"],
    **dict.fromkeys(("iss", "exp", "iat", "nbf"), TIMES),
}
OF_ID_TOKENS: dict[str, list[Any]] = {"azp": ["another", ["another"]], "nonce": [5, ["x"], "another", None]}


@pytest.mark.parametrize("claim", CLAIMS)
async def test_a_claim_of_an_odd_kind_lets_nobody_in(claim: str, page: Page, provider: Provider) -> None:
    for said in CLAIMS[claim]:
        provider.claims[claim] = said
        await nobody_gets_in(page, "openid", said)
        async with page.browser() as browser:
            assert await calls(browser, provider.token()) == (401, 401), said


async def test_an_id_token_of_another_attempt_or_for_another_lets_nobody_in(page: Page, provider: Provider) -> None:
    for claim, values in OF_ID_TOKENS.items():
        truth = dict(provider.claims)
        for said in values:
            provider.claims[claim] = said
            await nobody_gets_in(page, "openid", (claim, said))
        provider.claims = truth


@pytest.mark.parametrize("name", [None, 7, [], {"a": 1}, "", LONE], ids=repr)
async def test_whoever_has_a_name_of_an_odd_kind_goes_by_their_id(name: object, page: Page, provider: Provider) -> None:
    provider.lies[ME] = sending(json.dumps({"id": "77", "username": name, "global_name": name}))
    provider.claims["name"] = name
    for way, person, called in (
        ("discord", "discord:77", "77"),
        ("openid", "web:77", "77"),
        ("slack", "slack:T1:U7", "U7"),
    ):
        assert (await signs_in(page, way)).status_code == 200
        session = await page.citewell.storage.sessions.latest_of(person)
        assert session
        assert session.who.name == called


def forged(head: object) -> str:
    parts = (json.dumps(head).encode(), b'{"sub":"ann"}', b"no signature")
    return ".".join(urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)


HEADS: list[Any] = [
    None,
    5,
    [],
    {},
    {"alg": None},
    {"alg": ["RS256"]},
    {"alg": "none"},
    {"alg": "HS256"},
    {"alg": "RS256", "kid": 5},
    {"alg": "RS256", "kid": {}},
    {"alg": "RS256", "crit": 5},
    {"alg": "RS256", "crit": [5]},
    {"alg": "RS256", "crit": ["b64"], "b64": False},
    {"alg": "ES256"},
    {"alg": "RS256", "jwk": {}, "jku": "https://elsewhere.example", "x5c": 5},
]


async def test_a_head_of_an_odd_kind_is_no_token_wherever_it_is_sent(page: Page, provider: Provider) -> None:
    for head in HEADS:
        token = forged(head)
        async with page.browser() as browser:
            assert await calls(browser, token) == (401, 401), head
        provider.lies[TOKEN["openid"]] = saying({"id_token": token})
        await nobody_gets_in(page, "openid", head)


async def test_an_id_token_of_an_odd_kind_lets_nobody_in(page: Page, provider: Provider) -> None:
    for token in (None, 5, [], {}, "", "a.b.c", "ä.ö.ü", LONE):
        provider.lies[TOKEN["openid"]] = sending(json.dumps({"id_token": token}))
        await nobody_gets_in(page, "openid", token)


NO_ID = (None, 5, True, [], ["T1"], {}, "", "t1", "T1:U7", "T1\n", "77", "C123", " T1", LONE)


@pytest.mark.parametrize("claim", [TEAM, USER])
async def test_what_is_no_id_of_slacks_is_nobody(claim: str, page: Page, provider: Provider) -> None:
    for said in NO_ID:
        provider.claims[claim] = said
        await nobody_gets_in(page, "slack", said)


async def test_what_is_no_id_of_discords_is_nobody(page: Page, provider: Provider) -> None:
    for said in (None, 77, 7.7, True, [], ["77"], {}, "", "abc", "77:1", "-7", "٧٧", "7" * 60, " 77", LONE):
        provider.lies[ME] = sending(json.dumps({"id": said, "username": "ann"}))
        await nobody_gets_in(page, "discord", said)


GIVEN = {"access_token": "a", "token_type": "Bearer", "scope": "identify"}
NO_TOKEN: list[dict[str, object]] = [
    {"token_type": "mac"},
    {"token_type": None},
    {"token_type": ["Bearer"]},
    {"scope": "guilds.join"},
    {"scope": ""},
    {"scope": 5},
    {"access_token": 5},
    {"access_token": ["a"]},
    {"access_token": ""},
    {"access_token": "a\r\nX-More: b"},
    {"access_token": "ä"},
]


async def test_a_token_of_discords_has_to_be_one_that_tells_who_somebody_is(page: Page, provider: Provider) -> None:
    for wrong in NO_TOKEN:
        provider.lies[TOKEN["discord"]] = saying(GIVEN | wrong)
        await nobody_gets_in(page, "discord", wrong)
    provider.lies[TOKEN["discord"]] = saying(GIVEN)
    assert (await signs_in(page, "discord")).status_code == 200


async def test_a_proxy_that_names_somebody_by_more_than_can_be_kept_names_nobody(page: Page) -> None:
    async with page.browser() as browser:
        for user in ("a" * 3000, "ä" * 700, "%" * 400):
            headers = {"X-Citewell-Proxy": PROXY, "X-Forwarded-User": user.encode()}
            assert (await browser.get("/you", headers=headers)).url.path == "/sign-in"
