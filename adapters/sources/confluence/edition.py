"""What both editions of Confluence do alike."""

from __future__ import annotations

import base64
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from urllib.parse import urlencode

from adapters.fetch.fetcher import Fetcher
from adapters.sources.confluence.listing import AttachedFile, PageText, SpaceListing, WikiPage
from adapters.sources.confluence.shapes import ContentV1, PageV2, R, Results
from adapters.sources.rest import Rest, Service, unless_gone

SERVICE = Service(
    "confluence",
    {
        401: (
            "does not take the token",
            "Check the token and, on Cloud, the email it belongs to: docs/sources.md says what to create.",
        ),
        403: (
            "does not let the token read this",
            "Give the account the right to read, and the token its scopes: docs/sources.md lists them.",
        ),
        404: ("knows nothing at this address", "Check the url: docs/sources.md says which one."),
    },
    gone=frozenset({403, 404}),
    if_strange="Check that the url is that of Confluence itself: a sign-in page answers otherwise.",
)


def credentials(token: str, email: str = "") -> dict[str, str]:
    """The header that shows who asks: with the `email` of an account on Cloud, by a personal access token otherwise."""
    if not email:
        return {"authorization": f"Bearer {token}"}
    return {"authorization": "Basic " + base64.b64encode(f"{email}:{token}".encode()).decode()}


class Edition(ABC):
    """The Confluence at `base`: `https://example.atlassian.net/wiki`, `https://wiki.example.com/confluence`."""

    def __init__(self, fetcher: Fetcher, base: str) -> None:
        self._rest = Rest(fetcher, SERVICE, base)
        self._names: dict[str, str] = {}

    @abstractmethod
    async def listing(self, spaces: tuple[str, ...]) -> SpaceListing:
        """Raises Unavailable when it is not whole."""

    @abstractmethod
    async def text(self, page: str) -> PageText | None:
        """None when it is gone."""

    async def file(self, attached: AttachedFile, *, most: int) -> bytes | None:
        """None when it is gone. Raises Refused above `most` bytes."""
        return await unless_gone(self._rest.download(attached.download, most=most))

    async def names(self, people: frozenset[str]) -> dict[str, str]:
        """What they are called; those that are not known are left out."""
        if asked := sorted(people - self._names.keys()):
            self._names |= {**dict.fromkeys(asked, ""), **await self._look_up(asked)}
        return {person: name for person in people if (name := self._names[person])}

    @abstractmethod
    async def _look_up(self, people: Sequence[str]) -> Mapping[str, str]:
        """The names of those that are known."""

    async def _all(self, path: str, part: type[Results[R]], **query: str) -> AsyncIterator[R]:
        """All results of a list, however many requests it takes."""
        async for found in self._rest.parts(lambda query: self._rest.get(f"{path}?{query}", part), urlencode(query)):
            for result in found.results:
                yield result


def page_of(found: PageV2 | ContentV1, space: str, labels: frozenset[str]) -> WikiPage:
    return WikiPage(
        id=found.id,
        title=found.title,
        space=space,
        webui=found.links.webui,
        version=found.version.number,
        updated=found.version.when[:10],
        labels=labels,
    )


def attached(found: ContentV1, download: str) -> AttachedFile:
    return AttachedFile(
        id=found.id,
        page=found.container.id,
        name=found.title,
        webui=found.links.webui,
        download=download,
        version=found.version.number,
        size=found.extensions.size,
    )


def among(keys: Sequence[str]) -> str:
    """What a search is restricted to some spaces with."""
    return "space in ({})".format(",".join(f'"{key}"' for key in keys))
