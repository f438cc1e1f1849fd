"""Notion's API (version 2025-09-03) and the pages, over loopback, as strict as it is described."""

from __future__ import annotations

import html
import json
import re
import uuid
from collections.abc import Iterator, Sequence

from aiohttp import web

from tests.doubles.notion.workspace import Block, DataSource, Json, Page, Workspace, rich
from tests.doubles.outage import Service

TOKEN = "ntn_1234-token"
VERSION = "2025-09-03"
MOST = 100


class NotionServer(Service):
    def __init__(self) -> None:
        super().__init__()
        self.workspace = Workspace()
        self.token = TOKEN
        self._cursors: dict[str, int] = {}

    def add_routes(self, router: web.UrlDispatcher) -> None:
        router.add_post("/v1/search", self._checked(self._search))
        router.add_post("/v1/data_sources/{id}/query", self._checked(self._query))
        router.add_get("/v1/data_sources/{id}", self._checked(self._data_source))
        router.add_get("/v1/pages/{id}", self._checked(self._page))
        router.add_get("/v1/blocks/{id}/children", self._checked(self._children))
        router.add_get("/{slug}", self._opened)

    def _checked(self, handler):  # type: ignore[no-untyped-def]
        async def checked(request: web.Request) -> web.StreamResponse:
            if request.headers.get("authorization") != f"Bearer {self.token}":
                return refused(401, "unauthorized", "API token is invalid.")
            if "notion-version" not in request.headers:
                return refused(400, "missing_version", "Notion-Version header should be defined.")
            if request.headers["notion-version"] != VERSION:
                return refused(400, "validation_error", "Notion-Version header failed validation.")
            if request.method == "POST" and request.content_type != "application/json":
                return refused(400, "invalid_json", "Error parsing JSON body.")
            try:
                return await handler(request)
            except KeyError:
                return refused(404, "object_not_found", "Make sure the relevant pages are shared with your connection.")
            except ValueError as error:
                return refused(400, "validation_error", str(error))

        return checked

    async def _search(self, request: web.Request) -> web.Response:
        asked = await _body(request, {"query", "sort", "filter", "start_cursor", "page_size"})
        wanted = asked.get("filter")
        if wanted and (wanted.get("property") != "object" or wanted.get("value") not in ("page", "data_source")):
            raise ValueError("body.filter.value should be page or data_source")
        if asked.get("sort") and asked["sort"].get("timestamp") != "last_edited_time":
            raise ValueError("body.sort.timestamp should be last_edited_time")
        found = [self._shown(one) for one in self.workspace.found()]
        if wanted:
            found = [one for one in found if one["object"] == wanted["value"]]
        if (asked.get("sort") or {}).get("direction") == "descending":
            found.reverse()
        return self._list(asked, found, "page_or_data_source")

    async def _query(self, request: web.Request) -> web.Response:
        allowed = {"filter", "sorts", "start_cursor", "page_size", "in_trash", "archived", "result_type"}
        asked = await _body(request, allowed)
        rows = self.workspace.rows(self._seen_data_source(request))
        return self._list(asked, [self._shown(row) for row in rows], "page_or_data_source")

    async def _data_source(self, request: web.Request) -> web.Response:
        return web.json_response(self._shown(self._seen_data_source(request)))

    async def _page(self, request: web.Request) -> web.Response:
        if set(request.query) - {"filter_properties"}:
            raise ValueError("query failed validation")
        page = self.workspace.pages[request.match_info["id"]]
        if not self.workspace.visible(page):
            raise KeyError(page.id)
        return web.json_response(self._shown(page))

    async def _children(self, request: web.Request) -> web.Response:
        if set(request.query) - {"start_cursor", "page_size"}:
            raise ValueError("query failed validation")
        found = self.workspace.block(request.match_info["id"])
        if found is None or not self.workspace.visible(found[0]):
            raise KeyError(request.match_info["id"])
        asked = {name: int(said) if name == "page_size" else said for name, said in request.query.items()}
        return self._list(asked, [_block(block) for block in found[1]], "block")

    def _list(self, asked: Json, found: Sequence[Json], kind: str) -> web.Response:
        size = asked.get("page_size", MOST)
        if not isinstance(size, int) or not 1 <= size <= MOST:
            raise ValueError("body.page_size should be ≤ 100")
        cursor = asked.get("start_cursor")
        if cursor and cursor not in self._cursors:
            raise ValueError("The start_cursor provided is invalid.")
        start = self._cursors[cursor] if cursor else 0
        more = start + size < len(found)
        following = str(uuid.uuid4()) if more else None
        if following:
            self._cursors[following] = start + size
        results = found[start : start + size]
        answer = {"object": "list", "results": results, "next_cursor": following, "has_more": more, "type": kind}
        return web.json_response({**answer, kind: {}, "request_id": str(uuid.uuid4())})

    def _seen_data_source(self, request: web.Request) -> DataSource:
        found = self.workspace.data_sources[request.match_info["id"]]
        if not self.workspace.visible(found):
            raise KeyError(found.id)
        return found

    def _shown(self, thing: Page | DataSource) -> Json:
        trashed = self.workspace.trashed(thing)
        shown = {
            "object": "page",
            "id": thing.id,
            "created_time": "2026-03-01T12:00:00.000Z",
            "last_edited_time": f"2026-03-02T{12 + thing.edited // 60:02d}:{thing.edited % 60:02d}:00.000Z",
            "archived": trashed,
            "in_trash": trashed,
            "parent": {"type": "workspace", "workspace": True},
            "url": f"{self.url}/{_slug(thing)}",
            "public_url": None,
        }
        title = {"id": "title", "type": "title", "title": rich(thing.title)}
        if isinstance(thing, Page):
            above = self.workspace.data_sources.get(thing.parent or "")
            return {**shown, "properties": {**thing.properties, (_title(above) if above else "title"): title}}
        columns = {name: {"id": name, "name": name, "type": kind, kind: {}} for name, kind in thing.columns.items()}
        parent = {"type": "database_id", "database_id": thing.database}
        return {**shown, "object": "data_source", "title": rich(thing.title), "properties": columns, "parent": parent}

    async def _opened(self, request: web.Request) -> web.Response:
        """The page as somebody sees it who may."""
        found = re.search(r"[0-9a-f]{32}$", request.match_info["slug"])
        number = str(uuid.UUID(found[0])) if found else ""
        tables = (table for table in self.workspace.data_sources.values() if table.database == number)
        thing = self.workspace.pages.get(number) or next(tables, None)
        if thing is None:
            raise web.HTTPNotFound
        if isinstance(thing, Page):
            lines = [json.dumps(block.said) for block in _with_those_below(thing.blocks)]
        else:
            lines = [json.dumps([row.title, row.properties]) for row in self.workspace.rows(thing)]
        text = "".join(f"<p>{html.escape(line)}</p>" for line in lines)
        return web.Response(
            text=f"<!doctype html><title>{html.escape(thing.title)}</title>{text}", content_type="text/html"
        )


def refused(status: int, code: str, message: str) -> web.Response:
    return web.json_response({"object": "error", "status": status, "code": code, "message": message}, status=status)


async def _body(request: web.Request, allowed: set[str]) -> Json:
    """Raises ValueError for what is not described."""
    asked: Json = await request.json()
    if unknown := set(asked) - allowed:
        raise ValueError(f"body failed validation: body.{unknown.pop()} should be not present")
    return asked


def _block(block: Block) -> Json:
    return {
        "object": "block",
        "id": block.id,
        "type": block.kind,
        "has_children": bool(block.children) or bool(block.said.get("synced_from")),
        "archived": False,
        "in_trash": False,
        block.kind: block.said,
    }


def _with_those_below(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        yield from _with_those_below(block.children)


def _title(data_source: DataSource) -> str:
    return next(name for name, kind in data_source.columns.items() if kind == "title")


def _slug(thing: Page | DataSource) -> str:
    words = re.sub(r"[^A-Za-z0-9]+", "-", thing.title).strip("-")
    number = thing.id.replace("-", "") if isinstance(thing, Page) else thing.database.replace("-", "")
    return f"{words}-{number}" if words else number
