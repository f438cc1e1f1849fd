"""What people said before a message: around it, and all of its thread as a document, which is kept nowhere.

In the document each message stands in its order, below a heading that its address leads to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

import structlog

from pipeline.errors import CitewellError, Refused
from pipeline.screen import screen_document
from pipeline.translations import ENGLISH, Message, Words
from pipeline.values import (
    Around,
    Attachment,
    Block,
    BlockKind,
    Document,
    IncomingMessage,
    Parsed,
    PlaceId,
    Said,
    Stretch,
    replace,
)
from pipeline.words.text import visible

LAST = 6
"""Messages of a thread that are read around a message, besides the one that began it."""
SECONDS = 2.0
LONGEST = 1_000
"""Messages of a thread that are read: of a longer one the first ones."""
TITLE = 80
"""Characters of what began a thread that name it."""
OF_NOBODY = Message("Message of {when}")
"""Of somebody without a name."""


log = structlog.get_logger(__name__)


class Reads(Protocol):
    """What was said on a platform. All raise Unavailable, and Refused for what we may not read."""

    async def around(self, message: IncomingMessage, last: int) -> Around:
        """What it replies to; what its thread is called or began with, and at least the `last` ones above it. In a
        channel, what reads as one with it. Of bots and of what the platform itself says nothing."""
        ...

    async def thread(self, message: IncomingMessage, most: int) -> Sequence[Said] | None:
        """The first `most` ones above it in its thread, without bots; None where it is in none."""
        ...

    async def history(self, channel: PlaceId, position: str) -> Stretch:
        """A part of what was said in a channel, from what was said last; "" for the first."""
        ...

    async def download(self, said: Said, file: Attachment) -> bytes:
        """One of the files that came with it. Raises Refused also for one that is gone, too large or not the
        platform's."""
        ...


async def around(reads: Reads, message: IncomingMessage) -> Around:
    """What people said around a message in its very thread. Nothing where that is not told in time: an answer does not
    wait for it."""
    try:
        async with asyncio.timeout(SECONDS):
            found = await reads.around(message, LAST)
    except (CitewellError, TimeoutError) as error:
        log.info("around_unread", key=message.key, reason=str(error) or "it took too long")
        return Around()
    return Around(pointed=found.pointed, said=tuple(filter(None, [*found.said[:1], *found.said[1:][-LAST:]])))


async def thread(reads: Reads, message: IncomingMessage, words: Words) -> Parsed | None:
    """All that people said above a message in its thread; None where it is in none, empty where we may not read it.
    Raises Unavailable."""
    try:
        said = await reads.thread(message, LONGEST)
    except Refused as refused:
        log.warning("thread_unread", key=message.key, reason=str(refused))
        said = ()
    if said is None:
        return None
    return parsed(said, Document(id=f"thread/{message.conversation}", filename="", title=""), words)


def parsed(said: Iterable[Said], document: Document, words: Words = ENGLISH) -> Parsed:
    """What people said as the text of `document`, which gets the first message's address, is named by what that says
    unless it has a title, and is flagged where a message holds instructions addressed to an assistant."""
    told = [one for one in said if visible(one.text).strip()]
    known = replace(
        document,
        title=document.title or _title(told),
        url=document.url or next((one.url for one in told), ""),
        flagged=any(screen_document(one.text).flag for one in told),
    )
    return Parsed(document=known, blocks=tuple(_blocks(told, words)))


def _blocks(said: Iterable[Said], words: Words) -> Iterator[Block]:
    for one in said:
        when = f"{one.at:%Y-%m-%d %H:%M}"
        author = " ".join(visible(one.name).split())
        heading = f"{author}, {when}" if author else words(OF_NOBODY, when=when)
        yield Block(kind=BlockKind.HEADING, text=heading, anchor=one.url)
        yield Block(kind=BlockKind.PROSE, text=one.text, heading=(heading,), anchor=one.url)


def _title(said: Sequence[Said]) -> str:
    """The first line of the first message, cut between words."""
    first = visible(said[0].text).strip() if said else ""
    line = " ".join(first.partition("\n")[0].split())
    return line if len(line) <= TITLE else f"{line[:TITLE].rpartition(' ')[0] or line[:TITLE]} …"
