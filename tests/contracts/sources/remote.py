"""What the contract suite needs of a kind of source: the place its documents are in, as the suite may change it."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import ClassVar, Protocol

from pipeline.ports import DocumentSource, SourceMemory


class Remote(Protocol):
    """A double of the service over loopback, a real server, or a folder."""

    lacks: ClassVar[frozenset[str]]
    """What the kind does not have: `service` (nothing that can be down or count requests), `throttling`, `rights`,
    `links` (its documents have no address)."""
    requests: int
    """How many were made of it."""

    def source(self, memory: SourceMemory) -> AbstractAsyncContextManager[DocumentSource]:
        """A source as a new process would make it."""
        ...

    async def put(self, key: str, title: str, text: str) -> None:
        """Make or change a document; `text` is Markdown, and may hold headings."""
        ...

    async def delete(self, key: str) -> None: ...

    async def move(self, key: str, to: str) -> None:
        """The same document at another place, or renamed, as the service has it."""
        ...

    async def restrict(self, key: str) -> None:
        """Not everyone who reads the rest may read it any more."""
        ...

    def fail_after(self, requests: int | None) -> None:
        """The service goes down after so many more requests; None: it works again."""
        ...

    def throttle(self, requests: int) -> None:
        """The next so many requests get 429 with `Retry-After: 0`."""
        ...

    async def open(self, url: str) -> str:
        """What somebody who follows the link reads there. Raises AssertionError when there is nothing."""
        ...


class OpenRemote(Protocol):
    """How a kind opens its double, in a folder of its own."""

    def __call__(self, folder: Path) -> AbstractAsyncContextManager[Remote]: ...
