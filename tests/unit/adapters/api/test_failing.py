"""Whatever is sent, and whatever goes wrong behind the API, is answered with a problem that says what to do."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette

from adapters.http.servers import UvicornServers
from bot.citewell import Citewell
from bot.platforms import open_program_routes
from pipeline.values import Readers
from tests.doubles.open_house import opened
from tests.trials import trials
from tests.unit.adapters.api.test_description import Served
from tests.unit.adapters.api.test_description import served as served

JSON = {"Content-Type": "application/json"}
INNER = "secret.internal"


class Broken:
    """Tokens that nobody can read."""

    issuer = "https://id.acme.example"

    async def verify_token(self, _: str) -> tuple[str, str, Readers] | None:
        raise TypeError(INNER)


@asynccontextmanager
async def broken(citewell: Citewell) -> AsyncIterator[httpx.AsyncClient]:
    """A client of programs whose tokens cannot be read."""
    async with (
        open_program_routes(citewell, url="", machine=None, tokens=Broken()) as routes,
        UvicornServers().serve("127.0.0.1:0", Starlette(routes=routes).routes, setting="CITEWELL_WEB") as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30, trust_env=False, verify=False) as caller,
    ):
        yield caller


def is_problem(answer: httpx.Response, status: int) -> None:
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    told = answer.json()
    assert told["status"] == status
    assert told["title"]
    assert told["detail"]
    assert INNER not in answer.text


@pytest.mark.parametrize(
    "path", ["/api/v1/health", "/api/v1/documents", "/api/v1/sources", "/api/v1/passages?document=x"]
)
async def test_a_token_that_cannot_be_read_is_told_with_a_number_and_nothing_else(path: str, tmp_path: Path) -> None:
    async with opened(tmp_path) as (citewell, _), broken(citewell) as caller:
        is_problem(await caller.get(path, headers={"Authorization": "Bearer token"}), 500)


@pytest.mark.parametrize(
    ("name", "method", "path", "sent"),
    [
        ("search", "POST", "/api/v1/search", {"text": "x"}),
        ("list_documents", "GET", "/api/v1/documents", None),
        ("list_documents", "GET", "/api/v1/sources", None),
        ("list_documents", "GET", "/api/v1/health", None),
        ("read_document", "GET", "/api/v1/passages?document=x", None),
        ("respond", "POST", "/api/v1/ask", {"question": "x"}),
        ("is_saved", "POST", "/api/v1/answers/0123456789abcdef/feedback", {"vote": "helpful"}),
    ],
)
async def test_what_nobody_foresaw_is_told_with_a_number_by_every_call(
    name: str, method: str, path: str, sent: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(*_: object, **__: object) -> None:
        raise ZeroDivisionError(INNER)

    async with opened(tmp_path) as (citewell, _), broken(citewell) as caller:
        _, secret = await citewell.storage.api_keys.add("program", (), 60)
        monkeypatch.setattr(type(citewell.reading), name, wrong)
        answer = await caller.request(method, path, json=sent, headers={"Authorization": f"Bearer {secret}"})
    is_problem(answer, 500)


odd = st.sampled_from(
    [
        *('"\\ud800"', '"a\\u0000b"', '"\\u202e\\u200b"', '"' + "a\u0301" * 900 + '"', '"vacation days"', '""'),
        *("NaN", "-Infinity", "1e999", "9" * 5000, "-0", "1.5", "true", "null", "[" * 3000, "[" * 400 + "]" * 400),
        *('{"a":' * 400 + "1" + "}" * 400, '"%s $1 {} \\" OR NEAR( * ^ :"', "'x'", "\ufeff", "//"),
    ]
)
names = st.sampled_from(
    [
        *("question", "text", "limit", "conversation", "style", "format", "citations", "language", "vote", "comment"),
        *("\\ud800", "a\\u0000b", "\\u202e", "", "__proto__"),
    ]
)
bodies = st.lists(st.tuples(names, odd), max_size=5).map(
    lambda pairs: ("{" + ",".join(f'"{name}":{value}' for name, value in pairs) + "}").encode()
) | st.binary(max_size=40)


@pytest.mark.parametrize("path", ["ask", "search", "answers/0123456789abcdef/feedback"])
def test_no_body_makes_a_call_fail(path: str, served: Served) -> None:
    with httpx.Client(
        base_url=f"{served.address}/api/v1/", headers=served.headers, timeout=30, trust_env=False
    ) as caller:

        @settings(max_examples=trials(60), deadline=None, suppress_health_check=list(HealthCheck))
        @given(bodies, st.sampled_from([{}, {"Accept": "text/event-stream"}, {"Idempotency-Key": "one"}]))
        def holds(body: bytes, headers: dict[str, str]) -> None:
            answer = caller.post(path, content=body, headers={**JSON, **headers})
            if answer.status_code != 200:
                assert answer.status_code in {400, 404, 409, 422}
                is_problem(answer, answer.status_code)
            else:
                assert "event: error" not in answer.text
                assert '"outcome":"failed"' not in answer.text

        holds()


def test_a_name_that_nobody_knows_is_told_without_what_hides(served: Served) -> None:
    sent = json.dumps({"question": "x", "\u202ename": 1}).encode()
    headers = {**JSON, **served.headers}
    answer = httpx.post(f"{served.address}/api/v1/ask", content=sent, headers=headers, trust_env=False)
    is_problem(answer, 422)
    assert answer.json()["detail"].startswith("name: ")
