"""What exists while there is one connection."""

from __future__ import annotations

from typing import NamedTuple

from adapters.discord.account import Panels
from adapters.discord.audience import Audiences
from adapters.discord.client import Client
from adapters.discord.deliver import Deliverer
from adapters.discord.digests import Digests
from adapters.discord.interactions import Actions
from adapters.discord.knowledge import Knowledge
from adapters.discord.notices import Notices
from adapters.discord.pace import Pace
from adapters.discord.private import Asking
from adapters.discord.setup import Setup
from adapters.replies.parts import Look
from pipeline.ports import Desk, Inbox
from pipeline.values import Action, ConversationId, IncomingMessage, Manner


class Connection(NamedTuple):
    """One client and what works through it."""

    client: Client
    audiences: Audiences
    actions: Actions
    panels: Panels
    setup: Setup
    knowledge: Knowledge
    asking: Asking
    deliverer: Deliverer
    notices: Notices
    digests: Digests


def open_connection(
    client: Client,
    inbox: Inbox,
    desk: Desk,
    *,
    appearing: set[ConversationId],
    home: tuple[int, ...],
    threads: bool,
    content: bool,
    look: Look,
    days: int,
    pace: Pace,
    api_url: str,
) -> Connection:
    audiences = Audiences(client, home_guilds=home)
    knowledge = Knowledge(desk, audiences, api_url=api_url)

    async def offers(message: IncomingMessage) -> bool:
        asked = message.attachments and message.manner is Manner.DIRECT
        return bool(asked) and desk.authority.allows(await audiences.actor_of(int(message.asker.user)), Action.ADD)

    return Connection(
        client,
        audiences,
        Actions(desk, inbox, audiences, knowledge, look=look, threads=threads),
        Panels(desk, audiences, retention_days=days),
        Setup(desk),
        knowledge,
        Asking(client, inbox, look=look, first_seconds=pace.first, edit_seconds=pace.edit),
        Deliverer(
            client,
            appearing=appearing,
            content=content,
            look=look,
            offers=offers,
            first_seconds=pace.first,
            edit_seconds=pace.edit,
        ),
        Notices(client),
        Digests(client, audiences),
    )
