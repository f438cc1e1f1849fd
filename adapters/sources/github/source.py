"""Issues, discussions and wiki pages of a GitHub repository as documents."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import PurePath
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from adapters.fetch.fetcher import Fetcher
from adapters.files.content import clean_label, safe_url
from adapters.files.reader import FileReader
from adapters.sources.git import GitSource
from adapters.sources.github.api import CommentPage, GitHubApi, GitHubComment, ThreadDetails
from adapters.sources.github.listing import GitHubThread, ThreadKind, ThreadList
from pipeline.errors import Refused, Unavailable
from pipeline.ports import SourceCache, SourceItem
from pipeline.values import Block, BlockKind, Document, ParsedDocument, replace, require_every

# --- The wiki: a git repository beside the other one, with a page in each file --------------------

_WIKI_SEEN = "wiki"
"""The cache key that remembers that the wiki existed."""


class GitHubWiki:
    """The pages of `pages`, which people read at `address` (`https://github.com/owner/name/wiki`)."""

    def __init__(self, pages: GitSource, address: str, cache: SourceCache) -> None:
        self._pages = pages
        self._address = address
        self._cache = cache
        self.skipped: dict[str, str] = {}
        """Pages that the last `items()` left out, each with the reason."""

    async def items(self) -> AsyncIterator[SourceItem]:
        """Yield all pages except the side bar and the footer; none when there never was a wiki. Raises Unavailable."""
        self.skipped = {}
        existed = _WIKI_SEEN in await self._cache.load()
        try:
            async for item in self._pages.list_items():
                if not PurePath(item.label).name.startswith("_"):
                    yield item
        except (Refused, Unavailable) as error:
            if isinstance(error, Unavailable) and not error.denied:
                raise
            if existed:
                raise Unavailable("GitHub", f"the wiki: {error}", what_to_do=error.what_to_do) from error
            self.skipped = {"Wiki": "there is none, or the token may not read it"}
            return
        self.skipped = self._pages.skipped
        if not existed:
            await self._cache.update({_WIKI_SEEN: "yes"})

    async def parse(self, item: SourceItem) -> ParsedDocument:
        """Read an item of `items()`. Raises Refused."""
        parsed = await self._pages.parse_item(item)
        page = PurePath(parsed.document.filename).stem
        url = f"{self._address}/{quote(page, safe='')}"
        return replace(parsed, document=replace(parsed.document, url=url, document_type="wiki page"))


# --- Issues and discussions -----------------------------------------------------------------------

_PAGE = "pageInfo { hasNextPage endCursor }"
_ISSUE = f"body comments(first: 100 AFTER) {{ {_PAGE} nodes {{ url body isMinimized }} }}"
_COMMENT = "id url body isMinimized deletedAt"
_DISCUSSION = f"""body answer {{ {_COMMENT} }} comments(first: 50 AFTER) {{
  {_PAGE} nodes {{ {_COMMENT} replies(first: 50) {{ nodes {{ {_COMMENT} }} }} }}
}}"""
_FIELDS = {ThreadKind.ISSUES: ("issue", _ISSUE), ThreadKind.DISCUSSIONS: ("discussion", _DISCUSSION)}
require_every(ThreadKind, _FIELDS)


class ThreadPart(NamedTuple):
    """A part of a thread, in Markdown."""

    heading: str
    """Empty for the thread's first text."""
    anchor: str
    text: str


async def fetch_conversations(
    api: GitHubApi, threads: Iterable[GitHubThread]
) -> dict[GitHubThread, tuple[ThreadPart, ...]]:
    """Return the texts of each thread that still exists: first the question, then the marked answer, then the rest in
    order, without hidden comments. Raises Unavailable."""
    aliases = {f"{thread.kind[0]}{thread.number}": thread for thread in threads}
    query = " ".join(f"{alias}: {_thread_selection(thread)}" for alias, thread in aliases.items())
    details = (await api.query(query, ThreadDetails)).root
    conversations = {}
    for alias, thread in aliases.items():
        if node := details.get(alias):
            comments = list(node.comments.nodes)
            if after := node.comments.info.next_token:
                more_selection = f"more: {_thread_selection(thread, after=True)}"
                async for page in api.paginate(more_selection, CommentPage, after=after):
                    comments += page.more.comments.nodes if page.more else ()
            conversations[thread] = (ThreadPart("", "", node.body), *_parts(comments, node.answer))
    return conversations


async def conversation_blocks(parts: Sequence[ThreadPart], reader: FileReader) -> tuple[Block, ...]:
    """Return a conversation in reading order, each comment below a heading with the comment's anchor."""
    blocks: list[Block] = []
    for part in parts:
        try:
            content = await reader.read("comment.md", part.text.encode())
        except Refused:
            continue
        above = (part.heading,) if part.heading else ()
        if above:
            blocks.append(Block(kind=BlockKind.HEADING, text=part.heading, anchor=part.anchor))
        blocks += (replace(block, heading=(*above, *block.heading), anchor=part.anchor) for block in content.blocks)
    return tuple(blocks)


def _thread_selection(thread: GitHubThread, *, after: bool = False) -> str:
    field, selection = _FIELDS[thread.kind]
    selection = selection.replace("AFTER", ", after: $after" if after else "")
    return f"{field}(number: {thread.number}) {{ {selection} }}"


def _parts(comments: Sequence[GitHubComment], answer: GitHubComment | None) -> Iterator[ThreadPart]:
    if answer and answer.is_visible:
        yield _part("Answer", answer)
    for comment in comments:
        replies = comment.replies.nodes if comment.replies else ()
        for heading, part_comment in (("Comment", comment), *(("Reply", reply) for reply in replies)):
            if part_comment.is_visible and (answer is None or part_comment.id != answer.id):
                yield _part(heading, part_comment)


def _part(heading: str, comment: GitHubComment) -> ThreadPart:
    return ThreadPart(heading, urlsplit(comment.url).fragment, comment.body)


_BATCH_SIZE = 10
"""Threads that are read by one request: GitHub counts requests, 5,000 an hour."""
_TYPES = {ThreadKind.ISSUES: "issue", ThreadKind.DISCUSSIONS: "discussion"}
require_every(ThreadKind, _TYPES)


class GitHubThreadItem(SourceItem):
    """An issue or a discussion."""

    thread: GitHubThread


class GitHubSource:
    """Threads of the `kinds` in `repository` (`owner/name`), and its `wiki`. Only answered threads are taken, or with
    `unanswered` all of them, the answered ones first. `endpoint` is the address of the GraphQL API."""

    def __init__(
        self,
        name: str,
        repository: str,
        fetcher: Fetcher,
        cache: SourceCache,
        reader: FileReader,
        *,
        kinds: Sequence[ThreadKind] = tuple(ThreadKind),
        wiki: GitHubWiki | None = None,
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
        self._lists = [ThreadList(kind, self._api, cache) for kind in kinds]
        self.skipped: dict[str, str] = {}
        """Threads that the last `list_items()` left out, each with the reason."""
        self._listed: list[GitHubThread] = []
        self._read: dict[GitHubThread, tuple[ThreadPart, ...]] = {}
        self._lock = asyncio.Lock()

    async def list_items(self) -> AsyncIterator[SourceItem]:
        """Yield the threads and wiki pages. Raise Unavailable when GitHub does not answer, or does not show the
        repository."""
        threads = [thread for threads in self._lists for thread in await threads.list_threads(self._now())]
        self.skipped = {_label(thread): reason for thread in threads if (reason := self._skip_reason(thread))}
        taken_threads = [thread for thread in threads if not self._skip_reason(thread)]
        self._listed = sorted(sorted(taken_threads, key=_updated, reverse=True), key=_is_open)
        self._read = {}
        for thread in self._listed:
            yield GitHubThreadItem(
                id=f"{self._prefix}/{thread.kind}/{thread.number}",
                label=_label(thread),
                version=thread.version,
                thread=thread,
            )
        if self._wiki:
            async for item in self._wiki.items():
                yield item
            self.skipped |= self._wiki.skipped

    async def parse_item(self, item: SourceItem) -> ParsedDocument:
        """Read an item of `list_items()`. Raise Refused, and Unavailable when GitHub does not answer."""
        if not isinstance(item, GitHubThreadItem):
            if self._wiki is None:
                raise TypeError("not an item of this source")
            return await self._wiki.parse(item)
        thread = item.thread
        document = Document(
            id=item.id,
            filename=f"{thread.kind}/{thread.number}",
            title=clean_label(thread.title),
            document_type=_TYPES[thread.kind],
            source=self.name,
            url=safe_url(thread.url),
            version=item.version,
            metadata={"updated": thread.updated[:10]},
        )
        return ParsedDocument(
            document=document, blocks=await conversation_blocks(await self._load_parts(thread), self._reader)
        )

    def _skip_reason(self, thread: GitHubThread) -> str:
        """Return why a thread is not taken; empty when it is."""
        if thread.spam:
            return "it was locked as spam"
        return "" if thread.answered or self._unanswered else "it has no answer yet, or was not worked on"

    async def _load_parts(self, thread: GitHubThread) -> tuple[ThreadPart, ...]:
        """Return the texts of a thread, fetched together with the threads listed after it."""
        async with self._lock:
            if thread not in self._read:
                start = self._listed.index(thread)
                batch = islice(self._listed, start, start + _BATCH_SIZE)
                self._read = await fetch_conversations(self._api, batch)
            if thread not in self._read:
                raise Refused("it is not there any more")
            return self._read.pop(thread)


def _label(thread: GitHubThread) -> str:
    return f"#{thread.number} {thread.title}"


def _updated(thread: GitHubThread) -> str:
    return thread.updated


def _is_open(thread: GitHubThread) -> bool:
    return not thread.answered
