"""What exists while there is one connection, and how fast it goes."""

from __future__ import annotations

from typing import NamedTuple

from adapters.discord.actions import Actions
from adapters.discord.audience import Audiences
from adapters.discord.client import LAG_SECONDS, SILENCE_SECONDS, Client
from adapters.discord.deliver import Deliverer
from adapters.discord.painter import EDIT_SECONDS, FIRST_SECONDS
from adapters.discord.private import Commands
from adapters.discord.render import Look
from pipeline.ports import Desk, Inbox
from pipeline.values import ConversationId, Value


class Pace(Value):
    """How fast things are done, in seconds; tests hurry."""

    first: float = FIRST_SECONDS
    """Until a placeholder is shown."""
    edit: float = EDIT_SECONDS
    """Between two edits."""
    ready: float = 2.0
    """Without a further server after which all servers are known."""
    lag: float = LAG_SECONDS
    silence: float = SILENCE_SECONDS
    """Of the gateway, after which it is dead."""
    mark: float = 10.0
    """Between two notes of how far everything was read."""
    leave: float = 7.0
    """For deliveries under way to end when listening ends."""


class Line(NamedTuple):
    """One client and what works through it."""

    client: Client
    audiences: Audiences
    actions: Actions
    commands: Commands
    deliverer: Deliverer


def open_line(
    client: Client,
    inbox: Inbox,
    desk: Desk,
    *,
    appearing: set[ConversationId],
    home: tuple[int, ...],
    threads: bool,
    look: Look,
    days: int,
    pace: Pace,
) -> Line:
    audiences = Audiences(client, home_guilds=home)
    return Line(
        client,
        audiences,
        Actions(desk, audiences, look=look, retention_days=days),
        Commands(client, inbox, look=look, first_seconds=pace.first, edit_seconds=pace.edit),
        Deliverer(
            client, appearing=appearing, threads=threads, look=look, first_seconds=pace.first, edit_seconds=pace.edit
        ),
    )
