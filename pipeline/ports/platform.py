"""The places where people ask, and what those may ask of Citewell."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from pipeline.ports.desk import Desk
from pipeline.ports.inbox import Inbox
from pipeline.translations import Words
from pipeline.values import (
    Answer,
    Around,
    ConversationId,
    Event,
    IncomingMessage,
    Notice,
    PlaceId,
    Readers,
    Work,
)
from pipeline.values.digest import Digest
from pipeline.values.insights import Insights


class Receipt(Protocol):
    """What an adapter tells while it delivers one reply; each call is durable when it returns."""

    async def posting(self) -> None:
        """Before the first visible write."""
        ...

    async def posted(self, reference: str) -> None:
        """Right after the platform named the reply; again when a further part of it was posted."""
        ...


class PlatformAdapter(Protocol):
    name: str

    async def listen(self, inbox: Inbox, desk: Desk) -> None:
        """Take messages in until cancelled.

        Raises Misconfigured when it can never work, Unavailable when it may later."""
        ...

    def serves(self, space: str) -> bool:
        """Whether this process can answer in a workspace or server, by its id, as far as that is known by itself."""
        ...

    async def connected(self) -> bool:
        """Whether what people write reaches us now, as far as the platform lets us know."""
        ...

    async def deliver(self, work: Work, events: AsyncIterator[Event], receipt: Receipt) -> None:
        """Show the reply as it comes. With `work.reference` set, complete that reply by editing it."""
        ...

    async def stop(self, conversation: ConversationId) -> None:
        """End the answer that is being written there, if there is one: somebody does not want it."""
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

    async def readers_in(self, place: PlaceId) -> Readers:
        """Everyone who reads a channel, as of now. Fails closed: in doubt, fewer groups."""
        ...

    async def notify(self, notice: Notice, answer: Answer | None, receipt: Receipt) -> None:
        """Post what the bot says by itself. `answer`: what its readers may see of what was found."""
        ...

    async def find_notice(self, notice: Notice) -> str | None:
        """Look on the platform for a notice that a crash left unrecorded."""
        ...

    async def digest_readers(self, digest: Digest) -> Readers:
        """Everyone who reads what is posted there, as of now. Fails closed: in doubt, fewer groups."""
        ...

    async def post_digest(self, digest: Digest, seen: Insights, speech: Words, receipt: Receipt) -> None:
        """Post it as one message."""
        ...

    async def find_digest(self, digest: Digest) -> str | None:
        """Look on the platform for a digest that a crash left unrecorded."""
        ...

    async def close(self) -> None:
        """Let go of what deliveries need, after the last one."""
        ...
