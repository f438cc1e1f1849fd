"""The Discord adapter: the port `PlatformAdapter`."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

from discord.http import Route

from adapters.chat.adapter import ChatAdapter, ChatApp
from adapters.chat.reply.builder import SHOW_EVERYTHING
from adapters.chat.reply.parts import RenderOptions
from adapters.discord.connection import DiscordConnection, DiscordOptions, build_connection, run_client
from adapters.discord.errors import translate_gateway_errors
from adapters.discord.events.places import DIRECT_SPACE, DISCORD_NAME
from adapters.discord.post.sender import DiscordMessageBody
from adapters.discord.settings import DiscordSettings, DiscordTimings
from adapters.discord.state import DiscordState
from adapters.discord.transport.identify import IdentifyBudget
from adapters.discord.transport.shards import SINGLE_SHARD
from pipeline.errors import Unavailable
from pipeline.ports import BotServices, Inbox, PostRecorder, ReplyStream
from pipeline.rules.tenancy import NO_WORKSPACE, workspace_scope
from pipeline.values import ConversationId
from pipeline.values.posting import Announcement

OTHER_SHARD_SECONDS = 60.0
"""Seconds for which work of another process is left alone."""
CONNECT_SECONDS = 20.0
"""Seconds that a delivery waits for the connection."""


class DiscordAdapter(ChatAdapter[DiscordMessageBody]):
    """Citewell on Discord: one bot in any number of servers. `folder` holds its state between starts (`state.py`);
    `echo` prints for the operator who the bot is and how to invite it."""

    name = DISCORD_NAME

    def __init__(
        self,
        settings: DiscordSettings,
        *,
        folder: Path,
        echo: Callable[[str], None],
        render_options: RenderOptions = SHOW_EVERYTHING,
        retention_days: int = 30,
        timings: DiscordTimings | None = None,
        identify_budget: IdentifyBudget | None = None,
    ) -> None:
        self._settings = settings
        self._timings = timings or DiscordTimings()
        self._options = DiscordOptions(settings, render_options, retention_days, self._timings, echo)
        self._shards = settings.shard_range
        self._state = DiscordState(folder, self._shards.file_suffix if self._shards else "")
        self._budget = identify_budget or IdentifyBudget(self._state, shards=self._shards or SINGLE_SHARD)
        self._connection: DiscordConnection | None = None
        self._connected = asyncio.Event()
        self._posts_under_way = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def listen(self, inbox: Inbox, services: BotServices) -> None:
        """Accept messages until cancelled. Raises Misconfigured for a token or an intent that Discord refuses and for
        unreadable state; Unavailable when Discord cannot be reached or its gateway has gone silent. After that, and
        after any other error, listening anew opens a session and reads what was missed."""
        if wait := self._budget.seconds_until_allowed():
            self._options.echo(
                f"Discord: the last sessions ended soon after they were opened, so the next one is opened in "
                f"{wait:.0f} seconds; Discord resets the token of a bot that opens too many."
            )
            await asyncio.sleep(wait)
        if self._settings.api_url:
            Route.BASE = self._settings.api_url
        line = build_connection(self._options, self._state, self._budget, inbox, services, self._connected)
        try:
            with translate_gateway_errors():
                async with line.client:
                    self._connection = line
                    try:
                        with workspace_scope(NO_WORKSPACE):
                            await run_client(line.client, self._settings.token, self._timings)
                    except asyncio.CancelledError:
                        self._budget.mark_clean_stop()
                        raise
                    finally:
                        await self._drain()
        finally:
            self._connected.clear()
            self._connection = None

    def can_serve(self, space: str) -> bool:
        """Return True if a server, given by its id, is on a shard of this process; `dm` stands for direct messages."""
        return self._shards is None or self._shards.contains(int(space) if space.isdecimal() else None)

    async def is_connected(self) -> bool:
        """Return True if the gateway is connected and has not gone silent."""
        return self._connection is not None and self._connection.client.has_live_gateway(
            silence=self._timings.silence_timeout
        )

    async def _drain(self) -> None:
        """Keep the connection for posts under way, but not for long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._timings.drain_timeout):
                await self._idle.wait()

    @contextlib.asynccontextmanager
    async def connect(self, space: str) -> AsyncIterator[ChatApp[DiscordMessageBody]]:
        """Return a context with the connection. Raises Unavailable also where another process has that server."""
        line = await self._wait_until_ready(space)
        try:
            yield line.chat
        except RuntimeError as error:  # what discord.py makes of a connection that we closed meanwhile
            if not line.client.is_closed():
                raise
            raise Unavailable("Discord", "the connection was closed meanwhile", retry_after=0.0) from error

    async def post(self, outgoing: ReplyStream | Announcement, recorder: PostRecorder) -> Sequence[ConversationId]:
        """Post, and keep the connection until it is done. Only posts hold it: a lookup may wait for a response that
        never comes on a lost connection."""
        await self._wait_until_ready(outgoing.work.space if isinstance(outgoing, ReplyStream) else outgoing.space)
        self._posts_under_way += 1
        self._idle.clear()
        try:
            return await super().post(outgoing, recorder)
        finally:
            self._posts_under_way -= 1
            if not self._posts_under_way:
                self._idle.set()

    async def close(self) -> None:
        """Do nothing: `listen` closes the connection when the deliveries under way have ended."""

    async def _wait_until_ready(self, space: str) -> DiscordConnection:
        if space not in ("", DIRECT_SPACE) and not self.can_serve(space):
            raise Unavailable("Discord", "the server is on a shard of another process", retry_after=OTHER_SHARD_SECONDS)
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await self._connected.wait()
        except TimeoutError:
            raise Unavailable("Discord", "not connected") from None
        if self._connection is None:
            raise Unavailable("Discord", "not connected")
        return self._connection
