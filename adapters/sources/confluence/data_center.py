"""Confluence Data Center: its REST API (7.18 and later)."""

from __future__ import annotations

from collections.abc import AsyncIterator

from adapters.sources.confluence.api import Api
from adapters.sources.confluence.listing import Attachment, Listing, Node, Page, Text, closed
from adapters.sources.confluence.wire import Content, Person, Space, Written

_AT_ONCE = "200"
_EXPAND = "version,ancestors,metadata.labels,restrictions.read.restrictions.user,restrictions.read.restrictions.group"


class DataCenter:
    def __init__(self, api: Api) -> None:
        self._api = api
        self._names: dict[str, str] = {}

    async def listing(self, spaces: tuple[str, ...]) -> Listing:
        found = [key for key in spaces if await self._api.find(f"/rest/api/space/{key}", Space) is not None]
        listed = [(key, page) for key in found async for page in self._pages(key)]
        nodes = {page.id: Node(parent=_parent(page), closed=page.closed) for _, page in listed}
        return Listing(
            pages=tuple(_page(page, key) for key, page in listed),
            attachments=tuple([_attachment(one) async for one in self._attachments(found)]) if found else (),
            closed=closed(nodes),
            missing=tuple(key for key in spaces if key not in found),
        )

    async def text(self, page: str) -> Text | None:
        found = await self._api.find(f"/rest/api/content/{page}", Written, expand="body.storage")
        return Text(storage=found.body.storage.value, new_editor=False) if found else None

    async def file(self, attachment: Attachment, *, most: int) -> bytes | None:
        return await self._api.download(attachment.download, most=most)

    async def names(self, people: frozenset[str]) -> dict[str, str]:
        for key in sorted(people - self._names.keys()):
            found = await self._api.find("/rest/api/user", Person, key=key)
            self._names[key] = found.name if found else ""
        return {key: name for key in people if (name := self._names[key])}

    def _pages(self, space: str) -> AsyncIterator[Content]:
        return self._api.walk(
            "/rest/api/content/scan",
            Content,
            type="page",
            status="current",
            spaceKey=space,
            expand=_EXPAND,
            limit=_AT_ONCE,
        )

    def _attachments(self, keys: list[str]) -> AsyncIterator[Content]:
        among = ",".join(f'"{key}"' for key in keys)
        cql = f"space in ({among}) and type = attachment order by created"
        query = {"cql": cql, "expand": "version,container", "limit": _AT_ONCE}
        return self._api.walk("/rest/api/content/search", Content, **query)


def _parent(page: Content) -> str | None:
    return page.ancestors[-1].id if page.ancestors else None


def _page(page: Content, space: str) -> Page:
    return Page(
        id=page.id,
        title=page.title,
        space=space,
        webui=page.links.webui,
        version=page.version.number,
        updated=page.version.when[:10],
        labels=page.labels,
    )


def _attachment(found: Content) -> Attachment:
    return Attachment(
        id=found.id,
        page=found.container.id,
        name=found.title,
        webui=found.links.webui,
        download=found.links.download,
        version=found.version.number,
        size=found.extensions.size,
    )
