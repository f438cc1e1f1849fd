"""Ids of people, places and messages, as values that are parsed once.

An id may hold any character. In its text, colons stand only between its parts, and there is no white space.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self
from urllib.parse import quote, unquote

from pydantic import model_serializer, model_validator

from pipeline.values.base import Value, replace

ANY_SPACE = "user"
"""In the place of a space, where a rule names a person who is the same in all of them."""
DIRECT_MESSAGE_SPACE = "dm"
"""In the place of a space, for direct messages that belong to none."""


def join_id(*parts: str) -> str:
    """Return the text of an id. Characters that would be ambiguous in a part are percent-encoded."""
    return ":".join(quote(part, safe="@+", errors="surrogatepass") for part in parts)


def split_id(text: str) -> list[str]:
    """Split the text of an id into its parts; the inverse of `join_id`."""
    return [unquote(part, errors="surrogatepass") for part in text.split(":")]


class TextId(Value):
    """An id that is stored, and written in settings, as its text."""

    @classmethod
    @abstractmethod
    def parse(cls, text: str) -> Self:
        """Parse the text of an id. Raises ValueError."""
        ...

    @model_validator(mode="before")
    @classmethod
    def _written(cls, value: Any) -> Any:
        return dict(cls.parse(value)) if isinstance(value, str) else value

    @model_serializer
    def _text(self) -> str:
        return str(self)


class ConversationId(Value):
    """The place of a conversation: one Slack thread, one Discord thread or DM, one console thread."""

    platform: str
    space: str
    """Slack team, Discord guild, or `DIRECT_MESSAGE_SPACE`."""
    channel: str
    thread: str = ""

    def __str__(self) -> str:
        """Return the text, such as `slack:T1:C2:1712.3`."""
        return join_id(self.platform, self.space, self.channel, self.thread)

    @classmethod
    def parse(cls, text: str) -> ConversationId:
        """Parse the text of an id; the inverse of `str()`. Raises ValueError for a text without exactly four parts."""
        platform, space, channel, thread = split_id(text)
        return cls(platform=platform, space=space, channel=channel, thread=thread)

    @property
    def workspace(self) -> str:
        """Workspace or server: `slack:T1`, `discord:1`; `discord:dm` for a direct message there."""
        return join_id(self.platform, self.space)

    @property
    def channel_key(self) -> str:
        """Channel, as `platform:space:channel`."""
        return join_id(self.platform, self.space, self.channel)


class PersonId(TextId):
    """One person on one platform."""

    platform: str
    user: str
    space: str = ""
    """Empty where a person is the same in every space of the platform."""

    def __str__(self) -> str:
        """Return the text, such as `slack:T1:U3` or `discord:123`."""
        return join_id(self.platform, *([self.space] if self.space else []), self.user)

    @property
    def group(self) -> str:
        """Name of the person in rules, roles and recipients: `slack:T1:U3`, `discord:user:123`."""
        return join_id(self.platform, self.space or ANY_SPACE, self.user)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the text of an id; the inverse of `str()`. Raises ValueError for a text without two or three parts."""
        platform, *space, user = split_id(text)
        if len(space) > 1:
            raise ValueError("not a person")
        return cls(platform=platform, space="".join(space), user=user)


class MessageKey(TextId):
    """The logical identity of a message: the same in every event of the platform about it."""

    platform: str
    space: str
    channel: str
    message: str

    def __str__(self) -> str:
        """Return the text, such as `slack:T1:C2:1712.3`."""
        return join_id(self.platform, self.space, self.channel, self.message)

    @property
    def channel_key(self) -> str:
        """Channel, as `platform:space:channel`."""
        return join_id(self.platform, self.space, self.channel)

    @property
    def workspace(self) -> str:
        """Workspace or server, as `ConversationId.workspace`."""
        return join_id(self.platform, self.space)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the text of an id; the inverse of `str()`. Raises ValueError for a text without exactly four parts."""
        platform, space, channel, message = split_id(text)
        return cls(platform=platform, space=space, channel=channel, message=message)


class PlaceId(TextId):
    """A workspace, a server or a channel of one."""

    platform: str
    space: str
    channel: str = ""
    """Empty for all of the workspace or server."""

    def __str__(self) -> str:
        """Return the text, such as `slack:T1:C2` or `discord:1`."""
        return join_id(self.platform, self.space, *([self.channel] if self.channel else []))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the text of an id; the inverse of `str()`. Raises ValueError for a text without two or three parts."""
        platform, space, *channel = parts = split_id(text)
        if len(channel) > 1 or not all(parts):
            raise ValueError("not a place")
        return cls(platform=platform, space=space, channel="".join(channel))

    @property
    def parent(self) -> PlaceId:
        """Workspace or server of the place; of a workspace or server, itself."""
        return replace(self, channel="")

    @property
    def chain(self) -> tuple[PlaceId, ...]:
        """Enclosing place and the place itself, the widest first."""
        return (self.parent, self) if self.channel else (self,)
