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
_CHILD_DOCUMENTS = frozenset({"child_page", "child_database"})
"""Documents of their own: their titles become list items here."""


class BlockFetcher(Protocol):
    """A client that lists the blocks below a block."""

    def list_children(self, block: str) -> AsyncIterator[NotionBlock]: ...


async def read_blocks(api: BlockFetcher, page: str, outline: OutlineBuilder) -> None:
    """Append the blocks of `page` to `outline`. Raise what `api` raises, and Refused when it is too much."""
    await _BlockWalk(api, outline).add_below(page, depth=0, nested=0)
    outline.anchor = ""


class _BlockWalk:
    def __init__(self, api: BlockFetcher, outline: OutlineBuilder) -> None:
        self._api = api
        self._outline = outline

    async def add_below(self, parent: str, *, depth: int, nested: int) -> None:
        """Append the blocks below `parent`; `nested` is the number of lists around them."""
        if depth <= MAX_BLOCK_DEPTH:
            async for block in self._api.list_children(parent):
                if not block.gone:
                    await self._add_block(block, depth + 1, nested)

    async def _add_block(self, block: NotionBlock, depth: int, nested: int) -> None:
        kind, data = block.type, block.type_data
        self._outline.anchor = block.id.replace("-", "")
        if kind == "table":
            await self._table(block)
        elif kind == "synced_block":
            original = data.get("synced_from")
            source_id = original.get("block_id") if isinstance(original, dict) else None
            await self.add_below(str(source_id or block.id), depth=depth, nested=nested)
        elif kind in _CHILD_DOCUMENTS:
            self._outline.add(BlockKind.ITEM, str(data.get("title") or ""), depth=nested)
        else:
            self._add_text(block, nested)
            if block.has_children:
                await self.add_below(block.id, depth=depth, nested=nested + (kind in _LISTS))

    def _add_text(self, block: NotionBlock, nested: int) -> None:
        kind, data = block.type, block.type_data
        text = rich_text_plain(data.get("rich_text"))
        if level := _HEADING.fullmatch(kind):
            self._outline.add_heading(int(level[1]), text)
        elif kind in _KINDS:
            item = nested and _KINDS[kind] is BlockKind.STEP
            depth = nested if kind in _LISTS else 0
            links = rich_text_links(data.get("rich_text"))
            self._outline.add(BlockKind.ITEM if item else _KINDS[kind], text, depth=depth, links=links)
        elif kind == "equation":
            self._outline.add(BlockKind.PROSE, str(data.get("expression") or ""))
        if caption := rich_text_plain(data.get("caption")):
            self._outline.add(BlockKind.PROSE, caption, links=rich_text_links(data.get("caption")))

    async def _table(self, table: NotionBlock) -> None:
        rows = [row async for row in self._api.list_children(table.id)]
        cell_lists = [row.type_data.get("cells") for row in rows if row.type == "table_row"]
        cells = [row_cells for row_cells in cell_lists if isinstance(row_cells, list)]
        self._outline.add_table(
            [list(map(rich_text_plain, row)) for row in cells],
            header=bool(table.type_data.get("has_column_header")),
            links=[[link for cell in row for link in rich_text_links(cell)] for row in cells],
        )


# --- The source -----------------------------------------------------------------------------------

PageTitles = Mapping[str, str]
"""Titles of pages, by id."""


def property_text(value: Mapping[str, Any], titles: PageTitles) -> str:
    """Return a property's value as text; empty when it has none, or none that can be read (a button)."""
    kind = value.get("type")
    return _value_text(kind, value.get(kind), titles) if isinstance(kind, str) else ""


def _value_text(kind: str, value: Any, titles: PageTitles) -> str:
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
            return _join(item.get("name") for item in _mappings(value))
        case "relation", list():
            return _join(titles.get(str(item.get("id"))) for item in _mappings(value))
        case "formula" | "rollup", Mapping():
            return property_text(value, titles)
        case "array", list():
            return _join(property_text(item, titles) for item in _mappings(value))
    return ""


def _mappings(values: Iterable[object]) -> Iterator[Mapping[str, Any]]:
    return (item for item in values if isinstance(item, Mapping))


def _join(texts: Iterable[object]) -> str:
    return ", ".join(str(text) for text in texts if text)


_SETTLING_TIME = timedelta(minutes=2)
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
    reported_ids: set[str] = field(default_factory=set)
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
        cache: SourceCache,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.name = f"notion:{name}"
        self._prefix = f"{name}/"
        self._api = api
        self._cache = cache
        self._now = now
        self._titles: dict[str, str] = {}

    async def list_items(self) -> AsyncIterator[SourceItem]:
        """Yield the pages and tables. Raise Unavailable when not all could be listed, and where nothing that there was
        is shared any more."""
        known_kinds = await self._cache.load()
        listing = await self._listing(known_kinds)
        self._titles = {page.id: page.title for page in listing.pages.values()}
        in_tables = {row.id for rows in listing.rows.values() for row in rows}
        for page in listing.pages.values():
            name, version = clean_label(page.title) or _UNTITLED, self._version(page)
            row = page.id in in_tables
            yield NotionPageItem(id=self._prefix + page.id, label=name, version=version, page=page, row=row)
        for table in listing.tables.values():
            rows = [(row.id, self._version(row)) for row in listing.rows[table.id]]
            version = hash_parts(self._version(table), table.title, sorted(rows))
            name = clean_label(table.title) or _UNTITLED
            yield NotionTableItem(id=self._prefix + table.id, label=name, version=version, table=table)
        await self._cache.update(cache_changes(known_kinds, listing.kinds))

    async def parse_item(self, item: SourceItem) -> ParsedDocument:
        """Read an item. Raise Refused when it holds too much, Unavailable when Notion does not answer."""
        match item:
            case NotionPageItem():
                return ParsedDocument(document=self._document(item, item.page), blocks=await self._page(item))
            case NotionTableItem():
                return ParsedDocument(document=self._document(item, item.table), blocks=await self._table(item.table))
            case _:
                raise TypeError("not an item of this source")

    async def _listing(self, known_kinds: Mapping[str, str]) -> _Listing:
        listing = _Listing()
        async for result in self._api.search():
            await self._add(listing, result)
        for missing in sorted(known_kinds, key=lambda id_: known_kinds[id_] == "page"):
            if missing not in listing and (missing_object := await self._api.get_object(known_kinds[missing], missing)):
                await self._add(listing, missing_object)
        if known_kinds and not listing.reported_ids:
            raise Unavailable(
                NOTION_NAME,
                "shows nothing of what it showed before",
                permanent=True,
                denied=True,
                what_to_do="Share the pages with the connection again, or remove the source.",
            )
        return listing

    async def _add(self, listing: _Listing, result: NotionPage | NotionDataSource) -> None:
        """Add an object; a data source with the pages in it, as a search may leave them out."""
        listing.reported_ids.add(result.id)
        if result.gone or result.id in listing.tables:
            return
        if isinstance(result, NotionPage):
            listing.pages[result.id] = result.without_properties
            return
        listing.tables[result.id] = result
        listing.rows[result.id] = [
            row.without_properties async for row in self._api.list_rows(result.id) if not row.gone
        ]
        listing.pages.update((row.id, row) for row in listing.rows[result.id])

    def _version(self, result: NotionPage | NotionDataSource) -> str:
        edited = datetime.fromisoformat(result.edited)
        return result.edited if self._now() - edited > _SETTLING_TIME else f"{result.edited} and maybe later"

    async def _page(self, item: NotionPageItem) -> Sequence[Block]:
        outline = OutlineBuilder()
        await read_blocks(self._api, item.page.id, outline)
        blocks = outline.build().blocks
        return (*await self._property_blocks(item.page.id), *blocks) if blocks and item.row else blocks

    async def _property_blocks(self, row: str) -> Sequence[Block]:
        """Return the properties of a page in a data source as list items."""
        outline, page = OutlineBuilder(), await self._api.get_object("page", row)
        for name, property_ in page.properties.items() if page else ():
            if property_.get("type") != "title" and (text := property_text(property_, self._titles)):
                outline.add(BlockKind.ITEM, f"{name}: {text}")
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

    def _document(self, item: SourceItem, result: NotionPage | NotionDataSource) -> Document:
        return Document(
            id=item.id,
            filename=item.label,
            title=item.label,
            source=self.name,
            url=safe_url(result.url) or f"https://www.notion.so/{result.id.replace('-', '')}",
            version=item.version,
            metadata={"updated": result.edited[:10]},
        )
