"""Confluence Data Center: its REST API and the pages, over loopback, below a context path."""

from __future__ import annotations

import re
from urllib.parse import quote_plus, unquote_plus

from aiohttp import web

from tests.doubles.confluence import answers
from tests.doubles.confluence.answers import ConfluenceSite, refused
from tests.doubles.confluence.wiki import Content

TOKEN = "NjM4OTY3-personal-access"
_CQL = re.compile(r"space in \(([^)]*)\) and type = attachment order by created")
AT_ONCE = 100
"""Results, however many are asked for: a system limit with these expansions."""


class DataCenterSite(ConfluenceSite):
    """A site under `url` (`…/confluence`)."""

    below = "/confluence"

    def __init__(self) -> None:
        super().__init__(TOKEN)

    @property
    def authorization(self) -> str:
        return f"Bearer {self.token}"

    def add_routes(self, router: web.UrlDispatcher) -> None:
        rest = "/confluence/rest/api"
        router.add_get(f"{rest}/space/{{key}}", self.authorized(self._space))
        router.add_get(f"{rest}/content/scan", self.authorized(self._scan))
        router.add_get(f"{rest}/content/search", self.authorized(self._search))
        router.add_get(f"{rest}/content/{{id}}", self.authorized(self._content))
        router.add_get(f"{rest}/user", self.authorized(self._user))
        router.add_get("/confluence/download/attachments/{page}/{name}", self.authorized(self._download))
        router.add_get("/confluence/pages/viewpage.action", self._opened)
        router.add_get("/confluence/display/{space}/{title}", self._displayed)

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
        return self.searched(request, found, "scan", most=AT_ONCE)

    async def _search(self, request: web.Request) -> web.Response:
        answers.only(request, "cql", "cqlcontext", "expand", "cursor", "start", "limit")
        found = [
            answers.v1_attached(one, request.query.get("expand", ""), webui=f"/pages/viewpage.action?pageId={one.page}")
            for one in self.wiki.attachments(*answers.keys_of(request, _CQL))
        ]
        return self.searched(request, found, "search", most=AT_ONCE)

    def _webui(self, page: Content) -> str:
        if re.search(r"[^\w ]", page.title) or not page.title.isascii():
            return f"/pages/viewpage.action?pageId={page.id}"
        return f"/display/{page.space}/{quote_plus(page.title)}"

    async def _content(self, request: web.Request) -> web.Response:
        answers.only(request, "status", "version", "expand")
        page = self.seen(request.match_info["id"])
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
        return self.opened(request.query["pageId"])

    async def _displayed(self, request: web.Request) -> web.Response:
        space, title = request.match_info["space"], unquote_plus(request.match_info["title"])
        pages = (page.id for page in self.wiki.pages(space) if page.title == title)
        return self.opened(next(pages, ""))
