"""What is taken from Notion, and how little is asked for what did not change."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from adapters.fetch.fetcher import open_fetcher
from adapters.sources.notion.api import NotionApi
from pipeline.errors import Unavailable
from pipeline.ports import SourceItem
from pipeline.values import ParsedDocument
from tests.contracts.sources.notion import NotionRemote
from tests.doubles.memory import Kept
from tests.doubles.notion.workspace import Block, Page, Workspace, rich, written

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
async def remote(tmp_path: Path) -> AsyncIterator[NotionRemote]:
    async with NotionRemote.running(tmp_path) as opened:
        yield opened


@pytest.fixture
def workspace(remote: NotionRemote) -> Workspace:
    return remote.server.workspace


@pytest.fixture
def memory() -> Kept:
    return Kept()


async def items(remote: NotionRemote, memory: Kept, at: datetime | None = None) -> list[SourceItem]:
    async with remote.source(memory, (lambda: at) if at else None) as source:  # type: ignore[arg-type]
        return [item async for item in source.list_items()]


async def labels(remote: NotionRemote, memory: Kept) -> set[str]:
    return {item.label for item in await items(remote, memory)}


async def parsed(remote: NotionRemote, title: str) -> ParsedDocument:
    async with remote.source(Kept()) as source:
        (item,) = [item async for item in source.list_items() if item.label == title]
        return await source.parse_item(item)


def shown(found: ParsedDocument) -> list[tuple[str, str, int]]:
    return [(block.kind.value, block.text, block.depth) for block in found.blocks]


async def test_the_blocks_of_a_page_are_read_in_order(remote: NotionRemote, workspace: Workspace) -> None:
    table = Block("table", {"table_width": 2, "has_column_header": True, "has_row_header": False})
    table.children = [Block("table_row", {"cells": [rich(a), rich(b)]}) for a, b in (("Day", "Who"), ("Mon", "Ann"))]
    inner = written("bulleted_list_item", "nested", written("numbered_list_item", "deeper"))
    workspace.page(
        "Rules",
        written("heading_1", "Start", is_toggleable=True),
        written("paragraph", "Read this.", written("paragraph", "And this.")),
        written("bulleted_list_item", "first", inner),
        written("numbered_list_item", "step"),
        written("to_do", "order a laptop", checked=True),
        written("toggle", "More", written("paragraph", "hidden at first")),
        written("callout", "Mind the gap", icon=None),
        written("quote", "said once"),
        written("code", "if a:\n    b()", language="python", caption=rich("an example")),
        table,
        Block("column_list", {}, [Block("column", {}, [written("paragraph", "left")])]),
        Block("equation", {"expression": "e=mc^2"}),
        Block("image", {"type": "external", "external": {"url": "https://x"}, "caption": rich("the plan")}),
        Block("divider", {}),
        Block("child_page", {"title": "Below"}),
        Block("unsupported", {}),
    )
    assert shown(await parsed(remote, "Rules")) == [
        ("heading", "Start", 0),
        ("prose", "Read this.", 0),
        ("prose", "And this.", 0),
        ("item", "first", 0),
        ("item", "nested", 1),
        ("item", "deeper", 2),
        ("step", "step", 0),
        ("item", "order a laptop", 0),
        ("prose", "More", 0),
        ("prose", "hidden at first", 0),
        ("prose", "Mind the gap", 0),
        ("prose", "said once", 0),
        ("code", "if a:\n    b()", 0),
        ("prose", "an example", 0),
        ("header", "Day | Who", 0),
        ("row", "Mon | Ann", 0),
        ("prose", "left", 0),
        ("prose", "e=mc^2", 0),
        ("prose", "the plan", 0),
        ("item", "Below", 0),
    ]


async def test_each_block_is_linked_to(remote: NotionRemote, workspace: Workspace) -> None:
    paragraph = written("paragraph", "Text.")
    page = workspace.page("A", paragraph)
    found = await parsed(remote, "A")
    assert found.blocks[0].anchor == paragraph.id.replace("-", "")
    assert found.document.url == f"{remote.server.url}/A-{page.id.replace('-', '')}"


async def test_a_synced_block_is_read_where_it_comes_from(remote: NotionRemote, workspace: Workspace) -> None:
    original = Block("synced_block", {"synced_from": None}, [written("paragraph", "Shared words.")])
    workspace.page("Origin", original)
    workspace.page("Copy", Block("synced_block", {"synced_from": {"type": "block_id", "block_id": original.id}}))
    gone = {"synced_from": {"type": "block_id", "block_id": "00000000-0000-0000-0000-000000000000"}}
    workspace.page("Lost", Block("synced_block", gone))
    assert [text for _, text, _ in shown(await parsed(remote, "Copy"))] == ["Shared words."]
    assert shown(await parsed(remote, "Lost")) == []


async def test_a_page_with_more_than_a_hundred_blocks_is_read_whole(remote: NotionRemote, workspace: Workspace) -> None:
    workspace.page("Long", *(written("paragraph", f"Line {number}.") for number in range(250)))
    assert len((await parsed(remote, "Long")).blocks) == 250


async def test_a_database_is_a_table_and_its_pages_with_text_are_documents(
    remote: NotionRemote, workspace: Workspace
) -> None:
    table = workspace.data_source("Suppliers", {"Due": "date", "Name": "title"})
    due = {"type": "date", "date": {"start": "2026-05-01", "end": None}}
    workspace.page("Paper", parent=table, Due=due)
    workspace.page("Coffee", written("paragraph", "Only on Mondays."), parent=table, Due=due)
    assert await labels(remote, Kept()) == {"Suppliers", "Paper", "Coffee"}
    assert shown(await parsed(remote, "Suppliers")) == [
        ("header", "Name | Due", 0),
        ("row", "Paper | 2026-05-01", 0),
        ("row", "Coffee | 2026-05-01", 0),
    ]
    assert [text for _, text, _ in shown(await parsed(remote, "Coffee"))] == ["Due: 2026-05-01", "Only on Mondays."]
    assert not (await parsed(remote, "Paper")).blocks


async def test_a_row_changes_its_table(remote: NotionRemote, workspace: Workspace, memory: Kept) -> None:
    table = workspace.data_source("Suppliers", {"Name": "title"})
    row = workspace.page("Paper", parent=table)
    before = {item.id: item.version for item in await items(remote, memory)}
    workspace.edit(row, title="Ink")
    after = {item.id: item.version for item in await items(remote, memory)}
    assert {found for found in after if after[found] != before[found]} == {f"team/{table.id}", f"team/{row.id}"}
    row.in_trash = True
    assert {item.id for item in await items(remote, memory)} == {f"team/{table.id}"}


async def test_a_row_that_the_search_does_not_know_is_found_in_its_table(
    remote: NotionRemote, workspace: Workspace, memory: Kept
) -> None:
    workspace.page("Paper", parent=workspace.data_source("Suppliers", {"Name": "title"})).indexed = False
    assert await labels(remote, memory) == {"Suppliers", "Paper"}


async def test_what_the_search_forgets_is_asked_for_before_it_counts_as_gone(
    remote: NotionRemote, workspace: Workspace, memory: Kept
) -> None:
    pages = [workspace.page(name, written("paragraph", name)) for name in ("Kept", "Trashed", "Unshared")]
    table = workspace.data_source("Suppliers", {"Name": "title"})
    workspace.page("Paper", parent=table).indexed = False
    assert await labels(remote, memory) == {"Kept", "Trashed", "Unshared", "Suppliers", "Paper"}
    for one in (*pages, table):
        one.indexed = False
    pages[1].in_trash, pages[2].shared = True, False
    assert await labels(remote, memory) == {"Kept", "Suppliers", "Paper"}
    assert set(memory) == {pages[0].id, table.id, *(page.id for page in workspace.rows(table))}


async def test_what_is_below_a_page_in_the_trash_is_gone(
    remote: NotionRemote, workspace: Workspace, memory: Kept
) -> None:
    above = workspace.page("Above")
    workspace.page("Below", parent=above)
    assert await labels(remote, memory) == {"Above", "Below"}
    above.in_trash = True
    assert await labels(remote, memory) == set()


async def test_what_was_edited_this_minute_is_read_once_more(
    remote: NotionRemote, workspace: Workspace, memory: Kept
) -> None:
    page: Page = workspace.page("A", written("paragraph", "a"))
    edited = NOON + timedelta(minutes=page.edited)
    at = [edited + timedelta(seconds=20), edited + timedelta(minutes=5), edited + timedelta(minutes=60)]
    versions = [(await items(remote, memory, moment))[0].version for moment in at]
    assert versions[0] != versions[1] == versions[2]


async def test_a_title_that_is_missing_or_dangerous_is_a_label(
    remote: NotionRemote, workspace: Workspace, memory: Kept
) -> None:
    workspace.page("")
    workspace.page("a\u202eb\nc")
    assert await labels(remote, memory) == {"Untitled", "ab c"}


async def test_two_hundred_pages_are_listed_in_a_handful_of_requests(
    remote: NotionRemote, workspace: Workspace, memory: Kept
) -> None:
    table = workspace.data_source("Suppliers", {"Name": "title"})
    for number in range(200):
        workspace.page(f"Page {number}", parent=table if number % 2 else None)
    assert len(await items(remote, memory)) == 201
    remote.outage.requests = 0
    assert len(await items(remote, memory)) == 201
    assert remote.outage.requests <= 5


async def test_no_more_is_asked_than_three_times_a_second(remote: NotionRemote) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    port = int(remote.server.url.rpartition(":")[2])
    async with open_fetcher(private=True, ports=frozenset({port})) as fetcher:
        api = NotionApi(fetcher, remote.server.url, clock=lambda: 100.0, sleep=sleep)
        for _ in range(4):
            with pytest.raises(Unavailable):
                await api.get_object("page", "x")
    assert waited == pytest.approx([0, 1 / 3, 2 / 3, 1])
