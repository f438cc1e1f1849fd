"""The parts of a reply: what stands where, in no platform's markup.

Foreign text in them is Markdown; that it can be read and do nothing is each platform's to see to.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator

from pipeline.values import Link, Value
from pipeline.words.text import visible

Shown = Annotated[str, AfterValidator(visible)]
"""Whatever it was made of, nothing in it hides."""


class Look(Value):
    """What the operator wants shown below an answer."""

    citations: bool = True
    confidence: bool = True


class Text(Value):
    """A sentence, an item, a step or a cell."""

    text: Shown
    marks: Shown = ""
    """What stands behind it: `[1]`, `¹`, `(Source: Leave policy)`."""
    numbers: tuple[int, ...] = ()
    """Of the sources that these marks name."""
    warning: Shown = ""
    """What stands before it: that it is not verified, or the day that it is of."""
    url: str = ""
    """What a click on all of it opens."""
    links: tuple[Link, ...] = ()
    """Whole words of `text` that a click opens an address with."""
    literal: bool = False
    """No character of `text` is markup; it is Markdown where not."""
    code: tuple[tuple[int, int], ...] = ()
    """Where inline code starts and ends in `text`."""
    depth: int = 0
    """How many items an item stands in; it is at most one more than that of the item before."""


class Paragraph(Value):
    sentences: tuple[Text, ...]


class Heading(Value):
    text: Text


class Listing(Value):
    items: tuple[Text, ...]
    first: int = 0
    """The number of the first step; 0 for a list without numbers."""


class Table(Value):
    header: tuple[Text, ...] = ()
    rows: tuple[tuple[Text, ...], ...] = ()


class Code(Value):
    text: Shown
    language: str = ""
    after: Text | None = None
    """What is said of it below: its marks, that it is not verified."""


class Quote(Value):
    """Exactly what a document says, without any markup."""

    text: Shown


class Note(Value):
    """A line of ours about what stands beside it."""

    text: Shown


Block = Paragraph | Heading | Listing | Table | Code | Quote | Note


class Source(Value):
    """One line of the list of sources."""

    mark: Shown
    title: Shown
    url: str = ""
    """The one address it may link to."""
    place: Shown = ""
    date: Shown = ""
    path: Shown = ""
    """Of its file, for whoever has that at hand."""


class Button(StrEnum):
    """What can be pressed below a reply."""

    HELPFUL = "up"
    UNHELPFUL = "down"
    PASSAGES = "passages"
    WHY = "why"
    SHARE = "share"
    ASK = "ask"
    """A person; the reply says what it is called."""
    TELL = "tell"
    """The person, once it can be answered."""
    UNTELL = "untell"
    """Take that back; carries what is taken back."""
    ADD = "add"
    """The files of the question to the documents."""
    STOP = "stop"
    """Sends the bot out of the conversation, until somebody mentions it there."""
    TAKE_BACK = "takeback"
    """A document that was added."""
    EXPORT = "export"
    """All that is kept about whoever presses."""
    FORGET = "forget"
    """Erase that; asks whether they are sure."""
    FORGET_NOW = "forgetnow"


class File(Value):
    name: Shown
    content: Shown


class Reply(Value):
    """A whole reply, or a panel beside one."""

    blocks: tuple[Block, ...] = ()
    links: frozenset[str] = frozenset()
    """The addresses in its text that may be opened."""
    language: str = "en"
    """That of our own words in it."""
    sources_title: Shown = ""
    sources: tuple[Source, ...] = ()
    status: Shown = ""
    """One line in small print."""
    answer_id: str = ""
    actions: tuple[Button, ...] = ()
    ask: Shown = ""
    """What the button to ask a person says."""
    adds: str = ""
    """What the button carries that adds the files of the question."""
    files: tuple[File, ...] = ()
