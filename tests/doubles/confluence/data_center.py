"""Confluence Data Center: its REST API and the pages, over loopback, below a context path."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import quote_plus, unquote_plus

from aiohttp import web

from tests.doubles.confluence import answers
from tests.doubles.confluence.answers import WIKI, refused, seen
from tests.doubles.confluence.wiki import Content, Wiki
from tests.doubles.outage import Outage, served

TOKEN = "NjM4OTY3-personal-access"
_CQL = re.compile(r"space in \(([^)]*)\) and type = attachment order by created")
AT_ONCE = 100
"""Results, however many are asked for: a system limit with these expansions."""


class DataCenterSite:
    """A site under `url` (`…/confluence`)."""

    def __init__(self) -> None:
        self.wiki = Wiki()
        self.outage = Outage()
        self.token = TOKEN
        self.url = self.media = ""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[DataCenterSite]:
        app = web.Application(middlewares=[self.outage.middleware])
        app[WIKI] = self.wiki
        rest = "/confluence/rest/api"
        app.router.add_get(f"{rest}/space/{{key}}", self._authorized(self._space))
        app.router.add_get(f"{rest}/content/scan", self._authorized(self._scan))
        app.router.add_get(f"{rest}/content/search", self._authorized(self._search))
        app.router.add_get(f"{rest}/content/{{id}}", self._authorized(self._content))
        app.router.add_get(f"{rest}/user", self._authorized(self._user))
        app.router.add_get("/confluence/download/attachments/{page}/{name}", self._authorized(self._download))
        app.router.add_get("/confluence/pages/viewpage.action", self._opened)
        app.router.add_get("/confluence/display/{space}/{title}", self._displayed)
        async with served(app) as host:
            self.url = f"{host}/confluence"
            yield self

    def _authorized(self, handler):  # type: ignore[no-untyped-def]
        async def checked(request: web.Request) -> web.StreamResponse:
            if request.headers.get("authorization") != f"Bearer {self.token}":
                raise refused(401, "Basic Authentication Failure - Reason : AUTHENTICATED_FAILED")
            return await handler(request)

        return checked

    async def _space(self, request: web.Request) -> web.Response:
        answers.only(request, "expand")
        key = request.match_info["key"]
        if key not in self.wiki.spaces:
            raise refused(404, f"No space with key : {key}")
        return web.json_response({"id": int(self.wiki.spaces[key]), "key": key, "type": "global"})

    async def _scan(self, request: web.Request) -> web.Response:
        answers.only(request, "type", "spaceKey", "status", "expand", "cursor", "limit")
        expand = request.query.get("expand", "")
        found = [
            answers.v1(self.wiki, page, expand, webui=self._webui(page))
            for page in self.wiki.pages(request.query["spaceKey"])
        ]
        return self._list(request, found, "scan")

    async def _search(self, request: web.Request) -> web.Response:
        answers.only(request, "cql", "cqlcontext", "expand", "cursor", "start", "limit")
        asked = _CQL.fullmatch(request.query.get("cql", ""))
        if asked is None:
            raise refused(400, "Could not parse cql")
        keys = [key.strip().strip('"') for key in asked[1].split(",")]
        found = [
            answers.v1_attached(one, request.query.get("expand", ""), webui=f"/pages/viewpage.action?pageId={one.page}")
            for one in self.wiki.attachments(*keys)
        ]
        return self._list(request, found, "search")

    def _list(self, request: web.Request, found: list[dict[str, object]], name: str) -> web.Response:
        size = answers.limit(request, most=AT_ONCE, strict=False)
        results, after = answers.part(request, found, size)
        links = {"base": self.url, "context": "/confluence"}
        links |= {"next": f"/rest/api/content/{name}?{after}"} if after else {}
        return web.json_response({"results": results, "limit": size, "size": len(results), "_links": links})

    def _webui(self, page: Content) -> str:
        if re.search(r"[^\w ]", page.title) or not page.title.isascii():
            return f"/pages/viewpage.action?pageId={page.id}"
        return f"/display/{page.space}/{quote_plus(page.title)}"

    async def _content(self, request: web.Request) -> web.Response:
        answers.only(request, "status", "version", "expand")
        page = seen(request, request.match_info["id"])
        expand = request.query.get("expand", "")
        return web.json_response(answers.v1(self.wiki, page, expand, webui=self._webui(page)))

    async def _user(self, request: web.Request) -> web.Response:
        answers.only(request, "key", "username", "expand")
        name = self.wiki.people.get(request.query["key"])
        if name is None:
            raise refused(404, "No user found")
        return web.json_response({"type": "known", "userKey": request.query["key"], "displayName": name})

    async def _download(self, request: web.Request) -> web.Response:
        page, name = request.match_info["page"], request.match_info["name"]
        found = next((one for one in self.wiki.attached.values() if (one.page, one.name) == (page, name)), None)
        if found is None:
            raise refused(404, "no such file")
        return web.Response(body=found.content, content_type=found.media_type)

    async def _opened(self, request: web.Request) -> web.Response:
        return answers.read_by_people(seen(request, request.query["pageId"]))

    async def _displayed(self, request: web.Request) -> web.Response:
        space, title = request.match_info["space"], unquote_plus(request.match_info["title"])
        pages = (page.id for page in self.wiki.pages(space) if page.title == title)
        return answers.read_by_people(seen(request, next(pages, "")))
