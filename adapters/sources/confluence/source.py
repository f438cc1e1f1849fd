"""A Confluence's pages and attached files as a source of documents."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import PurePath

from adapters.files.content import clean_label, safe_url
from adapters.files.formats import SUPPORTED_FORMATS, ConfluenceStoragePage
from adapters.files.reader import FileReader, check_size
from adapters.sources.confluence.api import (
    CONFLUENCE_SERVICE,
    ConfluenceApi,
    ConfluenceAttachment,
    ConfluencePage,
    SpaceListing,
)
from adapters.sources.rest_client import hash_parts
from pipeline.errors import Refused, Unavailable
from pipeline.ports import SourceItem
from pipeline.values import Document, ParsedDocument

MAX_ATTACHMENT_BYTES = 50_000_000
"""Bytes of the largest attachment that is fetched."""
_NOT_FOR_ALL = "not everyone in the space may read it"


class ConfluencePageItem(SourceItem):
    page: ConfluencePage


class ConfluenceAttachmentItem(SourceItem):
    attachment: ConfluenceAttachment
    page: ConfluencePage


class ConfluenceSource:
    """The current pages of the `spaces` and their attachments of supported formats. With `labels`, only pages that have
    one of them; with `without_labels`, only pages that have none of these. Pages that not everyone in the space may
    read, by a restriction of their own or of a page above, are left out; with `restricted` only these are taken. `url`
    is where people read the pages."""

    def __init__(
        self,
        name: str,
        url: str,
        spaces: tuple[str, ...],
        edition: ConfluenceApi,
        reader: FileReader,
        *,
        labels: frozenset[str] = frozenset(),
        without_labels: frozenset[str] = frozenset(),
        restricted: bool = False,
    ) -> None:
        self.name = f"confluence:{name}"
        self._prefix = f"{name}/"
        self._url = url.rstrip("/")
        self._spaces = spaces
        self._edition = edition
        self._reader = reader
        self._labels = frozenset(map(str.lower, labels))
        self._without_labels = frozenset(map(str.lower, without_labels))
        self._restricted = restricted
        self.withheld: frozenset[str] = frozenset()
        """Ids that the last `list_items()` left out, as not everyone in the space may read them."""
        self.skipped: dict[str, str] = {}
        """Their titles, each with the reason."""

    async def list_items(self) -> AsyncIterator[SourceItem]:
        """Yield the pages and attachments. Raise Unavailable when not all could be listed, and after the last item for
        a missing space."""
        listing = await self._edition.list_spaces(self._spaces)
        self._withhold(listing)
        for item in self._items(listing):
            yield item
        if listing.missing_spaces:
            raise Unavailable(
                CONFLUENCE_SERVICE.name,
                f"there is no space {', '.join(listing.missing_spaces)}, or the account may not see it",
                permanent=True,
                denied=True,
                what_to_do="Check `url`, `spaces` and the rights of the account; take out a space that is gone.",
            )

    async def parse_item(self, item: SourceItem) -> ParsedDocument:
        """Read an item. Raise Refused where it is unreadable or gone by now, Unavailable when the service is."""
        match item:
            case ConfluencePageItem():
                return await self._page(item)
            case ConfluenceAttachmentItem():
                return await self._attachment(item)
            case _:
                raise TypeError("not an item of this source")

    def _withhold(self, listing: SpaceListing) -> None:
        closed = frozenset[str]() if self._restricted else listing.restricted
        files = (one.id for one in listing.attachments if one.page in closed)
        self.withheld = frozenset(self._prefix + found for found in (*closed, *files))
        self.skipped = {clean_label(page.title): _NOT_FOR_ALL for page in listing.pages if page.id in closed}

    def _items(self, listing: SpaceListing) -> Iterator[SourceItem]:
        pages = {page.id: page for page in listing.pages if self._wanted(page, listing.restricted)}
        for page in pages.values():
            version = hash_parts(page.version, page.title, page.webui, *sorted(page.labels))
            yield ConfluencePageItem(
                id=self._prefix + page.id, label=clean_label(page.title), version=version, page=page
            )
        for one in listing.attachments:
            if PurePath(one.name).suffix.lower() in SUPPORTED_FORMATS and (its := pages.get(one.page)):
                name = clean_label(f"{its.title} / {one.name}")
                version = hash_parts(one.version, one.name, one.webui, its.id)
                yield ConfluenceAttachmentItem(
                    id=self._prefix + one.id, label=name, version=version, attachment=one, page=its
                )

    def _wanted(self, page: ConfluencePage, closed: frozenset[str]) -> bool:
        if (page.id in closed) != self._restricted:
            return False
        return (not self._labels or bool(self._labels & page.labels)) and not self._without_labels & page.labels

    async def _page(self, item: ConfluencePageItem) -> ParsedDocument:
        page = item.page
        if (text := await self._edition.fetch_body(page.id)) is None:
            raise Refused("it is not there any more")
        people = await self._reader.read_mentions(text.storage)
        names = await self._edition.fetch_user_names(people | ({text.owner} if text.owner else set()))
        stored = ConfluenceStoragePage(
            storage=text.storage,
            title=page.title,
            names=names,
            url=self._url,
            space=page.space,
            new_editor=text.new_editor,
        )
        found = await self._reader.read_confluence_page(stored)
        metadata = {
            "updated": page.updated,
            "labels": ", ".join(sorted(page.labels)),
            "owner": names.get(text.owner, ""),
        }
        document = Document(
            id=item.id,
            filename=item.label,
            title=item.label,
            source=self.name,
            url=self._address(page.webui, page),
            version=item.version,
            metadata={name: said for name, said in metadata.items() if said},
            unread=found.unread,
        )
        return ParsedDocument(document=document, blocks=found.blocks)

    async def _attachment(self, item: ConfluenceAttachmentItem) -> ParsedDocument:
        one = item.attachment
        check_size(one.size, MAX_ATTACHMENT_BYTES)
        content = await self._edition.download_attachment(one, most=MAX_ATTACHMENT_BYTES)
        if content is None:
            raise Refused("it is not there any more")
        found = await self._reader.read(one.name, content)
        document = Document(
            id=item.id,
            filename=clean_label(one.name),
            title=found.title or clean_label(one.name),
            product=found.product,
            document_type=found.document_type,
            source=self.name,
            url=self._address(one.webui, item.page),
            version=item.version,
            metadata=found.metadata,
            unread=found.unread,
        )
        return ParsedDocument(document=document, blocks=found.blocks)

    def _address(self, webui: str, page: ConfluencePage) -> str:
        """Return the address where people read it; by the page's number when the service names no valid path."""
        path = webui if webui.startswith("/") and not webui.startswith("//") else ""
        return safe_url(f"{self._url}{path}" if path else "") or f"{self._url}/pages/viewpage.action?pageId={page.id}"
