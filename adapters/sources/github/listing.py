"""The list of issues and discussions, kept between syncs: GitHub reports changes, and a count shows that some are
gone."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import aclosing
from datetime import datetime, timedelta
from enum import StrEnum

from pydantic import ValidationError

from adapters.sources.github.api import GitHubApi, ThreadNode, ThreadPage
from adapters.sources.rest_client import cache_changes, hash_parts
from pipeline.ports import SourceCache
from pipeline.values import Value, replace

_EPOCH = "1970-01-01T00:00:00Z"
_RELIST_INTERVAL = timedelta(hours=24)
"""Time between full listings: hiding or deleting a comment does not always count as a change of its thread."""
_FIELDS = "number title url updatedAt closed stateReason activeLockReason"
_PAGE = "pageInfo { hasNextPage endCursor }"
_COMMENT_FIELDS = "id updatedAt isMinimized"
_ISSUES = f"""
all: issues(first: 1) {{ totalCount }}
page: issues(first: 50, after: $after, filterBy: {{since: $since}}, orderBy: {{field: UPDATED_AT, direction: ASC}}) {{
  {_PAGE} nodes {{ {_FIELDS} comments(first: 100) {{ totalCount nodes {{ {_COMMENT_FIELDS} }} }} }}
}}"""
_DISCUSSIONS = f"""
all: discussions(first: 1) {{ totalCount }}
page: discussions(first: 50, after: $after, orderBy: {{field: UPDATED_AT, direction: DIRECTION}}) {{
  {_PAGE} nodes {{ {_FIELDS} answer {{ id }}
    comments(first: 100) {{ totalCount nodes {{ {_COMMENT_FIELDS} replies(first: 1) {{ totalCount }} }} }} }}
}}"""


class ThreadKind(StrEnum):
    """Kinds of threads."""

    ISSUES = "issues"
    DISCUSSIONS = "discussions"


class GitHubThread(Value):
    """An issue or a discussion, without its text."""

    kind: ThreadKind
    number: int
    title: str
    url: str
    updated: str
    answered: bool
    """An answer was marked; an issue was closed, and not as a duplicate or as not planned."""
    spam: bool
    digest: str
    """Differs when the thread's texts do, or who may see them."""

    @property
    def version(self) -> str:
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()


class _ListState(Value):
    """Progress of the sync of one kind of threads."""

    updated: str
    """The latest change that was seen."""
    hidden: int
    """Threads that GitHub counts and does not list."""
    listed: datetime


class ThreadList:
    """The threads of one kind in a repository."""

    def __init__(self, kind: ThreadKind, api: GitHubApi, cache: SourceCache) -> None:
        self._kind = kind
        self._api = api
        self._cache = cache

    async def list_threads(self, now: datetime) -> list[GitHubThread]:
        """Return all threads. Raises Unavailable."""
        before = await self._cache.load()
        state, threads = await self._load_changes(before, now) or await self._load_all(now)
        after = {str(self._kind): state.model_dump_json()}
        after |= {f"{self._kind}/{thread.number}": thread.model_dump_json() for thread in threads.values()}
        cached = {name: text for name, text in before.items() if name.partition("/")[0] == self._kind}
        if changes := cache_changes(cached, after):
            await self._cache.update(changes)
        return list(threads.values())

    async def _load_changes(
        self, before: Mapping[str, str], now: datetime
    ) -> tuple[_ListState, dict[int, GitHubThread]] | None:
        """Return the cached threads with the changes since; None when all must be listed."""
        try:
            state = _ListState.model_validate_json(before.get(self._kind, ""))
            entries = [text for name, text in before.items() if name.startswith(f"{self._kind}/")]
            threads = {thread.number: thread for thread in map(GitHubThread.model_validate_json, entries)}
        except ValidationError:
            return None
        if not timedelta() <= now - state.listed < _RELIST_INTERVAL:
            return None
        total = await self._add_threads(threads, state.updated, "DESC")
        if total != len(threads) + state.hidden:
            return None
        return replace(state, updated=_latest_change(threads)), threads

    async def _load_all(self, now: datetime) -> tuple[_ListState, dict[int, GitHubThread]]:
        threads: dict[int, GitHubThread] = {}
        total = await self._add_threads(threads, _EPOCH, "ASC")
        return _ListState(updated=_latest_change(threads), hidden=total - len(threads), listed=now), threads

    async def _add_threads(self, threads: dict[int, GitHubThread], since: str, direction: str) -> int:
        """Put the threads that changed `since` into `threads`, and return how many there are in all. Discussions cannot
        be filtered by time: with the direction DESC the first older one ends the list."""
        if self._kind is ThreadKind.ISSUES:
            pages = self._api.paginate(_ISSUES, ThreadPage, since=since)
        else:
            pages = self._api.paginate(_DISCUSSIONS.replace("DIRECTION", direction), ThreadPage)
        total = 0
        async with aclosing(pages) as thread_pages:
            async for thread_page in thread_pages:
                total = thread_page.all.count
                page_threads = [_thread(self._kind, node) for node in thread_page.page.nodes if node]
                changed = [thread for thread in page_threads if thread.updated >= since]
                threads.update((thread.number, thread) for thread in changed)
                if len(changed) < len(page_threads):
                    break
        return total


def _latest_change(threads: Mapping[int, GitHubThread]) -> str:
    return max((thread.updated for thread in threads.values()), default=_EPOCH)


def _thread(kind: ThreadKind, node: ThreadNode) -> GitHubThread:
    done = node.closed and node.reason not in ("NOT_PLANNED", "DUPLICATE")
    return GitHubThread(
        kind=kind,
        number=node.number,
        title=node.title,
        url=node.url,
        updated=node.updated,
        answered=bool(done if kind is ThreadKind.ISSUES else node.answer),
        spam=node.lock == "SPAM",
        digest=hash_parts(node.comments, node.answer),
    )
