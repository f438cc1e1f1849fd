"""Documents come, change and go, and so do people."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from bot.services.knowledge import CHAT_SOURCE_PREFIX
from pipeline.values import Block, BlockKind, replace
from tests.contracts.sight.attacker import NOUNS, Attacker
from tests.contracts.sight.model import GONE, REPLACED
from tests.contracts.sight.people import CHANNELS, COLLECTIONS, PEOPLE, workspace
from tests.doubles.page import parsed

MOST = 30
"""Documents at a time."""


class Documents(Attacker):
    async def index(self) -> None:
        """A new document, or a new version of one, wherever that goes."""
        memory, documents = self._memory, self._memory.documents
        again = documents and (len(documents) >= MOST or self._dice.random() < 0.3)
        name = self._dice.choice(list(documents)) if again else f"d{memory.next()}"
        if before := documents.get(name):
            self._model.holds[before] = REPLACED
        collection = self._dice.choice(COLLECTIONS)
        word, noun = self._word(collection), self._dice.choice(NOUNS)
        documents[name] = word
        blocks = [
            Block(kind=BlockKind.PROSE, text=f"The {noun} is kept in {word}. It was bought for the garden."),
            *(
                Block(
                    kind=BlockKind.ITEM, text=f"{part} of {word}: a part of the {noun}", heading=(f"Parts of {word}",)
                )
                for part in ("The handle", "The string", "The frame")
            ),
        ]
        today = datetime.now(UTC).date().isoformat()
        more: dict[str, Any] = {"collection": collection, "title": f"The {noun} {word}", "version": word}
        more["metadata"] = {"updated": today}
        if self._dice.random() < 0.3:
            person = self._dice.choice(PEOPLE)
            more["source"] = f"{CHAT_SOURCE_PREFIX}{workspace(person)}"
            more["metadata"] = {"updated": today, "author": person}
            self._model.told.setdefault(person, set()).add(word)
        await self._citewell.indexer.add_document(parsed(name, blocks, **more))

    async def move(self) -> None:
        """The same document, in another collection."""
        if not self._memory.documents:
            return
        name = self._dice.choice(list(self._memory.documents))
        word, collection = self._memory.documents[name], self._dice.choice(COLLECTIONS)
        found = await self._storage.library.excerpt(name, 0, 100)
        if found:
            self._model.holds[word] = collection
            document = replace(found.document, collection=collection)
            await self._storage.library.replace_document(document, found.chunks, None, "")

    async def remove(self) -> None:
        if not self._memory.documents:
            return
        name = self._dice.choice(list(self._memory.documents))
        self._model.holds[self._memory.documents.pop(name)] = GONE
        await self._storage.library.remove_documents([name])

    async def join_or_leave(self) -> None:
        channel = self._dice.choice(CHANNELS)
        person = self._dice.choice([one for one in PEOPLE if one.startswith(channel.rpartition(":")[0])])
        self._model.members[channel] ^= {person}
