"""Which embedder is asked while documents are being embedded with another one."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.ports import Embedder, Vectors
from storage.database import Database
from storage.documents.embedded import EmbeddedDocuments
from storage.documents.revision import generation


class Serving:
    """An `Embedder`: the one that is there from `before`, until every document is embedded with the one `wanted`."""

    def __init__(self, wanted: Embedder, before: Embedder, database: Database) -> None:
        self.wanted = wanted
        self.now = before
        self._database = database
        self._generation = -1

    @property
    def name(self) -> str:
        return self.now.name

    @property
    def dimensions(self) -> int:
        return self.now.dimensions

    @property
    def changing(self) -> bool:
        """Whether the one from before is asked."""
        return self.now is not self.wanted

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return await self.now.embed(texts)

    async def embed_question(self, text: str) -> Vectors:
        await self.look()
        return await self.now.embed_question(text)

    async def look(self) -> None:
        """Ask the one wanted from now on, if its vectors are those that are searched, whichever process saw to it."""
        at = await self._database.read(generation) if self.changing else self._generation
        if at != self._generation:
            self._generation = at
            if await EmbeddedDocuments(self._database).serving() == self.wanted.name:
                self.now = self.wanted


def at_this_moment(embedder: Embedder | None) -> Embedder | None:
    """The one that is asked now: what is embedded with it is of its name, whatever is asked later."""
    return embedder.now if isinstance(embedder, Serving) else embedder


def wanted(embedder: Embedder) -> Embedder:
    """The one in the settings."""
    return embedder.wanted if isinstance(embedder, Serving) else embedder
