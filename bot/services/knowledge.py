"""What people add to the documents from a chat: who may, into which collection, and how it is taken back."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePath
from typing import NamedTuple

from adapters.chat.words import uploads as words
from adapters.fetch.fetcher import Fetcher, open_fetcher
from adapters.files.content import ParsedFile, safe_url
from adapters.files.formats import BINARY_FORMATS, TEXT_FORMATS
from adapters.files.reader import FileReader
from adapters.sources.web.pages import HTML_TYPES, parse_content_type, readable_file_name, reencode_utf8
from adapters.sources.web.source import MAX_WEB_PAGE_BYTES
from bot.documents.indexing import IndexedDocument
from bot.services.authority import AuditedAuthorizer
from bot.services.places import StoredPlaceService
from pipeline.errors import Refused
from pipeline.ports import AddedDocument, Upload, UploadRefused
from pipeline.rules.access import AccessPolicy, resolve_audience
from pipeline.values import Action, Actor, Document, ParsedDocument, PersonId, PlaceId, Readers
from storage.documents.library import SQLDocumentStore

CHAT_SOURCE_PREFIX = "chat:"
"""How the name of their source begins, before the workspace or server; nothing lists one, so nothing prunes it."""
MAX_FILES_IN_MEMORY = 2
"""Files in memory at once."""
_READ = (*TEXT_FORMATS, *BINARY_FORMATS)


@dataclass(frozen=True)
class KnowledgeDependencies:
    """What reading and keeping need."""

    reader: FileReader
    save_document: Callable[[ParsedDocument], Awaitable[IndexedDocument]]
    default_collection: str
    """The collection of what is not put into another."""
    open_fetcher: Callable[[], AbstractAsyncContextManager[Fetcher]] = open_fetcher


class StoredKnowledgeService:
    def __init__(
        self,
        library: SQLDocumentStore,
        places: StoredPlaceService,
        rules: AccessPolicy,
        authority: AuditedAuthorizer,
        means: KnowledgeDependencies | None,
    ) -> None:
        """`rules` of the collections that the settings name. Without `means`, nothing can be added."""
        self._library = library
        self._places = places
        self._rules = rules
        self._authority = authority
        self._means = means
        self._turns = asyncio.Semaphore(MAX_FILES_IN_MEMORY)

    async def collections(self, actor: Actor, readers: Readers, chain: Sequence[PlaceId]) -> tuple[str, ...]:
        """Those that there are, or that the settings name, and that all `readers` see; of a place with collections of
        its own, these. The one to offer first is the first. Raises NotAllowed, which is written down."""
        if not self._authority.is_allowed(actor, Action.ADD):
            await self._authority.require(actor, Action.ADD, "".join(map(str, chain[-1:])))
        if self._means is None:
            return ()
        there = {*await self._library.list_collections(), *self._rules.by_collection, self._means.default_collection}
        there = {name for name in there if not self._rules.is_channel_collection(name)}
        seen = resolve_audience(readers, there, self._rules).collections
        own = (await self._places.effective_settings(chain)).collections
        first = (*(own or ()), self._means.default_collection)
        return tuple(sorted(seen.intersection(own or seen), key=lambda one: ((*first, one).index(one), one)))

    async def add(
        self, actor: Actor, readers: Readers, chain: Sequence[PlaceId], sent: Upload, collection: str
    ) -> AddedDocument:
        """Raises NotAllowed, NotAdded and Unavailable."""
        if self._means is None or collection not in await self.collections(actor, readers, chain):
            raise UploadRefused(f"nothing may be added to {collection} there", words.NO_COLLECTION)
        space = str(chain[0]) if chain else PersonId.parse(actor.person).platform
        document_id = _id(actor, space, sent)
        await self._authority.require(actor, Action.ADD, f"{document_id} in {collection}")
        async with self._turns:
            read = await (_file(self._means, sent, sent.fetch) if sent.fetch else _page(self._means, sent.link))
            document = _document(read, actor, document_id, collection, space)
            replaced = await self._library.document(document_id) is not None
            kept = await self._means.save_document(ParsedDocument(document=document, blocks=read.content.blocks))
        return AddedDocument(
            document_id, document.title, collection, kept.passages, replaced=replaced, flagged=kept.is_flagged
        )

    async def remove(self, actor: Actor, readers: Readers, document_id: str) -> str | None:
        """Its title, or None where it is not there any more, or is another's that `readers` may not see or that was
        added in another organisation's workspace. Raises NotAllowed."""
        document = await self._library.document(document_id)
        if document is None or not document.source.startswith(CHAT_SOURCE_PREFIX):
            return None
        own = document.metadata.get("author") == actor.person
        if not own and not self._reach(readers, document):
            return None
        action = Action.TAKE_BACK if own else Action.TAKE_BACK_OTHERS
        await self._authority.require(actor, action, f"{document_id} in {document.collection}")
        await self._library.remove_documents([document_id])
        return document.title

    def _reach(self, readers: Readers, document: Document) -> bool:
        seen = self._rules.check_access(readers, document.collection).allowed
        return seen and self._rules.can_see_question(readers, document.source.removeprefix(CHAT_SOURCE_PREFIX))


class _Read(NamedTuple):
    name: str
    link: str
    version: str
    content: ParsedFile


async def _file(means: KnowledgeDependencies, sent: Upload, fetch: Callable[[], Awaitable[bytes]]) -> _Read:
    if (suffix := PurePath(sent.name).suffix.lower()) and suffix not in _READ:
        raise _unreadable(f"{suffix} is not a supported format")
    body = await fetch()
    try:
        return _Read(sent.name, sent.link, _version(body), await means.reader.read(sent.name, body))
    except Refused as error:
        raise _unreadable(str(error)) from error


async def _page(means: KnowledgeDependencies, url: str) -> _Read:
    """What is at a public address, a page or a file."""
    try:
        async with means.open_fetcher() as fetcher:
            fetched = await fetcher.fetch(url, max_bytes=MAX_WEB_PAGE_BYTES)
    except Refused as error:
        raise UploadRefused(str(error), words.NOT_PUBLIC) from error
    if fetched.status != 200:
        raise UploadRefused(f"HTTP {fetched.status}", words.PAGE_NOT_OPEN)
    media_type, charset = parse_content_type(fetched)
    name = readable_file_name(fetched.url, media_type) or fetched.url.rstrip("/").rpartition("/")[2]
    try:
        if media_type in HTML_TYPES:
            found = await means.reader.read_web_page(reencode_utf8(fetched.body, charset))
        else:
            found = await means.reader.read(name, fetched.body)
    except Refused as error:
        raise _unreadable(str(error)) from error
    return _Read(name, fetched.url, _version(fetched.body), found)


def _id(actor: Actor, space: str, sent: Upload) -> str:
    """The same for what one person sends again under one name in one workspace or server: nobody replaces, or moves
    elsewhere, what another added."""
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


def _unreadable(message: str) -> UploadRefused:
    return UploadRefused(message, words.UNREADABLE, formats=", ".join(_READ))
