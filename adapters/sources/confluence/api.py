"""Clients of Confluence Cloud and Data Center, and the listing of pages, attachments and restrictions in their
spaces."""

from __future__ import annotations

import base64
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from urllib.parse import urlencode

from adapters.fetch.fetcher import Fetcher
from adapters.sources.confluence.responses import (
    ConfluenceResults,
    ConfluenceSpace,
    ConfluenceUser,
    ConfluenceUsers,
    ContentRestriction,
    ContentV1,
    NamedValue,
    PageBodyResponse,
    PageContainer,
    PageV2,
    R,
)
from adapters.sources.rest_client import RestClient, RestService, none_if_missing
from pipeline.values import Value

# --- Pages, attachments and restrictions ----------------------------------------------------------


class ConfluencePage(Value):
    """A page of a space, without its text."""

    id: str
    title: str
    space: str
    webui: str
    """Its path below the site."""
    version: int
    updated: str
    """ISO date."""
    labels: frozenset[str] = frozenset()


class ConfluenceAttachment(Value):
    """A file attached to a page."""

    id: str
    page: str
    name: str
    webui: str
    download: str
    """Path below the API."""
    version: int
    size: int
    """Bytes."""


class PageTreeNode(Value):
    """A page, or a container of pages."""

    parent: str | None
    is_restricted: bool
    """True where its own restrictions keep it from some of the space's readers."""


class SpaceListing(Value):
    """All pages and attachments of the spaces."""

    pages: tuple[ConfluencePage, ...]
    attachments: tuple[ConfluenceAttachment, ...]
    restricted: frozenset[str]
    """Ids of the pages that not everyone in their space may read."""
    missing_spaces: tuple[str, ...] = ()
    """Keys of spaces that do not exist, or that the account may not see."""


class ConfluencePageBody(Value):
    """The text of a page in storage format."""

    storage: str
    new_editor: bool
    owner: str = ""
    """Account id."""


def find_restricted(nodes: Mapping[str, PageTreeNode]) -> frozenset[str]:
    """Return the ids of nodes that are restricted, or stand below one that is restricted or not in `nodes`."""
    verdicts: dict[str, bool] = {}
    for start in nodes:
        path: list[str] = []
        current: str | None = start
        while current is not None and current not in verdicts and current not in path:
            path.append(current)
            node = nodes.get(current)
            if node is None or node.is_restricted:
                verdicts[current] = True
                break
            current = node.parent
        verdict = current is not None and verdicts.get(current, True)
        verdicts.update((name, verdict) for name in path)
    return frozenset(name for name in nodes if verdicts[name])


# --- The client of both editions ------------------------------------------------------------------

CONFLUENCE_SERVICE = RestService(
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
    missing_statuses=frozenset({403, 404}),
    unexpected_hint="Check that the url is that of Confluence itself: a sign-in page answers otherwise.",
)


def confluence_auth_headers(token: str, email: str = "") -> dict[str, str]:
    """Return the header that authenticates: with the `email` of an account on Cloud, with a personal access token
    otherwise."""
    if not email:
        return {"authorization": f"Bearer {token}"}
    return {"authorization": "Basic " + base64.b64encode(f"{email}:{token}".encode()).decode()}


class ConfluenceApi(ABC):
    """A client of the Confluence at `base_url`: `https://example.atlassian.net/wiki`,
    `https://wiki.example.com/confluence`."""

    def __init__(self, fetcher: Fetcher, base_url: str) -> None:
        self._rest = RestClient(fetcher, CONFLUENCE_SERVICE, base_url)
        self._names: dict[str, str] = {}

    @abstractmethod
    async def list_spaces(self, spaces: tuple[str, ...]) -> SpaceListing:
        """Return the listing of `spaces`. Raise Unavailable when it is incomplete."""

    @abstractmethod
    async def fetch_body(self, page: str) -> ConfluencePageBody | None:
        """Return the text of a page; None when it is gone."""

    async def download_attachment(self, attachment: ConfluenceAttachment, *, max_bytes: int) -> bytes | None:
        """Return the attachment; None when it is gone. Raise Refused above `max_bytes`."""
        return await none_if_missing(self._rest.download(attachment.download, max_bytes=max_bytes))

    async def fetch_user_names(self, people: frozenset[str]) -> dict[str, str]:
        """Return the names of people by their id; unknown people are left out."""
        if unknown := sorted(people - self._names.keys()):
            self._names |= {**dict.fromkeys(unknown, ""), **await self._fetch_names(unknown)}
        return {person: name for person in people if (name := self._names[person])}

    @abstractmethod
    async def _fetch_names(self, people: Sequence[str]) -> Mapping[str, str]:
        """Return the names of the people who are known."""

    async def _paginate(self, path: str, part: type[ConfluenceResults[R]], **query: str) -> AsyncIterator[R]:
        """Yield all results of a list, however many requests it takes."""
        async for part_result in self._rest.paginate(
            lambda query: self._rest.get(f"{path}?{query}", part), urlencode(query)
        ):
            for result in part_result.results:
                yield result


def to_confluence_page(content: PageV2 | ContentV1, space: str, labels: frozenset[str]) -> ConfluencePage:
    return ConfluencePage(
        id=content.id,
        title=content.title,
        space=space,
        webui=content.links.webui,
        version=content.version.number,
        updated=content.version.when[:10],
        labels=labels,
    )


def to_confluence_attachment(content: ContentV1, download: str) -> ConfluenceAttachment:
    return ConfluenceAttachment(
        id=content.id,
        page=content.container.id,
        name=content.title,
        webui=content.links.webui,
        download=download,
        version=content.version.number,
        size=content.extensions.size,
    )


def space_filter(keys: Sequence[str]) -> str:
    """Return the CQL that restricts a search to some spaces."""
    return "space in ({})".format(",".join(f'"{key}"' for key in keys))


# --- Cloud: pages by REST API v2; restrictions, labels and attachments by v1 ----------------------

_RESTRICTIONS = "restrictions.read.restrictions.user,restrictions.read.restrictions.group"
_CLOUD_PAGE_SIZE = "250"
_CLOUD_EXPAND = (
    "version,container,metadata.labels,restrictions.read.restrictions.user,restrictions.read.restrictions.group"
)
_NAMES_PER_REQUEST = 250
_CONTAINERS = {"folder": "folders", "whiteboard": "whiteboards", "database": "databases", "embed": "embeds"}
"""Containers that a page can stand below, and the path at which each is looked up."""


class ConfluenceCloud(ConfluenceApi):
    """Cloud. Pages are listed by API v2, which is up to date at once. A search by v1 reports the restrictions of all of
    them in few requests; pages that it does not know yet are looked up one by one."""

    async def list_spaces(self, spaces: tuple[str, ...]) -> SpaceListing:
        space_ids = {space.key: space.id async for space in self._spaces(spaces)}
        space_pages = [(key, page) for key, number in space_ids.items() async for page in self._pages(number)]
        search_results = {content.id: content async for content in self._search(tuple(space_ids))} if space_ids else {}
        pages, nodes = [], {}
        for key, page in space_pages:
            content = search_results.get(page.id)
            if content is None or content.restrictions.read is None:
                restricted, labels = await self._fetch_rights(page.id)
            else:
                restricted, labels = content.is_restricted, content.labels
            nodes[page.id] = PageTreeNode(parent=page.parent, is_restricted=restricted)
            pages.append(to_confluence_page(page, key, labels))
        await self._add_containers(nodes, [page for _, page in space_pages])
        return SpaceListing(
            pages=tuple(pages),
            attachments=tuple(
                to_confluence_attachment(
                    content, f"/rest/api/content/{content.container.id}/child/attachment/{content.id}/download"
                )
                for content in search_results.values()
                if content.type == "attachment"
            ),
            restricted=find_restricted(nodes),
            missing_spaces=tuple(key for key in spaces if key not in space_ids),
        )

    async def fetch_body(self, page: str) -> ConfluencePageBody | None:
        query = {"body-format": "storage", "include-properties": "true"}
        response = await none_if_missing(self._rest.get(f"/api/v2/pages/{page}", PageBodyResponse, **query))
        if response is None:
            return None
        return ConfluencePageBody(
            storage=response.body.storage.value, new_editor=response.new_editor, owner=response.owner or ""
        )

    async def _fetch_names(self, people: Sequence[str]) -> Mapping[str, str]:
        names: dict[str, str] = {}
        for start in range(0, len(people), _NAMES_PER_REQUEST):
            body = {"accountIds": people[start : start + _NAMES_PER_REQUEST]}
            if answer := await none_if_missing(self._rest.post("/api/v2/users-bulk", ConfluenceUsers, body)):
                names |= {person.account_id: person.name for person in answer.results}
        return names

    def _spaces(self, keys: tuple[str, ...]) -> AsyncIterator[ConfluenceSpace]:
        return self._paginate(
            "/api/v2/spaces", ConfluenceResults[ConfluenceSpace], keys=",".join(keys), limit=_CLOUD_PAGE_SIZE
        )

    def _pages(self, space: str) -> AsyncIterator[PageV2]:
        return self._paginate(
            f"/api/v2/spaces/{space}/pages", ConfluenceResults[PageV2], status="current", limit=_CLOUD_PAGE_SIZE
        )

    def _search(self, keys: tuple[str, ...]) -> AsyncIterator[ContentV1]:
        cql = f"{space_filter(keys)} and type in (page,attachment) order by created"
        query = {"cql": cql, "expand": _CLOUD_EXPAND, "limit": _CLOUD_PAGE_SIZE}
        return self._paginate("/rest/api/content/search", ConfluenceResults[ContentV1], **query)

    async def _fetch_rights(self, page: str) -> tuple[bool, frozenset[str]]:
        """Return whether a page is restricted, and its labels."""
        restricted = await self._is_restricted(page)
        labels = self._paginate(f"/api/v2/pages/{page}/labels", ConfluenceResults[NamedValue], limit=_CLOUD_PAGE_SIZE)
        return restricted, frozenset([label.name async for label in labels])

    async def _is_restricted(self, content: str) -> bool:
        path = f"/rest/api/content/{content}/restriction/byOperation/read"
        restriction = await none_if_missing(self._rest.get(path, ContentRestriction))
        return restriction is None or restriction.is_restricted

    async def _add_containers(self, nodes: dict[str, PageTreeNode], pages: Iterable[PageV2]) -> None:
        """Add the folders and the like that pages stand below: they may be restricted too. Nothing is added for one
        that cannot be looked up."""
        pending = [(page.parent, page.parent_type) for page in pages]
        while pending:
            parent, kind = pending.pop()
            if parent is None or parent in nodes or kind not in _CONTAINERS:
                continue
            request = self._rest.get(f"/api/v2/{_CONTAINERS[kind]}/{parent}", PageContainer)
            if (container := await none_if_missing(request)) is not None:
                nodes[parent] = PageTreeNode(parent=container.parent, is_restricted=await self._is_restricted(parent))
                pending.append((container.parent, container.parent_type))


# --- Data Center: its REST API (7.18 and later) ---------------------------------------------------

_PAGE_SIZE = "200"
_EXPAND = f"version,ancestors,metadata.labels,{_RESTRICTIONS}"


class ConfluenceDataCenter(ConfluenceApi):
    """Data Center, from version 7.18 on."""

    async def list_spaces(self, spaces: tuple[str, ...]) -> SpaceListing:
        keys = [
            key for key in spaces if await none_if_missing(self._rest.get(f"/rest/api/space/{key}", ConfluenceSpace))
        ]
        space_pages = [(key, page) for key in keys async for page in self._pages(key)]
        nodes = {
            page.id: PageTreeNode(parent=_parent(page), is_restricted=page.is_restricted) for _, page in space_pages
        }
        files = (
            [to_confluence_attachment(content, content.links.download) async for content in self._attachments(keys)]
            if keys
            else []
        )
        return SpaceListing(
            pages=tuple(to_confluence_page(page, key, page.labels) for key, page in space_pages),
            attachments=tuple(files),
            restricted=find_restricted(nodes),
            missing_spaces=tuple(key for key in spaces if key not in keys),
        )

    async def fetch_body(self, page: str) -> ConfluencePageBody | None:
        response = await none_if_missing(
            self._rest.get(f"/rest/api/content/{page}", PageBodyResponse, expand="body.storage")
        )
        return ConfluencePageBody(storage=response.body.storage.value, new_editor=False) if response else None

    async def _fetch_names(self, people: Sequence[str]) -> Mapping[str, str]:
        names: dict[str, str] = {}
        for key in people:
            if user := await none_if_missing(self._rest.get("/rest/api/user", ConfluenceUser, key=key)):
                names[key] = user.name
        return names

    def _pages(self, space: str) -> AsyncIterator[ContentV1]:
        query = {"type": "page", "status": "current", "spaceKey": space, "expand": _EXPAND, "limit": _PAGE_SIZE}
        return self._paginate("/rest/api/content/scan", ConfluenceResults[ContentV1], **query)

    def _attachments(self, keys: Sequence[str]) -> AsyncIterator[ContentV1]:
        cql = f"{space_filter(keys)} and type = attachment order by created"
        query = {"cql": cql, "expand": "version,container", "limit": _PAGE_SIZE}
        return self._paginate("/rest/api/content/search", ConfluenceResults[ContentV1], **query)


def _parent(page: ContentV1) -> str | None:
    return page.ancestors[-1].id if page.ancestors else None
