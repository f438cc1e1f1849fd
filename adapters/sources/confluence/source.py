"""The pages of a Confluence and the files attached to them, as a source of documents."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import PurePath

from adapters.files.kinds import SUPPORTED, StoredPage
from adapters.files.outline import label, safe_url
from adapters.files.reader import Reader, check_size
from adapters.sources.confluence.editions import SERVICE, AttachedFile, Edition, SpaceListing, WikiPage
from adapters.sources.rest import digest
from pipeline.errors import Refused, Unavailable
from pipeline.ports import SourceItem
from pipeline.values import Document, Parsed

LARGEST = 50_000_000
"""Bytes of an attachment that is fetched."""
_NOT_FOR_ALL = "not everyone in the space may read it"


class WikiPageItem(SourceItem):
    page: WikiPage


class AttachedFileItem(SourceItem):
    attachment: AttachedFile
    page: WikiPage


class ConfluenceSource:
    """The current pages of the `spaces` and the attachments of the formats that are read.

    `labels`: a page has one of them, when there are any; `without_labels`: and none of these. What not everyone in the
    space may read, by a restriction of its own or of what it stands below, is left out; with `restricted` it is the
    source, and all else left out. `url` is where people read the pages."""

    def __init__(
        self,
        name: str,
        url: str,
        spaces: tuple[str, ...],
        edition: Edition,
        reader: Reader,
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
        """Ids of what the last `items()` left out, as not everyone in the space may read it."""
        self.skipped: dict[str, str] = {}
        """The same by its title, with the reason."""

    async def items(self) -> AsyncIterator[SourceItem]:
        """Raises Unavailable when not all could be listed, after the last item for a space that is not there."""
        listing = await self._edition.listing(self._spaces)
        self._withhold(listing)
        for item in self._items(listing):
            yield item
        if listing.missing:
            raise Unavailable(
                SERVICE.name,
                f"there is no space {', '.join(listing.missing)}, or the account may not see it",
                permanent=True,
                denied=True,
                what_to_do="Check `url`, `spaces` and the rights of the account; take out a space that is gone.",
            )

    async def parse(self, item: SourceItem) -> Parsed:
        """Raises Refused for what cannot be read or is gone by now, Unavailable when the service is."""
        match item:
            case WikiPageItem():
                return await self._page(item)
            case AttachedFileItem():
                return await self._attachment(item)
            case _:
                raise TypeError("not an item of this source")

    def _withhold(self, listing: SpaceListing) -> None:
        closed = frozenset[str]() if self._restricted else listing.closed
        files = (one.id for one in listing.attachments if one.page in closed)
        self.withheld = frozenset(self._prefix + found for found in (*closed, *files))
        self.skipped = {label(page.title): _NOT_FOR_ALL for page in listing.pages if page.id in closed}

    def _items(self, listing: SpaceListing) -> Iterator[SourceItem]:
        pages = {page.id: page for page in listing.pages if self._wanted(page, listing.closed)}
        for page in pages.values():
            version = digest(page.version, page.title, page.webui, *sorted(page.labels))
            yield WikiPageItem(id=self._prefix + page.id, label=label(page.title), version=version, page=page)
        for one in listing.attachments:
            if PurePath(one.name).suffix.lower() in SUPPORTED and (its := pages.get(one.page)):
                name = label(f"{its.title} / {one.name}")
                version = digest(one.version, one.name, one.webui, its.id)
                yield AttachedFileItem(id=self._prefix + one.id, label=name, version=version, attachment=one, page=its)

    def _wanted(self, page: WikiPage, closed: frozenset[str]) -> bool:
        if (page.id in closed) != self._restricted:
            return False
        return (not self._labels or bool(self._labels & page.labels)) and not self._without_labels & page.labels

    async def _page(self, item: WikiPageItem) -> Parsed:
        page = item.page
        if (text := await self._edition.text(page.id)) is None:
            raise Refused("it is not there any more")
        people = await self._reader.read_mentions(text.storage)
        names = await self._edition.names(people | ({text.owner} if text.owner else set()))
        stored = StoredPage(
            storage=text.storage,
            title=page.title,
            names=names,
            url=self._url,
            space=page.space,
            new_editor=text.new_editor,
        )
        found = await self._reader.read_stored(stored)
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
        return Parsed(document=document, blocks=found.blocks)

    async def _attachment(self, item: AttachedFileItem) -> Parsed:
        one = item.attachment
        check_size(one.size, LARGEST)
        content = await self._edition.file(one, most=LARGEST)
        if content is None:
            raise Refused("it is not there any more")
        found = await self._reader.read(one.name, content)
        document = Document(
            id=item.id,
            filename=label(one.name),
            title=found.title or label(one.name),
            product=found.product,
            document_type=found.document_type,
            source=self.name,
            url=self._address(one.webui, item.page),
            version=item.version,
            metadata=found.metadata,
            unread=found.unread,
        )
        return Parsed(document=document, blocks=found.blocks)

    def _address(self, webui: str, page: WikiPage) -> str:
        """Where it is read; by the page's number when the service does not name a place of its own."""
        path = webui if webui.startswith("/") and not webui.startswith("//") else ""
        return safe_url(f"{self._url}{path}" if path else "") or f"{self._url}/pages/viewpage.action?pageId={page.id}"
