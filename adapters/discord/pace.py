"""How fast things are done."""

from __future__ import annotations

from adapters.discord.transport.client import LAG_SECONDS, SILENCE_SECONDS
from pipeline.values import Value


class DiscordPace(Value):
    """In seconds; tests hurry."""

    first: float = 0.8
    """Until a placeholder is shown: an answer that is ready sooner is posted at once."""
    edit: float = 1.2
    """Between two edits. Discord publishes no number; five in five seconds is the folklore."""
    ready: float = 2.0
    """Without a further server after which all servers are known."""
    lag: float = LAG_SECONDS
    silence: float = SILENCE_SECONDS
    """Of the gateway, after which it is dead."""
    mark: float = 10.0
    """Between two notes of how far everything was read."""
    identify: float = 5.0
    """Between the sessions of two shards; Discord takes one every five seconds."""
    leave: float = 7.0
    """For deliveries under way to end when listening ends."""
