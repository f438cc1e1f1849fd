"""Handoffs: asking people what the documents do not answer, and keeping their replies."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime, timedelta

from bot.services.authority import AuditedAuthorizer
from bot.services.places import StoredPlaceService
from pipeline.errors import Refused
from pipeline.translations import TranslatableText, Translator
from pipeline.values import (
    TAUGHT_SOURCE,
    Action,
    Actor,
    Answer,
    AnswerInteraction,
    Block,
    BlockKind,
    Document,
    Handoff,
    MessageKey,
    ParsedDocument,
    PlaceId,
)
from pipeline.words import wording
from pipeline.words.language import choose_words, detect_supported_language
from storage.messages.handoffs import SQLHandoffs

REVIEW_AFTER = timedelta(days=180)
"""Time after which a kept reply is to be reviewed."""
MAX_TITLE = 120

SaveDocument = Callable[[ParsedDocument], Awaitable[object]]
"""Saves a document, in place of its earlier version."""


class StoredHandoffService:
    """Handoffs over the stores, from the button under an answer to the reply."""

    def __init__(
        self, store: SQLHandoffs, places: StoredPlaceService, authority: AuditedAuthorizer, keep: SaveDocument | None
    ) -> None:
        self._store = store
        self._places = places
        self._authority = authority
        self._keep = keep

    async def hand_off(self, answer: Answer, interaction: AnswerInteraction, translator: Translator) -> str:
        """Ask the people of the place, once for each answer. Return the text for the asker."""
        place = await self._places.effective_settings(interaction.chain)
        if not place.ask:
            return translator(wording.NOBODY_TO_ASK)
        handoff = Handoff(
            id=secrets.token_hex(8),
            answer_id=answer.id,
            asker=interaction.person,
            question=answer.question,
            target=place.ask,
            origin=interaction.origin,
            message=interaction.message,
            private=interaction.private,
        )
        new = await self._store.create(handoff)
        return translator(wording.HANDOFF_SENT if new else wording.HANDOFF_ALREADY_SENT)

    async def find_open(self, message: MessageKey) -> Handoff | None:
        """Return the handoff posted as a message, unless it is resolved."""
        return await self._store.find_waiting(message)

    async def can_keep_replies(self, place: PlaceId) -> bool:
        """Return True if replies given in `place` can be kept."""
        return bool(await self._collection(place))

    async def is_keep_offered(self, actor: Actor, pressed_in: PlaceId) -> bool:
        """Return True if the actor is to be offered that the reply is kept."""
        return self._authority.is_allowed(actor, Action.TEACH) and bool(await self._collection(pressed_in))

    async def resolve(
        self, handoff_id: str, pressed_in: PlaceId, actor: Actor, name: str, reply: str, *, keep: bool, link: str
    ) -> TranslatableText:
        """Resolve a handoff with a reply, of which its asker hears once. Return the text for the resolver.

        Raises NotAllowed when the reply is to be kept and the person may not do that; nothing is changed then.
        """
        handoff = await self._store.get(handoff_id)
        if handoff is None or handoff.target != pressed_in:
            return wording.HANDOFF_GONE
        if keep and reply:
            await self._keep_reply(handoff, actor, reply, link)
        if not await self._store.resolve(handoff_id, actor.person, name, reply):
            return wording.HANDOFF_GONE
        return wording.HANDOFF_RESOLVED_SAVED if keep and reply else wording.HANDOFF_RESOLVED

    async def _keep_reply(self, handoff: Handoff, actor: Actor, reply: str, link: str) -> None:
        await self._authority.require(actor, Action.TEACH, handoff.id)
        collection = await self._collection(handoff.target)
        if not collection or not self._keep:
            raise Refused("replies are not kept here", what_to_do="An admin can set a collection for them.")
        await self._keep(build_reply_document(handoff, collection, actor.person, reply, link, datetime.now(UTC).date()))

    async def _collection(self, place: PlaceId) -> str:
        """Return the collection for replies given in `place`: one that everyone there may see; empty for none."""
        set_here = (await self._places.effective_settings(place.chain)).teach
        return (
            set_here
            if self._keep and set_here and set_here in await self._places.collections_for_replies(place)
            else ""
        )


def build_reply_document(
    handoff: Handoff, collection: str, author: str, reply: str, link: str, today: date
) -> ParsedDocument:
    """Return a person's reply as a document.

    Its title says so wherever it is cited, in the language of the question.
    """
    translator = choose_words(None, (detect_supported_language(handoff.question),))
    question = " ".join(handoff.question.split())
    document = Document(
        id=f"taught/{handoff.id}",
        collection=collection,
        filename=f"{handoff.id}.txt",
        title=translator(wording.ANSWERED_BY_PERSON, question=question[:MAX_TITLE]),
        source=TAUGHT_SOURCE,
        url=link,
        version=handoff.id,
        metadata={"author": author, "updated": today.isoformat(), "review": (today + REVIEW_AFTER).isoformat()},
    )
    blocks = [Block(kind=BlockKind.PROSE, text=part.strip(), heading=(question,)) for part in reply.split("\n\n")]
    return ParsedDocument(document=document, blocks=tuple(block for block in blocks if block.text))
