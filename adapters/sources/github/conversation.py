"""What was written in issues and discussions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from adapters.files.reader import Reader
from adapters.sources.github.api import GitHubApi
from adapters.sources.github.listing import Thread, ThreadKind
from adapters.sources.github.shapes import Comment, MoreComments, WholeThreads
from pipeline.errors import Refused
from pipeline.values import Block, BlockKind, replace

_PAGE = "pageInfo { hasNextPage endCursor }"
_ISSUE = f"body comments(first: 100 AFTER) {{ {_PAGE} nodes {{ url body isMinimized }} }}"
_COMMENT = "id url body isMinimized deletedAt"
_DISCUSSION = f"""body answer {{ {_COMMENT} }} comments(first: 50 AFTER) {{
  {_PAGE} nodes {{ {_COMMENT} replies(first: 50) {{ nodes {{ {_COMMENT} }} }} }}
}}"""
_FIELDS = {ThreadKind.ISSUES: ("issue", _ISSUE), ThreadKind.DISCUSSIONS: ("discussion", _DISCUSSION)}


class ThreadPart(NamedTuple):
    """A part of a thread, in Markdown."""

    heading: str
    """Empty for what the thread begins with."""
    anchor: str
    text: str


async def conversations(api: GitHubApi, threads: Iterable[Thread]) -> dict[Thread, tuple[ThreadPart, ...]]:
    """What was written in each of the threads that are still there: first what was asked, then the answer that was
    marked, then the rest in its order; without what is hidden. Raises Unavailable."""
    aliases = {f"{thread.kind[0]}{thread.number}": thread for thread in threads}
    asked = " ".join(f"{alias}: {_asked(thread)}" for alias, thread in aliases.items())
    found = (await api.ask(asked, WholeThreads)).root
    read = {}
    for alias, thread in aliases.items():
        if node := found.get(alias):
            comments = list(node.comments.nodes)
            if after := node.comments.info.following:
                selection = f"more: {_asked(thread, after=True)}"
                async for page in api.pages(selection, MoreComments, after=after):
                    comments += page.more.comments.nodes if page.more else ()
            read[thread] = (ThreadPart("", "", node.body), *_parts(comments, node.answer))
    return read


async def blocks(said: Sequence[ThreadPart], reader: Reader) -> tuple[Block, ...]:
    """A conversation in reading order; each comment below a heading that its link leads to."""
    found: list[Block] = []
    for part in said:
        try:
            content = await reader.read("comment.md", part.text.encode())
        except Refused:
            continue
        above = (part.heading,) if part.heading else ()
        if above:
            found.append(Block(kind=BlockKind.HEADING, text=part.heading, anchor=part.anchor))
        found += (replace(block, heading=(*above, *block.heading), anchor=part.anchor) for block in content.blocks)
    return tuple(found)


def _asked(thread: Thread, *, after: bool = False) -> str:
    field, selection = _FIELDS[thread.kind]
    selection = selection.replace("AFTER", ", after: $after" if after else "")
    return f"{field}(number: {thread.number}) {{ {selection} }}"


def _parts(comments: Sequence[Comment], answer: Comment | None) -> Iterator[ThreadPart]:
    if answer and answer.shown:
        yield _part("Answer", answer)
    for comment in comments:
        replies = comment.replies.nodes if comment.replies else ()
        for heading, each in (("Comment", comment), *(("Reply", reply) for reply in replies)):
            if each.shown and (answer is None or each.id != answer.id):
                yield _part(heading, each)


def _part(heading: str, comment: Comment) -> ThreadPart:
    return ThreadPart(heading, urlsplit(comment.url).fragment, comment.body)
