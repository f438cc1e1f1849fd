"""What GitHub's GraphQL API answers the queries of this folder with."""

from __future__ import annotations

from pydantic import Field, RootModel

from adapters.sources.rest import Json, Shape


class PageInfo(Shape):
    more: bool = Field(alias="hasNextPage")
    end: str | None = Field(None, alias="endCursor")

    @property
    def following(self) -> str:
        return (self.end or "") if self.more else ""


class ThreadNode(Shape):
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


class _Threads(Shape):
    nodes: tuple[ThreadNode | None, ...]
    info: PageInfo = Field(alias="pageInfo")


class _Count(Shape):
    count: int = Field(alias="totalCount")


class ThreadPage(Shape):
    page: _Threads
    all: _Count

    @property
    def following(self) -> str:
        return self.page.info.following


class Comment(Shape):
    id: str = ""
    url: str
    body: str
    minimized: bool = Field(alias="isMinimized")
    deleted: str | None = Field(None, alias="deletedAt")
    replies: _Replies | None = None

    @property
    def shown(self) -> bool:
        return not self.minimized and not self.deleted


class _Replies(Shape):
    nodes: tuple[Comment, ...] = ()


class _Comments(Shape):
    nodes: tuple[Comment, ...]
    info: PageInfo = Field(alias="pageInfo")


class WholeThread(Shape):
    """What was written in an issue or a discussion."""

    body: str
    answer: Comment | None = None
    comments: _Comments


class WholeThreads(RootModel[dict[str, WholeThread | None]]):
    """By the names that they were asked for with."""


class MoreComments(Shape):
    """More of its comments; None when it is gone."""

    more: WholeThread | None

    @property
    def following(self) -> str:
        return self.more.comments.info.following if self.more else ""
