"""Whatever is sent to the page, it answers with words: no form and no address breaks it or leaves it empty."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from urllib.parse import quote, urlencode

import httpx2 as httpx
import pytest
from pydantic import SecretStr

from adapters.chat.reply.parts import ReplyButton
from adapters.chat.words import forms, handoff
from tests.doubles.browser import Seen
from tests.doubles.engines import Engine
from tests.doubles.page import parsed, prose
from tests.doubles.signed_in import PROXY, Page, opened

ADMIN = {"X-Citewell-Proxy": PROXY, "X-Forwarded-User": "lea", "X-Forwarded-Groups": "leads"}
READER = {"X-Citewell-Proxy": PROXY, "X-Forwarded-User": "ann", "X-Forwarded-Groups": "staff"}
NOBODY: dict[str, str] = {}

CONVERSATION = "c" * 32
FORMS: Mapping[str, Sequence[str]] = {
    "/ask": ("question", "conversation", "once"),
    "/press": ("action", "about", "conversation", "reason", "comment", "reply", "keep", "fragment"),
    "/you": ("style", "citations", "language"),
    "/admin/trial": ("question", "who", "groups"),
    "/sign-out": (),
}
ACTIONS = (
    *(one for one in ReplyButton if one is not ReplyButton.FORGET_CONFIRMED),
    *(forms.REASON_FORM, handoff.RESOLVE_BUTTON, handoff.HANDOFF_FORM, handoff.SEND_BUTTON, handoff.KEEP_BUTTON),
    *("sources", "insights", "add_to_knowledge", "add_knowledge", "", "none of ours"),
)
ODD = {
    "nothing": b"",
    "a NUL": b"%00",
    "a NUL within": b"a%00b",
    "half a surrogate pair": b"%ED%A0%80",
    "no UTF-8": b"%FF%FE",
    "marks of direction": quote("a\u202eb\u2066").encode(),
    "a number": b"99999999999999999999999999",
    "a long text": b"x" * 5000,
    "an id": CONVERSATION.encode(),
    "an odd id": b"d1/../%2e%2e:::",
}
ADDRESSES = {
    "/": "next",
    f"/c/{CONVERSATION}": "start",
    f"/c/{CONVERSATION}/events": "start",
    "/you": "next",
    "/sign-in": "next",
    "/sign-in/openid": "next",
    "/sign-in/openid/back": "state",
    "/s/token": "at",
    "/s/token/original": "at",
    "/admin": "days",
    "/admin/questions": "days",
    "/admin/left": "days",
    "/admin/documents": "title",
    "/admin/passages": "document",
    "/admin/passages?document=d1": "start",
    "/admin/trial": "question",
}
NUMBERS = (b"0", b"-1", b"1e9", b"0x10", b"7.5", b"%D9%A3", b"9999999", b"9" * 400)


@pytest.fixture
async def page(engine: Engine) -> AsyncIterator[Page]:
    database = SecretStr(engine.url) if engine.url else None
    engine.folder.mkdir(exist_ok=True)
    web = {"url": "http://127.0.0.1:1", "proxy_secret": PROXY}
    async with opened(engine.folder, web, database=database) as found:
        await found.citewell.indexer.add_document(
            parsed("d1", prose("A night is paid up to 90 euros."), collection="travel")
        )
        yield found


def bodies(names: Sequence[str], csrf: str) -> Iterator[tuple[str, dict[str, object]]]:
    """Each oddity in each field alone, missing, repeated, and as a file."""
    own = urlencode({"csrf": csrf}).encode()
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    yield "no field", {"content": own, "headers": kind}
    yield "no name", {"content": own + b"&=x&&&=", "headers": kind}
    yield "no such field", {"content": own + b"&none=x&%00=y", "headers": kind}
    for name in names:
        for oddity, value in ODD.items():
            yield f"{name}: {oddity}", {"content": own + f"&{name}=".encode() + value, "headers": kind}
        yield f"{name}: repeated", {"content": own + 40 * f"&{name}=x".encode(), "headers": kind}
        yield f"{name}: a file", {"data": {"csrf": csrf}, "files": {name: ("\u202ea.txt", b"\x00\xff", "text/plain")}}


def answered(answer: httpx.Response, what: str) -> None:
    assert answer.status_code < 500, what
    assert len(Seen(answer.text).text.split()) > 3, (what, answer.text)


async def csrf_of(browser: httpx.AsyncClient, who: Mapping[str, str]) -> str:
    fields = Seen((await browser.get("/you", headers=who)).text).fields
    return next((one.value for one in fields if one.name == "csrf"), "none")


def in_no_hurry(page: Page) -> None:
    """People and strangers are counted elsewhere."""
    page.adapters["web"]._context.rate_limiter.count_call = lambda *_: 0.0


@pytest.mark.parametrize("who", [ADMIN, READER, NOBODY], ids=["admin", "reader", "nobody"])
@pytest.mark.parametrize("path", FORMS)
async def test_each_form_is_answered_with_words_whatever_stands_in_it(
    page: Page, path: str, who: dict[str, str]
) -> None:
    in_no_hurry(page)
    async with page.browser() as browser:
        csrf = await csrf_of(browser, who)
        for what, body in bodies(FORMS[path], csrf):
            headers = {**who, **body.pop("headers", {})}  # type: ignore[dict-item]
            answered(await browser.post(path, headers=headers, **body), what)  # type: ignore[arg-type]
    gc.collect()  # of what was uploaded, here and in no other test


@pytest.mark.parametrize("action", ACTIONS)
async def test_each_press_is_answered_with_words_whatever_it_is_of(page: Page, action: str) -> None:
    in_no_hurry(page)
    async with page.browser() as browser:
        csrf = await csrf_of(browser, READER)
        asked = {"csrf": csrf, "once": "0" * 32, "question": "hello"}
        own = str((await browser.post("/ask", data=asked, headers=READER)).url.path).removeprefix("/c/")
        for conversation in (own, CONVERSATION, "", "\x00"):
            for about in ("", "\x00", "x" * 3000, "d1", "a b c", "1-2", "[1]", "\u202e"):
                for more in ({}, {"reason": "none", "comment": "\x00", "reply": "\x00", "keep": "yes"}):
                    form = {"csrf": csrf, "conversation": conversation, "about": about, "action": action, **more}
                    answer = await browser.post("/press", data=form, headers=READER)
                    answered(answer, str(form))


@pytest.mark.parametrize("who", [ADMIN, READER, NOBODY], ids=["admin", "reader", "nobody"])
async def test_each_address_is_answered_with_words_whatever_stands_in_it(page: Page, who: dict[str, str]) -> None:
    in_no_hurry(page)
    async with page.browser() as browser:
        for path, name in ADDRESSES.items():
            for value in (*ODD.values(), *NUMBERS):
                address = f"{path}{'&' if '?' in path else '?'}{name}={value.decode()}"
                answer = await browser.get(address, headers=who)
                if path.endswith("/events") and who:
                    assert (answer.status_code, answer.text) == (200, "")
                else:
                    answered(answer, address)
        for value in filter(None, ODD.values()):
            for path in ("/c/", "/s/", "/sign-in/"):
                answered(await browser.get(f"{path}{value.decode()}", headers=who), f"{path}{value.decode()}")


async def test_a_form_that_is_no_form_is_refused_with_words(page: Page) -> None:
    in_no_hurry(page)
    async with page.browser() as browser:
        for kind, content in (
            ("multipart/form-data", b"x"),
            ("multipart/form-data; boundary=b", b"--b\r\nnothing"),
            ("multipart/form-data; boundary=b", b""),
            ("application/json", b"{}"),
            ("text/plain", b"csrf=x"),
            ("application/x-www-form-urlencoded; charset=utf-16", b"csrf=x"),
            ("application/x-www-form-urlencoded", b"&".join(b"a=b" for _ in range(5000))),
        ):
            answer = await browser.post("/press", content=content, headers={**READER, "Content-Type": kind})
            assert 400 <= answer.status_code < 500, kind
            assert answer.text.strip(), kind
