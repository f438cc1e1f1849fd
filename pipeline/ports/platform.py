"""The places where people ask, and what those may ask of Citewell."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Protocol

from pipeline.ports.inbox import Inbox
from pipeline.translations import Message, Words
from pipeline.values import (
    Action,
    Actor,
    Answer,
    Around,
    ConversationId,
    Document,
    Event,
    IncomingMessage,
    Notice,
    Place,
    Preferences,
    Rating,
    Readers,
    Work,
)


class Receipt(Protocol):
    """What an adapter tells while it delivers one reply; each call is durable when it returns."""

    async def posting(self) -> None:
        """Before the first visible write."""
        ...

    async def posted(self, reference: str) -> None:
        """Right after the platform named the reply; again when a further part of it was posted."""
        ...


class Desk(Protocol):
    """What buttons and commands ask for after the answer. Persons are `platform:...:user id`."""

    async def answer(self, answer_id: str, readers: Readers) -> Answer | None:
        """A past answer, if everyone of `readers` may see all that it cites."""
        ...

    async def rate(self, rating: Rating) -> None: ...

    async def documents(self, readers: Readers) -> list[Document]: ...

    async def preferences(self, person: str) -> Preferences: ...

    async def words(self, person: str, *, text: str = "", locale: str = "") -> Words:
        """Our words to a person: in the language they chose, else that of `text`, else that of their `locale`."""
        ...

    async def prefer(self, person: str, preferences: Preferences) -> None: ...

    async def export(self, person: str) -> str:
        """All that is kept about a person, as JSON text."""
        ...

    async def forget(self, person: str) -> int:
        """Erase all that is kept about a person; returns how many turns, messages and ratings went."""
        ...

    async def place(self, chain: Sequence[str]) -> Place:
        """What holds in the last place of `chain`, which begins with the widest: `slack:T1`, `slack:T1:C2`."""
        ...

    async def set_here(self, place: str) -> Place:
        """What was set in chat for this very place."""
        ...

    async def set_up(self, actor: Actor, place: str, choices: Mapping[str, str]) -> Place:
        """Set what is chosen for `place`, and return what holds there now. Raises NotAllowed or Refused."""
        ...

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
        """Ask the people who are set for the last place of `chain`, once; what the asker is told.

        `origin` and `message`: where the answer stands that did not help."""
        ...

    async def may_keep(self, actor: Actor, place: str) -> bool:
        """Whether to offer the actor in `place` that a reply is kept as an answer."""
        ...

    async def resolve(
        self, handoff_id: str, place: str, actor: Actor, name: str, reply: str, *, keep: bool, link: str
    ) -> Message:
        """Close what people were asked in `place`; what the actor, who is called `name`, is to be told.

        With `keep`, the reply becomes a document that leads to `link`. Raises NotAllowed; nothing is changed then."""
        ...

    def allows(self, actor: Actor, action: Action) -> bool:
        """Whether to offer it; it is checked again, and written down, when it is done."""
        ...


class PlatformAdapter(Protocol):
    name: str

    async def listen(self, inbox: Inbox, desk: Desk) -> None:
        """Take messages in until cancelled.

        Raises Misconfigured when it can never work, Unavailable when it may later."""
        ...

    async def deliver(self, work: Work, events: AsyncIterator[Event], receipt: Receipt) -> None:
        """Show the reply as it comes. With `work.reference` set, complete that reply by editing it."""
        ...

    async def find(self, work: Work) -> str | None:
        """Look on the platform for a reply to `work` that a crash left unrecorded."""
        ...

    async def around(self, message: IncomingMessage) -> Around:
        """What people said around a message in its very thread; nothing where it cannot be read."""
        ...

    async def readers(self, message: IncomingMessage) -> Readers:
        """Who will read the reply, as of now. Fails closed: in doubt, fewer groups."""
        ...

    async def readers_in(self, place: str) -> Readers:
        """Everyone who reads a channel, as of now. Fails closed: in doubt, fewer groups."""
        ...

    async def notify(self, notice: Notice, answer: Answer | None, receipt: Receipt) -> None:
        """Post what the bot says by itself. `answer`: what its readers may see of what was found."""
        ...

    async def find_notice(self, notice: Notice) -> str | None:
        """Look on the platform for a notice that a crash left unrecorded."""
        ...

    async def close(self) -> None:
        """Let go of what deliveries need, after the last one."""
        ...
