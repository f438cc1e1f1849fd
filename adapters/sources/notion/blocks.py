"""The blocks of a Notion page -> blocks of a document, each with the fragment that leads to it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Protocol

from adapters.files.outline import Outline
from adapters.sources.notion.shapes import BlockPart, links, plain
from pipeline.values import BlockKind

MAX_DEPTH = 40
"""Blocks nested deeper are left out."""
_HEADING = re.compile(r"heading_([1-6])")
_KINDS = {
    "paragraph": BlockKind.PROSE,
    "quote": BlockKind.PROSE,
    "callout": BlockKind.PROSE,
    "toggle": BlockKind.PROSE,
    "bulleted_list_item": BlockKind.ITEM,
    "numbered_list_item": BlockKind.STEP,
    "to_do": BlockKind.ITEM,
    "code": BlockKind.CODE,
}
_LISTS = frozenset({"bulleted_list_item", "numbered_list_item", "to_do"})
_PLACES = frozenset({"child_page", "child_database"})
"""Documents of their own: their titles are items here."""


class Children(Protocol):
    def children(self, block: str) -> AsyncIterator[BlockPart]: ...


async def read_blocks(api: Children, page: str, outline: Outline) -> None:
    """Append what stands on `page`. Raises what `api` raises, and Refused when it is too much."""
    await _BlockWalk(api, outline).below(page, depth=0, nested=0)
    outline.anchor = ""


class _BlockWalk:
    def __init__(self, api: Children, outline: Outline) -> None:
        self._api = api
        self._outline = outline

    async def below(self, parent: str, *, depth: int, nested: int) -> None:
        """`nested`: how many lists it stands in."""
        if depth <= MAX_DEPTH:
            async for block in self._api.children(parent):
                if not block.gone:
                    await self._block(block, depth + 1, nested)

    async def _block(self, block: BlockPart, depth: int, nested: int) -> None:
        kind, said = block.type, block.said
        self._outline.anchor = block.id.replace("-", "")
        if kind == "table":
            await self._table(block)
        elif kind == "synced_block":
            original = said.get("synced_from")
            of = original.get("block_id") if isinstance(original, dict) else None
            await self.below(str(of or block.id), depth=depth, nested=nested)
        elif kind in _PLACES:
            self._outline.add(BlockKind.ITEM, str(said.get("title") or ""), depth=nested)
        else:
            self._own_text(block, nested)
            if block.has_children:
                await self.below(block.id, depth=depth, nested=nested + (kind in _LISTS))

    def _own_text(self, block: BlockPart, nested: int) -> None:
        kind, said = block.type, block.said
        text = plain(said.get("rich_text"))
        if level := _HEADING.fullmatch(kind):
            self._outline.heading(int(level[1]), text)
        elif kind in _KINDS:
            item = nested and _KINDS[kind] is BlockKind.STEP
            depth = nested if kind in _LISTS else 0
            found = links(said.get("rich_text"))
            self._outline.add(BlockKind.ITEM if item else _KINDS[kind], text, depth=depth, links=found)
        elif kind == "equation":
            self._outline.add(BlockKind.PROSE, str(said.get("expression") or ""))
        if caption := plain(said.get("caption")):
            self._outline.add(BlockKind.PROSE, caption, links=links(said.get("caption")))

    async def _table(self, table: BlockPart) -> None:
        rows = [row async for row in self._api.children(table.id)]
        said = [row.said.get("cells") for row in rows if row.type == "table_row"]
        cells = [found for found in said if isinstance(found, list)]
        self._outline.table(
            [list(map(plain, row)) for row in cells],
            header=bool(table.said.get("has_column_header")),
            links=[[link for cell in row for link in links(cell)] for row in cells],
        )
