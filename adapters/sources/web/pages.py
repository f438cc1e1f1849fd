"""A web page as a document: the format that a server sends, the reader for it, and the page's record between two
syncs."""

from __future__ import annotations

import codecs
import json
import mimetypes
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC
from email.message import Message
from email.utils import parsedate_to_datetime
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from adapters.fetch.fetcher import FetchResponse
from adapters.files.content import ParsedFile, safe_url
from adapters.files.format_registry import SUFFIX_OF_MEDIA
from adapters.files.formats import SUPPORTED_FORMATS
from adapters.files.reader import FileReader
from adapters.sources.web.urls import normalize_url
from pipeline.ports import SourceItem
from pipeline.values import Document, ParsedDocument

# --- Content types and readers --------------------------------------------------------------------

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_SUFFIXES = {media: suffix for media, suffix in SUFFIX_OF_MEDIA.items() if media not in HTML_TYPES}
_FILE_SUFFIXES = frozenset(SUPPORTED_FORMATS) - {".html", ".htm", ".jsonl", ".ndjson"}


def parse_content_type(fetched: FetchResponse) -> tuple[str, str]:
    """Return the type and the charset of a response; a missing type is HTML."""
    header = Message()
    header["content-type"] = fetched.headers.get("content-type") or "text/html"
    return header.get_content_type(), str(header.get_param("charset") or "")


def readable_file_name(address: str, media_type: str) -> str:
    """Return a name whose suffix says how to read the file; empty when no reader takes it."""
    path = PurePosixPath(unquote(urlsplit(address).path))
    if path.suffix.lower() in _FILE_SUFFIXES:
        return path.name
    return f"{path.stem or 'file'}{_SUFFIXES[media_type]}" if media_type in _SUFFIXES else ""


def is_readable_url(address: str) -> bool:
    """Return True where a link is worth following: by its name it is a page or a file that a reader takes."""
    suffix = PurePosixPath(urlsplit(address).path).suffix.lower()
    guess = mimetypes.guess_type(f"file{suffix}")[0]
    return guess is None or guess in HTML_TYPES or guess in _SUFFIXES or suffix in _FILE_SUFFIXES


def reencode_utf8(body: bytes, charset: str) -> bytes:
    """Return a page as UTF-8 where its server names the `charset`, so that every reader decodes it right."""
    try:
        if charset and not body.startswith(codecs.BOM_UTF8):
            return codecs.BOM_UTF8 + body.decode(charset, "replace").encode("utf-8", "replace")
    except LookupError:
        pass
    return body


# --- The cache of pages ---------------------------------------------------------------------------

_PREFIX = "page "


@dataclass(frozen=True)
class CachedPage:
    """A page as it was when it was fetched last."""

    address: str
    """The address at which people read it: the canonical one that it names, otherwise `came_from`."""
    came_from: str
    """The URL after redirects."""
    version: str
    """SHA-256 of it; empty when it is no document: `noindex`, or of an unsupported format."""
    etag: str = ""
    modified: str = ""
    """Its Last-Modified header."""
    links: tuple[str, ...] = ()
    """Links that a crawl follows."""

    @property
    def invalidated(self) -> CachedPage:
        """The page without its links and validators, so that it is sent whole the next time, with them."""
        return replace(self, links=(), etag="", modified="")

    @property
    def conditional_headers(self) -> dict[str, str]:
        """Headers of a request that is answered with 304 while the page is the same."""
        headers = {"if-none-match": self.etag, "if-modified-since": "" if self.etag else self.modified}
        return {name: value for name, value in headers.items() if value}


def load_cached_pages(cache: Mapping[str, str]) -> dict[str, CachedPage]:
    """Return the cached pages by the URL that was requested; entries that cannot be parsed any more are left out."""
    cached_pages = {}
    for key, value in cache.items():
        try:
            fields = json.loads(value)
            cached_pages[key.removeprefix(_PREFIX)] = CachedPage(**{**fields, "links": tuple(fields["links"])})
        except (ValueError, TypeError, KeyError):
            continue
    return cached_pages


def cached_page_entry(requested_url: str, page: CachedPage | None) -> dict[str, str | None]:
    """Return the cache entry of a page; None removes it."""
    return {_PREFIX + requested_url: json.dumps(asdict(page)) if page else None}


# --- A page as a document -------------------------------------------------------------------------


class WebPageItem(SourceItem):
    """A page of the site."""

    address: str
    """The address at which people read it."""
    requested_url: str
    problem: str = ""
    """Why it cannot be taken, known before it is parsed."""


def build_page_item(source: str, requested_url: str, page: CachedPage | None, problem: str) -> WebPageItem | None:
    """Return the page that was requested as one of the documents of `source`; None when there is none to take."""
    address = page.address if page else requested_url
    if not problem and not (page and page.version):
        return None
    return WebPageItem(
        id=f"{source}/{address.partition('://')[2]}",
        label=address,
        version=page.version if page and not problem else "",
        address=address,
        requested_url=requested_url,
        problem=problem,
    )


async def read_web_document(
    reader: FileReader, source: str, item: WebPageItem, fetched: FetchResponse
) -> ParsedDocument:
    """Return the parsed page. Raise Refused with the reason when no reader can read it."""
    content = await _read_response(reader, fetched)
    name = unquote(item.address.rstrip("/").rpartition("/")[2])
    document = Document(
        id=item.id,
        filename=name,
        title=content.title or name,
        product=content.product,
        document_type=content.document_type,
        source=source,
        url=safe_url(item.address),
        version=item.version,
        metadata={**_update_date(fetched.headers.get("last-modified", "")), **content.metadata},
        unread=content.unread,
    )
    return ParsedDocument(document=document, blocks=content.blocks)


async def _read_response(reader: FileReader, fetched: FetchResponse) -> ParsedFile:
    media_type, charset = parse_content_type(fetched)
    if media_type in HTML_TYPES:
        return await reader.read_web_page(reencode_utf8(fetched.body, charset))
    return await reader.read(readable_file_name(normalize_url(fetched.url), media_type), fetched.body)


def _update_date(last_modified: str) -> dict[str, str]:
    try:
        return {"updated": parsedate_to_datetime(last_modified).astimezone(UTC).date().isoformat()}
    except (TypeError, ValueError):
        return {}
