"""A vendor's client, made when it is first needed: importing an SDK takes a second."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from adapters.models.transport import http_client
from pipeline.errors import Unavailable

if TYPE_CHECKING:
    from openai import AsyncOpenAI


class Closable(Protocol):
    async def close(self) -> None: ...


C = TypeVar("C", bound=Closable)


class LazyClient(Generic[C]):
    """The client that `make` returns, made at the first `get`, off the event loop, and reused."""

    def __init__(self, service: str, make: Callable[[], C]) -> None:
        self._service = service
        self._make = make
        self._making: asyncio.Task[C] | None = None

    async def get(self) -> C:
        """Return the client. Raise Unavailable when it cannot be made. If cancelled, the client is still made for the
        next caller."""
        if self._making is None or _failed(self._making):
            self._making = asyncio.create_task(asyncio.to_thread(self._make))
        making = self._making
        await asyncio.wait({making})
        if error := making.exception():
            reason = f"its client could not be made ({type(error).__name__}): are its key and its base URL right?"
            raise Unavailable(self._service, reason, permanent=not isinstance(error, OSError)) from error
        return making.result()

    async def close(self) -> None:
        """Close the client, also when it is still being made."""
        making, self._making = self._making, None
        if making is not None:
            await asyncio.wait({making})
            if not _failed(making):
                await making.result().close()


def _failed(making: asyncio.Task[Any]) -> bool:
    return making.done() and (making.cancelled() or making.exception() is not None)


def openai_client(service: str, *, key: str, base_url: str | None, timeout: float) -> LazyClient[AsyncOpenAI]:
    """Return a client of OpenAI's API, or of the server at `base_url`, that never retries by itself."""

    def make() -> AsyncOpenAI:
        import openai

        if find_spec("httpx"):  # The SDK looks at it wherever it is loaded, and fails while another thread loads it.
            import_module("httpx")
        http = http_client(openai, service, timeout)
        return openai.AsyncOpenAI(api_key=key, base_url=base_url, max_retries=0, http_client=http)

    return LazyClient(service, make)
