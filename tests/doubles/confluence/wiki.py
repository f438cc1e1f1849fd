"""Spaces, pages and attachments as a Confluence site holds them, and who may see what."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.entities import name2codepoint
from itertools import count
from xml.etree import ElementTree as ET

BOT = "5b10:bot"
"""The account that the tokens belong to."""
WRITER = "5b10:writer"
_ENTITY = re.compile(r"&(\w+);")


class WrongStorage(ValueError):
    """A body that Confluence would not take."""


@dataclass
class Content:
    id: str
    title: str
    space: str
    kind: str = "page"
    """`page` or `folder`."""
    body: str = ""
    parent: str | None = None
    number: int = 1
    """Of its version."""
    status: str = "current"
    labels: set[str] = field(default_factory=set)
    readers: set[str] | None = None
    """Who may read it and what is below it; None: everyone in the space."""
    editor: str = "v2"
    indexed: bool = True
    """A search finds it."""
    changed: int = 0
    """Minutes after noon."""

    @property
    def when(self) -> str:
        return f"2026-03-02T{12 + self.changed // 60:02d}:{self.changed % 60:02d}:00.000Z"


@dataclass
class Attached:
    id: str
    page: str
    name: str
    media_type: str
    content: bytes
    number: int = 1


class Wiki:
    """A site with its spaces (key -> id), contents and attachments by id."""

    def __init__(self) -> None:
        self.spaces: dict[str, str] = {}
        self.contents: dict[str, Content] = {}
        self.attached: dict[str, Attached] = {}
        self.people = {BOT: "Citewell", WRITER: "Robin Vale"}
        self._ids = count(98_000)
        self._minutes = count(1)

    def space(self, key: str) -> None:
        self.spaces[key] = str(next(self._ids))

    def page(self, space: str, title: str, body: str, *, parent: str | None = None, **more: object) -> Content:
        """A new page; `body` is in storage format. Raises WrongStorage."""
        check_storage(body)
        made = Content(str(next(self._ids)), title, space, body=body, parent=parent, changed=next(self._minutes))
        for name, value in more.items():
            setattr(made, name, value)
        self.contents[made.id] = made
        return made

    def folder(self, space: str, title: str, *, parent: str | None = None) -> Content:
        made = Content(str(next(self._ids)), title, space, kind="folder", parent=parent)
        self.contents[made.id] = made
        return made

    def edit(self, content: Content, *, title: str = "", body: str = "") -> None:
        check_storage(body)
        content.title, content.body = title or content.title, body or content.body
        content.number += 1
        content.changed = next(self._minutes)

    def attach(self, page: Content, name: str, media_type: str, content: bytes) -> Attached:
        made = Attached(f"att{next(self._ids)}", page.id, name, media_type, content)
        self.attached[made.id] = made
        return made

    def ancestors(self, content: Content) -> list[Content]:
        """The outermost first."""
        found: list[Content] = []
        while content.parent:
            content = self.contents[content.parent]
            found.insert(0, content)
        return found

    def visible(self, content: Content) -> bool:
        """Whether the bot sees it: restrictions of what is above count too."""
        return all(above.readers is None or BOT in above.readers for above in (*self.ancestors(content), content))

    def pages(self, *keys: str) -> list[Content]:
        """The current pages of these spaces that the bot sees, by id."""
        return [
            content
            for content in self.contents.values()
            if content.kind == "page"
            and content.space in keys
            and content.status == "current"
            and self.visible(content)
        ]

    def attachments(self, *keys: str) -> list[Attached]:
        pages = {page.id for page in self.pages(*keys)}
        return [attached for attached in self.attached.values() if attached.page in pages]


def check_storage(body: str) -> None:
    """Raises WrongStorage for what is not well-formed, as Confluence does when a page is saved."""
    text = _ENTITY.sub(lambda found: f"&#{name2codepoint[found[1]]};" if found[1] in name2codepoint else found[0], body)
    try:
        ET.fromstring(f'<s xmlns:ac="urn:ac" xmlns:ri="urn:ri">{text}</s>')
    except ET.ParseError as error:
        raise WrongStorage(str(error)) from error
