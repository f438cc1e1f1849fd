"""Earlier messages: those around a question, and a whole thread as a document, which is stored nowhere.

In the document each message follows in its order, below a heading that links to its address.
"""

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
"""Messages of a thread that are read above a message, besides the thread's first."""
CONTEXT_SECONDS = 2.0
MAX_THREAD_MESSAGES = 1_000
"""Messages of a thread that are read, counted from its first."""
MAX_THREAD_TITLE = 80
"""Characters of a thread's first message that become its title."""
UNNAMED_MESSAGE = TranslatableText("Message of {when}")
"""Title of a message whose author has no name."""


log = structlog.get_logger(__name__)


class HistoryReader(Protocol):
    """A platform's port that reads messages. All methods raise Unavailable, and Refused for what may not be read."""

    async def get_thread_context(self, message: IncomingMessage, last: int) -> ThreadContext:
        """Return the message it replies to, the thread's title or first message, and at least the `last` messages above
        it. In a channel, the messages that read as one with it. Bots and system messages are left out."""
        ...

    async def read_thread(self, message: IncomingMessage, limit: int) -> Sequence[ChannelMessage] | None:
        """Return the first `limit` messages above it in its thread, without bots; None outside a thread."""
        ...

    async def read_history(self, channel: PlaceId, position: str) -> HistoryPage:
        """Return a page of a channel's messages, the newest first; `position` is "" for the first page."""
        ...

    async def download_file(self, message: ChannelMessage, file: Attachment) -> bytes:
        """Return the bytes of one of the message's files. Raises Refused also for a file that is gone, too large or not
        the platform's."""
        ...


async def load_thread_context(reader: HistoryReader, message: IncomingMessage) -> ThreadContext:
    """Return the messages around a message in its thread. Empty where they are not read in time: an answer does not
    wait for them."""
    try:
        async with asyncio.timeout(CONTEXT_SECONDS):
            context = await reader.get_thread_context(message, CONTEXT_MESSAGES)
    except (CitewellError, TimeoutError) as error:
        log.info("thread_context_unavailable", key=message.key, reason=str(error) or "it took too long")
        return ThreadContext()
    return ThreadContext(
        replied_to=context.replied_to,
        messages=tuple(filter(None, [*context.messages[:1], *context.messages[1:][-CONTEXT_MESSAGES:]])),
    )


async def load_thread_document(
    reader: HistoryReader, message: IncomingMessage, translator: Translator
) -> ParsedDocument | None:
    """Return all messages above a message in its thread as a document; None outside a thread, empty where the bot may
    not read it. Raises Unavailable."""
    try:
        messages = await reader.read_thread(message, MAX_THREAD_MESSAGES)
    except Refused as refused:
        log.warning("thread_unreadable", key=message.key, reason=str(refused))
        messages = ()
    if messages is None:
        return None
    return parse_thread(messages, Document(id=f"thread/{message.conversation}", filename="", title=""), translator)


def parse_thread(
    messages: Iterable[ChannelMessage], document: Document, translator: Translator = ENGLISH_TRANSLATOR
) -> ParsedDocument:
    """Return the messages as the text of `document`. It gets the first message's address, that message's text as title
    unless it has one, and a flag where a message holds instructions addressed to an assistant."""
    written = [message for message in messages if strip_invisible(message.text).strip()]
    described = replace(
        document,
        title=document.title or _title(written),
        url=document.url or next((message.url for message in written), ""),
        flagged=any(screen_document(message.text).flag for message in written),
    )
    return ParsedDocument(document=described, blocks=tuple(_blocks(written, translator)))


def _blocks(messages: Iterable[ChannelMessage], translator: Translator) -> Iterator[Block]:
    for message in messages:
        when = f"{message.at:%Y-%m-%d %H:%M}"
        author = " ".join(strip_invisible(message.name).split())
        heading = f"{author}, {when}" if author else translator(UNNAMED_MESSAGE, when=when)
        yield Block(kind=BlockKind.HEADING, text=heading, anchor=message.url)
        yield Block(kind=BlockKind.PROSE, text=message.text, heading=(heading,), anchor=message.url)


def _title(messages: Sequence[ChannelMessage]) -> str:
    """Return the first line of the first message, cut between words."""
    first = strip_invisible(messages[0].text).strip() if messages else ""
    line = " ".join(first.partition("\n")[0].split())
    return (
        line
        if len(line) <= MAX_THREAD_TITLE
        else f"{line[:MAX_THREAD_TITLE].rpartition(' ')[0] or line[:MAX_THREAD_TITLE]} …"
    )
