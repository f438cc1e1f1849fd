"""What the contract suite needs of a kind of source: the place its documents are in, as the suite may change it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar, Self
from urllib.parse import urldefrag, urlsplit

import httpx2

from adapters.fetch.fetcher import Fetcher, open_fetcher
from adapters.files.reader import FileReader
from pipeline.ports import DocumentSource, SourceCache
from tests.doubles.outage import Outage, at_once
from tests.doubles.reader import ReaderHere


class Remote(ABC):
    """A double of the service over loopback, a real server, or a folder."""

    lacks: ClassVar[frozenset[str]] = frozenset()
    """What the kind does not have: `service` (something that can be down), `throttling`, `rights`, `token`, `api`
    (answers of its own shape), `reading` (documents that are asked for when they are read)."""

    def __init__(self, outage: Outage) -> None:
        self.outage = outage

    @classmethod
    @abstractmethod
    def running(cls, folder: Path) -> AbstractAsyncContextManager[Self]:
        """With a folder of its own."""

    @abstractmethod
    def source(self, memory: SourceCache) -> AbstractAsyncContextManager[DocumentSource]:
        """A source as a new process would make it."""

    @abstractmethod
    async def put(self, key: str, title: str, text: str) -> None:
        """Make or change a document; `text` is Markdown, and may hold headings."""

    @abstractmethod
    async def delete(self, key: str) -> None: ...

    @abstractmethod
    async def move(self, key: str, to: str) -> None:
        """The same document at another place, or renamed, as the service has it."""

    async def restrict(self, key: str) -> None:
        """Not everyone who reads the rest may read it any more."""
        raise NotImplementedError

    def revoke(self) -> None:
        """The token is not taken any more."""
        raise NotImplementedError

    def limit(self, requests: int) -> None:
        """So many more requests get what the service itself calls a limit."""
        self.outage.throttle(requests)

    async def open(self, url: str) -> str:
        """What somebody who follows the link reads there. Raises AssertionError when there is nothing."""
        async with httpx2.AsyncClient(trust_env=False, verify=False) as browser:
            response = await browser.get(urldefrag(url).url)
        assert response.status_code == 200
        return response.text


@asynccontextmanager
async def reaching(*urls: str, **settings: Any) -> AsyncIterator[tuple[Fetcher, FileReader]]:
    """What sources of these services need, without pauses."""
    ports = frozenset(port for url in urls if (port := urlsplit(url).port))
    reader = ReaderHere()
    try:
        async with open_fetcher(private=True, ports=ports, sleep=at_once, **settings) as fetcher:
            yield fetcher, reader
    finally:
        await reader.close()
