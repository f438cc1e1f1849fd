"""What buttons and commands ask for after the answer: given to those who may see it, and in doubt to nobody."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from pipeline.values import Answer, Audience, Document, Preferences, Rating, Readers
from storage.open import Storage

AudienceOf = Callable[[Readers], Awaitable[Audience]]


class CitewellDesk:
    """The port `Desk` over the stores."""

    def __init__(self, storage: Storage, audience: AudienceOf) -> None:
        self._storage = storage
        self._audience = audience

    async def answer(self, answer_id: str, readers: Readers) -> Answer | None:
        """A past answer, if everyone of `readers` may see every passage it shows, as the rules are now.

        A passage that was changed or removed since has no rules any more: then nobody gets the answer."""
        answer = await self._storage.history.answer(answer_id)
        if answer is None:
            return None
        shown = [citation.chunk_id for citation in (*answer.citations, *answer.nearest)]
        allowed = (await self._audience(readers)).collections
        found = await self._storage.library.chunks(shown)
        visible = {chunk.id for chunk, document in found if document.collection in allowed}
        return answer if visible.issuperset(shown) else None

    async def rate(self, rating: Rating) -> None:
        await self._storage.feedback.rate(rating)

    async def documents(self, readers: Readers) -> list[Document]:
        return await self._storage.library.documents(await self._audience(readers))

    async def preferences(self, person: str) -> Preferences:
        return await self._storage.history.preferences(person)

    async def prefer(self, person: str, preferences: Preferences) -> None:
        await self._storage.history.prefer(person, preferences)

    async def export(self, person: str) -> str:
        """All that is kept about a person, as JSON text."""
        return await self._storage.people.export(person)

    async def forget(self, person: str) -> int:
        """Erase all that is kept about a person; returns how many entries went."""
        return await self._storage.people.forget(person)
