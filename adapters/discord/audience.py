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

from adapters.chat.audience import AudienceFacts
from adapters.discord.events.incoming import CommandReplyTarget
from adapters.discord.events.places import DISCORD_NAME, message_place, workspace_key
from adapters.discord.transport.client import DiscordClient
from pipeline.values import Actor, IncomingMessage, MessageTrigger, PersonId, PlaceId

LOOK_UP_SECONDS = 10.0

log = structlog.get_logger(__name__)


class DiscordAudienceResolver:
    """The port `AudienceResolver`. Every method raises Unavailable while the list of servers is not known: nobody may
    be taken for a stranger."""

    def __init__(self, client: DiscordClient, *, home_guilds: Iterable[int]) -> None:
        self._client = client
        self._home = tuple(home_guilds)

    async def resolve(self, of: IncomingMessage | PlaceId | PersonId) -> AudienceFacts:
        if isinstance(of, PersonId):
            await self._client.wait_for_guilds()
            return await self._person(int(of.user))
        if isinstance(of, PlaceId):
            await self._client.wait_for_guilds(int(of.space))
            return await self.channel_facts(int(of.space), int(of.channel))
        where, user_id = message_place(of), int(of.asker.user)
        await self._client.wait_for_guilds(where.guild_id)
        if where.guild_id is None:
            return await self._person(user_id)
        if of.manner is MessageTrigger.COMMAND and CommandReplyTarget.parse(of.reply_to).is_private:
            return await self._alone_there(where.guild_id, where.channel_id, user_id)
        return await self.channel_facts(where.guild_id, where.channel_id)

    async def author(self, message: IncomingMessage) -> Actor:
        """With the roles they have in the home servers."""
        return await self._actor(int(message.asker.user))

    async def person_facts(self, interaction: discord.Interaction[Any]) -> AudienceFacts:
        """Whoever pressed a button or used a command, seeing the reply alone."""
        user, guild_id = interaction.user, interaction.guild_id
        await self._client.wait_for_guilds(guild_id)
        if guild_id is None or not isinstance(user, discord.Member):
            return await self._person(user.id)
        return await self._alone_there(guild_id, interaction.channel_id or 0, user.id, user)

    async def channel_facts(self, guild_id: int, channel_id: int) -> AudienceFacts:
        """Who can read a channel."""
        return self._there(guild_id, await self._channel(guild_id, channel_id), None)

    async def actor(self, interaction: discord.Interaction[Any]) -> Actor:
        """Whoever pressed a button or used a command, in a server or in a direct message."""
        return interaction_actor(interaction) if interaction.guild_id else await self._actor(interaction.user.id)

    async def _actor(self, user_id: int) -> Actor:
        await self._client.wait_for_guilds()
        return Actor(person=f"{DISCORD_NAME}:{user_id}", groups=(await self._person(user_id)).groups)

    async def _person(self, user_id: int) -> AudienceFacts:
        homes = self._homes()
        found = dict(zip(homes, await asyncio.gather(*(self._member(home, user_id) for home in homes)), strict=True))
        members = {str(home): member for home, member in found.items() if member and _groups(member)}

        async def reads(channel: PlaceId) -> bool:
            return self._may_read(channel, members[channel.space])

        groups = _alone(user_id).union(*map(_groups, members.values()))
        return AudienceFacts(
            groups,
            all_inside=bool(members),
            spaces=frozenset(map(workspace_key, map(int, members))),
            can_read_channel=reads,
        )

    async def _alone_there(
        self, guild_id: int, channel_id: int, user_id: int, member: discord.Member | None = None
    ) -> AudienceFacts:
        """A person who sees a reply alone in a channel."""
        groups = await self._channel(guild_id, channel_id)
        member = member or await self._member(guild_id, user_id)
        if member:
            groups |= _groups(member)
        return self._there(guild_id, groups | _alone(user_id), member)

    def _there(self, guild_id: int, groups: frozenset[str], member: discord.Member | None) -> AudienceFacts:
        """Everyone on a server, or the one member who reads it."""
        who = member if member and _groups(member) else None

        async def reads(channel: PlaceId) -> bool:
            return self._may_read(channel, None) or (who is not None and self._may_read(channel, who))

        return AudienceFacts(
            groups,
            all_inside=self._is_home(guild_id),
            spaces=frozenset({workspace_key(guild_id)}),
            can_read_channel=reads,
        )

    def _may_read(self, place: PlaceId, member: discord.Member | None) -> bool:
        """Whether a member may read it; without one, whether everyone may."""
        guild = self._client.get_guild(int(place.space))
        channel = guild.get_channel(int(place.channel)) if guild else None
        if guild is None or guild.unavailable or channel is None:
            return False
        may = channel.permissions_for(member or guild.default_role)
        if not (may.view_channel and may.read_message_history):
            return False
        return member is not None or not any(map(_closes, channel.overwrites.values()))

    def _is_home(self, guild_id: int) -> bool:
        return guild_id in self._home if self._home else not self._client.is_public

    def _homes(self) -> tuple[int, ...]:
        if self._home or self._client.is_public:
            return self._home
        return tuple(guild.id for guild in self._client.guilds)

    async def _channel(self, guild_id: int, channel_id: int) -> frozenset[str]:
        groups = {workspace_key(guild_id), f"{DISCORD_NAME}:{guild_id}:{channel_id}"}
        channel = self._client.get_channel(channel_id)
        if channel is None:
            try:
                async with asyncio.timeout(LOOK_UP_SECONDS):
                    channel = await self._client.fetch_channel(channel_id)
            except (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError) as error:
                log.warning("discord_channel_unknown", channel=channel_id, reason=type(error).__name__)
        if isinstance(channel, discord.Thread):
            groups.add(f"{DISCORD_NAME}:{guild_id}:{channel.parent_id}")
        return frozenset(groups)

    async def _member(self, guild_id: int, user_id: int) -> discord.Member | None:
        guild = self._client.get_guild(guild_id)
        try:
            async with asyncio.timeout(LOOK_UP_SECONDS):
                return await guild.fetch_member(user_id) if guild else None
        except discord.NotFound:
            return None
        except (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError) as error:
            log.warning("discord_member_unknown", guild=guild_id, reason=type(error).__name__)
            return None


def _closes(overwrite: discord.PermissionOverwrite) -> bool:
    """Whether a channel is closed to somebody by it."""
    return overwrite.view_channel is False or overwrite.read_message_history is False


def _groups(member: discord.Member) -> frozenset[str]:
    """A member who has not passed the server's screening yet belongs to nothing."""
    if member.pending:
        return frozenset()
    server = workspace_key(member.guild.id)
    roles = (role for role in member.roles if role.id != member.guild.id)
    return frozenset({server, *(f"{server}:role:{role.id}" for role in roles)})


def interaction_actor(interaction: discord.Interaction[Any]) -> Actor:
    """Whoever pressed a button or used a command, with the roles they have in that server."""
    user = interaction.user
    roles = _groups(user) if interaction.guild_id and isinstance(user, discord.Member) else frozenset()
    return Actor(person=f"{DISCORD_NAME}:{user.id}", groups=roles | _alone(user.id))


def _alone(user_id: int) -> frozenset[str]:
    return frozenset({f"{DISCORD_NAME}:user:{user_id}"})
