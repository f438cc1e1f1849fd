"""The issues, discussions and wiki of a repository on GitHub."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime
from itertools import islice

from adapters.fetch.fetcher import Fetcher
from adapters.files.outline import label, safe_url
from adapters.files.reader import Reader
from adapters.sources.github.api import GitHubApi
from adapters.sources.github.conversation import ThreadPart, blocks, conversations
from adapters.sources.github.listing import Thread, ThreadKind, ThreadList
from adapters.sources.github.wiki import Wiki
from pipeline.errors import Refused
from pipeline.ports import SourceItem, SourceMemory
from pipeline.values import Document, Parsed

_TOGETHER = 10
"""Threads that are read by one request: GitHub counts requests, 5,000 an hour."""
_TYPES = {ThreadKind.ISSUES: "issue", ThreadKind.DISCUSSIONS: "discussion"}


class ThreadItem(SourceItem):
    """An issue or a discussion."""

    thread: Thread


class GitHubSource:
    """Of `repository` (`owner/name`) the `kinds` of threads: those that were answered, or all of them if `unanswered`,
    the answered ones first; and the `wiki`. `endpoint` is the address of the GraphQL API."""

    def __init__(
        self,
        name: str,
        repository: str,
        fetcher: Fetcher,
        memory: SourceMemory,
        reader: Reader,
        *,
        kinds: Sequence[ThreadKind] = tuple(ThreadKind),
        wiki: Wiki | None = None,
        unanswered: bool = False,
        endpoint: str = "https://api.github.com/graphql",
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.name = f"github:{name}"
        self._prefix = name
        self._reader = reader
        self._wiki = wiki
        self._unanswered = unanswered
        self._now = now
        self._api = GitHubApi(fetcher, repository, endpoint)
        self._lists = [ThreadList(kind, self._api, memory) for kind in kinds]
        self.skipped: dict[str, str] = {}
        """What the last `items()` left out, each with the reason."""
        self._listed: list[Thread] = []
        self._read: dict[Thread, tuple[ThreadPart, ...]] = {}
        self._reading = asyncio.Lock()

    async def items(self) -> AsyncIterator[SourceItem]:
        """Raises Unavailable when GitHub does not answer, or does not show the repository."""
        found = [thread for threads in self._lists for thread in await threads.threads(self._now())]
        self.skipped = {_label(thread): why for thread in found if (why := self._left_out(thread))}
        taken = [thread for thread in found if not self._left_out(thread)]
        self._listed = sorted(sorted(taken, key=_updated, reverse=True), key=_is_open)
        self._read = {}
        for thread in self._listed:
            yield ThreadItem(
                id=f"{self._prefix}/{thread.kind}/{thread.number}",
                label=_label(thread),
                version=thread.version,
                thread=thread,
            )
        if self._wiki:
            async for item in self._wiki.items():
                yield item
            self.skipped |= self._wiki.skipped

    async def parse(self, item: SourceItem) -> Parsed:
        """Read one of `items()`. Raises Refused, and Unavailable when GitHub does not answer."""
        if not isinstance(item, ThreadItem):
            if self._wiki is None:
                raise TypeError("not an item of this source")
            return await self._wiki.parse(item)
        thread = item.thread
        document = Document(
            id=item.id,
            filename=f"{thread.kind}/{thread.number}",
            title=label(thread.title),
            document_type=_TYPES[thread.kind],
            source=self.name,
            url=safe_url(thread.url),
            version=item.version,
            metadata={"updated": thread.updated[:10]},
        )
        return Parsed(document=document, blocks=await blocks(await self._said(thread), self._reader))

    def _left_out(self, thread: Thread) -> str:
        """Why it is not taken; empty when it is."""
        if thread.spam:
            return "it was locked as spam"
        return "" if thread.answered or self._unanswered else "it has no answer yet, or was not worked on"

    async def _said(self, thread: Thread) -> tuple[ThreadPart, ...]:
        """What was written in it, read together with the ones listed behind it."""
        async with self._reading:
            if thread not in self._read:
                start = self._listed.index(thread)
                together = islice(self._listed, start, start + _TOGETHER)
                self._read = await conversations(self._api, together)
            if thread not in self._read:
                raise Refused("it is not there any more")
            return self._read.pop(thread)


def _label(thread: Thread) -> str:
    return f"#{thread.number} {thread.title}"


def _updated(thread: Thread) -> str:
    return thread.updated


def _is_open(thread: Thread) -> bool:
    return not thread.answered
