"""Confluence Data Center: its REST API (7.18 and later)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence

from adapters.sources.confluence.edition import Edition, among, attached, page_of
from adapters.sources.confluence.listing import PageNode, PageText, SpaceListing, closed
from adapters.sources.confluence.shapes import ContentV1, PageBody, Profile, Results, Space
from adapters.sources.rest import unless_gone

_AT_ONCE = "200"
_EXPAND = "version,ancestors,metadata.labels,restrictions.read.restrictions.user,restrictions.read.restrictions.group"


class DataCenter(Edition):
    async def listing(self, spaces: tuple[str, ...]) -> SpaceListing:
        found = [key for key in spaces if await unless_gone(self._rest.get(f"/rest/api/space/{key}", Space))]
        listed = [(key, page) for key in found async for page in self._pages(key)]
        nodes = {page.id: PageNode(parent=_parent(page), closed=page.closed) for _, page in listed}
        files = [attached(one, one.links.download) async for one in self._attachments(found)] if found else []
        return SpaceListing(
            pages=tuple(page_of(page, key, page.labels) for key, page in listed),
            attachments=tuple(files),
            closed=closed(nodes),
            missing=tuple(key for key in spaces if key not in found),
        )

    async def text(self, page: str) -> PageText | None:
        found = await unless_gone(self._rest.get(f"/rest/api/content/{page}", PageBody, expand="body.storage"))
        return PageText(storage=found.body.storage.value, new_editor=False) if found else None

    async def _look_up(self, people: Sequence[str]) -> Mapping[str, str]:
        named: dict[str, str] = {}
        for key in people:
            if found := await unless_gone(self._rest.get("/rest/api/user", Profile, key=key)):
                named[key] = found.name
        return named

    def _pages(self, space: str) -> AsyncIterator[ContentV1]:
        query = {"type": "page", "status": "current", "spaceKey": space, "expand": _EXPAND, "limit": _AT_ONCE}
        return self._all("/rest/api/content/scan", Results[ContentV1], **query)

    def _attachments(self, keys: Sequence[str]) -> AsyncIterator[ContentV1]:
        cql = f"{among(keys)} and type = attachment order by created"
        query = {"cql": cql, "expand": "version,container", "limit": _AT_ONCE}
        return self._all("/rest/api/content/search", Results[ContentV1], **query)


def _parent(page: ContentV1) -> str | None:
    return page.ancestors[-1].id if page.ancestors else None
