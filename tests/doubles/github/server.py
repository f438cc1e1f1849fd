"""A repository on GitHub with issues and discussions: its GraphQL API and its pages, on loopback."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from html import escape
from typing import Any

from aiohttp import web

from tests.doubles.github.graphql import Invalid, execute
from tests.doubles.github.repository import SCHEMA, Comment, Thread
from tests.doubles.outage import Service

TOKEN = "ghp_double"
OWNER, NAME = "acme", "handbook"


class GitHub(Service):
    def __init__(self, page: int = 100) -> None:
        super().__init__()
        self.threads: dict[int, Thread] = {}
        self.token = TOKEN
        self.page = page
        """The most that one page holds, whatever is asked for."""
        self.points: int | None = None
        """What is left of the primary rate limit."""
        self.secondary = 0
        """How many more requests run into the secondary rate limit."""
        self.reset = 0
        """Seconds until the primary limit is lifted."""
        self._now = datetime(2026, 1, 1, tzinfo=UTC)

    def add_routes(self, router: web.UrlDispatcher) -> None:
        router.add_post("/api/graphql", self._graphql)
        router.add_get(f"/{OWNER}/{NAME}/{{kind}}/{{number:\\d+}}", self._open)

    def add(self, number: int, title: str, body: str, **more: Any) -> Thread:
        self.threads[number] = Thread(number, title, body, **more)
        return self.touch(number)

    def touch(self, number: int) -> Thread:
        """It was changed now."""
        self._now += timedelta(seconds=1)
        self.threads[number].updated = self._now.strftime("%Y-%m-%dT%H:%M:%SZ")
        return self.threads[number]

    def comment(self, number: int, comment_id: int, body: str, **more: Any) -> Comment:
        """Comment on a thread."""
        thread = self.touch(number)
        thread.comments.append(Comment(comment_id, body, thread.updated, **more))
        return thread.comments[-1]

    async def _graphql(self, request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != f"Bearer {self.token}":
            return web.json_response({"message": "Bad credentials"}, status=401)
        if self.secondary:
            self.secondary -= 1
            said = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes."}
            return web.json_response(said, status=403, headers={"Retry-After": "0"})
        if self.points is not None:
            self.points -= 1
            if self.points < 0:
                headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + self.reset)}
                errors = [{"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1."}]
                return web.json_response({"errors": errors}, headers=headers)
        body = await request.json()
        try:
            data = execute(SCHEMA, body["query"], body.get("variables") or {}, self, self._resolve)
        except Invalid as error:
            return web.json_response({"errors": [{"message": str(error)}]})
        errors = [
            {"type": "NOT_FOUND", "path": [name], "message": "Could not resolve to a node."}
            for name, found in (data["repository"] or {"repository": None}).items()
            if found is None
        ]
        return web.json_response({"data": data} | ({"errors": errors} if errors else {}))

    def _resolve(self, value: Any, name: str, arguments: Mapping[str, Any]) -> Any:
        match value, name:
            case GitHub(), "repository":
                return ("repository",) if (arguments["owner"], arguments["name"]) == (OWNER, NAME) else None
            case ("repository",), ("issues" | "discussions"):
                return self._paged(self._listed(name, arguments), arguments)
            case ("repository",), ("issue" | "discussion"):
                found = self.threads.get(arguments["number"])
                return found if found and found.kind == f"{name}s" else None
            case Thread(), "comments":
                return self._paged([(value, comment) for comment in value.comments], arguments)
            case (Thread() as thread, Comment() as comment), "replies":
                return self._paged([(thread, reply) for reply in comment.replies], arguments)
            case Thread(), _:
                return self._of_thread(value, name)
            case (Thread() as thread, Comment() as comment), _:
                return self._of_comment(thread, comment, name)
        return value[name]

    def _listed(self, kind: str, arguments: Mapping[str, Any]) -> list[Thread]:
        order = arguments.get("orderBy") or {"field": "CREATED_AT", "direction": "ASC"}
        since = (arguments.get("filterBy") or {}).get("since") or ""
        found = [thread for thread in self.threads.values() if thread.kind == kind and thread.updated >= since]
        if order["field"] == "UPDATED_AT":
            found.sort(key=lambda thread: thread.updated)
        return found[:: -1 if order["direction"] == "DESC" else 1]

    def _paged(self, found: list[Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
        begin = int(arguments.get("after") or 0)
        end = begin + min(arguments["first"], self.page)
        info = {"hasNextPage": end < len(found), "endCursor": str(min(end, len(found)))}
        return {"totalCount": len(found), "pageInfo": info, "nodes": found[begin:end]}

    def _of_thread(self, thread: Thread, name: str) -> Any:
        marked = (each for comment in thread.comments for each in (comment, *comment.replies))
        answer = next((comment for comment in marked if comment.id == thread.answer), None)
        return {
            "id": f"T_{thread.number}",
            "number": thread.number,
            "title": thread.title,
            "body": thread.body,
            "url": self._address(thread),
            "updatedAt": thread.updated,
            "closed": thread.closed,
            "locked": thread.lock is not None,
            "activeLockReason": thread.lock,
            "stateReason": thread.reason if thread.closed else None,
            "isAnswered": None if thread.answer is None else answer is not None,
            "answer": (thread, answer) if answer else None,
        }[name]

    def _of_comment(self, thread: Thread, comment: Comment, name: str) -> Any:
        return {
            "id": f"C_{comment.id}",
            "url": f"{self._address(thread)}#{_anchor(thread, comment)}",
            "body": comment.body,
            "updatedAt": comment.updated,
            "isMinimized": comment.minimized,
            "isAnswer": comment.id == thread.answer,
            "deletedAt": None,
        }[name]

    def _address(self, thread: Thread) -> str:
        return f"{self.url}/{OWNER}/{NAME}/{thread.kind}/{thread.number}"

    async def _open(self, request: web.Request) -> web.Response:
        thread = self.threads.get(int(request.match_info["number"]))
        if thread is None or thread.kind != request.match_info["kind"]:
            return web.Response(status=404)
        comments = [
            f'<div id="{_anchor(thread, each)}">{escape(each.body)}</div>'
            for comment in thread.comments
            for each in (comment, *comment.replies)
        ]
        return web.Response(text=f"<div>{escape(thread.body)}</div>{''.join(comments)}", content_type="text/html")


def _anchor(thread: Thread, comment: Comment) -> str:
    return f"{'issue' if thread.kind == 'issues' else 'discussion'}comment-{comment.id}"
