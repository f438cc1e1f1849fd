"""A platform, as all but its adapter know it."""

from __future__ import annotations

import re
from datetime import datetime

from pydantic import Field

from pipeline.values.base import Value
from pipeline.values.ids import ConversationId, PersonId, PlaceId, join_id, split_id


class IdFormat(Value):
    """One kind of id that settings and rules are written with."""

    label: str
    """What people call it: `workspace`."""
    pattern: str
    """A regular expression of the whole id."""
    example: str

    def matches(self, text: str) -> bool:
        return re.fullmatch(self.pattern, text) is not None


class Platform(Value):
    """Where people ask. Its ids begin with its name."""

    name: str
    title: str
    """As people call it."""
    setting: str
    """The variable without which it is left out."""
    required_settings: str
    """All that have to be set, in words for the operator."""

    space: IdFormat
    """What the bot is added to, with people and channels of its own."""
    channel: IdFormat
    person: IdFormat
    role: IdFormat | None = None
    """What gathers people for rules: a user group, a role."""

    has_global_users: bool = False
    """A person is the same in every space."""
    has_tenants: bool = False
    """Whoever is in a space that is not the organisation's own sees what names that space; else they are outsiders."""
    read_by_role: bool = False
    """Readers are told by their roles, too."""
    direct_space: str = ""
    """DIRECT, where what is written to the bot alone belongs to no space; where everyone is alone, their one space."""
    direct_channel: str = ""
    """How the channels begin in which people write to the bot alone, where they belong to a space."""
    private_thread: str = ""
    """How the thread of a person's private commands in a channel begins; their id follows."""
    threads_only: bool = False
    """Answers are always in threads."""
    has_detached_threads: bool = False
    """A thread is a conversation that does not name the channel around it."""
    is_one_to_one: bool = False
    """Everyone is alone with the bot there: people are asked on another platform."""
    is_single_connection: bool = False
    """Every connection is told everything, and what is answered is sent where it is listened."""
    loggers: tuple[str, ...] = ()
    """Of its SDK, which print message text or keys below WARNING."""

    @property
    def direct_workspace(self) -> str:
        """What is written to the bot alone belongs there, where it belongs to no space; else no workspace."""
        return join_id(self.name, self.direct_space)

    def person_id(self, space: str, user: str) -> PersonId:
        """Somebody in a space, by the platform's own id."""
        return PersonId(platform=self.name, space="" if self.has_global_users else space, user=user)

    def parse_recipient(self, recipient: str) -> PlaceId | PersonId:
        """The channel or the person that is named."""
        if not self.person.matches(recipient):
            return PlaceId.parse(recipient)
        _, space, user = split_id(recipient)
        return self.person_id(space, user)

    def is_direct(self, where: ConversationId) -> bool:
        """Whether a conversation is with the bot alone."""
        if self.direct_space and where.space == self.direct_space:
            return True
        return bool(self.direct_channel) and where.channel.startswith(self.direct_channel)

    def is_private(self, where: ConversationId) -> bool:
        """Whether a conversation consists of a person's private commands."""
        return bool(self.private_thread) and where.thread.startswith(self.private_thread)


class Installation(Value):
    """A space that somebody added the bot to by themselves, with the token that it is spoken to with."""

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
