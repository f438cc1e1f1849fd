"""What exists while there is one connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import structlog

from adapters.conversation.knowledge import addable
from adapters.discord import commands
from adapters.discord.account import Panels
from adapters.discord.audience import Audiences
from adapters.discord.client import Client, ShardedClient
from adapters.discord.deliver import Deliverer
from adapters.discord.errors import translated
from adapters.discord.identify import IdentifyBudget
from adapters.discord.intake import Intake
from adapters.discord.interactions import Actions
from adapters.discord.knowledge import Knowledge
from adapters.discord.memory import Memory
from adapters.discord.notices import Notices
from adapters.discord.pace import Pace
from adapters.discord.permissions import invite_url
from adapters.discord.private import Asking
from adapters.discord.setup import Setup
from adapters.discord.shards import Shards
from adapters.replies.parts import Look
from pipeline.errors import Refused, Unavailable
from pipeline.ports import Desk, Inbox
from pipeline.values import ConversationId, IncomingMessage

ANYBODYS = (
    "Discord: anybody can add me to a server, and CITEWELL_DISCORD_HOME_GUILDS names none, so every server counts as "
    "outside your organisation and gets public collections only. In the Developer Portal, your application > Bot, "
    "switch off “Public Bot”, or name your servers in that setting; then start me again."
)

log = structlog.get_logger(__name__)


class Options(NamedTuple):
    """What the operator chose."""

    content: bool
    """We may read what is not addressed to us."""
    threads: bool
    """Mentions are answered in threads."""
    home: tuple[int, ...]
    look: Look
    days: int
    """That something is kept."""
    api_url: str
    pace: Pace
    shards: Shards | None
    """Those of this process; None: all servers in one session."""
    say: Callable[[str], None]
    """Tells the operator."""


class Connection(NamedTuple):
    """One client and what works through it."""

    client: Client
    audiences: Audiences
    asking: Asking
    deliverer: Deliverer
    notices: Notices


def connect(
    options: Options, memory: Memory, budget: IdentifyBudget, inbox: Inbox, desk: Desk, connected: asyncio.Event
) -> Connection:
    """Not connected yet; `connected` is set when it is."""
    appearing: set[ConversationId] = set()
    pace, look, threads = options.pace, options.look, options.threads
    make: Callable[..., Client] = Client
    if options.shards:
        make = partial(ShardedClient, shards=options.shards, identify_seconds=pace.identify)
    client = make(
        inbox,
        Intake(inbox, desk, memory, appearing, threads=threads),
        memory,
        budget,
        message_content=options.content,
        api_url=options.api_url,
        ready_seconds=pace.ready,
        lag_seconds=pace.lag,
    )
    audiences = Audiences(client, home_guilds=options.home)
    knowledge = Knowledge(desk, audiences, api_url=options.api_url)
    asking = Asking(client, inbox, look=look, first_seconds=pace.first, edit_seconds=pace.edit)
    panels = Panels(desk, audiences, retention_days=options.days)
    tree = commands.declare(client, asking.ask, panels, Setup(desk, audiences), knowledge)

    async def offers(message: IncomingMessage) -> bool:
        return await addable(desk, message, lambda: audiences.actor_of(int(message.asker.user)))

    async def set_up() -> None:
        await _declare(tree, memory, options.say)
        invite = invite_url(client.application_id or 0)
        options.say(f"Discord: I am {client.user}. Invite me to a server: {invite}")
        if client.public and not options.home:
            options.say(ANYBODYS)
        connected.set()

    client.set_up = set_up
    client.on_press = Actions(desk, inbox, audiences, knowledge, look=look, threads=threads).press
    deliverer = Deliverer(
        client,
        appearing=appearing,
        content=options.content,
        look=look,
        offers=offers,
        first_seconds=pace.first,
        edit_seconds=pace.edit,
    )
    return Connection(client, audiences, asking, deliverer, Notices(client))


async def run(client: Client, token: str, pace: Pace) -> None:
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
