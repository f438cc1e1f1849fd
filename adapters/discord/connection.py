"""What exists while there is one connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import structlog

from adapters.chat.adapter import Chat
from adapters.chat.driver import ChatOptions, Driver
from adapters.chat.post.growth import Pace
from adapters.chat.reply.parts import Look
from adapters.discord.audience import LOOK_UP_SECONDS, DiscordReaches
from adapters.discord.errors import translated
from adapters.discord.events.before import DiscordReads
from adapters.discord.events.intake import DiscordIntake
from adapters.discord.memory import Memory
from adapters.discord.parts.blocks import PressButton
from adapters.discord.permissions import invite_url
from adapters.discord.platform import DISCORD
from adapters.discord.post.deliver import DiscordPosts, DiscordTells
from adapters.discord.post.notices import DiscordNotices
from adapters.discord.post.private import Asking
from adapters.discord.post.reply import DiscordPost
from adapters.discord.press import commands
from adapters.discord.press.interactions import DiscordInteractions
from adapters.discord.press.presser import Context, DiscordShelf
from adapters.discord.settings import DiscordPace, DiscordSettings
from adapters.discord.transport.client import Client, ShardedClient
from adapters.discord.transport.identify import IdentifyBudget
from pipeline.errors import Refused, Unavailable
from pipeline.ports import Desk, Inbox

ANYBODYS = (
    "Discord: anybody can add me to a server, and CITEWELL_DISCORD_HOME_GUILDS names none, so every server counts as "
    "outside your organisation and gets public collections only. In the Developer Portal, your application > Bot, "
    "switch off “Public Bot”, or name your servers in that setting; then start me again."
)

log = structlog.get_logger(__name__)


class DiscordOptions(NamedTuple):
    """What the operator chose."""

    settings: DiscordSettings
    look: Look
    days: int
    """That something is kept."""
    pace: DiscordPace
    say: Callable[[str], None]
    """Tells the operator."""


class DiscordConnection(NamedTuple):
    """One client and what works through it."""

    client: Client
    chat: Chat[DiscordPost]


def connect(
    options: DiscordOptions, memory: Memory, budget: IdentifyBudget, inbox: Inbox, desk: Desk, connected: asyncio.Event
) -> DiscordConnection:
    """Not connected yet; `connected` is set when it is."""
    settings, pace, look = options.settings, options.pace, options.look
    api_url = settings.api_url or ""
    make: Callable[..., Client] = Client
    if settings.part:
        make = partial(ShardedClient, shards=settings.part)
    client = make(
        inbox,
        budget,
        message_content=settings.message_content,
        api_url=api_url,
        ready_seconds=pace.ready,
        lag_seconds=pace.lag,
        identify_seconds=pace.identify,
    )
    asking, reaches = Asking(inbox), DiscordReaches(client, home_guilds=settings.home_guilds)
    driver = Driver(
        DiscordPosts(client, asking, content=settings.message_content, pace=Pace(pace.first, pace.edit)),
        DiscordNotices(client, desk, look=look, threads=settings.threads),
        DiscordReads(client, client.complete, api_url=api_url),
        reaches,
        DiscordTells(client),
    )
    chat = Chat(driver, ChatOptions(DISCORD, look, patience=LOOK_UP_SECONDS, threads=settings.threads))
    chat.listen(inbox, desk)
    context = Context(desk, chat, reaches, DiscordShelf(api_url=api_url), look)
    interactions = DiscordInteractions(context, retention_days=options.days)
    tree = commands.declare(client, asking.ask, interactions)

    async def set_up() -> None:
        await _declare(tree, memory, options.say)
        invite = invite_url(client.application_id or 0)
        options.say(f"Discord: I am {client.user}. Invite me to a server: {invite}")
        if client.public and not settings.home_guilds:
            options.say(ANYBODYS)
        connected.set()

    client.add_dynamic_items(PressButton)
    client.intake = DiscordIntake(chat.hearing)
    client.set_up = set_up
    client.on_press = interactions.press
    return DiscordConnection(client, chat)


async def run(client: Client, token: str, pace: DiscordPace) -> None:
    """Until the connection ends or its watch finds it dead; always raises."""
    start = asyncio.create_task(client.start(token))
    watch = asyncio.create_task(client.watch(silence=pace.silence, mark=pace.mark))
    try:
        done, _ = await asyncio.wait((start, watch), return_when=asyncio.FIRST_COMPLETED)
        for ended in done:
            ended.result()
    finally:
        for task in (start, watch):
            task.cancel()
        await asyncio.gather(start, watch, return_exceptions=True)
    raise Unavailable("Discord", "the connection was closed")


async def _declare(tree: commands.Tree, memory: Memory, say: Callable[[str], None]) -> None:
    """Without its commands the bot still answers mentions and direct messages."""
    try:
        with translated("declare the commands"):
            await commands.sync(tree, memory)
    except (Refused, Unavailable) as error:
        log.warning("discord_commands_not_declared", reason=str(error))
        say(f"Discord: {error}. Commands stay as they were; the next start tries again.")
