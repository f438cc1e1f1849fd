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
_RESTRICTED_REASON = "not everyone in the space may read it"


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
        api: ConfluenceApi,
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
        self._api = api
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
        listing = await self._api.list_spaces(self._spaces)
        self._withhold(listing)
        for item in self._build_items(listing):
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
                return await self._parse_page(item)
            case ConfluenceAttachmentItem():
                return await self._parse_attachment(item)
            case _:
                raise TypeError("not an item of this source")

    def _withhold(self, listing: SpaceListing) -> None:
        restricted = frozenset[str]() if self._restricted else listing.restricted
        files = (attachment.id for attachment in listing.attachments if attachment.page in restricted)
        self.withheld = frozenset(self._prefix + id_ for id_ in (*restricted, *files))
        self.skipped = {clean_label(page.title): _RESTRICTED_REASON for page in listing.pages if page.id in restricted}

    def _build_items(self, listing: SpaceListing) -> Iterator[SourceItem]:
        pages = {page.id: page for page in listing.pages if self._is_wanted(page, listing.restricted)}
        for page in pages.values():
            version = hash_parts(page.version, page.title, page.webui, *sorted(page.labels))
            yield ConfluencePageItem(
                id=self._prefix + page.id, label=clean_label(page.title), version=version, page=page
            )
        for attachment in listing.attachments:
            if PurePath(attachment.name).suffix.lower() in SUPPORTED_FORMATS and (
                owner_page := pages.get(attachment.page)
            ):
                name = clean_label(f"{owner_page.title} / {attachment.name}")
                version = hash_parts(attachment.version, attachment.name, attachment.webui, owner_page.id)
                yield ConfluenceAttachmentItem(
                    id=self._prefix + attachment.id, label=name, version=version, attachment=attachment, page=owner_page
                )

    def _is_wanted(self, page: ConfluencePage, restricted: frozenset[str]) -> bool:
        if (page.id in restricted) != self._restricted:
            return False
        return (not self._labels or bool(self._labels & page.labels)) and not self._without_labels & page.labels

    async def _parse_page(self, item: ConfluencePageItem) -> ParsedDocument:
        page = item.page
        if (body := await self._api.fetch_body(page.id)) is None:
            raise Refused("it is not there any more")
        people = await self._reader.read_mentions(body.storage)
        names = await self._api.fetch_user_names(people | ({body.owner} if body.owner else set()))
        storage_page = ConfluenceStoragePage(
            storage=body.storage,
            title=page.title,
            names=names,
            url=self._url,
            space=page.space,
            new_editor=body.new_editor,
        )
        parsed = await self._reader.read_confluence_page(storage_page)
        metadata = {
            "updated": page.updated,
            "labels": ", ".join(sorted(page.labels)),
            "owner": names.get(body.owner, ""),
        }
        document = Document(
            id=item.id,
            filename=item.label,
            title=item.label,
            source=self.name,
            url=self._page_url(page.webui, page),
            version=item.version,
            metadata={name: value for name, value in metadata.items() if value},
            unread=parsed.unread,
        )
        return ParsedDocument(document=document, blocks=parsed.blocks)

    async def _parse_attachment(self, item: ConfluenceAttachmentItem) -> ParsedDocument:
        attachment = item.attachment
        check_size(attachment.size, MAX_ATTACHMENT_BYTES)
        content = await self._api.download_attachment(attachment, max_bytes=MAX_ATTACHMENT_BYTES)
        if content is None:
            raise Refused("it is not there any more")
        parsed = await self._reader.read(attachment.name, content)
        document = Document(
            id=item.id,
            filename=clean_label(attachment.name),
            title=parsed.title or clean_label(attachment.name),
            product=parsed.product,
            document_type=parsed.document_type,
            source=self.name,
            url=self._page_url(attachment.webui, item.page),
            version=item.version,
            metadata=parsed.metadata,
            unread=parsed.unread,
        )
        return ParsedDocument(document=document, blocks=parsed.blocks)

    def _page_url(self, webui: str, page: ConfluencePage) -> str:
        """Return the address where people read it; by the page's number when the service names no valid path."""
        path = webui if webui.startswith("/") and not webui.startswith("//") else ""
        return safe_url(f"{self._url}{path}" if path else "") or f"{self._url}/pages/viewpage.action?pageId={page.id}"
