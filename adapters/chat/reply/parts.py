"""The blocks of a reply: structure without any platform's markup.

Foreign text in them is Markdown. Each platform sees to it that it is readable and can do nothing.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator

from pipeline.values import Link, Value
from pipeline.words.text import strip_invisible

VisibleText = Annotated[str, AfterValidator(strip_invisible)]
"""Text without hidden characters."""


class RenderOptions(Value):
    """The operator's choice of what is shown below an answer."""

    citations: bool = True
    confidence: bool = True


class ReplyText(Value):
    """A sentence, an item, a step or a cell."""

    text: VisibleText
    marks: VisibleText = ""
    """The citation marks behind it: `[1]`, `¹`, `(Source: Leave policy)`."""
    numbers: tuple[int, ...] = ()
    """Numbers of the sources that these marks name."""
    warning: VisibleText = ""
    """The prefix: that it is not verified, or the day that it is about."""
    url: str = ""
    """The address that a click on all of it opens."""
    links: tuple[Link, ...] = ()
    """Words of `text` that are links."""
    is_literal: bool = False
    """True where no character of `text` is markup; otherwise it is Markdown."""
    code_spans: tuple[tuple[int, int], ...] = ()
    """Start and end of each inline code in `text`."""
    depth: int = 0
    """Nesting depth of a list item; at most one more than that of the item before."""


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
    """The line below it: its marks, that it is not verified."""


class ReplyQuote(Value):
    """Exact words of a document, without any markup."""

    text: VisibleText


class ReplyNote(Value):
    """A line of our own about what stands beside it."""

    text: VisibleText


ReplyBlock = ReplyParagraph | ReplyHeading | ReplyList | ReplyTable | ReplyCode | ReplyQuote | ReplyNote


class ReplySource(Value):
    """One line of the source list."""

    mark: VisibleText
    title: VisibleText
    url: str = ""
    """The one address that it may link to."""
    location: VisibleText = ""
    date: VisibleText = ""
    file_path: VisibleText = ""
    """The path of its file, for readers who have the file."""


class ReplyButton(StrEnum):
    """A button below a reply."""

    HELPFUL = "up"
    UNHELPFUL = "down"
    PASSAGES = "passages"
    CONFIDENCE = "why"
    SHARE = "share"
    ASK = "ask"
    """Ask a person; the reply has the label."""
    SUBSCRIBE = "tell"
    """Tell the person once it can be answered."""
    UNSUBSCRIBE = "untell"
    """Cancel a subscription; carries its id."""
    ADD = "add"
    """Add the question's files to the documents."""
    STOP = "stop"
    """Mute the bot in the conversation until somebody mentions it there."""
    TAKE_BACK = "takeback"
    """Remove a document that was added."""
    EXPORT = "export"
    """Export all data about the person."""
    FORGET = "forget"
    """Erase that data; asks for confirmation."""
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
    """The language of our own words in it."""
    sources_title: VisibleText = ""
    sources: tuple[ReplySource, ...] = ()
    status: VisibleText = ""
    """One line in small print."""
    answer_id: str = ""
    buttons: tuple[ReplyButton, ...] = ()
    ask_label: VisibleText = ""
    """The label of the button that asks a person."""
    upload_button_value: str = ""
    """The value of the button that adds the question's files."""
    files: tuple[ReplyFile, ...] = ()
