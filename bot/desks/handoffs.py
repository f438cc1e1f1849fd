"""Asking people what the documents did not answer, and keeping what they reply."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime, timedelta

from bot.desks.authority import AuditedAuthority
from bot.desks.places import PlaceSettings
from pipeline.errors import Refused
from pipeline.translations import Message, Words
from pipeline.values import (
    TAUGHT,
    Action,
    Actor,
    Answer,
    Block,
    BlockKind,
    Document,
    Handoff,
    MessageKey,
    Parsed,
    PlaceId,
    Press,
)
from pipeline.words import wording
from pipeline.words.language import speaking, told
from storage.messages.handoffs import SQLHandoffs

REVIEW = timedelta(days=180)
"""After which a kept reply is to be looked at again."""
TITLE = 120

Keep = Callable[[Parsed], Awaitable[object]]
"""Puts a document into the library, or in the place of its earlier version."""


class HandoffDesk:
    """From the button under an answer to what its asker hears."""

    def __init__(
        self, store: SQLHandoffs, places: PlaceSettings, authority: AuditedAuthority, keep: Keep | None
    ) -> None:
        self._store = store
        self._places = places
        self._authority = authority
        self._keep = keep

    async def hand_over(self, answer: Answer, press: Press, words: Words) -> str:
        """Ask the people of the place it was pressed in; what its asker is told. Once for each answer."""
        place = await self._places.of(press.chain)
        if not place.ask:
            return words(wording.NOBODY_TO_ASK)
        handoff = Handoff(
            id=secrets.token_hex(8),
            answer_id=answer.id,
            asker=press.person,
            question=answer.question,
            target=place.ask,
            origin=press.origin,
            message=press.message,
            private=press.private,
        )
        new = await self._store.begin(handoff)
        return words(wording.PASSED_ON if new else wording.PASSED_ON_ALREADY)

    async def waits(self, message: MessageKey) -> Handoff | None:
        """What a message of ours asks people, unless somebody has resolved it."""
        return await self._store.waits(message)

    async def keeps(self, place: PlaceId) -> bool:
        """Whether replies given in `place` can be kept, by those who may."""
        return bool(await self._collection(place))

    async def may_keep(self, actor: Actor, pressed_in: PlaceId) -> bool:
        """Whether to offer that the reply is kept."""
        return self._authority.allows(actor, Action.TEACH) and bool(await self._collection(pressed_in))

    async def resolve(
        self, handoff_id: str, pressed_in: PlaceId, actor: Actor, name: str, reply: str, *, keep: bool, link: str
    ) -> Message:
        """Close it with a reply, of which its asker hears once; what whoever resolved it is to be told.

        Raises NotAllowed when the reply is to be kept and the person may not do that; nothing is changed then."""
        handoff = await self._store.get(handoff_id)
        if handoff is None or handoff.target != pressed_in:
            return wording.HANDOFF_GONE
        if keep and reply:
            await self._teach(handoff, actor, reply, link)
        if not await self._store.resolve(handoff_id, actor.person, name, reply):
            return wording.HANDOFF_GONE
        return wording.RESOLVED_AND_KEPT if keep and reply else wording.RESOLVED

    async def _teach(self, handoff: Handoff, actor: Actor, reply: str, link: str) -> None:
        await self._authority.require(actor, Action.TEACH, handoff.id)
        collection = await self._collection(handoff.target)
        if not collection or not self._keep:
            raise Refused("replies are not kept here", what_to_do="An admin can set a collection for them.")
        await self._keep(taught(handoff, collection, actor.person, reply, link, datetime.now(UTC).date()))

    async def _collection(self, place: PlaceId) -> str:
        """Where replies given in `place` are kept: a collection that everyone there may see; empty for nowhere."""
        set_here = (await self._places.of(place.chain)).teach
        return set_here if self._keep and set_here and set_here in await self._places.teachable(place) else ""


def taught(handoff: Handoff, collection: str, author: str, reply: str, link: str, today: date) -> Parsed:
    """A person's reply as a document: it says so wherever it is cited, in the language of the question."""
    words = speaking(None, (told(handoff.question),))
    question = " ".join(handoff.question.split())
    document = Document(
        id=f"taught/{handoff.id}",
        collection=collection,
        filename=f"{handoff.id}.txt",
        title=words(wording.BY_A_PERSON, question=question[:TITLE]),
        source=TAUGHT,
        url=link,
        version=handoff.id,
        metadata={"author": author, "updated": today.isoformat(), "review": (today + REVIEW).isoformat()},
    )
    blocks = [Block(kind=BlockKind.PROSE, text=part.strip(), heading=(question,)) for part in reply.split("\n\n")]
    return Parsed(document=document, blocks=tuple(block for block in blocks if block.text))
