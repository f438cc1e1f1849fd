"""Confluence Cloud: pages from its REST API v2; rights, labels and attachments from what is left of v1."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable

from adapters.sources.confluence.api import Api
from adapters.sources.confluence.listing import Attachment, Listing, Node, Page, Text, closed
from adapters.sources.confluence.wire import Above, Content, Named, PageV2, People, Restriction, Space, Written

_AT_ONCE = "250"
_EXPAND = "version,container,metadata.labels,restrictions.read.restrictions.user,restrictions.read.restrictions.group"
_NAMES_AT_ONCE = 250
_ABOVE = {"folder": "folders", "whiteboard": "whiteboards", "database": "databases", "embed": "embeds"}
"""What a page can stand below that is no page, and where it is looked up."""


class Cloud:
    """Pages are those that v2 lists: they are up to date at once. A search tells the rights of all of them in few
    requests; what it does not know yet is asked for one by one."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._names: dict[str, str] = {}

    async def listing(self, spaces: tuple[str, ...]) -> Listing:
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
            nodes[page.id] = Node(parent=page.parent, closed=private)
            pages.append(_page(page, key, labels))
        await self._add_above(nodes, [page for _, page in listed])
        return Listing(
            pages=tuple(pages),
            attachments=tuple(_attachment(one) for one in searched.values() if one.type == "attachment"),
            closed=closed(nodes),
            missing=tuple(key for key in spaces if key not in found),
        )

    async def text(self, page: str) -> Text | None:
        query = {"body-format": "storage", "include-properties": "true"}
        found = await self._api.find(f"/api/v2/pages/{page}", Written, **query)
        if found is None:
            return None
        return Text(storage=found.body.storage.value, new_editor=found.new_editor, owner=found.owner or "")

    async def file(self, attachment: Attachment, *, most: int) -> bytes | None:
        return await self._api.download(attachment.download, most=most)

    async def names(self, people: frozenset[str]) -> dict[str, str]:
        asked = sorted(people - self._names.keys())
        for start in range(0, len(asked), _NAMES_AT_ONCE):
            some = asked[start : start + _NAMES_AT_ONCE]
            answer = await self._api.look_up("/api/v2/users-bulk", {"accountIds": some}, People)
            named = {person.account_id: person.name for person in answer.results} if answer else {}
            self._names |= dict.fromkeys(some, "") | named
        return {person: name for person in people if (name := self._names[person])}

    def _spaces(self, keys: tuple[str, ...]) -> AsyncIterator[Space]:
        return self._api.walk("/api/v2/spaces", Space, keys=",".join(keys), limit=_AT_ONCE)

    def _pages(self, space: str) -> AsyncIterator[PageV2]:
        return self._api.walk(f"/api/v2/spaces/{space}/pages", PageV2, status="current", limit=_AT_ONCE)

    def _search(self, keys: tuple[str, ...]) -> AsyncIterator[Content]:
        among = ",".join(f'"{key}"' for key in keys)
        cql = f"space in ({among}) and type in (page,attachment) order by created"
        return self._api.walk("/rest/api/content/search", Content, cql=cql, expand=_EXPAND, limit=_AT_ONCE)

    async def _asked(self, page: str) -> tuple[bool, frozenset[str]]:
        """Whether not everyone may read a page, and its labels."""
        private = await self._private(page)
        labels = [label.name async for label in self._api.walk(f"/api/v2/pages/{page}/labels", Named, limit=_AT_ONCE)]
        return private, frozenset(labels)

    async def _private(self, content: str) -> bool:
        found = await self._api.find(f"/rest/api/content/{content}/restriction/byOperation/read", Restriction)
        return found is None or found.closed

    async def _add_above(self, nodes: dict[str, Node], pages: Iterable[PageV2]) -> None:
        """The folders and the like that pages stand below: they may be restricted too. Of one that cannot be looked
        at nothing is added."""
        ahead = [(page.parent, page.parent_type) for page in pages]
        while ahead:
            parent, kind = ahead.pop()
            if parent is None or parent in nodes or kind not in _ABOVE:
                continue
            if (found := await self._api.find(f"/api/v2/{_ABOVE[kind]}/{parent}", Above)) is not None:
                nodes[parent] = Node(parent=found.parent, closed=await self._private(parent))
                ahead.append((found.parent, found.parent_type))


def _page(page: PageV2, space: str, labels: frozenset[str]) -> Page:
    return Page(
        id=page.id,
        title=page.title,
        space=space,
        webui=page.links.webui,
        version=page.version.number,
        updated=page.version.when[:10],
        labels=labels,
    )


def _attachment(found: Content) -> Attachment:
    return Attachment(
        id=found.id,
        page=found.container.id,
        name=found.title,
        webui=found.links.webui,
        download=f"/rest/api/content/{found.container.id}/child/attachment/{found.id}/download",
        version=found.version.number,
        size=found.extensions.size,
    )
