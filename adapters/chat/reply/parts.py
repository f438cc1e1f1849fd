"""The parts of a reply: what stands where, in no platform's markup.

Foreign text in them is Markdown; that it can be read and do nothing is each platform's to see to.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator

from pipeline.values import Link, Value
from pipeline.words.text import strip_invisible

VisibleText = Annotated[str, AfterValidator(strip_invisible)]
"""Whatever it was made of, nothing in it hides."""


class RenderOptions(Value):
    """What the operator wants shown below an answer."""

    citations: bool = True
    confidence: bool = True


class ReplyText(Value):
    """A sentence, an item, a step or a cell."""

    text: VisibleText
    marks: VisibleText = ""
    """What stands behind it: `[1]`, `¹`, `(Source: Leave policy)`."""
    numbers: tuple[int, ...] = ()
    """Of the sources that these marks name."""
    warning: VisibleText = ""
    """What stands before it: that it is not verified, or the day that it is of."""
    url: str = ""
    """What a click on all of it opens."""
    links: tuple[Link, ...] = ()
    """Whole words of `text` that a click opens an address with."""
    is_literal: bool = False
    """No character of `text` is markup; it is Markdown where not."""
    code_spans: tuple[tuple[int, int], ...] = ()
    """Where inline code starts and ends in `text`."""
    depth: int = 0
    """How many items an item stands in; it is at most one more than that of the item before."""


class ReplyParagraph(Value):
    sentences: tuple[ReplyText, ...]


class ReplyHeading(Value):
    text: ReplyText


class ReplyList(Value):
    items: tuple[ReplyText, ...]
    first: int = 0
    """The number of the first step; 0 for a list without numbers."""


class ReplyTable(Value):
    header: tuple[ReplyText, ...] = ()
    rows: tuple[tuple[ReplyText, ...], ...] = ()


class ReplyCode(Value):
    text: VisibleText
    language: str = ""
    caption: ReplyText | None = None
    """What is said of it below: its marks, that it is not verified."""


class ReplyQuote(Value):
    """Exactly what a document says, without any markup."""

    text: VisibleText


class ReplyNote(Value):
    """A line of ours about what stands beside it."""

    text: VisibleText


ReplyBlock = ReplyParagraph | ReplyHeading | ReplyList | ReplyTable | ReplyCode | ReplyQuote | ReplyNote


class ReplySource(Value):
    """One line of the list of sources."""

    mark: VisibleText
    title: VisibleText
    url: str = ""
    """The one address it may link to."""
    location: VisibleText = ""
    date: VisibleText = ""
    file_path: VisibleText = ""
    """Of its file, for whoever has that at hand."""


class ReplyButton(StrEnum):
    """What can be pressed below a reply."""

    HELPFUL = "up"
    UNHELPFUL = "down"
    PASSAGES = "passages"
    CONFIDENCE = "why"
    SHARE = "share"
    ASK = "ask"
    """A person; the reply says what it is called."""
    SUBSCRIBE = "tell"
    """The person, once it can be answered."""
    UNSUBSCRIBE = "untell"
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
    FORGET_CONFIRMED = "forgetnow"


class ReplyFile(Value):
    name: VisibleText
    content: VisibleText


class Reply(Value):
    """A whole reply, or a panel beside one."""

    blocks: tuple[ReplyBlock, ...] = ()
    links: frozenset[str] = frozenset()
    """The addresses in its text that may be opened."""
    language: str = "en"
    """That of our own words in it."""
    sources_title: VisibleText = ""
    sources: tuple[ReplySource, ...] = ()
    status: VisibleText = ""
    """One line in small print."""
    answer_id: str = ""
    buttons: tuple[ReplyButton, ...] = ()
    ask_label: VisibleText = ""
    """What the button to ask a person says."""
    upload_button_value: str = ""
    """What the button carries that adds the files of the question."""
    files: tuple[ReplyFile, ...] = ()
