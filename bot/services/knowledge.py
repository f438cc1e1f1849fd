"""Documents added from a chat: who may add, into which collection, and how they are removed."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from adapters.chat.words import uploads as words
from adapters.files.content import ParsedFile, safe_url
from adapters.files.formats import BINARY_FORMATS, TEXT_FORMATS
from adapters.files.reader import FileReader
from bot.documents.indexing import IndexedDocument
from bot.services.authority import AuditedAuthorizer
from bot.services.places import StoredPlaceService
from pipeline.errors import Refused
from pipeline.ports import AddedDocument, Upload, UploadRefused
from pipeline.rules.access import AccessPolicy, resolve_audience
from pipeline.values import Action, Actor, Document, ParsedDocument, PersonId, PlaceId, Readers
from storage.documents.library import SQLDocumentStore

if TYPE_CHECKING:
    from adapters.fetch.fetcher import Fetcher

CHAT_SOURCE_PREFIX = "chat:"
"""The beginning of their source's name, before the workspace or server; nothing lists such a source, so nothing prunes
it."""
MAX_FILES_IN_MEMORY = 2
"""Most files in memory at once."""
_READ = (*TEXT_FORMATS, *BINARY_FORMATS)


@asynccontextmanager
async def _open_web() -> AsyncGenerator[Fetcher, None]:
    """Open the web client. Its libraries are imported in a thread, for .08 s of processor time."""
    module = await asyncio.to_thread(import_module, "adapters.fetch.fetcher")
    async with module.open_fetcher() as fetcher:
        yield fetcher


@dataclass(frozen=True)
class KnowledgeDependencies:
    """Dependencies for reading and saving documents."""

    reader: FileReader
    save_document: Callable[[ParsedDocument], Awaitable[IndexedDocument]]
    default_collection: str
    """The collection of documents without another."""
    open_fetcher: Callable[[], AbstractAsyncContextManager[Fetcher]] = _open_web


class StoredKnowledgeService:
    def __init__(
        self,
        library: SQLDocumentStore,
        places: StoredPlaceService,
        rules: AccessPolicy,
        authority: AuditedAuthorizer,
        dependencies: KnowledgeDependencies | None,
    ) -> None:
        """`rules` of the collections that the settings name. Without `dependencies`, nothing can be added."""
        self._library = library
        self._places = places
        self._rules = rules
        self._authority = authority
        self._dependencies = dependencies
        self._turns = asyncio.Semaphore(MAX_FILES_IN_MEMORY)

    async def collections(self, actor: Actor, readers: Readers, chain: Sequence[PlaceId]) -> tuple[str, ...]:
        """Return the collections, existing or named in the settings, that all `readers` see; of a place with its own
        collections, these.

        The first one is to be offered first. Raises NotAllowed, which is recorded in the audit log.
        """
        if not self._authority.is_allowed(actor, Action.ADD):
            await self._authority.require(actor, Action.ADD, "".join(map(str, chain[-1:])))
        if self._dependencies is None:
            return ()
        names = {
            *await self._library.list_collections(),
            *self._rules.by_collection,
            self._dependencies.default_collection,
        }
        names = {name for name in names if not self._rules.is_channel_collection(name)}
        visible = resolve_audience(readers, names, self._rules).collections
        own = (await self._places.effective_settings(chain)).collections
        preferred = (*(own or ()), self._dependencies.default_collection)
        return tuple(
            sorted(visible.intersection(own or visible), key=lambda name: ((*preferred, name).index(name), name))
        )

    async def add(
        self, actor: Actor, readers: Readers, chain: Sequence[PlaceId], sent: Upload, collection: str
    ) -> AddedDocument:
        """Add a document. Raises NotAllowed, UploadRefused and Unavailable."""
        if self._dependencies is None or collection not in await self.collections(actor, readers, chain):
            raise UploadRefused(f"nothing may be added to {collection} there", words.NO_COLLECTION)
        space = str(chain[0]) if chain else PersonId.parse(actor.person).platform
        document_id = _document_id(actor, space, sent)
        await self._authority.require(actor, Action.ADD, f"{document_id} in {collection}")
        async with self._turns:
            read = await (
                _read_upload(self._dependencies, sent, sent.fetch)
                if sent.fetch
                else _read_page(self._dependencies, sent.link)
            )
            document = _document(read, actor, document_id, collection, space)
            replaced = await self._library.document(document_id) is not None
            indexed = await self._dependencies.save_document(
                ParsedDocument(document=document, blocks=read.content.blocks)
            )
        return AddedDocument(
            document_id, document.title, collection, indexed.passages, replaced=replaced, flagged=indexed.is_flagged
        )

    async def remove(self, actor: Actor, readers: Readers, document_id: str) -> str | None:
        """Remove a document and return its title; None if there is none that they may remove. Raises NotAllowed.

        They may not remove another person's document that `readers` may not see, or that was added in another
        organisation's workspace.
        """
        document = await self._library.document(document_id)
        if document is None or not document.source.startswith(CHAT_SOURCE_PREFIX):
            return None
        is_own = document.metadata.get("author") == actor.person
        if not is_own and not self._can_see(readers, document):
            return None
        action = Action.TAKE_BACK if is_own else Action.TAKE_BACK_OTHERS
        await self._authority.require(actor, action, f"{document_id} in {document.collection}")
        await self._library.remove_documents([document_id])
        return document.title

    def _can_see(self, readers: Readers, document: Document) -> bool:
        is_visible = self._rules.check_access(readers, document.collection).allowed
        return is_visible and self._rules.can_see_question(readers, document.source.removeprefix(CHAT_SOURCE_PREFIX))


class _Read(NamedTuple):
    name: str
    link: str
    version: str
    content: ParsedFile


async def _read_upload(
    dependencies: KnowledgeDependencies, sent: Upload, fetch: Callable[[], Awaitable[bytes]]
) -> _Read:
    if (suffix := PurePath(sent.name).suffix.lower()) and suffix not in _READ:
        raise _unreadable_error(f"{suffix} is not a supported format")
    body = await fetch()
    try:
        return _Read(sent.name, sent.link, _version(body), await dependencies.reader.read(sent.name, body))
    except Refused as error:
        raise _unreadable_error(str(error)) from error


async def _read_page(dependencies: KnowledgeDependencies, url: str) -> _Read:
    """Return the content at a public address, a page or a file."""
    from adapters.sources.web.pages import HTML_TYPES, parse_content_type, readable_file_name, reencode_utf8
    from adapters.sources.web.source import MAX_WEB_PAGE_BYTES

    try:
        async with dependencies.open_fetcher() as fetcher:
            fetched = await fetcher.fetch(url, max_bytes=MAX_WEB_PAGE_BYTES)
    except Refused as error:
        raise UploadRefused(str(error), words.NOT_PUBLIC) from error
    if fetched.status != 200:
        raise UploadRefused(f"HTTP {fetched.status}", words.PAGE_NOT_OPEN)
    media_type, charset = parse_content_type(fetched)
    name = readable_file_name(fetched.url, media_type) or fetched.url.rstrip("/").rpartition("/")[2]
    try:
        if media_type in HTML_TYPES:
            content = await dependencies.reader.read_web_page(reencode_utf8(fetched.body, charset))
        else:
            content = await dependencies.reader.read(name, fetched.body)
    except Refused as error:
        raise _unreadable_error(str(error)) from error
    return _Read(name, fetched.url, _version(fetched.body), content)


def _document_id(actor: Actor, space: str, sent: Upload) -> str:
    """Return the id of an upload: the same for the same person, name and workspace or server.

    So nobody replaces, or moves elsewhere, what another added.
    """
    digest = hashlib.sha256(f"{actor.person} {space} {sent.name}".encode()).hexdigest()
    return f"chat/{digest[:16]}"


def _document(read: _Read, actor: Actor, document_id: str, collection: str, space: str) -> Document:
    return Document(
        id=document_id,
        collection=collection,
        filename=read.name,
        title=read.content.title or PurePath(read.name).stem,
        product=read.content.product,
        document_type=read.content.document_type,
        source=f"{CHAT_SOURCE_PREFIX}{space}",
        url=safe_url(read.link),
        version=read.version,
        metadata=read.content.metadata | {"author": actor.person, "updated": datetime.now(UTC).date().isoformat()},
        unread=read.content.unread,
    )


def _version(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _unreadable_error(message: str) -> UploadRefused:
    return UploadRefused(message, words.UNREADABLE, formats=", ".join(_READ))
