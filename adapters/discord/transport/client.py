"""The gateway client: hands events on and knows whether the connection is alive."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any

import discord
import structlog
import yarl
from discord.gateway import DiscordWebSocket, KeepAliveHandler
from discord.http import Route

from adapters.chat.catch_up import CatchUp
from adapters.chat.intake import BotRemoved, ChannelClosed
from adapters.discord.events.catch_up import DiscordMissedReader, DiscordUnread
from adapters.discord.events.channel_messages import message_loader, refetching_loader
from adapters.discord.events.incoming import parse_deletion, parse_edit, parse_message, parse_reaction
from adapters.discord.events.intake import DiscordIntake
from adapters.discord.events.places import DISCORD_NAME, guild_id_of, place_chain, workspace_key
from adapters.discord.limits import LAG_SECONDS, SILENCE_SECONDS
from adapters.discord.permissions import build_intents
from adapters.discord.transport.identify import IdentifyBudget
from adapters.discord.transport.shards import ShardRange
from pipeline.errors import Unavailable
from pipeline.ports import Inbox
from pipeline.rules.tenancy import workspace_scope
from pipeline.values import PlaceId

GATEWAY_CHECKPOINT_SECONDS = 10.0
"""Seconds between two checkpoints."""
GUILDS_SECONDS = 20.0
"""Seconds that a lookup waits until the servers are known."""
MAX_DISCONNECTS, DISCONNECT_WINDOW = 10, 60.0
"""Connections of a shard that may be lost within a minute. discord.py makes the next one at once where Discord ends it:
2,700 in five seconds."""

log = structlog.get_logger(__name__)
InteractionCallback = Callable[[discord.Interaction[Any], str], Awaitable[None]]


class DiscordClient(discord.Client):
    """The discord.py client. It answers nothing itself: events go to the `intake`, buttons and modals to `on_press`."""

    intake: DiscordIntake
    on_press: InteractionCallback
    setup_callback: Callable[[], Awaitable[None]]
    """Set before the client starts, like the two above."""

    def __init__(
        self,
        inbox: Inbox,
        budget: IdentifyBudget,
        *,
        message_content: bool,
        api_url: str = "",
        ready_seconds: float = 2.0,
        lag_seconds: float = LAG_SECONDS,
        identify_seconds: float = 5.0,
        heard_as: str = workspace_key(None),
        directs: bool = True,
        **sharding: Any,
    ) -> None:
        """Create the client.

        `api_url` points the whole process at another Discord (tests, proxies): discord.py keeps it in a class. There
        are `identify_seconds` between two sessions. `heard_as` names the client's checkpoint. `directs`: it receives
        direct messages. `sharding` is for discord.py's client of several shards.
        """
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # nobody speaks here
        super().__init__(
            intents=build_intents(message_content=message_content),
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            max_ratelimit_timeout=30.0,
            guild_ready_timeout=ready_seconds,
            enable_debug_events=True,
            **sharding,
        )
        self._budget = budget
        self._api_url = api_url
        open_reader = partial(DiscordMissedReader, self, inbox, self.on_message, directs=directs)
        self._catch_up: CatchUp[DiscordUnread, discord.Message] = CatchUp(
            heard_as, inbox, open_reader, lag=lag_seconds, clock=time.time
        )
        self._lag = lag_seconds
        self._identify_interval = identify_seconds
        self._sessions = len(sharding.get("shard_ids", [0]))
        self._disconnects: tuple[float, ...] = ()
        """When connections were lost within the last minute."""
        self._catch_up_task: asyncio.Task[None] | None = None
        self._caught_up = False
        self._guilds_sent = False
        """True once Discord has sent all servers of this session."""
        self._complete = asyncio.Event()
        """Set while all servers are known and the gateway is connected to report changes."""
        self._is_connected = False
        self.heard = time.monotonic()
        """When the gateway last sent anything, on the monotonic clock."""

    async def setup_hook(self) -> None:
        if self._api_url:
            gateway = await self.http.request(Route("GET", "/gateway"))
            DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway["url"])
        await self.setup_callback()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait between sessions. Raises Unavailable where sessions end as soon as they are opened: the next one is
        opened after a wait."""
        if not initial:
            await asyncio.sleep(self._identify_interval)
            if wait := self._budget.seconds_until_allowed():
                raise Unavailable("Discord", "ends each session as soon as it is opened", retry_after=wait)
        self._budget.spend()

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        """Dispatch an event, unless the client is closed: discord.py reports `ready` some time later whatever
        happens."""
        if not self.is_closed():
            super().dispatch(event, *args, **kwargs)

    async def close(self) -> None:
        """Close, also a session that was not open yet: discord.py forgets it, and its heartbeat goes on."""
        if self._catch_up_task:
            self._catch_up_task.cancel()
        await super().close()
        for heart in threading.enumerate():
            if isinstance(heart, KeepAliveHandler) and heart.ws._connection is self._connection:  # noqa: SLF001
                await heart.ws.close()

    @property
    def is_public(self) -> bool:
        """True where anybody may add the bot to a server: “Public Bot” in the portal, as it was at the start."""
        return self.application is None or self.application.bot_public

    async def wait_for_guilds(self, guild_id: int | None = None) -> None:
        """Wait until a server, or without one every server, is known as it is now. A session begins with their ids
        alone, and while it is cut off nobody reports lost permissions. Raises Unavailable."""
        try:
            async with asyncio.timeout(GUILDS_SECONDS):
                await self._complete.wait()
        except TimeoutError:
            raise Unavailable("Discord", "has not sent the current list of servers yet") from None

    # --- What the gateway says ---------------------------------------------------------------

    async def on_socket_raw_receive(self, _: str) -> None:
        self.heard = time.monotonic()

    async def on_connect(self) -> None:
        """Start a fresh session, in which Discord sends the servers one by one."""
        self._is_connected = True
        self._guilds_sent = False
        self._complete.clear()

    async def on_ready(self) -> None:
        """Read what was missed since the last session, now that all servers are known."""
        self._guilds_sent = True
        self._set_if_complete()
        self._start_catch_up()

    def _set_if_complete(self) -> None:
        if self._guilds_sent and self._is_connected and self._all_connected:
            self._complete.set()

    def _start_catch_up(self) -> None:
        self._caught_up = False
        if self._catch_up_task:
            self._catch_up_task.cancel()
        self._catch_up_task = asyncio.create_task(self._catch_up_missed())

    async def on_guild_available(self, _: discord.Guild) -> None:
        """Read what was missed on a server that is available again."""
        if self._catch_up_task:
            self._start_catch_up()

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        await self.intake.accept(BotRemoved(space=PlaceId(platform=DISCORD_NAME, space=str(guild.id))))

    async def _catch_up_missed(self) -> None:
        await self._catch_up.read_missed()
        self._caught_up = True
        await self._mark_if_all_read()

    async def on_disconnect(self) -> None:
        """Note the loss. A client that only loses connections is closed, and its caller waits longer each time."""
        self._is_connected = self._caught_up = False
        self._complete.clear()
        now = time.monotonic()
        self._disconnects = (*(at for at in self._disconnects if now - at < DISCONNECT_WINDOW), now)
        if len(self._disconnects) > MAX_DISCONNECTS * self._sessions:
            log.warning("discord_connection_unstable", lost=len(self._disconnects))
            await self.close()

    async def on_resumed(self) -> None:
        """Note that Discord has replayed what was missed, unless missed messages are still being read."""
        self._is_connected = True
        self._set_if_complete()
        self._caught_up = self._catch_up_task is not None and self._catch_up_task.done()

    async def on_message(self, message: discord.Message) -> None:
        if self.user:
            with workspace_scope(workspace_key(guild_id_of(message))):
                await self.intake.accept(parse_message(message, self.user), message_loader(message, self.user))

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        if self.user:
            with workspace_scope(workspace_key(payload.guild_id)):
                load = refetching_loader(self, payload.guild_id, payload.channel_id, payload.message_id)
                await self.intake.accept(parse_edit(payload.message, self.user), load)

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        await self._delete_messages(payload.guild_id, payload.channel_id, [payload.message_id])

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        await self._delete_messages(payload.guild_id, payload.channel_id, payload.message_ids)

    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        if event := parse_reaction(payload, self.get_channel(payload.channel_id)):
            with workspace_scope(workspace_key(payload.guild_id)):
                load = refetching_loader(self, payload.guild_id, payload.channel_id, payload.message_id)
                await self.intake.accept(event, load)

    async def on_raw_reaction_remove(self, payload: discord.RawReactionActionEvent) -> None:
        await self.on_raw_reaction_add(payload)

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        with workspace_scope(workspace_key(channel.guild.id)):
            await self.intake.accept(ChannelClosed(said_in=place_chain(channel.guild.id, channel.id, channel)))

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        with workspace_scope(workspace_key(payload.guild_id)):
            said_in = place_chain(payload.guild_id, payload.parent_id, None)
            await self.intake.accept(ChannelClosed(said_in=said_in, thread=str(payload.thread_id)))

    async def _delete_messages(self, guild_id: int | None, channel_id: int, message_ids: Iterable[int]) -> None:
        channel = self.get_channel(channel_id)
        with workspace_scope(workspace_key(guild_id)):
            for message_id in message_ids:
                await self.intake.accept(parse_deletion(guild_id, channel_id, channel, message_id))

    async def handle_component(self, interaction: discord.Interaction[Any], custom_id: str) -> None:
        with workspace_scope(workspace_key(interaction.guild_id)):
            await self.on_press(interaction, custom_id)

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Handle a submitted modal: discord.py forgets its own over a restart, so ours are read here."""
        if interaction.type is discord.InteractionType.modal_submit:
            data: Any = interaction.data or {}
            await self.handle_component(interaction, str(data.get("custom_id", "")))

    # --- Whether it is alive -----------------------------------------------------------------

    def has_live_gateway(self, *, silence: float = SILENCE_SECONDS) -> bool:
        """Return True if there is a session, and the gateway has sent something within `silence` seconds."""
        return (
            self._is_connected
            and self._all_connected
            and not self.is_closed()
            and time.monotonic() - self.heard <= silence
        )

    async def run_watchdog(
        self, *, silence: float = SILENCE_SECONDS, checkpoint_interval: float = GATEWAY_CHECKPOINT_SECONDS
    ) -> None:
        """Save checkpoints until the gateway is dead, then raise Unavailable. Raises unexpected errors of catching up,
        too: a bot that missed something must not go on."""
        while True:
            await asyncio.sleep(min(checkpoint_interval, silence / 3))
            quiet = time.monotonic() - self.heard
            if quiet > silence:
                raise Unavailable("Discord", f"the gateway has been silent for {quiet:.0f} seconds")
            if self._catch_up_task and self._catch_up_task.done() and not self._catch_up_task.cancelled():
                self._catch_up_task.result()
            if quiet < self._lag:
                await self._mark_if_all_read()

    @property
    def _all_connected(self) -> bool:
        """True where every shard is connected."""
        return True

    async def _mark_if_all_read(self) -> None:
        """Save a checkpoint. A start reads from the last one on; without one it reads only channels that were seen
        before."""
        everywhere = self._caught_up and self._all_connected and not any(guild.unavailable for guild in self.guilds)
        if everywhere and not self.intake.unsaved:
            await self._catch_up.save_checkpoint(time.time())


class DiscordShardedClient(DiscordClient, discord.AutoShardedClient):
    """A client over several sessions, each with its part of the servers; direct messages are in that of shard 0."""

    def __init__(self, *args: Any, shards: ShardRange, **options: Any) -> None:
        self._down_shards = set(shards.ids)
        """Shards that are not connected."""
        self._unsent_shards = set(shards.ids)
        """Shards whose servers are not known yet."""
        self._shards = shards
        sharding = {"shard_ids": shards.ids, "shard_count": shards.total, **options}
        super().__init__(
            *args, heard_as=f"{DISCORD_NAME}:{shards.file_suffix}", directs=shards.contains(None), **sharding
        )

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait between the sessions of two shards."""
        if not initial:
            await asyncio.sleep(self._identify_interval)
        self._budget.spend()

    async def launch_shard(self, gateway: yarl.URL, shard_id: int, *, initial: bool = False) -> None:
        """Launch a shard. Raises Unavailable where no session may be opened today: discord.py would retry for ever."""
        self._budget.check()
        await super().launch_shard(gateway, shard_id, initial=initial)

    async def wait_for_guilds(self, guild_id: int | None = None) -> None:
        """Wait for the servers; a server whose shard is connected waits for no other one."""
        if guild_id is None or self._shards.shard_of(guild_id) in self._down_shards | self._unsent_shards:
            await super().wait_for_guilds(guild_id)

    async def on_shard_connect(self, shard_id: int) -> None:
        self._unsent_shards.add(shard_id)

    async def on_shard_disconnect(self, shard_id: int) -> None:
        self._down_shards.add(shard_id)

    async def on_shard_resumed(self, shard_id: int) -> None:
        """Note the shard. Where another one is new, all may have waited for this one."""
        self._down_shards.discard(shard_id)
        if self._guilds_sent:
            self._set_if_complete()
        else:
            await self.on_shard_ready(shard_id)

    async def on_shard_ready(self, shard_id: int) -> None:
        """Read what was missed on its servers, once all shards are connected."""
        self._down_shards.discard(shard_id)
        self._unsent_shards.discard(shard_id)
        if self._all_connected:
            await super().on_ready()

    async def on_ready(self) -> None:
        """Do nothing: it comes for the first sessions alone, `on_shard_ready` for each."""

    @property
    def _all_connected(self) -> bool:
        return not self._down_shards
