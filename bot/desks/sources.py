"""What links to passages are made of and what they open: the port `Sources` over the stores and the rules."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import BinaryIO

from adapters.sources.folder.links import has_original, original
from pipeline.rules.access import INSIDE, Rules
from pipeline.values import Document, Excerpt, replace
from storage.database import Database
from storage.documents.library import SQLLibrary
from storage.settings import link_key


class LinkedSources:
    """The port `Sources`."""

    def __init__(self, database: Database, library: SQLLibrary, rules: Rules) -> None:
        self._database = database
        self._library = library
        self._rules = rules

    async def key(self) -> str:
        """What links are signed with now; made when it is first asked for."""
        return await link_key(self._database)

    def rule(self, collection: str) -> str:
        """Another text whenever others may see the collection: by its rule, and where that names nobody, by which
        workspaces are homes."""
        rule = self._rules.named.get(collection, INSIDE)
        homes = {} if rule.only or rule.public else self._rules.homes
        own = "".join(f"\n{name}: {' '.join(sorted(spaces))}" for name, spaces in sorted(homes.items()))
        return replace(rule, only=tuple(sorted(rule.only))).model_dump_json() + own

    async def beginning(self, text: str) -> Sequence[str]:
        """The ids of documents that begin so."""
        return await self._library.beginning(text)

    async def excerpt(self, document_id: str, start: int, most: int) -> Excerpt | None:
        """At most `most` passages of a document from the one at `start` on; None where there is no such document."""
        return await self._library.excerpt(document_id, start, most)

    async def has_original(self, document: Document) -> bool:
        """Whether it was read from a file of its own that is still there."""
        return await asyncio.to_thread(has_original, document)

    async def original(self, document: Document) -> BinaryIO | None:
        """That file, open, while it is what the document was read from, byte for byte."""
        return await asyncio.to_thread(original, document)
