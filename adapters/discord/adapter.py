"""Discord as a `PlatformAdapter`."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from discord.http import Route

from adapters.chat.before import around, thread
from adapters.chat.reply.answer import EVERYTHING
from adapters.chat.reply.parts import Look
from adapters.discord.connection import DiscordConnection, DiscordOptions, connect, run
from adapters.discord.errors import listening, translated
from adapters.discord.events.before import DiscordBefore
from adapters.discord.events.places import DIRECT, PLATFORM
from adapters.discord.events.talk import file_of
from adapters.discord.memory import Memory
from adapters.discord.pace import DiscordPace
from adapters.discord.settings import DiscordSettings
from adapters.discord.transport.client import Client
from adapters.discord.transport.identify import IdentifyBudget
from adapters.discord.transport.shards import ALL
from pipeline.errors import Unavailable
from pipeline.ports import AmongPeople, Desk, Growing, Inbox, Receipt
from pipeline.rules.tenancy import NOBODY, bound
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

ELSEWHERE_SECONDS = 60.0
"""How long what belongs to another process is left alone."""
CONNECT_SECONDS = 20.0
"""How long a delivery waits for the connection."""


class DiscordAdapter(AmongPeople):
    """One bot in any number of servers. `folder` keeps what it remembers between starts (`memory.py`); `say` tells
    the operator who it is and how to invite it."""

    name = PLATFORM

    def __init__(
        self,
        settings: DiscordSettings,
        *,
        folder: Path,
        say: Callable[[str], None],
        look: Look = EVERYTHING,
        retention_days: int = 30,
        pace: DiscordPace | None = None,
        identify_budget: IdentifyBudget | None = None,
    ) -> None:
        self._settings = settings
        self._pace = pace or DiscordPace()
        self._options = DiscordOptions(settings, look, retention_days, self._pace, say)
        self._shards = settings.part
        self._memory = Memory(folder, self._shards.name if self._shards else "")
        self._budget = identify_budget or IdentifyBudget(self._memory, shards=self._shards or ALL)
        self._connection: DiscordConnection | None = None
        self._connected = asyncio.Event()
        self._delivering = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def listen(self, inbox: Inbox, desk: Desk) -> None:
        """Take messages in until cancelled.

        Raises Misconfigured for a token or an intent that Discord refuses and for a memory that cannot be read;
        Unavailable when Discord cannot be reached or its gateway has gone silent. After that, and after any other
        error, listening anew opens a session and reads what was said meanwhile."""
        if wait := self._budget.wait():
            self._options.say(
                f"Discord: the last sessions ended soon after they were opened, so the next one is opened in "
                f"{wait:.0f} seconds; Discord resets the token of a bot that opens too many."
            )
            await asyncio.sleep(wait)
        if self._settings.api_url:
            Route.BASE = self._settings.api_url
        line = connect(self._options, self._memory, self._budget, inbox, desk, self._connected)
        try:
            with listening():
                async with line.client:
                    self._connection = line
                    try:
                        with bound(NOBODY):
                            await run(line.client, self._settings.token, self._pace)
                    except asyncio.CancelledError:
                        self._budget.stopped()
                        raise
                    finally:
                        await self._let_deliveries_end()
        finally:
            self._connected.clear()
            self._connection = None

    def serves(self, space: str) -> bool:
        """Whether a server is on a shard of this process, by its id; for direct messages `dm`."""
        return self._shards is None or self._shards.have(int(space) if space.isdecimal() else None)

    async def connected(self) -> bool:
        """Whether the gateway is there, and has not gone silent."""
        return self._connection is not None and self._connection.client.linked(silence=self._pace.silence)

    async def _let_deliveries_end(self) -> None:
        """Keep the connection for what is being posted, but not for long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._pace.leave):
                await self._idle.wait()

    async def post(self, outgoing: Growing | Announcement, receipt: Receipt) -> Sequence[ConversationId]:
        """Raises Unavailable when Discord cannot be reached, Refused when it will not let us."""
        line = await self._ready(DIRECT if isinstance(outgoing, Growing) else outgoing.space)
        self._delivering += 1
        self._idle.clear()
        try:
            with translated("post"), _while_open(line.client):
                if isinstance(outgoing, Growing):
                    await line.deliverer.deliver(outgoing, receipt)
                    return ()
                return await line.announcer.post(outgoing, receipt)
        finally:
            self._delivering -= 1
            if not self._delivering:
                self._idle.set()

    async def find(self, outgoing: Work | Announcement) -> str | None:
        """A command's reply needs no looking for: it is always there to edit."""
        line = await self._ready()
        with translated("look for what was posted"), _while_open(line.client):
            if isinstance(outgoing, Work):
                return await line.deliverer.find(outgoing)
            return await line.announcer.find(outgoing)

    async def close(self) -> None:
        """Nothing is left open: listening ends the connection when the deliveries under way have ended."""

    async def around(self, message: IncomingMessage) -> Around:
        """What people said around a message in its very thread; nothing where it cannot be read."""
        line = await self._ready()
        return await around(DiscordBefore(line.client), message)

    async def file(self, said: Said, file: Attachment) -> bytes:
        """Its address is good for a day, so the message is asked for a new one."""
        line = await self._ready(said.channel.space)
        with translated("read a file"), _while_open(line.client):
            return await file_of(line.client, said, file, self._settings.api_url or "")

    async def history(self, channel: PlaceId, position: str) -> Stretch:
        """A part of what was said in a channel."""
        line = await self._ready(channel.space)
        await line.client.complete()
        with _while_open(line.client):
            return await DiscordBefore(line.client).history(channel, position)

    async def thread(self, message: IncomingMessage, words: Words) -> Parsed | None:
        line = await self._ready()
        return await thread(DiscordBefore(line.client), message, words)

    async def readers(self, of: IncomingMessage | PlaceId | PersonId) -> Readers:
        line = await self._ready(of.space if isinstance(of, PlaceId) else DIRECT)
        if isinstance(of, IncomingMessage):
            return await line.audiences.of(of)
        await line.client.complete()
        if isinstance(of, PersonId):
            return await line.audiences.of_person(int(of.user))
        return await line.audiences.of_channel(int(of.space), int(of.channel))

    async def _ready(self, space: str = DIRECT) -> DiscordConnection:
        """Raises Unavailable where another process has that server, too."""
        if space != DIRECT and not self.serves(space):
            raise Unavailable("Discord", "the server is on a shard of another process", retry_after=ELSEWHERE_SECONDS)
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await self._connected.wait()
        except TimeoutError:
            raise Unavailable("Discord", "not connected") from None
        if self._connection is None:
            raise Unavailable("Discord", "not connected")
        return self._connection


@contextlib.contextmanager
def _while_open(client: Client) -> Iterator[None]:
    """Raises Unavailable for what discord.py makes of a connection that we closed meanwhile."""
    try:
        yield
    except RuntimeError as error:
        if not client.is_closed():
            raise
        raise Unavailable("Discord", "the connection was closed meanwhile", retry_after=0.0) from error
