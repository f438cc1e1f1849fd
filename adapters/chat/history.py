"""What people said before a message: around it, and all of its thread as a document, which is kept nowhere.

In the document each message stands in its order, below a heading that its address leads to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

import structlog

from pipeline.errors import CitewellError, Refused
from pipeline.screen import screen_document
from pipeline.translations import ENGLISH_TRANSLATOR, TranslatableText, Translator
from pipeline.values import (
    Attachment,
    Block,
    BlockKind,
    ChannelMessage,
    Document,
    HistoryPage,
    IncomingMessage,
    ParsedDocument,
    PlaceId,
    ThreadContext,
    replace,
)
from pipeline.words.text import strip_invisible

CONTEXT_MESSAGES = 6
"""Messages of a thread that are read around a message, besides the one that began it."""
CONTEXT_SECONDS = 2.0
MAX_THREAD_MESSAGES = 1_000
"""Messages of a thread that are read: of a longer one the first ones."""
MAX_THREAD_TITLE = 80
"""Characters of what began a thread that name it."""
UNNAMED_MESSAGE = TranslatableText("Message of {when}")
"""Of somebody without a name."""


log = structlog.get_logger(__name__)


class HistoryReader(Protocol):
    """What was said on a platform. All raise Unavailable, and Refused for what we may not read."""

    async def get_thread_context(self, message: IncomingMessage, last: int) -> ThreadContext:
        """What it replies to; what its thread is called or began with, and at least the `last` ones above it. In a
        channel, what reads as one with it. Of bots and of what the platform itself says nothing."""
        ...

    async def read_thread(self, message: IncomingMessage, most: int) -> Sequence[ChannelMessage] | None:
        """The first `most` ones above it in its thread, without bots; None where it is in none."""
        ...

    async def read_history(self, channel: PlaceId, position: str) -> HistoryPage:
        """A part of what was said in a channel, from what was said last; "" for the first."""
        ...

    async def download_file(self, said: ChannelMessage, file: Attachment) -> bytes:
        """One of the files that came with it. Raises Refused also for one that is gone, too large or not the
        platform's."""
        ...


async def load_thread_context(reads: HistoryReader, message: IncomingMessage) -> ThreadContext:
    """What people said around a message in its very thread. Nothing where that is not told in time: an answer does not
    wait for it."""
    try:
        async with asyncio.timeout(CONTEXT_SECONDS):
            found = await reads.get_thread_context(message, CONTEXT_MESSAGES)
    except (CitewellError, TimeoutError) as error:
        log.info("context_not_read", key=message.key, reason=str(error) or "it took too long")
        return ThreadContext()
    return ThreadContext(
        replied_to=found.replied_to,
        messages=tuple(filter(None, [*found.messages[:1], *found.messages[1:][-CONTEXT_MESSAGES:]])),
    )


async def load_thread_document(
    reads: HistoryReader, message: IncomingMessage, words: Translator
) -> ParsedDocument | None:
    """All that people said above a message in its thread; None where it is in none, empty where we may not read it.
    Raises Unavailable."""
    try:
        said = await reads.read_thread(message, MAX_THREAD_MESSAGES)
    except Refused as refused:
        log.warning("thread_not_read", key=message.key, reason=str(refused))
        said = ()
    if said is None:
        return None
    return parse_thread(said, Document(id=f"thread/{message.conversation}", filename="", title=""), words)


def parse_thread(
    said: Iterable[ChannelMessage], document: Document, words: Translator = ENGLISH_TRANSLATOR
) -> ParsedDocument:
    """What people said as the text of `document`, which gets the first message's address, is named by what that says
    unless it has a title, and is flagged where a message holds instructions addressed to an assistant."""
    told = [one for one in said if strip_invisible(one.text).strip()]
    known = replace(
        document,
        title=document.title or _title(told),
        url=document.url or next((one.url for one in told), ""),
        flagged=any(screen_document(one.text).flag for one in told),
    )
    return ParsedDocument(document=known, blocks=tuple(_blocks(told, words)))


def _blocks(said: Iterable[ChannelMessage], words: Translator) -> Iterator[Block]:
    for one in said:
        when = f"{one.at:%Y-%m-%d %H:%M}"
        author = " ".join(strip_invisible(one.name).split())
        heading = f"{author}, {when}" if author else words(UNNAMED_MESSAGE, when=when)
        yield Block(kind=BlockKind.HEADING, text=heading, anchor=one.url)
        yield Block(kind=BlockKind.PROSE, text=one.text, heading=(heading,), anchor=one.url)


def _title(said: Sequence[ChannelMessage]) -> str:
    """The first line of the first message, cut between words."""
    first = strip_invisible(said[0].text).strip() if said else ""
    line = " ".join(first.partition("\n")[0].split())
    return (
        line
        if len(line) <= MAX_THREAD_TITLE
        else f"{line[:MAX_THREAD_TITLE].rpartition(' ')[0] or line[:MAX_THREAD_TITLE]} …"
    )
