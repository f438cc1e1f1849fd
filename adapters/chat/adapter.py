"""The chat application: the port `PlatformAdapter` for every platform that has a driver."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Generic, TypeVar

from adapters.chat import before
from adapters.chat.announce import Announcer
from adapters.chat.audience import Audience
from adapters.chat.driver import ChatOptions, Driver
from adapters.chat.hear import Hearing
from adapters.chat.post.deliver import Deliverer
from adapters.chat.press.dispatch import Dispatcher
from adapters.chat.press.knowledge import addable
from adapters.chat.press.presser import Presser
from pipeline.ports import AmongPeople, Desk, Growing, Inbox, PlatformAdapter, Receipt
from pipeline.translations import Words
from pipeline.values import (
    Around,
    Attachment,
    ConversationId,
    IncomingMessage,
    Parsed,
    PersonId,
    PlaceId,
    Readers,
    Said,
    Stretch,
    Work,
)
from pipeline.values.posting import Announcement

P = TypeVar("P")
"""What a platform shows as one message."""


class Chat(Generic[P]):
    """The application over one connection."""

    hearing: Hearing
    """Once it listens."""

    def __init__(self, driver: Driver[P], options: ChatOptions, desk: Desk | None = None) -> None:
        """Without `desk`, until it listens no channel counts as a source, and nothing can be added."""
        self.driver = driver
        self._options = options
        self._desk = desk
        self.audience = Audience(self._indexed, patience=options.patience)
        self.announcer = Announcer(options.platform, driver.announces)
        self.deliverer = Deliverer(
            driver.posts, options.platform, options.look, self._adds, shared_channels=options.shared_channels
        )

    def listen(self, inbox: Inbox, desk: Desk) -> None:
        self._desk = desk
        self._dispatcher = Dispatcher(desk, inbox)
        self.hearing = Hearing(
            inbox,
            desk,
            self.deliverer,
            self.driver.tells,
            shared_channels=self._options.shared_channels,
            threads=self._options.threads,
        )

    async def press(self, by: Presser) -> None:
        """Do what was pressed, sent or chosen. Once it listens."""
        async with by.honest():
            await self._dispatcher.press(by)

    async def readers(self, of: IncomingMessage | PlaceId | PersonId) -> Readers:
        return await self.audience.of(await self.driver.reaches.reaches(of))

    async def _indexed(self, space: str) -> frozenset[PlaceId]:
        return await self._desk.channels.of(space) if self._desk else frozenset()

    async def _adds(self, message: IncomingMessage) -> str:
        author = partial(self.driver.reaches.author, message)
        may_add = self._desk and await addable(self._desk, message, author)
        return self.driver.posts.adds(message) if may_add else ""


class ChatAdapter(PlatformAdapter, AmongPeople, Generic[P]):
    """What is left of the port is its subclass's: to connect."""

    @abstractmethod
    def chat(self, space: str) -> AbstractAsyncContextManager[Chat[P]]:
        """The connection that reaches a workspace or server, by its id, for as long as it is needed. Raises
        Unavailable, and Refused for one where we are not."""
        ...

    async def post(self, outgoing: Growing | Announcement, receipt: Receipt) -> Sequence[ConversationId]:
        """Raises Unavailable, or Refused where it is not taken."""
        if isinstance(outgoing, Growing):
            async with self.chat(outgoing.work.space) as chat:
                await chat.deliverer.deliver(outgoing, receipt)
            return ()
        async with self.chat(outgoing.space) as chat:
            return await chat.announcer.post(outgoing, receipt)

    async def find(self, outgoing: Work | Announcement) -> str | None:
        async with self.chat(outgoing.space) as chat:
            if isinstance(outgoing, Work):
                return await chat.deliverer.find(outgoing)
            return await chat.announcer.find(outgoing)

    async def readers(self, of: IncomingMessage | PlaceId | PersonId) -> Readers:
        async with self.chat(of.conversation.space if isinstance(of, IncomingMessage) else of.space) as chat:
            return await chat.readers(of)

    async def around(self, message: IncomingMessage) -> Around:
        async with self.chat(message.conversation.space) as chat:
            return await before.around(chat.driver.reads, message)

    async def thread(self, message: IncomingMessage, words: Words) -> Parsed | None:
        async with self.chat(message.conversation.space) as chat:
            return await before.thread(chat.driver.reads, message, words)

    async def history(self, channel: PlaceId, position: str) -> Stretch:
        async with self.chat(channel.space) as chat:
            return await chat.driver.reads.history(channel, position)

    async def file(self, said: Said, file: Attachment) -> bytes:
        async with self.chat(said.channel.space) as chat:
            return await chat.driver.reads.download(said, file)
