"""Requests of Confluence's REST APIs, and its errors in our words."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from typing import TypeVar
from urllib.parse import urlencode, urlsplit

from pydantic import ValidationError

from adapters.fetch.fetcher import Fetched, Fetcher
from adapters.sources.answers import Parts
from adapters.sources.confluence.wire import Batch, Wire
from pipeline.errors import Unavailable

SERVICE = "confluence"
_LEFT_OUT = frozenset({403, 404})
"""Of one page: it is gone, or not for this account."""
_SAID = {401: "does not take the token", 403: "does not let the token read this"}
_HINTS = {
    401: "Check the token and, on Cloud, the email it belongs to: docs/sources.md says what to create.",
    403: "Give the account the right to read, and the token its scopes: docs/sources.md lists them.",
    404: "Check the url: docs/sources.md says which one.",
}

T = TypeVar("T", bound=Wire)


def credentials(token: str, email: str = "") -> dict[str, str]:
    """The header that shows who asks: with the `email` of an account on Cloud, by a personal access token otherwise."""
    if not email:
        return {"authorization": f"Bearer {token}"}
    return {"authorization": "Basic " + base64.b64encode(f"{email}:{token}".encode()).decode()}


class Api:
    """What stands below `base`: `https://example.atlassian.net/wiki`, `https://wiki.example.com/confluence`."""

    def __init__(self, fetcher: Fetcher, base: str) -> None:
        self._fetcher = fetcher
        self._base = base.rstrip("/")

    async def find(self, path: str, into: type[T], **query: str) -> T | None:
        """None when it is gone, and when it is not for this account. Raises Unavailable for every other status but
        200."""
        encoded = f"?{urlencode(query)}" if query else ""
        return _found(await self._fetcher.fetch(f"{self._base}{path}{encoded}"), into)

    async def walk(self, path: str, into: type[T], **query: str) -> AsyncIterator[T]:
        """All results of a list, however many requests it takes."""
        encoded, parts = urlencode(query), Parts(SERVICE)
        while True:
            parts.follow(encoded)
            found = await self._fetcher.fetch(f"{self._base}{path}?{encoded}")
            if found.status != 200:
                raise _unavailable(found.status)
            batch = _read(found.body, Batch)
            for result in batch.results:
                yield _checked(result, into)
            # The address of the rest is built by a server behind a gateway: only its query is ours to use.
            following = urlsplit(batch.links.next).query
            if not following:
                return
            encoded = following

    async def look_up(self, path: str, body: object, into: type[T]) -> T | None:
        """`find` for what is asked for with a body."""
        return _found(await self._fetcher.fetch(f"{self._base}{path}", method="POST", json=body), into)

    async def download(self, path: str, *, most: int) -> bytes | None:
        """A file of at most `most` bytes; None when it is gone. Raises Refused for a larger one."""
        found = await self._fetcher.fetch(f"{self._base}{path}", most=most)
        if found.status in _LEFT_OUT:
            return None
        if found.status != 200:
            raise _unavailable(found.status)
        return found.body


def _found(answer: Fetched, into: type[T]) -> T | None:
    if answer.status in _LEFT_OUT:
        return None
    if answer.status != 200:
        raise _unavailable(answer.status)
    return _read(answer.body, into)


def _unavailable(status: int) -> Unavailable:
    said = f"{_SAID[status]} (status {status})" if status in _SAID else f"answered with status {status}"
    return Unavailable(SERVICE, said, permanent=status in _HINTS, what_to_do=_HINTS.get(status, ""))


def _read(body: bytes, into: type[T]) -> T:
    try:
        return into.model_validate_json(body)
    except ValidationError as error:
        raise _strange() from error


def _checked(result: object, into: type[T]) -> T:
    try:
        return into.model_validate(result)
    except ValidationError as error:
        raise _strange() from error


def _strange() -> Unavailable:
    return Unavailable(
        SERVICE,
        "answered with something that is not as its API is described",
        what_to_do="Check that the url is that of Confluence itself: a sign-in page answers otherwise.",
    )
