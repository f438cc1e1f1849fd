"""The chat application: the port `PlatformAdapter` for every platform that has a driver."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Generic, TypeVar

from adapters.chat import history
from adapters.chat.announcements import Announcer
from adapters.chat.audience import ReadersBuilder
from adapters.chat.driver import ChatOptions, PlatformDriver
from adapters.chat.intake import ChatEventHandler
from adapters.chat.interactions.context import InteractionContext
from adapters.chat.interactions.dispatcher import InteractionDispatcher
from adapters.chat.interactions.uploads import can_offer_upload
from adapters.chat.post.delivery import Deliverer
from pipeline.ports import BotServices, Inbox, PlatformAdapter, PostRecorder, ReplyStream, SupportsHistory
from pipeline.translations import Translator
from pipeline.values import (
    Attachment,
    ChannelMessage,
    ConversationId,
    HistoryPage,
    IncomingMessage,
    LeasedMessage,
    ParsedDocument,
    PersonId,
    PlaceId,
    Readers,
    ThreadContext,
)
from pipeline.values.posting import Announcement

P = TypeVar("P")
"""The type that a platform shows as one message."""


class ChatApp(Generic[P]):
    """The chat application over one connection."""

    event_handler: ChatEventHandler
    """The handler of incoming events; set by `listen`."""

    def __init__(self, driver: PlatformDriver[P], options: ChatOptions, services: BotServices | None = None) -> None:
        """Create the application. Without `services` no channel counts as a source and no upload is offered until it
        listens."""
        self.driver = driver
        self._options = options
        self._services = services
        self.audience = ReadersBuilder(self._source_channels, patience=options.patience)
        self.announcer = Announcer(options.platform, driver.announcement_poster)
        self.deliverer = Deliverer(
            driver.reply_poster,
            options.platform,
            options.render_options,
            self._upload_button_value,
            shared_channels=options.shared_channels,
        )

    def listen(self, inbox: Inbox, services: BotServices) -> None:
        self._services = services
        self._dispatcher = InteractionDispatcher(services, inbox)
        self.event_handler = ChatEventHandler(
            inbox,
            services,
            self.deliverer,
            self.driver.notifier,
            shared_channels=self._options.shared_channels,
            threads=self._options.threads,
        )

    async def handle_interaction(self, interaction: InteractionContext) -> None:
        """Handle a button, form or command. Requires that `listen` was called."""
        async with interaction.report_errors():
            await self._dispatcher.dispatch(interaction)

    async def readers(self, target: IncomingMessage | PlaceId | PersonId) -> Readers:
        return await self.audience.build(await self.driver.audience_resolver.resolve(target))

    async def _source_channels(self, space: str) -> frozenset[PlaceId]:
        return await self._services.channels.indexed_channels(space) if self._services else frozenset()

    async def _upload_button_value(self, message: IncomingMessage) -> str:
        author = partial(self.driver.audience_resolver.author, message)
        may_add = self._services and await can_offer_upload(self._services, message, author)
        return self.driver.reply_poster.upload_button_value(message) if may_add else ""


class ChatAdapter(PlatformAdapter, SupportsHistory, Generic[P]):
    """The part of the adapter port that all chat platforms share. A subclass adds how to connect."""

    @abstractmethod
    def connect(self, space: str) -> AbstractAsyncContextManager[ChatApp[P]]:
        """Return a context with the connection that reaches a workspace or server, given its id. Raises Unavailable,
        and Refused where the bot is not a member."""
        ...

    async def post(self, outgoing: ReplyStream | Announcement, recorder: PostRecorder) -> Sequence[ConversationId]:
        """Post a reply or an announcement. Raises Unavailable, or Refused where the platform rejects it."""
        if isinstance(outgoing, ReplyStream):
            async with self.connect(outgoing.work.space) as chat:
                await chat.deliverer.deliver(outgoing, recorder)
            return ()
        async with self.connect(outgoing.space) as chat:
            return await chat.announcer.post(outgoing, recorder)

    async def find_posted(self, outgoing: LeasedMessage | Announcement) -> str | None:
        async with self.connect(outgoing.space) as chat:
            if isinstance(outgoing, LeasedMessage):
                return await chat.deliverer.find_posted(outgoing)
            return await chat.announcer.find_posted(outgoing)

    async def get_readers(self, target: IncomingMessage | PlaceId | PersonId) -> Readers:
        async with self.connect(
            target.conversation.space if isinstance(target, IncomingMessage) else target.space
        ) as chat:
            return await chat.readers(target)

    async def load_context(self, message: IncomingMessage) -> ThreadContext:
        async with self.connect(message.conversation.space) as chat:
            return await history.load_thread_context(chat.driver.history_reader, message)

    async def load_thread(self, message: IncomingMessage, translator: Translator) -> ParsedDocument | None:
        async with self.connect(message.conversation.space) as chat:
            return await history.load_thread_document(chat.driver.history_reader, message, translator)

    async def load_history(self, channel: PlaceId, position: str) -> HistoryPage:
        async with self.connect(channel.space) as chat:
            return await chat.driver.history_reader.read_history(channel, position)

    async def download_file(self, message: ChannelMessage, file: Attachment) -> bytes:
        async with self.connect(message.channel.space) as chat:
            return await chat.driver.history_reader.download_file(message, file)
