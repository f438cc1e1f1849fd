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

from adapters.chat.words import knowledge as words
from adapters.fetch.fetcher import Fetcher, open_fetcher
from adapters.files.kinds import BINARY_FORMATS, TEXT_FORMATS
from adapters.files.outline import Content, safe_url
from adapters.files.reader import Reader
from adapters.sources.web.document import PAGES, as_utf8, content_type, file_name
from adapters.sources.web.source import MOST_PAGE_BYTES
from bot.desks.authority import AuditedAuthority
from bot.desks.places import PlaceSettings
from bot.documents.indexing import Kept
from pipeline.errors import Refused
from pipeline.ports import Added, NotAdded, Sent
from pipeline.rules.access import Rules, audience
from pipeline.values import Action, Actor, Document, Parsed, PersonId, PlaceId, Readers
from storage.documents.library import SQLLibrary

SOURCE = "chat:"
"""How the name of their source begins, before the workspace or server; nothing lists one, so nothing prunes it."""
AT_A_TIME = 2
"""Files in memory at once."""
_READ = (*TEXT_FORMATS, *BINARY_FORMATS)


@dataclass(frozen=True)
class Means:
    """What reading and keeping need."""

    reader: Reader
    keep: Callable[[Parsed], Awaitable[Kept]]
    default: str
    """The collection of what is not put into another."""
    open_fetcher: Callable[[], AbstractAsyncContextManager[Fetcher]] = open_fetcher


class KnowledgeDesk:
    def __init__(
        self,
        library: SQLLibrary,
        places: PlaceSettings,
        rules: Rules,
        authority: AuditedAuthority,
        means: Means | None,
    ) -> None:
        """`rules` of the collections that the settings name. Without `means`, nothing can be added."""
        self._library = library
        self._places = places
        self._rules = rules
        self._authority = authority
        self._means = means
        self._turns = asyncio.Semaphore(AT_A_TIME)

    async def collections(self, actor: Actor, readers: Readers, chain: Sequence[PlaceId]) -> tuple[str, ...]:
        """Those that there are, or that the settings name, and that all `readers` see; of a place with collections of
        its own, these. The one to offer first is the first. Raises NotAllowed, which is written down."""
        if not self._authority.allows(actor, Action.ADD):
            await self._authority.require(actor, Action.ADD, "".join(map(str, chain[-1:])))
        if self._means is None:
            return ()
        there = {*await self._library.collections(), *self._rules.named, self._means.default}
        there = {name for name in there if not self._rules.of_channel(name)}
        seen = audience(readers, there, self._rules).collections
        own = (await self._places.of(chain)).collections
        first = (*(own or ()), self._means.default)
        return tuple(sorted(seen.intersection(own or seen), key=lambda one: ((*first, one).index(one), one)))

    async def add(self, actor: Actor, readers: Readers, chain: Sequence[PlaceId], sent: Sent, collection: str) -> Added:
        """Raises NotAllowed, NotAdded and Unavailable."""
        if self._means is None or collection not in await self.collections(actor, readers, chain):
            raise NotAdded(f"nothing may be added to {collection} there", words.NO_COLLECTION)
        space = str(chain[0]) if chain else PersonId.parse(actor.person).platform
        document_id = _id(actor, space, sent)
        await self._authority.require(actor, Action.ADD, f"{document_id} in {collection}")
        async with self._turns:
            read = await (_file(self._means, sent, sent.fetch) if sent.fetch else _page(self._means, sent.link))
            document = _document(read, actor, document_id, collection, space)
            replaced = await self._library.document(document_id) is not None
            kept = await self._means.keep(Parsed(document=document, blocks=read.content.blocks))
        return Added(document_id, document.title, collection, kept.passages, replaced=replaced, flagged=kept.flagged)

    async def take_back(self, actor: Actor, readers: Readers, document_id: str) -> str | None:
        """Its title, or None where it is not there any more, or is another's that `readers` may not see or that was
        added in another organisation's workspace. Raises NotAllowed."""
        document = await self._library.document(document_id)
        if document is None or not document.source.startswith(SOURCE):
            return None
        own = document.metadata.get("author") == actor.person
        if not own and not self._reach(readers, document):
            return None
        action = Action.TAKE_BACK if own else Action.TAKE_BACK_OTHERS
        await self._authority.require(actor, action, f"{document_id} in {document.collection}")
        await self._library.remove([document_id])
        return document.title

    def _reach(self, readers: Readers, document: Document) -> bool:
        seen = self._rules.sight(readers, document.collection).allowed
        return seen and self._rules.hear(readers, document.source.removeprefix(SOURCE))


class _Read(NamedTuple):
    name: str
    link: str
    version: str
    content: Content


async def _file(means: Means, sent: Sent, fetch: Callable[[], Awaitable[bytes]]) -> _Read:
    if (suffix := PurePath(sent.name).suffix.lower()) and suffix not in _READ:
        raise _unreadable(f"{suffix} is not a supported format")
    body = await fetch()
    try:
        return _Read(sent.name, sent.link, _version(body), await means.reader.read(sent.name, body))
    except Refused as error:
        raise _unreadable(str(error)) from error


async def _page(means: Means, url: str) -> _Read:
    """What is at a public address, a page or a file."""
    try:
        async with means.open_fetcher() as fetcher:
            fetched = await fetcher.fetch(url, most=MOST_PAGE_BYTES)
    except Refused as error:
        raise NotAdded(str(error), words.NOT_PUBLIC) from error
    if fetched.status != 200:
        raise NotAdded(f"HTTP {fetched.status}", words.NOT_OPEN)
    media_type, charset = content_type(fetched)
    name = file_name(fetched.url, media_type) or fetched.url.rstrip("/").rpartition("/")[2]
    try:
        if media_type in PAGES:
            found = await means.reader.read_page(as_utf8(fetched.body, charset))
        else:
            found = await means.reader.read(name, fetched.body)
    except Refused as error:
        raise _unreadable(str(error)) from error
    return _Read(name, fetched.url, _version(fetched.body), found)


def _id(actor: Actor, space: str, sent: Sent) -> str:
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
        source=f"{SOURCE}{space}",
        url=safe_url(read.link),
        version=read.version,
        metadata=read.content.metadata | {"author": actor.person, "updated": datetime.now(UTC).date().isoformat()},
        unread=read.content.unread,
    )


def _version(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _unreadable(message: str) -> NotAdded:
    return NotAdded(message, words.UNREADABLE, formats=", ".join(_READ))
