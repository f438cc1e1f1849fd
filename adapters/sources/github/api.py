"""GitHub's GraphQL API. The REST API does not say which comments are hidden, and has no discussions."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from typing import TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, RootModel, ValidationError

from adapters.fetch.fetcher import Fetcher, FetchResponse
from adapters.sources.rest_client import Json, ResponseModel, RestClient, RestService, safe_reason
from pipeline.errors import Unavailable

# --- Responses ------------------------------------------------------------------------------------


class PageInfo(ResponseModel):
    has_next: bool = Field(alias="hasNextPage")
    end_cursor: str | None = Field(None, alias="endCursor")

    @property
    def next_token(self) -> str:
        return (self.end_cursor or "") if self.has_next else ""


class ThreadNode(ResponseModel):
    """An issue or a discussion in a list."""

    number: int
    title: str
    url: str
    updated: str = Field(alias="updatedAt")
    closed: bool
    reason: str | None = Field(alias="stateReason")
    lock: str | None = Field(alias="activeLockReason")
    comments: Json
    answer: Json | None = None


class _Threads(ResponseModel):
    nodes: tuple[ThreadNode | None, ...]
    info: PageInfo = Field(alias="pageInfo")


class _Count(ResponseModel):
    count: int = Field(alias="totalCount")


class ThreadPage(ResponseModel):
    page: _Threads
    all: _Count

    @property
    def next_token(self) -> str:
        return self.page.info.next_token


class GitHubComment(ResponseModel):
    id: str = ""
    url: str
    body: str
    minimized: bool = Field(alias="isMinimized")
    deleted: str | None = Field(None, alias="deletedAt")
    replies: _Replies | None = None

    @property
    def is_visible(self) -> bool:
        return not self.minimized and not self.deleted


class _Replies(ResponseModel):
    nodes: tuple[GitHubComment, ...] = ()


class _Comments(ResponseModel):
    nodes: tuple[GitHubComment, ...]
    info: PageInfo = Field(alias="pageInfo")


class ThreadDetail(ResponseModel):
    """The text and comments of an issue or a discussion."""

    body: str
    answer: GitHubComment | None = None
    comments: _Comments


class ThreadDetails(RootModel[dict[str, ThreadDetail | None]]):
    """Threads by the aliases of the query."""


class CommentPage(ResponseModel):
    """More comments of a thread; None when it is gone."""

    more: ThreadDetail | None

    @property
    def next_token(self) -> str:
        return self.more.comments.info.next_token if self.more else ""


# --- Requests -------------------------------------------------------------------------------------

GITHUB_NAME = "GitHub"
_TYPES = {"since": "DateTime!", "after": "String"}
_LIMITS = frozenset({"RATE_LIMITED", "RATE_LIMIT"})
_DEFAULT_WAIT = 60.0
"""Seconds to wait, by GitHub's rules, when it does not say for how long."""
_USED_UP = "used up"
_ERROR_MESSAGES: dict[int | str, tuple[str, str]] = {
    _USED_UP: ("has no requests left for this hour", "Wait, or see what else uses the token."),
    401: ("does not take the token", "Check it, or make a new one: docs/sources.md says how."),
    403: ("does not let the token do this", "Give it the rights that docs/sources.md names."),
}

A = TypeVar("A", bound=BaseModel)
P = TypeVar("P", ThreadPage, CommentPage)


class _Problem(ResponseModel):
    type: str = ""


class _Data(ResponseModel):
    repository: Json | None = None


class _GraphQLReply(ResponseModel):
    data: _Data | None = None
    errors: tuple[_Problem, ...] | None = None

    @property
    def kinds(self) -> set[str]:
        return {problem.type for problem in self.errors or ()}


def graphql_endpoint(base_url: str) -> str:
    """Return the address of the API for the GitHub at `base_url`: github.com, Enterprise Cloud on ghe.com, or
    Enterprise Server."""
    parts = urlsplit(base_url)
    if parts.netloc in {"github.com", "www.github.com"} or parts.netloc.endswith(".ghe.com"):
        return f"https://api.{parts.netloc.removeprefix('www.')}/graphql"
    return f"{base_url.rstrip('/')}/api/graphql"


class GitHubApi:
    """A client that sees of `repository` (`owner/name`) what its token may see. `fetcher` sends the token to the host
    of `endpoint`."""

    def __init__(self, fetcher: Fetcher, repository: str, endpoint: str) -> None:
        self._rest = RestClient(fetcher, _SERVICE, endpoint)
        self._repository = repository

    async def query(self, selection: str, into: type[A], **variables: str | None) -> A:
        """Return the repository's fields that `selection` names; a missing one is None. Raises Unavailable."""
        owner, _, name = self._repository.partition("/")
        declared = "".join(f", ${variable}: {_TYPES[variable]}" for variable in variables)
        query = f"query($owner: String!, $name: String!{declared})"
        query += f" {{ repository(owner: $owner, name: $name) {{ {selection} }} }}"
        body = {"query": query, "variables": {"owner": owner, "name": name, **variables}}
        reply = await self._rest.post("", _GraphQLReply, body)
        fields = reply.data.repository if reply.data else None
        if fields is None and reply.kinds == {"NOT_FOUND"}:
            raise Unavailable(
                GITHUB_NAME,
                f"there is no repository {self._repository} for this token",
                permanent=True,
                denied=True,
                what_to_do="Check the name, and that the token may read issues, discussions and contents of it.",
            )
        if fields is None or reply.kinds - {"NOT_FOUND"}:
            reasons = ", ".join(filter(None, map(safe_reason, sorted(reply.kinds))))
            raise Unavailable(
                GITHUB_NAME,
                f"refused the query ({reasons or 'without a reason'})",
                what_to_do="Check that the token may read issues and discussions of the repository.",
            )
        return self._rest.validate(fields, into)

    def paginate(self, selection: str, into: type[P], *, after: str = "", **variables: str) -> AsyncGenerator[P, None]:
        """Yield a list of the repository page by page, each from the variable `after` on. Raises Unavailable."""
        return self._rest.paginate(lambda cursor: self.query(selection, into, **variables, after=cursor or None), after)


def _wait(answer: FetchResponse) -> float | None:
    """Return the seconds to wait; None for a response that is no rate limit. A limit, primary or secondary, comes with
    status 403, or among the errors of a reply."""
    retry_after, reset = answer.headers.get("retry-after", ""), answer.headers.get("x-ratelimit-reset", "")
    used_up = _reason(answer) == _USED_UP and reset.isdecimal()
    if answer.status == 403:
        limited = retry_after.isdecimal() or used_up or b"rate limit" in answer.body
    else:
        limited = b"RATE_LIMIT" in answer.body and not _kinds(answer.body).isdisjoint(_LIMITS)
    if not limited:
        return None
    if retry_after.isdecimal():
        return float(retry_after)
    return max(0.0, int(reset) - time.time()) if used_up else _DEFAULT_WAIT


def _reason(answer: FetchResponse) -> str:
    return _USED_UP if answer.headers.get("x-ratelimit-remaining") == "0" else ""


def _kinds(body: bytes) -> set[str]:
    try:
        return _GraphQLReply.model_validate_json(body).kinds
    except ValidationError:
        return set()


_SERVICE = RestService(GITHUB_NAME, _ERROR_MESSAGES, parse_reason=_reason, parse_retry_after=_wait)
