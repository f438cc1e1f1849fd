"""A page as a document."""

from __future__ import annotations

from datetime import UTC
from email.utils import parsedate_to_datetime
from urllib.parse import unquote

from adapters.fetch.fetcher import Fetched
from adapters.files.outline import Content, safe_url
from adapters.files.reader import Reader
from adapters.sources.web.addresses import absolute
from adapters.sources.web.formats import PAGES, as_utf8, content_type, file_name
from adapters.sources.web.known import Known
from pipeline.ports import SourceItem
from pipeline.values import Document, Parsed


class PageItem(SourceItem):
    address: str
    """Where people read it."""
    asked: str
    problem: str = ""
    """Why it cannot be taken, known before it is parsed."""


def item_of(source: str, asked: str, page: Known | None, problem: str) -> PageItem | None:
    """The page that was `asked` for as one of the documents of `source`; None when there is none to take."""
    address = page.address if page else asked
    if not problem and not (page and page.version):
        return None
    return PageItem(
        id=f"{source}/{address.partition('://')[2]}",
        label=address,
        version=page.version if page and not problem else "",
        address=address,
        asked=asked,
        problem=problem,
    )


async def read_document(reader: Reader, source: str, item: PageItem, fetched: Fetched) -> Parsed:
    """Raises Refused with the reason when no reader can read it."""
    content = await _read(reader, fetched)
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
        metadata={**_updated(fetched.headers.get("last-modified", "")), **content.metadata},
        unread=content.unread,
    )
    return Parsed(document=document, blocks=content.blocks)


async def _read(reader: Reader, fetched: Fetched) -> Content:
    media_type, charset = content_type(fetched)
    if media_type in PAGES:
        return await reader.read_page(as_utf8(fetched.body, charset))
    return await reader.read(file_name(absolute(fetched.url), media_type), fetched.body)


def _updated(last_modified: str) -> dict[str, str]:
    try:
        return {"updated": parsedate_to_datetime(last_modified).astimezone(UTC).date().isoformat()}
    except (TypeError, ValueError):
        return {}
