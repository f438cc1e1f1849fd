"""Pages and database tables that are shared with a Notion connection as a source of documents. A page comes with its
properties."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from adapters.files.content import OutlineBuilder, clean_label, safe_url
from adapters.sources.notion.api import (
    NOTION_NAME,
    NotionApi,
    NotionBlock,
    NotionDataSource,
    NotionPage,
    rich_text_links,
    rich_text_plain,
)
from adapters.sources.rest_client import cache_changes, hash_parts
from pipeline.errors import Unavailable
from pipeline.ports import SourceCache, SourceItem
from pipeline.values import Block, BlockKind, Document, ParsedDocument

# --- Blocks of a page, each with the fragment that leads to it ------------------------------------

MAX_BLOCK_DEPTH = 40
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
"""Documents of their own: their titles become list items here."""


class BlockFetcher(Protocol):
    """Lists the blocks below a block."""

    def list_children(self, block: str) -> AsyncIterator[NotionBlock]: ...


async def read_blocks(api: BlockFetcher, page: str, outline: OutlineBuilder) -> None:
    """Append the blocks of `page` to `outline`. Raise what `api` raises, and Refused when it is too much."""
    await _BlockWalk(api, outline).below(page, depth=0, nested=0)
    outline.anchor = ""


class _BlockWalk:
    def __init__(self, api: BlockFetcher, outline: OutlineBuilder) -> None:
        self._api = api
        self._outline = outline

    async def below(self, parent: str, *, depth: int, nested: int) -> None:
        """Append the blocks below `parent`; `nested` is the number of lists around them."""
        if depth <= MAX_BLOCK_DEPTH:
            async for block in self._api.list_children(parent):
                if not block.gone:
                    await self._block(block, depth + 1, nested)

    async def _block(self, block: NotionBlock, depth: int, nested: int) -> None:
        kind, said = block.type, block.type_data
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

    def _own_text(self, block: NotionBlock, nested: int) -> None:
        kind, said = block.type, block.type_data
        text = rich_text_plain(said.get("rich_text"))
        if level := _HEADING.fullmatch(kind):
            self._outline.add_heading(int(level[1]), text)
        elif kind in _KINDS:
            item = nested and _KINDS[kind] is BlockKind.STEP
            depth = nested if kind in _LISTS else 0
            found = rich_text_links(said.get("rich_text"))
            self._outline.add(BlockKind.ITEM if item else _KINDS[kind], text, depth=depth, links=found)
        elif kind == "equation":
            self._outline.add(BlockKind.PROSE, str(said.get("expression") or ""))
        if caption := rich_text_plain(said.get("caption")):
            self._outline.add(BlockKind.PROSE, caption, links=rich_text_links(said.get("caption")))

    async def _table(self, table: NotionBlock) -> None:
        rows = [row async for row in self._api.list_children(table.id)]
        said = [row.type_data.get("cells") for row in rows if row.type == "table_row"]
        cells = [found for found in said if isinstance(found, list)]
        self._outline.add_table(
            [list(map(rich_text_plain, row)) for row in cells],
            header=bool(table.type_data.get("has_column_header")),
            links=[[link for cell in row for link in rich_text_links(cell)] for row in cells],
        )


# --- The source -----------------------------------------------------------------------------------

PageTitles = Mapping[str, str]
"""Titles of pages, by id."""


def property_text(said: Mapping[str, Any], titles: PageTitles) -> str:
    """Return a property's value as text; empty when it has none, or none that can be read (a button)."""
    kind = said.get("type")
    return _text(kind, said.get(kind), titles) if isinstance(kind, str) else ""


def _text(kind: str, value: Any, titles: PageTitles) -> str:
    match kind, value:
        case "title" | "rich_text", _:
            return rich_text_plain(value)
        case "checkbox" | "boolean", bool():
            return "Yes" if value else "No"
        case "number", int() | float():
            return f"{value:.15g}"
        case "url" | "email" | "phone_number" | "string", str():
            return value
        case "created_time" | "last_edited_time", str():
            return value[:10]
        case "date", {"start": str(start)}:
            return f"{start} – {value['end']}" if value.get("end") else start
        case "unique_id", {"number": int(number)}:
            return f"{value['prefix']}-{number}" if value.get("prefix") else str(number)
        case "select" | "status" | "created_by" | "last_edited_by" | "verification", Mapping():
            return str(value.get("name") or value.get("state") or "")
        case "multi_select" | "people" | "files", list():
            return _joined(one.get("name") for one in _tables(value))
        case "relation", list():
            return _joined(titles.get(str(one.get("id"))) for one in _tables(value))
        case "formula" | "rollup", Mapping():
            return property_text(value, titles)
        case "array", list():
            return _joined(property_text(one, titles) for one in _tables(value))
    return ""


def _tables(values: Iterable[object]) -> Iterator[Mapping[str, Any]]:
    return (one for one in values if isinstance(one, Mapping))


def _joined(texts: Iterable[object]) -> str:
    return ", ".join(str(text) for text in texts if text)


_SETTLED = timedelta(minutes=2)
"""Notion reports edits to the minute: a page edited within this time is read once more in the next sync."""
_UNTITLED = "Untitled"


class NotionPageItem(SourceItem):
    """A page."""

    page: NotionPage
    row: bool
    """True where it is in a data source."""


class NotionTableItem(SourceItem):
    """A data source as one table."""

    table: NotionDataSource


@dataclass(frozen=True)
class _Listing:
    pages: dict[str, NotionPage] = field(default_factory=dict)
    tables: dict[str, NotionDataSource] = field(default_factory=dict)
    rows: dict[str, list[NotionPage]] = field(default_factory=dict)
    """Rows by the table they are in."""
    found: set[str] = field(default_factory=set)
    """Ids of everything that Notion reported, in the trash or not."""

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of each page and table, by id."""
        return dict.fromkeys(self.pages, "page") | dict.fromkeys(self.tables, "data_source")

    def __contains__(self, found_id: str) -> bool:
        return found_id in self.pages or found_id in self.tables


class NotionSource:
    """Every page and every data source shared with the connection that is not in the trash. A data source is one
    document, a table with a row for each page in it; a page in it is a document too, without text when it holds none of
    its own. `cache` keeps which there were: a search is not surely complete, so an object that it leaves out is looked
    up by its id before it counts as gone."""

    def __init__(
        self,
        name: str,
        api: NotionApi,
        memory: SourceCache,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.name = f"notion:{name}"
        self._prefix = f"{name}/"
        self._api = api
        self._memory = memory
        self._now = now
        self._titles: dict[str, str] = {}

    async def list_items(self) -> AsyncIterator[SourceItem]:
        """Yield the pages and tables. Raise Unavailable when not all could be listed, and where nothing that there was
        is shared any more."""
        known = await self._memory.load()
        there = await self._listing(known)
        self._titles = {page.id: page.title for page in there.pages.values()}
        in_tables = {row.id for rows in there.rows.values() for row in rows}
        for page in there.pages.values():
            name, version = clean_label(page.title) or _UNTITLED, self._version(page)
            row = page.id in in_tables
            yield NotionPageItem(id=self._prefix + page.id, label=name, version=version, page=page, row=row)
        for table in there.tables.values():
            rows = [(row.id, self._version(row)) for row in there.rows[table.id]]
            version = hash_parts(self._version(table), table.title, sorted(rows))
            name = clean_label(table.title) or _UNTITLED
            yield NotionTableItem(id=self._prefix + table.id, label=name, version=version, table=table)
        await self._memory.update(cache_changes(known, there.kinds))

    async def parse_item(self, item: SourceItem) -> ParsedDocument:
        """Read an item. Raise Refused when it holds too much, Unavailable when Notion does not answer."""
        match item:
            case NotionPageItem():
                return ParsedDocument(document=self._document(item, item.page), blocks=await self._page(item))
            case NotionTableItem():
                return ParsedDocument(document=self._document(item, item.table), blocks=await self._table(item.table))
            case _:
                raise TypeError("not an item of this source")

    async def _listing(self, known: Mapping[str, str]) -> _Listing:
        there = _Listing()
        async for found in self._api.search():
            await self._add(there, found)
        for missing in sorted(known, key=lambda one: known[one] == "page"):
            if missing not in there and (again := await self._api.get_object(known[missing], missing)):
                await self._add(there, again)
        if known and not there.found:
            raise Unavailable(
                NOTION_NAME,
                "shows nothing of what it showed before",
                permanent=True,
                denied=True,
                what_to_do="Share the pages with the connection again, or remove the source.",
            )
        return there

    async def _add(self, there: _Listing, found: NotionPage | NotionDataSource) -> None:
        """Add an object; a data source with the pages in it, as a search may leave them out."""
        there.found.add(found.id)
        if found.gone or found.id in there.tables:
            return
        if isinstance(found, NotionPage):
            there.pages[found.id] = found.without_properties
            return
        there.tables[found.id] = found
        there.rows[found.id] = [row.without_properties async for row in self._api.list_rows(found.id) if not row.gone]
        there.pages.update((row.id, row) for row in there.rows[found.id])

    def _version(self, found: NotionPage | NotionDataSource) -> str:
        edited = datetime.fromisoformat(found.edited)
        return found.edited if self._now() - edited > _SETTLED else f"{found.edited} and maybe later"

    async def _page(self, item: NotionPageItem) -> Sequence[Block]:
        outline = OutlineBuilder()
        await read_blocks(self._api, item.page.id, outline)
        blocks = outline.build().blocks
        return (*await self._facts(item.page.id), *blocks) if blocks and item.row else blocks

    async def _facts(self, row: str) -> Sequence[Block]:
        """Return the properties of a page in a data source as list items."""
        outline, page = OutlineBuilder(), await self._api.get_object("page", row)
        for name, said in page.properties.items() if page else ():
            if said.get("type") != "title" and (value := property_text(said, self._titles)):
                outline.add(BlockKind.ITEM, f"{name}: {value}")
        return outline.build().blocks

    async def _table(self, table: NotionDataSource) -> Sequence[Block]:
        outline, columns = OutlineBuilder(), table.columns
        rows = [
            [property_text(row.properties.get(name, {}), self._titles) for name in columns]
            async for row in self._api.list_rows(table.id)
            if not row.gone
        ]
        if rows:
            outline.add_table([columns, *rows], header=True)
        return outline.build().blocks

    def _document(self, item: SourceItem, found: NotionPage | NotionDataSource) -> Document:
        return Document(
            id=item.id,
            filename=item.label,
            title=item.label,
            source=self.name,
            url=safe_url(found.url) or f"https://www.notion.so/{found.id.replace('-', '')}",
            version=item.version,
            metadata={"updated": found.edited[:10]},
        )
