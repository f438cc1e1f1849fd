"""Confluence Cloud: its REST API v2, what is left of v1, and the pages, over loopback."""

from __future__ import annotations

import base64
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import quote_plus

from aiohttp import web

from tests.doubles.confluence import answers
from tests.doubles.confluence.answers import WIKI, refused, seen
from tests.doubles.confluence.wiki import WRITER, Content, Wiki
from tests.doubles.outage import Outage, served

EMAIL = "citewell@example.com"
TOKEN = "ATATT3xFfGF0-token"
_CQL = re.compile(r"space in \(([^)]*)\) and type in \(page,attachment\) order by created")
SEARCHED = 100
"""Results of a search, however many are asked for: a system limit."""


class CloudSite:
    """A site under `url` (`…/wiki`); scoped tokens go to `gateway` in place of it."""

    def __init__(self) -> None:
        self.wiki = Wiki()
        self.outage = Outage()
        self.token = TOKEN
        self.url = ""
        self.gateway = ""
        self.media = ""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[CloudSite]:
        media = web.Application()
        media.router.add_get("/file/{id}", self._file)
        app = web.Application(middlewares=[self.outage.middleware])
        app[WIKI] = self.wiki
        for base in ("/wiki", "/ex/confluence/11111111/wiki"):
            app.router.add_get(f"{base}/api/v2/spaces", self._authorized(self._spaces))
            app.router.add_get(f"{base}/api/v2/spaces/{{id}}/pages", self._authorized(self._pages))
            app.router.add_get(f"{base}/api/v2/pages/{{id}}", self._authorized(self._page))
            app.router.add_get(f"{base}/api/v2/pages/{{id}}/labels", self._authorized(self._labels))
            app.router.add_get(f"{base}/api/v2/folders/{{id}}", self._authorized(self._folder))
            app.router.add_post(f"{base}/api/v2/users-bulk", self._authorized(self._users))
            app.router.add_get(f"{base}/rest/api/content/search", self._authorized(self._search))
            app.router.add_get(
                f"{base}/rest/api/content/{{id}}/restriction/byOperation/read", self._authorized(self._restriction)
            )
            app.router.add_get(
                f"{base}/rest/api/content/{{id}}/child/attachment/{{attached}}/download",
                self._authorized(self._download),
            )
        app.router.add_get("/wiki/spaces/{space}/pages/{id}/{title}", self._opened)
        async with served(media) as self.media, served(app) as host:
            self.url, self.gateway = f"{host}/wiki", f"{host}/ex/confluence/11111111/wiki"
            yield self

    def _authorized(self, handler):  # type: ignore[no-untyped-def]
        async def checked(request: web.Request) -> web.StreamResponse:
            expected = "Basic " + base64.b64encode(f"{EMAIL}:{self.token}".encode()).decode()
            if request.headers.get("authorization") != expected:
                raise refused(401, "Unauthorized; scope does not match")
            return await handler(request)

        return checked

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
        page = seen(request, request.match_info["id"])
        shown = self._v2(page)
        if request.query.get("body-format") == "storage":
            shown["body"] = {"storage": {"value": page.body, "representation": "storage"}}
        if request.query.get("include-properties") == "true":
            properties = [{"id": "1", "key": "editor", "value": page.editor, "version": {"number": 1}}]
            shown["properties"] = {"results": properties, "meta": {"hasMore": False}}
        return web.json_response(shown)

    async def _labels(self, request: web.Request) -> web.Response:
        answers.only(request, "prefix", "sort", "cursor", "limit")
        page = seen(request, request.match_info["id"])
        found: list[dict[str, object]] = [{"id": "1", "name": name, "prefix": "global"} for name in sorted(page.labels)]
        return self._list(request, found, f"/api/v2/pages/{page.id}/labels")

    async def _folder(self, request: web.Request) -> web.Response:
        folder = seen(request, request.match_info["id"])
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
        asked = _CQL.fullmatch(request.query.get("cql", ""))
        if asked is None:
            raise refused(400, "Could not parse cql")
        expand = request.query.get("expand", "")
        keys = [key.strip().strip('"') for key in asked[1].split(",")]
        found = [
            answers.v1(self.wiki, page, expand, webui=self._webui(page))
            for page in self.wiki.pages(*keys)
            if page.indexed
        ]
        found += [
            answers.v1_attached(one, expand, webui=f"/pages/viewpageattachments.action?pageId={one.page}")
            for one in self.wiki.attachments(*keys)
        ]
        size = answers.limit(request, most=SEARCHED, strict=False)
        results, after = answers.part(request, found, size)
        links = {"base": self.url, "context": "/wiki"}
        links |= {"next": f"/rest/api/content/search?{after}"} if after else {}
        return web.json_response({"results": results, "limit": size, "size": len(results), "_links": links})

    async def _restriction(self, request: web.Request) -> web.Response:
        answers.only(request, "expand", "start", "limit")
        return web.json_response(answers.restriction(seen(request, request.match_info["id"])))

    async def _download(self, request: web.Request) -> web.Response:
        seen(request, request.match_info["id"])
        raise web.HTTPFound(f"{self.media}/file/{request.match_info['attached']}?client=1&token=signed")

    async def _file(self, request: web.Request) -> web.Response:
        if "authorization" in request.headers:
            raise refused(400, "credentials do not belong here")
        found = self.wiki.attached[request.match_info["id"]]
        return web.Response(body=found.content, content_type=found.media_type)

    async def _opened(self, request: web.Request) -> web.Response:
        return answers.read_by_people(seen(request, request.match_info["id"]))
