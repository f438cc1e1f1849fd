"""A repository on GitHub: what is in it, and the part of the GraphQL schema that describes it."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.doubles.github.graphql import Schema

_PAGED = frozenset({"first", "after"})
_NUMBER = frozenset({"number"})


def _scalars(names: str) -> dict[str, tuple[str, frozenset[str]]]:
    return {name: ("", frozenset()) for name in names.split()}


def _connection(node: str) -> dict[str, tuple[str, frozenset[str]]]:
    return {**_scalars("totalCount"), "pageInfo": ("PageInfo", frozenset()), "nodes": (node, frozenset())}


_COMMENT = "id url body createdAt updatedAt isMinimized minimizedReason"
_THREAD = "id number title body url createdAt updatedAt closed closedAt locked activeLockReason stateReason"
SCHEMA: Schema = {
    "Query": {"repository": ("Repository", frozenset({"owner", "name"}))},
    "Repository": {
        **_scalars("id nameWithOwner url"),
        "issues": ("IssueConnection", _PAGED | {"filterBy", "orderBy", "states"}),
        "discussions": ("DiscussionConnection", _PAGED | {"orderBy", "answered"}),
        "issue": ("Issue", _NUMBER),
        "discussion": ("Discussion", _NUMBER),
    },
    "Issue": {**_scalars(f"{_THREAD} state"), "comments": ("IssueCommentConnection", _PAGED | {"orderBy"})},
    "Discussion": {
        **_scalars(f"{_THREAD} isAnswered"),
        "answer": ("DiscussionComment", frozenset()),
        "comments": ("DiscussionCommentConnection", _PAGED),
    },
    "IssueComment": _scalars(_COMMENT),
    "DiscussionComment": {
        **_scalars(f"{_COMMENT} isAnswer deletedAt"),
        "replies": ("DiscussionCommentConnection", _PAGED),
    },
    "IssueConnection": _connection("Issue"),
    "DiscussionConnection": _connection("Discussion"),
    "IssueCommentConnection": _connection("IssueComment"),
    "DiscussionCommentConnection": _connection("DiscussionComment"),
    "PageInfo": _scalars("hasNextPage endCursor"),
}


@dataclass
class Comment:
    id: int
    body: str
    updated: str = ""
    minimized: bool = False
    replies: list[Comment] = field(default_factory=list)


@dataclass
class Thread:
    """An issue or a discussion."""

    number: int
    title: str
    body: str
    kind: str = "issues"
    closed: bool = True
    reason: str | None = "COMPLETED"
    lock: str | None = None
    answer: int | None = None
    """The id of the comment that was marked as the answer; 0: none was; None: the category asks for none."""
    updated: str = ""
    comments: list[Comment] = field(default_factory=list)
