"""A workspace that somebody added the bot to by itself, with the token that it is spoken to with."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from pipeline.values.base import Value
from pipeline.values.ids import PlaceId


class Installation(Value):
    space: PlaceId
    name: str
    """What its people call the workspace."""
    token: str = Field(repr=False)
    user: str
    """The bot's account there."""
    bot: str = ""
    scopes: frozenset[str] = frozenset()
    at: datetime
    """When it was added."""
