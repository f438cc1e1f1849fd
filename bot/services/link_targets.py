"""The port `LinkTargets` over the stores: the passages and documents that links open."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import BinaryIO

from pipeline.rules.access import INTERNAL_RULE, AccessPolicy
from pipeline.values import Document, DocumentExcerpt, replace
from storage.database import Database
from storage.documents.library import SQLDocumentStore
from storage.settings import link_key


class StoredLinkTargets:
    """The port `LinkTargets`."""

    def __init__(self, database: Database, library: SQLDocumentStore, rules: AccessPolicy) -> None:
        self._database = database
        self._library = library
        self._rules = rules

    async def signing_key(self) -> str:
        """Return the key that signs links now; the first call makes it."""
        return await link_key(self._database)

    def access_fingerprint(self, collection: str) -> str:
        """Return a fingerprint that changes when the readers of the collection do.

        It covers the collection's rule, and if that names nobody, the home workspaces.
        """
        rule = self._rules.by_collection.get(collection, INTERNAL_RULE)
        homes = {} if rule.only or rule.public else self._rules.homes
        own = "".join(f"\n{name}: {' '.join(sorted(spaces))}" for name, spaces in sorted(homes.items()))
        return replace(rule, only=tuple(sorted(rule.only))).model_dump_json() + own

    async def find_by_prefix(self, text: str) -> Sequence[str]:
        """Return the ids of documents with a prefix."""
        return await self._library.ids_with_prefix(text)

    async def excerpt(self, document_id: str, start: int, most: int) -> DocumentExcerpt | None:
        """Return at most `most` passages of a document from the one at `start` on; None if there is no such
        document."""
        return await self._library.excerpt(document_id, start, most)

    async def has_original(self, document: Document) -> bool:
        """Return True if the document was read from a file that still exists."""
        from adapters.sources.folder.file_links import has_original_file

        return await asyncio.to_thread(has_original_file, document)

    async def open_original(self, document: Document) -> BinaryIO | None:
        """Return that file, open, if it is byte for byte the one that was read."""
        from adapters.sources.folder.file_links import open_original

        return await asyncio.to_thread(open_original, document)
