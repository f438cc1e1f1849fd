"""A vendor's client, made when it is first needed: importing an SDK takes a second."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from pipeline.errors import Unavailable

if TYPE_CHECKING:
    from openai import AsyncOpenAI

CONNECT_SECONDS = 5.0


class Closable(Protocol):
    async def close(self) -> None: ...


C = TypeVar("C", bound=Closable)


class LazyClient(Generic[C]):
    """What `make` returns, made at the first `get`, off the event loop, and reused."""

    def __init__(self, service: str, make: Callable[[], C]) -> None:
        self._service = service
        self._make = make
        self._client: C | None = None
        self._making = asyncio.Lock()

    async def get(self) -> C:
        """Raises Unavailable when the client cannot be made."""
        async with self._making:
            if self._client is None:
                try:
                    self._client = await asyncio.to_thread(self._make)
                except Exception as error:
                    raise Unavailable(self._service, "its client could not be made") from error
            return self._client

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()


def openai_client(service: str, *, key: str, base_url: str | None, timeout: float) -> LazyClient[AsyncOpenAI]:
    """A client of OpenAI's API, or of the server at `base_url`, that never asks twice on its own."""

    def make() -> AsyncOpenAI:
        import openai

        limits = openai.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS))
        return openai.AsyncOpenAI(api_key=key, base_url=base_url, max_retries=0, timeout=limits)

    return LazyClient(service, make)
