"""What there is in the spaces of a Confluence, and which of it everyone there may read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from pipeline.values import Value


class Page(Value):
    id: str
    title: str
    space: str
    webui: str
    """Its path below the site."""
    version: int
    updated: str
    """ISO date."""
    labels: frozenset[str] = frozenset()


class Attachment(Value):
    id: str
    page: str
    name: str
    webui: str
    download: str
    """Path below the API."""
    version: int
    size: int
    """Bytes."""


class Node(Value):
    """A page, or what pages stand below."""

    parent: str | None
    closed: bool
    """It says by itself that not everyone in the space may read it."""


class Listing(Value):
    pages: tuple[Page, ...]
    attachments: tuple[Attachment, ...]
    closed: frozenset[str]
    """Ids of the pages that not everyone in their space may read."""
    missing: tuple[str, ...] = ()
    """Keys of spaces that are not there, or not for this account."""


class Text(Value):
    storage: str
    new_editor: bool
    owner: str = ""
    """Account id."""


class Site(Protocol):
    """An edition of Confluence."""

    async def listing(self, spaces: tuple[str, ...]) -> Listing:
        """Raises Unavailable when it is not whole."""
        ...

    async def text(self, page: str) -> Text | None:
        """None when it is gone."""
        ...

    async def file(self, attachment: Attachment, *, most: int) -> bytes | None:
        """None when it is gone. Raises Refused above `most` bytes."""
        ...

    async def names(self, people: frozenset[str]) -> dict[str, str]:
        """What they are called; those that are not known are left out."""
        ...


def closed(nodes: Mapping[str, Node]) -> frozenset[str]:
    """Those that are closed, stand below one that is, or below one that is not among `nodes`."""
    known: dict[str, bool] = {}
    for start in nodes:
        path: list[str] = []
        at: str | None = start
        while at is not None and at not in known and at not in path:
            path.append(at)
            node = nodes.get(at)
            if node is None or node.closed:
                known[at] = True
                break
            at = node.parent
        verdict = at is not None and known.get(at, True)
        known.update((name, verdict) for name in path)
    return frozenset(name for name in nodes if known[name])
