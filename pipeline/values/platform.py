"""Facts about a platform that the rest of the code needs."""

from __future__ import annotations

import re
from datetime import datetime

from pydantic import Field

from pipeline.values.base import Value
from pipeline.values.ids import ConversationId, PersonId, PlaceId, join_id, split_id


class IdFormat(Value):
    """One kind of id in settings and rules."""

    label: str
    """Name for people: `workspace`."""
    pattern: str
    """Regular expression of the whole id."""
    example: str

    def matches(self, text: str) -> bool:
        """Return whether the text is such an id."""
        return re.fullmatch(self.pattern, text) is not None


class Platform(Value):
    """A place to ask. Its ids begin with its name."""

    name: str
    title: str
    """Name for people."""
    setting: str
    """Variable without which the platform is disabled."""
    required_settings: str
    """All settings that it needs, in words for the operator."""

    space: IdFormat
    """The unit that the bot is added to, with people and channels of its own."""
    channel: IdFormat
    person: IdFormat
    role: IdFormat | None = None
    """A group of people in rules: a user group, a role."""

    has_global_users: bool = False
    """True where a person is the same in every space."""
    has_tenants: bool = False
    """True where people of a space other than the organisation's own see what names that space; else they are
    outsiders."""
    read_by_role: bool = False
    """True where readers are also described by their roles."""
    direct_space: str = ""
    """`DIRECT_MESSAGE_SPACE` where direct messages belong to no space; the only space where everyone is alone with the
    bot."""
    direct_channel: str = ""
    """Prefix of the channels of direct messages, where they belong to a space."""
    private_thread: str = ""
    """Prefix of the thread of a person's private commands in a channel; the person's id follows."""
    threads_only: bool = False
    """True where answers are always in threads."""
    has_detached_threads: bool = False
    """True where the id of a thread does not name the channel around it."""
    is_one_to_one: bool = False
    """True where everyone is alone with the bot: handoffs go to another platform."""
    is_single_connection: bool = False
    """True where every connection receives all events, and answers are sent by the process that listens."""
    loggers: tuple[str, ...] = ()
    """Loggers of its SDK, which print message text or keys below WARNING."""

    @property
    def direct_workspace(self) -> str:
        """Workspace of direct messages that belong to no space; matches no workspace where they all belong to one."""
        return join_id(self.name, self.direct_space)

    def person_id(self, space: str, user: str) -> PersonId:
        """Return the id of a person in a space, by the platform's own id."""
        return PersonId(platform=self.name, space="" if self.has_global_users else space, user=user)

    def parse_recipient(self, recipient: str) -> PlaceId | PersonId:
        """Parse the id of a channel or a person. Raises ValueError."""
        if not self.person.matches(recipient):
            return PlaceId.parse(recipient)
        _, space, user = split_id(recipient)
        return self.person_id(space, user)

    def is_direct(self, conversation: ConversationId) -> bool:
        """Return whether a conversation consists of direct messages."""
        if self.direct_space and conversation.space == self.direct_space:
            return True
        return bool(self.direct_channel) and conversation.channel.startswith(self.direct_channel)

    def is_private(self, conversation: ConversationId) -> bool:
        """Return whether a conversation consists of a person's private commands."""
        return bool(self.private_thread) and conversation.thread.startswith(self.private_thread)


class Installation(Value):
    """A space that somebody added the bot to by themselves, with its token."""

    space: PlaceId
    name: str
    """Name of the workspace."""
    token: str = Field(repr=False)
    user: str
    """Id of the bot's account there."""
    bot: str = ""
    scopes: frozenset[str] = frozenset()
    at: datetime
    """Time of the installation."""
