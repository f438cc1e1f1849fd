"""Confluence Cloud: its REST API v2, what is left of v1, and the pages, over loopback."""

from __future__ import annotations

import base64
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Self
from urllib.parse import quote_plus

from aiohttp import web

from tests.doubles.confluence import answers
from tests.doubles.confluence.answers import ConfluenceSite, refused
from tests.doubles.confluence.wiki import WRITER, Content
from tests.doubles.outage import served

EMAIL = "citewell@example.com"
TOKEN = "ATATT3xFfGF0-token"
_CQL = re.compile(r"space in \(([^)]*)\) and type in \(page,attachment\) order by created")
_GATEWAY = "/ex/confluence/11111111/wiki"
SEARCHED = 100
"""Results of a search, however many are asked for: a system limit."""


class CloudSite(ConfluenceSite):
    """A site under `url` (`…/wiki`); scoped tokens go to `gateway` in place of it."""

    below = "/wiki"

    def __init__(self) -> None:
        super().__init__(TOKEN)
        self.gateway = ""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Self]:
        media = web.Application()
        media.router.add_get("/file/{id}", self._file)
        async with served(media) as self.media, super().running():
            self.gateway = self.url.removesuffix(self.below) + _GATEWAY
            yield self

    @property
    def authorization(self) -> str:
        return "Basic " + base64.b64encode(f"{EMAIL}:{self.token}".encode()).decode()

    def add_routes(self, router: web.UrlDispatcher) -> None:
        attached = "rest/api/content/{id}/child/attachment/{attached}/download"
        for base in (self.below, _GATEWAY):
            router.add_get(f"{base}/api/v2/spaces", self.authorized(self._spaces))
            router.add_get(f"{base}/api/v2/spaces/{{id}}/pages", self.authorized(self._pages))
            router.add_get(f"{base}/api/v2/pages/{{id}}", self.authorized(self._page))
            router.add_get(f"{base}/api/v2/pages/{{id}}/labels", self.authorized(self._labels))
            router.add_get(f"{base}/api/v2/folders/{{id}}", self.authorized(self._folder))
            router.add_post(f"{base}/api/v2/users-bulk", self.authorized(self._users))
            router.add_get(f"{base}/rest/api/content/search", self.authorized(self._search))
            restriction = f"{base}/rest/api/content/{{id}}/restriction/byOperation/read"
            router.add_get(restriction, self.authorized(self._restriction))
            router.add_get(f"{base}/{attached}", self.authorized(self._download))
        router.add_get("/wiki/spaces/{space}/pages/{id}/{title}", self._opened)

    async def _spaces(self, request: web.Request) -> web.Response:
        answers.only(request, "ids", "keys", "type", "status", "labels", "sort", "cursor", "limit")
        keys = request.query["keys"].split(",") if "keys" in request.query else list(self.wiki.spaces)
        found = [
            {"id": number, "key": key, "name": key, "type": "global", "status": "current"}
            for key, number in self.wiki.spaces.items()
            if key in keys
        ]
        return self._list(request, found, "/api/v2/spaces")

    async def _pages(self, request: web.Request) -> web.Response:
        answers.only(request, "depth", "sort", "status", "title", "body-format", "cursor", "limit")
        key = next((key for key, number in self.wiki.spaces.items() if number == request.match_info["id"]), None)
        if key is None:
            raise refused(404, "no such space")
        found = [self._v2(page) for page in self.wiki.pages(key)]
        return self._list(request, found, f"/api/v2/spaces/{request.match_info['id']}/pages")

    def _v2(self, page: Content) -> dict[str, object]:
        parent = self.wiki.contents[page.parent] if page.parent else None
        return {
            "id": page.id,
            "status": page.status,
            "title": page.title,
            "spaceId": self.wiki.spaces[page.space],
            "parentId": page.parent,
            "parentType": parent.kind if parent else None,
            "ownerId": WRITER,
            "version": {"number": page.number, "createdAt": page.when, "minorEdit": False},
            "body": {},
            "_links": {"webui": self._webui(page), "tinyui": "/x/AwAG"},
        }

    def _webui(self, page: Content) -> str:
        return f"/spaces/{page.space}/pages/{page.id}/{quote_plus(page.title)}"

    def _list(self, request: web.Request, found: list[dict[str, object]], path: str) -> web.Response:
        size = answers.limit(request, most=250, strict=True)
        results, after = answers.part(request, found, size)
        links = {"base": self.url} | ({"next": f"/wiki{path}?{after}"} if after else {})
        return web.json_response({"results": results, "_links": links})

    async def _page(self, request: web.Request) -> web.Response:
        answers.only(request, "body-format", "version", "status", "include-labels", "include-properties")
        page = self.seen(request.match_info["id"])
        shown = self._v2(page)
        if request.query.get("body-format") == "storage":
            shown["body"] = {"storage": {"value": page.body, "representation": "storage"}}
        if request.query.get("include-properties") == "true":
            properties = [{"id": "1", "key": "editor", "value": page.editor, "version": {"number": 1}}]
            shown["properties"] = {"results": properties, "meta": {"hasMore": False}}
        return web.json_response(shown)

    async def _labels(self, request: web.Request) -> web.Response:
        answers.only(request, "prefix", "sort", "cursor", "limit")
        page = self.seen(request.match_info["id"])
        found: list[dict[str, object]] = [{"id": "1", "name": name, "prefix": "global"} for name in sorted(page.labels)]
        return self._list(request, found, f"/api/v2/pages/{page.id}/labels")

    async def _folder(self, request: web.Request) -> web.Response:
        folder = self.seen(request.match_info["id"])
        parent = self.wiki.contents[folder.parent].kind if folder.parent else None
        shown = {"id": folder.id, "type": "folder", "title": folder.title, "parentId": folder.parent}
        return web.json_response({**shown, "parentType": parent})

    async def _users(self, request: web.Request) -> web.Response:
        asked = await request.json()
        if set(asked) != {"accountIds"} or len(asked["accountIds"]) > 250:
            raise refused(400, "accountIds, 250 at most")
        found = [
            {"accountId": user, "displayName": self.wiki.people[user]}
            for user in asked["accountIds"]
            if user in self.wiki.people
        ]
        return web.json_response({"results": found, "_links": {}})

    async def _search(self, request: web.Request) -> web.Response:
        answers.only(request, "cql", "cqlcontext", "expand", "cursor", "limit")
        expand = request.query.get("expand", "")
        keys = answers.keys_of(request, _CQL)
        found = [
            answers.v1(self.wiki, page, expand, webui=self._webui(page))
            for page in self.wiki.pages(*keys)
            if page.indexed
        ]
        found += [
            answers.v1_attached(one, expand, webui=f"/pages/viewpageattachments.action?pageId={one.page}")
            for one in self.wiki.attachments(*keys)
        ]
        return self.searched(request, found, "search", most=SEARCHED)

    async def _restriction(self, request: web.Request) -> web.Response:
        answers.only(request, "expand", "start", "limit")
        return web.json_response(answers.restriction(self.seen(request.match_info["id"])))

    async def _download(self, request: web.Request) -> web.Response:
        self.seen(request.match_info["id"])
        raise web.HTTPFound(f"{self.media}/file/{request.match_info['attached']}?client=1&token=signed")

    async def _file(self, request: web.Request) -> web.Response:
        if "authorization" in request.headers:
            raise refused(400, "credentials do not belong here")
        found = self.wiki.attached[request.match_info["id"]]
        return web.Response(body=found.content, content_type=found.media_type)

    async def _opened(self, request: web.Request) -> web.Response:
        return self.opened(request.match_info["id"])
