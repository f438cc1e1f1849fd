"""Confluence Cloud: pages from its REST API v2; rights, labels and attachments from what is left of v1."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence

from adapters.sources.confluence.edition import Edition, among, attached, page_of
from adapters.sources.confluence.listing import PageNode, PageText, SpaceListing, closed
from adapters.sources.confluence.shapes import (
    Container,
    ContentV1,
    Named,
    PageBody,
    PageV2,
    Profiles,
    Restriction,
    Results,
    Space,
)
from adapters.sources.rest import unless_gone

_AT_ONCE = "250"
_EXPAND = "version,container,metadata.labels,restrictions.read.restrictions.user,restrictions.read.restrictions.group"
_NAMES_AT_ONCE = 250
_ABOVE = {"folder": "folders", "whiteboard": "whiteboards", "database": "databases", "embed": "embeds"}
"""What a page can stand below that is no page, and where it is looked up."""


class Cloud(Edition):
    """Pages are those that v2 lists: they are up to date at once. A search tells the rights of all of them in few
    requests; what it does not know yet is asked for one by one."""

    async def listing(self, spaces: tuple[str, ...]) -> SpaceListing:
        found = {space.key: space.id async for space in self._spaces(spaces)}
        listed = [(key, page) for key, number in found.items() async for page in self._pages(number)]
        searched = {content.id: content async for content in self._search(tuple(found))} if found else {}
        pages, nodes = [], {}
        for key, page in listed:
            content = searched.get(page.id)
            if content is None or content.restrictions.read is None:
                private, labels = await self._asked(page.id)
            else:
                private, labels = content.closed, content.labels
            nodes[page.id] = PageNode(parent=page.parent, closed=private)
            pages.append(page_of(page, key, labels))
        await self._add_above(nodes, [page for _, page in listed])
        return SpaceListing(
            pages=tuple(pages),
            attachments=tuple(
                attached(one, f"/rest/api/content/{one.container.id}/child/attachment/{one.id}/download")
                for one in searched.values()
                if one.type == "attachment"
            ),
            closed=closed(nodes),
            missing=tuple(key for key in spaces if key not in found),
        )

    async def text(self, page: str) -> PageText | None:
        query = {"body-format": "storage", "include-properties": "true"}
        found = await unless_gone(self._rest.get(f"/api/v2/pages/{page}", PageBody, **query))
        if found is None:
            return None
        return PageText(storage=found.body.storage.value, new_editor=found.new_editor, owner=found.owner or "")

    async def _look_up(self, people: Sequence[str]) -> Mapping[str, str]:
        named: dict[str, str] = {}
        for start in range(0, len(people), _NAMES_AT_ONCE):
            asked = {"accountIds": people[start : start + _NAMES_AT_ONCE]}
            if answer := await unless_gone(self._rest.post("/api/v2/users-bulk", Profiles, asked)):
                named |= {person.account_id: person.name for person in answer.results}
        return named

    def _spaces(self, keys: tuple[str, ...]) -> AsyncIterator[Space]:
        return self._all("/api/v2/spaces", Results[Space], keys=",".join(keys), limit=_AT_ONCE)

    def _pages(self, space: str) -> AsyncIterator[PageV2]:
        return self._all(f"/api/v2/spaces/{space}/pages", Results[PageV2], status="current", limit=_AT_ONCE)

    def _search(self, keys: tuple[str, ...]) -> AsyncIterator[ContentV1]:
        cql = f"{among(keys)} and type in (page,attachment) order by created"
        query = {"cql": cql, "expand": _EXPAND, "limit": _AT_ONCE}
        return self._all("/rest/api/content/search", Results[ContentV1], **query)

    async def _asked(self, page: str) -> tuple[bool, frozenset[str]]:
        """Whether not everyone may read a page, and its labels."""
        private = await self._private(page)
        labels = self._all(f"/api/v2/pages/{page}/labels", Results[Named], limit=_AT_ONCE)
        return private, frozenset([label.name async for label in labels])

    async def _private(self, content: str) -> bool:
        path = f"/rest/api/content/{content}/restriction/byOperation/read"
        found = await unless_gone(self._rest.get(path, Restriction))
        return found is None or found.closed

    async def _add_above(self, nodes: dict[str, PageNode], pages: Iterable[PageV2]) -> None:
        """The folders and the like that pages stand below: they may be restricted too. Of one that cannot be looked
        at nothing is added."""
        ahead = [(page.parent, page.parent_type) for page in pages]
        while ahead:
            parent, kind = ahead.pop()
            if parent is None or parent in nodes or kind not in _ABOVE:
                continue
            asked = self._rest.get(f"/api/v2/{_ABOVE[kind]}/{parent}", Container)
            if (found := await unless_gone(asked)) is not None:
                nodes[parent] = PageNode(parent=found.parent, closed=await self._private(parent))
                ahead.append((found.parent, found.parent_type))
