"""The reader for each format, and the checks that come before any of them."""

from __future__ import annotations

from pathlib import PurePath

from adapters.files.content import PageLinks, ParsedFile
from adapters.files.formats import (
    BINARY_FORMATS,
    CONFLUENCE_STORAGE,
    JSON_LINES,
    OLE_MAGIC,
    PANDOC_FORMATS,
    SITEMAP,
    TEXT_FORMATS,
    WEB_PAGE,
    ZIP_MAGIC,
    ConfluenceStoragePage,
    detect_file_format,
)
from adapters.files.pandoc import MAX_PANDOC_BYTES, pandoc_to_html
from adapters.files.reader_process import ReaderProcess
from pipeline.errors import Refused

MAX_TEXT_BYTES = 40_000_000
MAX_RST_BYTES = 5_000_000
"""Bytes of reStructuredText: docutils reads no part by itself, takes 3 seconds for a megabyte and keeps 50 to 500 times
as much in memory."""
MAX_BINARY_BYTES = 200_000_000
LONG_TEXT_BYTES, LONG_BINARY_BYTES = 1_000_000, 5_000_000
"""Bytes from which a file waits in a queue of its own: it may take a minute, and others do not wait for it."""
_MENTION = "ri:user"
_MAX_NAMED_PARTS = 3
"""Parts without text that a refusal names."""
_BINARY = (b"%PDF-", ZIP_MAGIC, OLE_MAGIC)


class FileReader:
    """A reader of every supported format in three child processes: no slow PDF and no long file delays text."""

    def __init__(self) -> None:
        self._binary = ReaderProcess()
        self._text = ReaderProcess()
        self._long = ReaderProcess()

    async def read(self, name: str, content: bytes) -> ParsedFile:
        """Read `content` into blocks, by its content and else by the suffix of `name`.

        Raises Refused with the reason when it is of no supported format, broken, too large or without text.
        """
        suffix = detect_file_format(name, content)
        if not content.strip():
            raise Refused("the file is empty", what_to_do="Leave it out, or fill it.")
        check_size(len(content), _max_bytes(suffix))
        if suffix in PANDOC_FORMATS:
            suffix, content = ".html", await pandoc_to_html(suffix, content)
        parsed = await self._choose_child(suffix, len(content)).read(suffix, content)
        if not parsed.has_text and parsed.unread:
            pictures = any("picture" in part for part in parsed.unread)
            what_to_do = "Run text recognition (OCR) on it first." if pictures else "Save it in another format."
            raise Refused(f"nothing of it can be read: {parsed.unread[0]}", what_to_do=what_to_do)
        if not parsed.has_text:
            raise _no_text_error(parsed)
        return parsed

    async def read_json_line(self, content: bytes) -> ParsedFile:
        """Read one line of a JSON Lines file. Raises Refused with the reason."""
        return await self._choose_child(JSON_LINES[0], len(content)).read(JSON_LINES[0], content)

    async def read_web_page(self, content: bytes) -> ParsedFile:
        """Read the main content of a web page. Raises Refused with the reason, also when it holds no text."""
        check_size(len(content), MAX_TEXT_BYTES)
        parsed = await self._choose_child(WEB_PAGE, len(content)).read(WEB_PAGE, content)
        if not parsed.has_text:
            raise Refused("the page holds no text", what_to_do="It may be made by scripts, which are not run.")
        return parsed

    async def read_page_links(self, content: bytes) -> PageLinks:
        """Return the links of a web page and its statements about itself. Raises Refused with the reason."""
        check_size(len(content), MAX_TEXT_BYTES)
        return await self._text.read_links(WEB_PAGE, content)

    async def read_sitemap(self, content: bytes) -> PageLinks:
        """Return the pages, or other sitemaps, that a sitemap lists. Raises Refused with the reason."""
        return await self._text.read_links(SITEMAP, content)

    async def read_mentions(self, storage: str) -> frozenset[str]:
        """Return the account ids and user keys of the people that a stored page of Confluence names. A page that can
        name nobody is not sent to a child. Raises Refused with the reason."""
        if _MENTION not in storage:
            return frozenset()
        content = storage.encode()
        check_size(len(content), MAX_TEXT_BYTES)
        return (
            await self._choose_child(CONFLUENCE_STORAGE, len(content)).read_links(CONFLUENCE_STORAGE, content)
        ).account_ids

    async def read_confluence_page(self, page: ConfluenceStoragePage) -> ParsedFile:
        """Read a page of Confluence, which may hold no text. Raises Refused with the reason."""
        content = page.model_dump_json().encode()
        check_size(len(content), MAX_TEXT_BYTES)
        return await self._choose_child(CONFLUENCE_STORAGE, len(content)).read(CONFLUENCE_STORAGE, content)

    async def close(self) -> None:
        """End the child processes."""
        for child in (self._binary, self._text, self._long):
            await child.close()

    def _choose_child(self, suffix: str, size: int) -> ReaderProcess:
        binary = suffix in BINARY_FORMATS
        if size >= (LONG_BINARY_BYTES if binary else LONG_TEXT_BYTES):
            return self._long
        return self._binary if binary else self._text


def max_file_size(name: str, start: bytes) -> int:
    """Return the bytes that a file of that name and start may have."""
    suffix = PurePath(name).suffix.lower()
    return _max_bytes(suffix) if suffix in TEXT_FORMATS and not start.startswith(_BINARY) else MAX_BINARY_BYTES


def _max_bytes(suffix: str) -> int:
    if suffix in BINARY_FORMATS:
        return MAX_BINARY_BYTES
    if suffix in PANDOC_FORMATS:
        return MAX_PANDOC_BYTES
    return MAX_RST_BYTES if suffix == ".rst" else MAX_TEXT_BYTES


def check_size(size: int, limit: int) -> None:
    """Check a size. Raises Refused above `limit` bytes."""
    if size > limit:
        raise Refused(f"the file is larger than {limit // 1_000_000} MB", what_to_do="Split it into several files.")


def _no_text_error(parsed: ParsedFile) -> Refused:
    """Return the error for a file without text, with its unread parts."""
    if not parsed.unread:
        return Refused("the file holds no text", what_to_do="Leave it out, or fill it.")
    descriptions = "; ".join(parsed.unread[:_MAX_NAMED_PARTS]) + (
        "; and more" if len(parsed.unread) > _MAX_NAMED_PARTS else ""
    )
    pictures = any("picture" in part for part in parsed.unread)
    return Refused(
        f"the file holds no text that can be read: {descriptions}",
        what_to_do="Run text recognition (OCR) on it first." if pictures else "Save that as text, or leave it out.",
    )
