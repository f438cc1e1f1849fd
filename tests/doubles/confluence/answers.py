"""What both editions do alike: tokens and parameters that are checked, cursors, errors, and the pages that people
read."""

from __future__ import annotations

import base64
import html
import json
import re
from abc import abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, ClassVar, Self
from urllib.parse import quote, urlencode

from aiohttp import web

from tests.doubles.confluence.wiki import Attached, Content, Wiki
from tests.doubles.outage import Service

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class ConfluenceSite(Service):
    """An edition of Confluence, `below` its host."""

    below: ClassVar[str]

    def __init__(self, token: str) -> None:
        super().__init__()
        self.wiki = Wiki()
        self.token = token
        self.media = ""
        """Where files are downloaded from, when that is another host."""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Self]:
        async with super().running():
            self.url += self.below
            yield self

    @property
    @abstractmethod
    def authorization(self) -> str:
        """The header of those who may ask."""

    def authorized(self, handler: Handler) -> Handler:
        async def checked(request: web.Request) -> web.StreamResponse:
            if request.headers.get("authorization") != self.authorization:
                raise refused(401, "Unauthorized; scope does not match")
            return await handler(request)

        return checked

    def seen(self, content_id: str) -> Content:
        """Raises 404 for what is not there or not for the bot."""
        content = self.wiki.contents.get(content_id)
        if content is None or content.status == "trashed" or not self.wiki.visible(content):
            raise refused(404, f"no content with id {content_id}")
        return content

    def searched(self, request: web.Request, found: Sequence[Any], path: str, *, most: int) -> web.Response:
        """The part of a list that one request of v1 gets."""
        size = limit(request, most=most, strict=False)
        results, after = part(request, found, size)
        links = {"base": self.url, "context": self.below}
        links |= {"next": f"/rest/api/content/{path}?{after}"} if after else {}
        return web.json_response({"results": results, "limit": size, "size": len(results), "_links": links})

    def opened(self, content_id: str) -> web.Response:
        """The page as somebody sees it who may."""
        content = self.seen(content_id)
        text = f"<!doctype html><title>{html.escape(content.title)}</title>{content.body}"
        return web.Response(text=text, content_type="text/html")


def keys_of(request: web.Request, cql: re.Pattern[str]) -> list[str]:
    """The spaces that a search is about. Raises 400 for another one than is understood."""
    asked = cql.fullmatch(request.query.get("cql", ""))
    if asked is None:
        raise refused(400, "Could not parse cql")
    return [key.strip().strip('"') for key in asked[1].split(",")]


def refused(status: int, message: str) -> web.HTTPException:
    body = json.dumps({"statusCode": status, "message": message, "errors": [{"status": status, "title": message}]})
    kinds = {
        400: web.HTTPBadRequest,
        401: web.HTTPUnauthorized,
        403: web.HTTPForbidden,
        404: web.HTTPNotFound,
    }
    return kinds[status](text=body, content_type="application/json")


def only(request: web.Request, *allowed: str) -> None:
    """Raises 400 for a parameter that is not described."""
    if unknown := set(request.query) - set(allowed):
        raise refused(400, f"unknown parameter {sorted(unknown)}")


def limit(request: web.Request, *, most: int, default: int = 25, strict: bool) -> int:
    """How many to answer with; above `most`: 400 if `strict`, otherwise `most`."""
    wanted = int(request.query.get("limit", default))
    if wanted < 1 or (strict and wanted > most):
        raise refused(400, f"limit must be 1 to {most}")
    return min(wanted, most)


def part(request: web.Request, found: Sequence[Any], size: int) -> tuple[list[Any], str]:
    """The results after the cursor, and the query of the next request; empty at the end."""
    cursor = request.query.get("cursor", "")
    try:
        start = int(base64.urlsafe_b64decode(cursor).decode()) if cursor else 0
    except ValueError:
        raise refused(400, "the cursor is not one of ours") from None
    if start + size >= len(found):
        return list(found[start:]), ""
    after = base64.urlsafe_b64encode(str(start + size).encode()).decode()
    return list(found[start : start + size]), urlencode({**request.query, "cursor": after})


def v1(wiki: Wiki, content: Content, expand: str, *, webui: str) -> dict[str, Any]:
    """A page as the v1 API shows it."""
    shown: dict[str, Any] = {
        "id": content.id,
        "type": "page",
        "status": content.status,
        "title": content.title,
        "_links": {"webui": webui, "self": f"/rest/api/content/{content.id}"},
    }
    for name in filter(None, expand.split(",")):
        match name:
            case "version":
                shown["version"] = {"number": content.number, "when": content.when, "minorEdit": False}
            case "ancestors":
                shown["ancestors"] = [{"id": above.id, "title": above.title} for above in wiki.ancestors(content)]
            case "metadata.labels":
                labels = [{"prefix": "global", "name": label, "label": label} for label in sorted(content.labels)]
                shown["metadata"] = {"labels": {"results": labels, "start": 0, "limit": 200, "size": len(labels)}}
            case "restrictions.read.restrictions.user" | "restrictions.read.restrictions.group":
                read = shown.setdefault("restrictions", {}).setdefault("read", restriction(content, only_expanded=True))
                kind = name.rpartition(".")[2]
                read["restrictions"][kind] = restriction(content)["restrictions"][kind]
            case "body.storage":
                shown["body"] = {"storage": {"value": content.body, "representation": "storage"}}
            case "container" | "space":
                shown[name] = {"key": content.space, "type": "global"}
            case _:
                raise refused(400, f"cannot expand {name}")
    return shown


def v1_attached(attached: Attached, expand: str, *, webui: str) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": attached.id,
        "type": "attachment",
        "status": "current",
        "title": attached.name,
        "extensions": {"mediaType": attached.media_type, "fileSize": len(attached.content)},
        "_links": {
            "webui": webui,
            "download": f"/download/attachments/{attached.page}/{quote(attached.name)}?version=1&api=v2",
        },
    }
    if "version" in expand.split(","):
        shown["version"] = {"number": attached.number, "when": "2026-03-02T12:00:00.000Z"}
    if "container" in expand.split(","):
        shown["container"] = {"id": attached.page, "type": "page"}
    return shown


def restriction(content: Content, *, only_expanded: bool = False) -> dict[str, Any]:
    """Who may read it; `expanded` otherwise leaves the two lists to be asked for."""
    users = sorted(content.readers or ())
    lists = {
        "user": {"results": [{"type": "known", "accountId": user} for user in users], "size": len(users)},
        "group": {"results": [], "size": 0},
    }
    return {"operation": "read", "restrictions": {} if only_expanded else lists}
