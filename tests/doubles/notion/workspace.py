"""Pages, blocks and databases as a Notion workspace holds them, and what is shared with the connection."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from itertools import count
from typing import Any

Json = dict[str, Any]


@dataclass
class Block:
    kind: str
    said: Json = field(default_factory=dict)
    children: list[Block] = field(default_factory=list)
    id: str = field(default_factory=lambda: str(uuid.uuid4()))


@dataclass
class Page:
    title: str
    parent: str | None = None
    """Of a page or a data source; None: the workspace."""
    blocks: list[Block] = field(default_factory=list)
    properties: dict[str, Json] = field(default_factory=dict)
    """Besides the title; by name, `{"type": …, …}`."""
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    edited: int = 0
    """Minutes after noon."""
    in_trash: bool = False
    shared: bool = True
    """With the connection; what is not hides all that is below."""
    indexed: bool = True
    """A search finds it."""


@dataclass
class DataSource:
    title: str
    columns: dict[str, str]
    """Name -> type; the title's is `title`."""
    parent: str | None = None
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    database: str = field(default_factory=lambda: str(uuid.uuid4()))
    edited: int = 0
    in_trash: bool = False
    shared: bool = True
    indexed: bool = True


class Workspace:
    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self.data_sources: dict[str, DataSource] = {}
        self._minutes = count(1)

    def page(self, title: str, *blocks: Block, parent: Page | DataSource | None = None, **properties: Json) -> Page:
        made = Page(title, parent.id if parent else None, list(blocks), properties, edited=next(self._minutes))
        self.pages[made.id] = made
        return made

    def data_source(self, title: str, columns: dict[str, str], *, parent: Page | None = None) -> DataSource:
        made = DataSource(title, columns, parent.id if parent else None, edited=next(self._minutes))
        self.data_sources[made.id] = made
        return made

    def edit(self, page: Page, *blocks: Block, title: str = "") -> None:
        page.title, page.blocks = title or page.title, list(blocks) or page.blocks
        page.edited = next(self._minutes)

    def visible(self, thing: Page | DataSource) -> bool:
        """Whether the connection has access to it."""
        above = self._parent(thing)
        return thing.shared and (above is None or self.visible(above))

    def trashed(self, thing: Page | DataSource) -> bool:
        above = self._parent(thing)
        return thing.in_trash or (above is not None and self.trashed(above))

    def rows(self, data_source: DataSource) -> list[Page]:
        return [page for page in self.pages.values() if page.parent == data_source.id and not page.in_trash]

    def found(self) -> list[Page | DataSource]:
        """What a search finds, the longest unchanged first."""
        everything: list[Page | DataSource] = [*self.pages.values(), *self.data_sources.values()]
        found = [one for one in everything if one.indexed and self.visible(one) and not self.trashed(one)]
        return sorted(found, key=lambda one: one.edited)

    def block(self, block_id: str) -> tuple[Page, list[Block]] | None:
        """The page that a block (or page) is on and the blocks below it."""
        for page in self.pages.values():
            if page.id == block_id:
                return page, page.blocks
            ahead = list(page.blocks)
            while ahead:
                block = ahead.pop()
                if block.id == block_id:
                    return page, block.children
                ahead += block.children
        return None

    def _parent(self, thing: Page | DataSource) -> Page | DataSource | None:
        return self.pages.get(thing.parent or "") or self.data_sources.get(thing.parent or "")


def rich(text: str, href: str | None = None) -> list[Json]:
    """Rich text in one piece; none when it is empty."""
    link = {"url": href} if href else None
    said = {"type": "text", "text": {"content": text, "link": link}, "plain_text": text, "href": href}
    return [said] if text else []


def written(kind: str, text: str = "", *children: Block, **more: object) -> Block:
    """A block of a kind that holds text."""
    return Block(kind, {"rich_text": rich(text), "color": "default", **more}, list(children))
