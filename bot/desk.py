"""What buttons and commands ask for after the answer: given to those who may see it, and in doubt to nobody."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from bot.authority import Authority
from bot.handoffs import Handoffs, Keep
from bot.places import Places
from pipeline import wording
from pipeline.access import Roles
from pipeline.language import speaking, told
from pipeline.translations import Message, Words
from pipeline.values import (
    Action,
    Actor,
    Answer,
    Audience,
    ConversationId,
    Document,
    IncomingMessage,
    Place,
    Preferences,
    Rating,
    Readers,
)
from storage.open import Storage

AudienceOf = Callable[[Readers], Awaitable[Audience]]
NOBODY: Roles = {}
NOWHERE: Mapping[str, Place] = {}


class CitewellDesk:
    """The port `Desk` over the stores."""

    def __init__(
        self,
        storage: Storage,
        audience: AudienceOf,
        *,
        roles: Roles = NOBODY,
        places: Mapping[str, Place] = NOWHERE,
        keep: Keep | None = None,
    ) -> None:
        """`roles` and `places` as they stand in the file. Without `keep`, no reply becomes a document."""
        self._storage = storage
        self._audience = audience
        self.authority = Authority(roles, storage.audit)
        self.places = Places(places, storage.places, storage.library, self.authority)
        self.handoffs = Handoffs(storage.handoffs, self.places, self.authority, keep)

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

    async def place(self, chain: Sequence[str]) -> Place:
        """What holds in the last place of `chain`, which begins with the widest."""
        return await self.places.of(chain)

    async def set_here(self, place: str) -> Place:
        """What was set in chat for this very place."""
        return await self.places.set_here(place)

    async def set_up(self, actor: Actor, place: str, choices: Mapping[str, str]) -> Place:
        """Set what is chosen for `place`, and return what holds there now. Raises NotAllowed or Refused."""
        return await self.places.set_up(actor, place, choices)

    async def hand_over(
        self,
        answer_id: str,
        asker: str,
        readers: Readers,
        chain: Sequence[str],
        origin: ConversationId,
        message: str,
        *,
        private: bool,
    ) -> str:
        """Ask the people who are set for the last place of `chain`, once; what the asker is told."""
        answer = await self.answer(answer_id, readers)
        if answer is None:
            return (await self.words(asker))(wording.NO_ANSWER)
        words = await self.words(asker, text=answer.question)
        return await self.handoffs.hand_over(answer, asker, chain, origin, message, words, private=private)

    async def may_keep(self, actor: Actor, place: str) -> bool:
        return await self.handoffs.may_keep(actor, place)

    async def resolve(
        self, handoff_id: str, place: str, actor: Actor, name: str, reply: str, *, keep: bool, link: str
    ) -> Message:
        """Close what people were asked in `place`; what the actor is to be told. Raises NotAllowed."""
        return await self.handoffs.resolve(handoff_id, place, actor, name, reply, keep=keep, link=link)

    def allows(self, actor: Actor, action: Action) -> bool:
        return self.authority.allows(actor, action)

    async def rate(self, rating: Rating) -> None:
        await self._storage.feedback.rate(rating)

    async def documents(self, readers: Readers) -> list[Document]:
        return await self._storage.library.documents(await self._audience(readers))

    async def preferences(self, person: str) -> Preferences:
        return await self._storage.history.preferences(person)

    async def words(self, person: str, *, text: str = "", locale: str = "") -> Words:
        """Our words to a person: in the language they chose, else that of `text`, else that of their `locale`."""
        return speaking((await self.preferences(person)).language, (told(text),), locale)

    async def words_to(self, message: IncomingMessage) -> Words:
        """Our words to whoever sent `message`."""
        space = f"{message.conversation.platform}:{message.conversation.space}"
        place = await self.place((space, message.key.rpartition(":")[0]))
        chosen = (await self.preferences(message.author)).language or place.language
        return speaking(chosen, (told(message.text),), message.locale)

    async def prefer(self, person: str, preferences: Preferences) -> None:
        await self._storage.history.prefer(person, preferences)

    async def export(self, person: str) -> str:
        """All that is kept about a person, as JSON text."""
        return await self._storage.people.export(person)

    async def forget(self, person: str) -> int:
        """Erase all that is kept about a person; returns how many entries went."""
        return await self._storage.people.forget(person)
