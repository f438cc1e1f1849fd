"""Who, where and which message, as values that are parsed once."""

from __future__ import annotations

from typing import Any, Self
from urllib.parse import quote, unquote

from pydantic import model_serializer, model_validator

from pipeline.values.base import Value, replace

ANYWHERE = "user"
"""In the place of a space, where a rule names a person who is the same in all of them."""


class ConversationId(Value):
    """Where a conversation lives: one Slack thread, one Discord thread or DM, one console thread."""

    platform: str
    space: str
    """Slack team, Discord guild, or `dm`."""
    channel: str
    thread: str = ""

    def __str__(self) -> str:
        """`slack:T1:C2:1712.3`; a colon inside a part is percent-encoded."""
        return ":".join(quote(part, safe=" ./@#+-") for part in (self.platform, self.space, self.channel, self.thread))

    @classmethod
    def parse(cls, text: str) -> ConversationId:
        """The inverse of `str()`. Raises ValueError for anything that has not four parts."""
        platform, space, channel, thread = (unquote(part) for part in text.split(":"))
        return cls(platform=platform, space=space, channel=channel, thread=thread)

    @property
    def workspace(self) -> str:
        """`slack:T1`, `discord:1`; `discord:dm` of what is written to the bot alone there."""
        return f"{self.platform}:{self.space}"


class PersonId(Value):
    """One person on one platform."""

    platform: str
    user: str
    space: str = ""
    """Empty where a person is the same in every space of the platform."""

    def __str__(self) -> str:
        """`slack:T1:U3`, `discord:123`."""
        return ":".join(part for part in (self.platform, self.space, self.user) if part)

    @property
    def group(self) -> str:
        """The person as rules, roles and recipients name them: `slack:T1:U3`, `discord:user:123`."""
        return f"{self.platform}:{self.space or ANYWHERE}:{self.user}"

    @classmethod
    def parse(cls, text: str) -> PersonId:
        """The inverse of `str()`. Raises ValueError for what has neither two nor three parts."""
        platform, *space, user = text.split(":")
        if len(space) > 1:
            raise ValueError("not a person")
        return cls(platform=platform, space="".join(space), user=user)

    @model_validator(mode="after")
    def _can_be_parsed(self) -> Self:
        _whole(self.platform, self.space, self.user)
        return self


class MessageKey(Value):
    """The logical identity of a message: the same in everything that a platform tells of it."""

    platform: str
    space: str
    channel: str
    message: str

    def __str__(self) -> str:
        """`slack:T1:C2:1712.3`"""
        return f"{self.where}:{self.message}"

    @property
    def where(self) -> str:
        """Its channel, as `platform:space:channel`."""
        return f"{self.platform}:{self.space}:{self.channel}"

    @property
    def workspace(self) -> str:
        """As of its conversation."""
        return f"{self.platform}:{self.space}"

    @classmethod
    def parse(cls, text: str) -> MessageKey:
        """The inverse of `str()`. Raises ValueError for what has not four parts."""
        platform, space, channel, message = text.split(":", 3)
        return cls(platform=platform, space=space, channel=channel, message=message)

    @model_validator(mode="after")
    def _can_be_parsed(self) -> Self:
        _whole(self.platform, self.space, self.channel)
        return self


class PlaceId(Value):
    """A workspace, a server or a channel of one. In settings and in what is stored it is its text."""

    platform: str
    space: str
    channel: str = ""
    """Empty for all of the workspace or server."""

    def __str__(self) -> str:
        """`slack:T1:C2`, `discord:1`."""
        return ":".join(part for part in (self.platform, self.space, self.channel) if part)

    @classmethod
    def parse(cls, text: str) -> PlaceId:
        """The inverse of `str()`. Raises ValueError for what has neither two nor three parts."""
        platform, space, *channel = parts = text.split(":")
        if len(channel) > 1 or not all(parts):
            raise ValueError("not a place")
        return cls(platform=platform, space=space, channel="".join(channel))

    @property
    def around(self) -> PlaceId:
        """Its workspace or server; of one of those, itself."""
        return replace(self, channel="")

    @property
    def chain(self) -> tuple[PlaceId, ...]:
        """What it is in and itself, the widest first."""
        return (self.around, self) if self.channel else (self,)

    @model_validator(mode="before")
    @classmethod
    def _written(cls, value: Any) -> Any:
        return dict(cls.parse(value)) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _can_be_parsed(self) -> Self:
        _whole(self.platform, self.space, self.channel)
        return self

    @model_serializer
    def _text(self) -> str:
        return str(self)


def _whole(*parts: str) -> None:
    """Raises ValueError for a part that could not be told from two."""
    if any(":" in part for part in parts):
        raise ValueError("a colon in an id")
