"""The client of one connection, all that works through it, and its run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import structlog

from adapters.chat.adapter import ChatApp
from adapters.chat.driver import ChatOptions, PlatformDriver
from adapters.chat.post.streaming import EditTiming
from adapters.chat.reply.parts import RenderOptions
from adapters.discord.audience import LOOK_UP_SECONDS, DiscordAudienceResolver
from adapters.discord.errors import translate_discord_errors
from adapters.discord.events.history import DiscordHistoryReader
from adapters.discord.events.intake import DiscordIntake
from adapters.discord.interactions import commands
from adapters.discord.interactions.context import DiscordInteractionDependencies, DiscordUploadStore
from adapters.discord.interactions.handlers import DiscordInteractionHandlers
from adapters.discord.permissions import invite_url
from adapters.discord.platform import DISCORD
from adapters.discord.post.announcements import DiscordAnnouncementPoster
from adapters.discord.post.delivery import DiscordNotifier, DiscordReplyPoster
from adapters.discord.post.private import DiscordCommandIntake
from adapters.discord.post.sender import DiscordMessageBody
from adapters.discord.rendering.components import DiscordButton
from adapters.discord.settings import DiscordSettings, DiscordTimings
from adapters.discord.state import DiscordState
from adapters.discord.transport.client import DiscordClient, DiscordShardedClient
from adapters.discord.transport.identify import IdentifyBudget
from pipeline.errors import Refused, Unavailable
from pipeline.ports import BotServices, Inbox

PUBLIC_BOT_WARNING = (
    "Discord: anybody can add me to a server, and CITEWELL_DISCORD_HOME_GUILDS names none, so every server counts as "
    "outside your organisation and gets public collections only. In the Developer Portal, your application > Bot, "
    "switch off “Public Bot”, or name your servers in that setting; then start me again."
)

log = structlog.get_logger(__name__)


class DiscordOptions(NamedTuple):
    """Options of the operator."""

    settings: DiscordSettings
    render_options: RenderOptions
    retention_days: int
    """Days that data are stored."""
    timings: DiscordTimings
    echo: Callable[[str], None]
    """Printer of a line for the operator."""


class DiscordConnection(NamedTuple):
    """A client and the chat application on it."""

    client: DiscordClient
    chat: ChatApp[DiscordMessageBody]


def build_connection(
    options: DiscordOptions,
    state: DiscordState,
    budget: IdentifyBudget,
    inbox: Inbox,
    services: BotServices,
    connected: asyncio.Event,
) -> DiscordConnection:
    """Build the connection without connecting. `connected` is set once it is up."""
    settings, timings, render_options = options.settings, options.timings, options.render_options
    api_url = settings.api_url or ""
    make: Callable[..., DiscordClient] = DiscordClient
    if settings.shard_range:
        make = partial(DiscordShardedClient, shards=settings.shard_range)
    client = make(
        inbox,
        budget,
        message_content=settings.message_content,
        api_url=api_url,
        ready_seconds=timings.guilds_timeout,
        lag_seconds=timings.lag,
        identify_seconds=timings.identify_interval,
    )
    command_intake, audience_resolver = (
        DiscordCommandIntake(inbox),
        DiscordAudienceResolver(client, home_guilds=settings.home_guilds),
    )
    driver = PlatformDriver(
        DiscordReplyPoster(
            client,
            command_intake,
            content=settings.message_content,
            edit_timing=EditTiming(timings.placeholder_delay, timings.edit_interval),
        ),
        DiscordAnnouncementPoster(client, services, render_options=render_options, threads=settings.threads),
        DiscordHistoryReader(client, client.wait_for_guilds, api_url=api_url),
        audience_resolver,
        DiscordNotifier(client),
    )
    chat = ChatApp(driver, ChatOptions(DISCORD, render_options, patience=LOOK_UP_SECONDS, threads=settings.threads))
    chat.listen(inbox, services)
    context = DiscordInteractionDependencies(
        services, chat, audience_resolver, DiscordUploadStore(api_url=api_url), render_options
    )
    interactions = DiscordInteractionHandlers(context, retention_days=options.retention_days)
    tree = commands.build_command_tree(client, command_intake.ask, interactions)

    async def set_up() -> None:
        await _declare(tree, state, options.echo)
        invite = invite_url(client.application_id or 0)
        options.echo(f"Discord: I am {client.user}. Invite me to a server: {invite}")
        if client.is_public and not settings.home_guilds:
            options.echo(PUBLIC_BOT_WARNING)
        connected.set()

    client.add_dynamic_items(DiscordButton)
    client.intake = DiscordIntake(chat.event_handler)
    client.setup_callback = set_up
    client.on_press = interactions.on_component
    return DiscordConnection(client, chat)


async def run_client(client: DiscordClient, token: str, timings: DiscordTimings) -> None:
    """Run until the connection ends or the watchdog finds it dead; always raises."""
    start = asyncio.create_task(client.start(token))
    watch = asyncio.create_task(
        client.run_watchdog(silence=timings.silence_timeout, checkpoint_interval=timings.checkpoint_interval)
    )
    try:
        done, _ = await asyncio.wait((start, watch), return_when=asyncio.FIRST_COMPLETED)
        for ended in done:
            ended.result()
    finally:
        for task in (start, watch):
            task.cancel()
        await asyncio.gather(start, watch, return_exceptions=True)
    raise Unavailable("Discord", "the connection was closed")


async def _declare(tree: commands.DiscordCommandTree, state: DiscordState, echo: Callable[[str], None]) -> None:
    """Declare the commands. Without them the bot still answers mentions and direct messages."""
    try:
        with translate_discord_errors("declare the commands"):
            await commands.sync_commands(tree, state)
    except (Refused, Unavailable) as error:
        log.warning("discord_commands_not_declared", reason=str(error))
        echo(f"Discord: {error}. Commands stay as they were; the next start tries again.")
