"""Forms that are sent to the page: by whom, how long they may be, and how often somebody may try."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx2 as httpx
import pytest
import starlette.requests

from adapters.http.limits import DEFAULT_BODY_BYTES
from adapters.web.signin.flow import SIGN_INS_PER_MINUTE
from tests.doubles.browser import Seen
from tests.doubles.oidc import CLIENT, SECRET, Provider
from tests.doubles.signed_in import PROXY, Page, opened

HEAVY = {"Content-Type": "application/x-www-form-urlencoded"}
ANN = {"X-Citewell-Proxy": PROXY, "X-Forwarded-User": "ann"}


@pytest.fixture
async def page(tmp_path: Path) -> AsyncIterator[Page]:
    async with Provider().serving() as provider:
        openid = {
            "oidc_issuer": provider.issuer,
            "oidc_client_id": CLIENT,
            "oidc_client_secret": SECRET,
            "proxy_secret": PROXY,
        }
        async with opened(tmp_path, web=openid) as opening:
            yield opening


@pytest.mark.parametrize("path", ["/ask", "/press", "/you", "/sign-out"])
async def test_a_form_of_a_stranger_is_turned_away_unread(
    page: Page, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def parsed(*_: object, **__: object) -> None:
        raise AssertionError("it was parsed")

    monkeypatch.setattr(starlette.requests, "FormParser", parsed)
    monkeypatch.setattr(starlette.requests, "MultiPartParser", parsed)
    async with page.browser() as browser:
        turned_away = await browser.post(path, data={"question": "Who?"})
        assert (turned_away.status_code, "Request refused" in turned_away.text) == (403, True)
        turned_away = await browser.post(path, data={"question": "Who?"}, files={"file": b"text"})
        assert turned_away.status_code == 403


async def test_a_form_that_is_too_long_is_413_and_one_with_files_or_many_fields_is_refused(page: Page) -> None:
    async with page.browser() as browser:
        long = await browser.post("/ask", content=b"a=" + b"b" * DEFAULT_BODY_BYTES, headers={**HEAVY, **ANN})
        assert (long.status_code, long.text) == (413, "the body is too long")
        for body in ({"content": b"a=&" * 1_000, "headers": {**HEAVY, **ANN}}, {"files": {"a": b"b"}, "headers": ANN}):
            assert (await browser.post("/ask", **body)).status_code == 403  # type: ignore[arg-type] # one of these


async def test_the_longest_question_fits_into_a_form(page: Page) -> None:
    async with page.browser() as browser:
        browser.headers.update(ANN)
        form = {field.name: field.value for field in Seen((await browser.get("/")).text).fields}
        asked = await browser.post("/ask", data={**form, "question": "😀" * 4_000}, follow_redirects=False)
        assert asked.status_code == 303


async def test_who_tries_to_sign_in_too_often_keeps_nobody_out_behind_a_trusted_proxy(page: Page) -> None:
    async def begun(browser: httpx.AsyncClient, caller: str) -> int:
        headers = {"X-Forwarded-For": caller}
        return (await browser.get("/sign-in/openid", headers=headers, follow_redirects=False)).status_code

    async with page.browser() as browser:
        assert [await begun(browser, "203.0.113.7") for _ in range(SIGN_INS_PER_MINUTE + 1)] == [
            303
        ] * SIGN_INS_PER_MINUTE + [429]
        assert await begun(browser, "203.0.113.8") == 303
        assert [await begun(browser, f"2001:db8::{number}") for number in range(1, SIGN_INS_PER_MINUTE + 2)][-1] == 429
        assert await begun(browser, "2001:db8:0:1::1") == 303
