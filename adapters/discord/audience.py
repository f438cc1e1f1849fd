"""Who will read a reply, as groups.

`discord:G` is a server, `discord:G:C` a channel, `discord:G:role:R` a role, `discord:user:U` one person.
A direct message has no server: the asker is looked up in the home servers, each time anew. Home are the servers the
operator named, or, when none is named, every server the bot was invited to, if only the operator can invite it; where
anybody can, none is. Whoever is in none of them, and every other server, is outside the organisation. What cannot be
found out adds nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import aiohttp
import discord
import structlog

from adapters.discord.events.incoming import ReplyTo
from adapters.discord.events.places import PLATFORM, place
from adapters.discord.transport.client import Client
from pipeline.ports import Desk
from pipeline.rules.access import reader_of
from pipeline.values import Actor, IncomingMessage, Manner, Readers, replace

LOOK_UP_SECONDS = 10.0

log = structlog.get_logger(__name__)


class DiscordAudiences:
    """All raise Unavailable while it is not known which servers there are: nobody must be taken for a stranger."""

    def __init__(self, client: Client, desk: Desk, *, home_guilds: Iterable[int]) -> None:
        self._client = client
        self._desk = desk
        self._home = tuple(home_guilds)

    async def of(self, message: IncomingMessage) -> Readers:
        """Who will read the reply to `message`."""
        await self._client.complete()
        where = place(message)
        user_id = int(message.asker.user)
        if where.guild_id is None:
            return await self.of_person(user_id)
        readers = await self.of_channel(where.guild_id, where.channel_id)
        if message.manner is Manner.COMMAND and ReplyTo.parse(message.reply_to).private:
            return _and(readers, await self._member(where.guild_id, user_id) | _alone(user_id))
        return readers

    async def of_person(self, user_id: int) -> Readers:
        """A person alone, in a direct message."""
        found = await asyncio.gather(*(self._member(guild_id, user_id) for guild_id in self._homes()))
        return Readers(groups=_alone(user_id).union(*found), external=not any(found))

    async def actor_of(self, user_id: int) -> Actor:
        """A person in a direct message, with the roles they have in the home servers."""
        await self._client.complete()
        return Actor(person=f"{PLATFORM}:{user_id}", groups=(await self.of_person(user_id)).groups)

    async def actor(self, interaction: discord.Interaction[Any]) -> Actor:
        """Whoever pressed a button or used a command, in a server or in a direct message."""
        return actor(interaction) if interaction.guild_id else await self.actor_of(interaction.user.id)

    async def of_presser(self, interaction: discord.Interaction[discord.Client]) -> Readers:
        """Whoever pressed a button or used a command, seeing the reply alone."""
        await self._client.complete()
        user, channel_id = interaction.user, interaction.channel_id
        if interaction.guild_id is None or not isinstance(user, discord.Member):
            return await self.of_person(user.id)
        readers = await self.of_channel(interaction.guild_id, channel_id or 0)
        groups = _groups(user, interaction.guild_id)
        seen = await self._read_by(interaction.guild_id, user) if groups else groups
        return _and(readers, groups | seen | _alone(user.id))

    async def of_channel(self, guild_id: int, channel_id: int) -> Readers:
        """Everyone who can read a channel."""
        outside = guild_id not in self._home if self._home else self._client.public
        groups = await self._channel(guild_id, channel_id)
        return Readers(groups=groups | await self._read_by(guild_id, None), external=outside)

    async def _read_by(self, guild_id: int, member: discord.Member | None) -> frozenset[str]:
        """As groups, the channels that are a source and that the member may read; without one, that everyone may."""
        guild, found = self._client.get_guild(guild_id), set[str]()
        for one in await self._desk.channels.of(f"{PLATFORM}:{guild_id}") if guild else ():
            channel = guild.get_channel(int(one.channel)) if guild else None
            if guild and channel:
                may = channel.permissions_for(member or guild.default_role)
                denied = member is None and any(map(_closes, channel.overwrites.values()))
                if may.view_channel and may.read_message_history and not denied:
                    found.add(reader_of(one))
        return frozenset(found)

    def _homes(self) -> tuple[int, ...]:
        if self._home or self._client.public:
            return self._home
        return tuple(guild.id for guild in self._client.guilds)

    async def _channel(self, guild_id: int, channel_id: int) -> frozenset[str]:
        groups = {f"{PLATFORM}:{guild_id}", f"{PLATFORM}:{guild_id}:{channel_id}"}
        channel = self._client.get_channel(channel_id)
        if channel is None:
            try:
                async with asyncio.timeout(LOOK_UP_SECONDS):
                    channel = await self._client.fetch_channel(channel_id)
            except (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError) as error:
                log.warning("discord_channel_unknown", channel=channel_id, reason=type(error).__name__)
        if isinstance(channel, discord.Thread):
            groups.add(f"{PLATFORM}:{guild_id}:{channel.parent_id}")
        return frozenset(groups)

    async def _member(self, guild_id: int, user_id: int) -> frozenset[str]:
        guild = self._client.get_guild(guild_id)
        if guild is None:
            return frozenset()
        try:
            async with asyncio.timeout(LOOK_UP_SECONDS):
                member = await guild.fetch_member(user_id)
        except discord.NotFound:
            return frozenset()
        except (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError) as error:
            log.warning("discord_member_unknown", guild=guild_id, reason=type(error).__name__)
            return frozenset()
        groups = _groups(member, guild_id)
        return groups | await self._read_by(guild_id, member) if groups else groups


def _closes(overwrite: discord.PermissionOverwrite) -> bool:
    """Whether a channel is closed to somebody by it."""
    return overwrite.view_channel is False or overwrite.read_message_history is False


def _groups(member: discord.Member, guild_id: int) -> frozenset[str]:
    """A member who has not passed the server's screening yet belongs to nothing."""
    if member.pending:
        return frozenset()
    roles = (role for role in member.roles if role.id != guild_id)
    return frozenset({f"{PLATFORM}:{guild_id}", *(f"{PLATFORM}:{guild_id}:role:{role.id}" for role in roles)})


def actor(interaction: discord.Interaction[Any]) -> Actor:
    """Whoever pressed a button or used a command, with the roles they have in that server."""
    user, guild_id = interaction.user, interaction.guild_id
    roles = _groups(user, guild_id) if guild_id and isinstance(user, discord.Member) else frozenset()
    return Actor(person=f"{PLATFORM}:{user.id}", groups=roles | _alone(user.id))


def _and(readers: Readers, groups: frozenset[str]) -> Readers:
    return replace(readers, groups=readers.groups | groups)


def _alone(user_id: int) -> frozenset[str]:
    return frozenset({f"{PLATFORM}:user:{user_id}"})
