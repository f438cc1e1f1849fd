"""The files of a folder in Google Drive, and the format in which each is read."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import PurePath

from adapters.fetch.fetcher import Fetcher
from adapters.files.content import ParsedFile, clean_label, safe_url
from adapters.files.format_registry import SUFFIX_OF_MEDIA
from adapters.files.formats import BINARY_FORMATS, TEXT_FORMATS
from adapters.files.reader import MAX_TEXT_BYTES, FileReader, check_size
from adapters.sources.google_drive.api import DRIVE_NAME, FOLDER_MIME, DriveApi, ServiceAccount
from adapters.sources.google_drive.listing import FolderEntry, FolderListing, initial_state
from adapters.sources.rest_client import RequestRejected, cache_changes
from pipeline.errors import Refused, Unavailable
from pipeline.ports import SourceCache, SourceItem
from pipeline.values import Document, ParsedDocument, replace

_GOOGLE = "application/vnd.google-apps."
_OFFICE = "application/vnd.openxmlformats-officedocument."
EXPORT_FORMATS = {
    f"{_GOOGLE}document": ("text/markdown", ".md"),
    f"{_GOOGLE}spreadsheet": (f"{_OFFICE}spreadsheetml.sheet", ".xlsx"),
    f"{_GOOGLE}presentation": (f"{_OFFICE}presentationml.presentation", ".pptx"),
}
"""The format that each type is exported as. For a Doc, Markdown keeps what the other formats lose: which row of a table
is its header, how lists are nested, and links that lead to their target instead of through a redirect of Google's."""
TEXT_EXPORTS = frozenset({f"{_GOOGLE}document", f"{_GOOGLE}presentation"})
"""Types that are exported as plain text when they are too large with their pictures."""
# `![alternative text][image1]`, which the definition `[image1]: <data:…>` at the end of the file belongs to
_PICTURE = re.compile(rb"!\[([^\[\]]*)\]\[image\d+\]")
_PICTURE_DATA = re.compile(rb"\[image\d+\]: ?<data:")
# a heading in a list: `1. # Title`
_NUMBERED = re.compile(rb"[ \t]*(?:\d+\.|[*-])[ \t]+(#{1,6} .*)", re.DOTALL)


def export_suffix(entry: FolderEntry) -> str:
    """Return the suffix of the format that the file is read as; empty when it is of none."""
    if entry.mime in EXPORT_FORMATS:
        return EXPORT_FORMATS[entry.mime][1]
    by_name = PurePath(entry.name).suffix.lower()
    return by_name if by_name in (*TEXT_FORMATS, *BINARY_FORMATS) else SUFFIX_OF_MEDIA.get(entry.mime, "")


def clean_exported_markdown(markdown: bytes) -> bytes:
    """Clean the Markdown that Google exports of a Doc: keep only the alternative texts of pictures, take numbered
    headings out of the lists that Google puts them into, and remove its ids behind headings."""
    return b"\n".join(map(_cleaned_line, markdown.split(b"\n")))


def _cleaned_line(line: bytes) -> bytes:
    if _PICTURE_DATA.match(line):
        return b""
    if numbered := _NUMBERED.fullmatch(line):
        line = numbered[1]
    if line.startswith(b"#"):
        heading, _, heading_id = line.rstrip().rpartition(b" {#")
        if heading and heading_id.endswith(b"}") and b" " not in heading_id:
            line = heading
    return _PICTURE.sub(rb"\1", line)


_TOO_LARGE = "exportSizeLimitExceeded"


class DriveItem(SourceItem):
    """A file of the folder."""

    entry: FolderEntry


class GoogleDriveSource:
    """Files of supported formats in `folder` (its id, or that of a shared drive) and the folders in it. A document's id
    is made from the file's: it stays when the file is renamed or moved. Files that fewer people may read than the
    folder are left out; with `restricted` only these are taken."""

    def __init__(
        self,
        name: str,
        folder: str,
        fetcher: Fetcher,
        cache: SourceCache,
        reader: FileReader,
        account: ServiceAccount,
        *,
        restricted: bool = False,
        base_url: str = "https://www.googleapis.com",
    ) -> None:
        self.name = f"google-drive:{name}"
        self._prefix = name
        self._folder = folder
        self._cache = cache
        self._reader = reader
        self._account = account
        self._restricted = restricted
        self.withheld: frozenset[str] = frozenset()
        """Ids that the last `list_items()` left out, as fewer people may read them than the folder."""
        self.skipped: dict[str, str] = {}
        """The names of what it left out, each with the reason."""
        self._api = DriveApi(fetcher, account, base_url)

    async def list_items(self) -> AsyncIterator[SourceItem]:
        """Yield the files. Raise Unavailable when Drive does not answer, or does not show the folder."""
        listing = await self._load_changes() or await self._list_folder()
        withheld = () if self._restricted else [entry for entry, narrow in listing.files() if narrow]
        wanted = [entry for entry, narrow in listing.files() if narrow == self._restricted]
        self.withheld = frozenset(map(self._id, withheld))
        self.skipped = {entry.name: "its format is not read" for entry in wanted if not export_suffix(entry)}
        self.skipped |= {entry.name: "fewer people may read it than its folder" for entry in withheld}
        for entry in wanted:
            if export_suffix(entry):
                yield DriveItem(id=self._id(entry), label=entry.name, version=entry.version, entry=entry)

    async def parse_item(self, item: SourceItem) -> ParsedDocument:
        """Read an item of `list_items()`. Raise Refused, and Unavailable when Drive does not answer."""
        if not isinstance(item, DriveItem):
            raise TypeError("not an item of this source")
        entry = item.entry
        check_size(entry.size, MAX_TEXT_BYTES)
        suffix, content = await self._content(entry)
        parsed = await self._reader.read(f"file{suffix}", content) if content.strip() else ParsedFile()
        stem = PurePath(entry.name).stem if PurePath(entry.name).suffix.lower() == suffix else entry.name
        document = Document(
            id=item.id,
            filename=entry.name,
            title=clean_label(stem) if entry.mime in EXPORT_FORMATS else parsed.title or clean_label(stem),
            source=self.name,
            url=safe_url(entry.url),
            version=item.version,
            metadata={**parsed.metadata, "updated": entry.modified[:10]},
            unread=parsed.unread,
        )
        return ParsedDocument(document=document, blocks=parsed.blocks)

    def _id(self, entry: FolderEntry) -> str:
        return f"{self._prefix}/{entry.id}"

    async def _content(self, entry: FolderEntry) -> tuple[str, bytes]:
        """Return the suffix of the format that the file came in, and the file."""
        try:
            if entry.mime not in EXPORT_FORMATS:
                return export_suffix(entry), await self._api.download(entry.id)
            kind, suffix = EXPORT_FORMATS[entry.mime]
            try:
                content = await self._api.export(entry.id, kind)
            except RequestRejected as error:
                if error.reason != _TOO_LARGE or entry.mime not in TEXT_EXPORTS:
                    raise
                return ".txt", await self._api.export(entry.id, "text/plain")
            return suffix, clean_exported_markdown(content) if suffix == ".md" else content
        except RequestRejected as error:
            if error.is_missing:
                raise Refused("the file is not there any more") from error
            if error.reason == _TOO_LARGE:
                raise Refused(
                    "Google Drive does not export files of more than 10 MB", what_to_do="Split it into several files."
                ) from error
            if error.status == 403 and error.permanent:
                raise Refused(
                    "Google Drive does not let the service account download the file",
                    what_to_do="Allow readers of the file to download it, or leave it out of the folder.",
                ) from error
            raise

    async def _load_changes(self) -> FolderListing | None:
        """Return the cached listing with the changes since; None when the folder must be listed anew."""
        listing = FolderListing.from_cache(cached := await self._cache.load(), self._folder)
        if listing is None:
            return None
        try:
            changes, token = await self._api.list_changes(listing.state.token, listing.state.drive)
        except RequestRejected as error:
            if error.status in (400, 404, 410):
                return None
            raise
        if not all(map(listing.apply_change, changes)):
            return None
        listing.state = replace(listing.state, token=token)
        await self._save(cached, listing)
        return listing

    async def _list_folder(self) -> FolderListing:
        try:
            root = await self._api.get_file(self._folder)
        except RequestRejected as error:
            if not error.is_missing:
                raise
            raise Unavailable(
                DRIVE_NAME,
                f"the folder {self._folder} is not there for {self._account.email}",
                permanent=True,
                denied=True,
                what_to_do="Share the folder with that address as Viewer, and check its id.",
            ) from error
        listing = FolderListing(initial_state(root, await self._api.get_start_token(root.drive)))
        if root.drive == self._folder:
            async for file in self._api.list_all(root.drive):
                listing.add(file)
        else:
            await self._walk(listing)
        await self._save(await self._cache.load(), listing)
        return listing

    async def _walk(self, listing: FolderListing) -> None:
        folders = [self._folder]
        visited = {self._folder}
        while folders:
            added = [listing.add(file) async for file in self._api.list_children(folders, listing.state.drive)]
            folders = [entry.id for entry in added if entry.mime == FOLDER_MIME and entry.id not in visited]
            visited.update(folders)

    async def _save(self, cached: dict[str, str], listing: FolderListing) -> None:
        if changes := cache_changes(cached, listing.to_cache()):
            await self._cache.update(changes)
