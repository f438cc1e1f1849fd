"""Whatever blocks a page of Notion has, they are read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from adapters.files.content import OutlineBuilder
from adapters.sources.notion.api import NotionBlock
from adapters.sources.notion.source import MAX_BLOCK_DEPTH, read_blocks
from tests.doubles.notion.workspace import rich

KINDS = [
    "paragraph",
    "heading_2",
    "bulleted_list_item",
    "numbered_list_item",
    "to_do",
    "toggle",
    "table",
    "table_row",
    "synced_block",
    "child_page",
    "code",
    "equation",
    "image",
    "column",
    "something_new",
]
VALUES = st.none() | st.integers() | st.text(max_size=5) | st.lists(st.text(max_size=3), max_size=2)
SAID = st.one_of(
    st.text(max_size=10).map(lambda text: {"rich_text": rich(text), "caption": rich(text), "title": text}),
    st.text(max_size=5).map(lambda text: {"cells": [rich(text)], "has_column_header": True}),
    st.dictionaries(st.sampled_from(["rich_text", "caption", "cells", "synced_from", "title", "expression"]), VALUES),
)
TREES = st.recursive(
    st.tuples(st.sampled_from(KINDS), SAID, st.just([])),
    lambda inner: st.tuples(st.sampled_from(KINDS), SAID, st.lists(inner, max_size=3)),
    max_leaves=12,
)


class Given:
    """A page whose blocks are given; each is known by its path."""

    def __init__(self, trees: list[Any]) -> None:
        self._trees = trees

    async def list_children(self, block: str) -> AsyncIterator[NotionBlock]:
        trees = self._trees
        for place in block.split(".")[1:]:
            trees = trees[int(place)][2]
        for place, (kind, said, below) in enumerate(trees):
            part = {"id": f"{block}.{place}", "type": kind, kind: said, "has_children": bool(below)}
            yield NotionBlock.model_validate(part)


class Endless:
    """A page with a block in a block, without end."""

    def __init__(self) -> None:
        self.asked = 0

    async def list_children(self, block: str) -> AsyncIterator[NotionBlock]:
        self.asked += 1
        yield NotionBlock.model_validate({"id": block, "type": "toggle", "toggle": {}, "has_children": True})


@given(st.lists(TREES, max_size=4))
def test_any_blocks_are_read(trees: list[Any]) -> None:
    outline = OutlineBuilder()
    asyncio.run(read_blocks(Given(trees), "page", outline))
    assert all(block.text.strip() and block.anchor for block in outline.build().blocks)


def test_blocks_nested_without_end_are_left() -> None:
    endless = Endless()
    asyncio.run(read_blocks(endless, "page", OutlineBuilder()))
    assert endless.asked == MAX_BLOCK_DEPTH + 1


async def test_links_are_kept_with_their_words() -> None:
    outline = OutlineBuilder()
    page = [
        ("paragraph", {"rich_text": [*rich("See "), *rich("the form", "/f1"), *rich(".")]}, []),
        ("table", {}, [("table_row", {"cells": [rich("Leave"), rich("Edit", "https://www.notion.so/e")]}, [])]),
    ]
    await read_blocks(Given(page), "p", outline)
    assert [(block.text, [(link.text, link.url) for link in block.links]) for block in outline.build().blocks] == [
        ("See the form.", [("the form", "/f1")]),
        ("Leave | Edit", [("Edit", "https://www.notion.so/e")]),
    ]
