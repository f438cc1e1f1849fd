"""A thread as a document: what people said, in its order, each message below a heading that its address leads to.
Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pipeline.screen import screen_document
from pipeline.translations import ENGLISH, Message, Words
from pipeline.values import Block, BlockKind, Document, IncomingMessage, Parsed, Said, replace
from pipeline.words.text import visible

TITLE = 80
"""Characters of what began a thread that name it."""
OF_NOBODY = Message("Message of {when}")
"""Of somebody without a name."""


def of_thread(message: IncomingMessage) -> Document:
    """The thread that `message` stands in, as a document without a name."""
    return Document(id=f"thread/{message.conversation}", filename="", title="")


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
