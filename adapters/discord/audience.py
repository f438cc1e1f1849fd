"""The readers of a reply, as groups.

`discord:G` is a server, `discord:G:C` a channel, `discord:G:role:R` a role, `discord:user:U` a person.

A direct message has no server: the asker is looked up in the home servers, each time anew. Home servers are those the
operator named. If none is named, they are all servers of the bot where only the operator can invite it, and none where
anybody can. A person who is in none of them, and every other server, is outside the organisation. Unknown facts add
nothing.
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
    """The port `AudienceResolver`. All methods raise Unavailable until the servers are known: nobody must be taken for
    a stranger."""

    def __init__(self, client: DiscordClient, *, home_guilds: Iterable[int]) -> None:
        self._client = client
        self._home_guilds = tuple(home_guilds)

    async def resolve(self, target: IncomingMessage | PlaceId | PersonId) -> AudienceFacts:
        if isinstance(target, PersonId):
            await self._client.wait_for_guilds()
            return await self._home_facts(int(target.user))
        if isinstance(target, PlaceId):
            await self._client.wait_for_guilds(int(target.space))
            return await self.channel_facts(int(target.space), int(target.channel))
        place, user_id = message_place(target), int(target.asker.user)
        await self._client.wait_for_guilds(place.guild_id)
        if place.guild_id is None:
            return await self._home_facts(user_id)
        if target.manner is MessageTrigger.COMMAND and CommandReplyTarget.parse(target.reply_to).is_private:
            return await self._private_facts(place.guild_id, place.channel_id, user_id)
        return await self.channel_facts(place.guild_id, place.channel_id)

    async def author(self, message: IncomingMessage) -> Actor:
        """Return the author, with their roles in the home servers."""
        return await self._actor(int(message.asker.user))

    async def person_facts(self, interaction: discord.Interaction[Any]) -> AudienceFacts:
        """Return facts about the person of an interaction, who sees the reply alone."""
        user, guild_id = interaction.user, interaction.guild_id
        await self._client.wait_for_guilds(guild_id)
        if guild_id is None or not isinstance(user, discord.Member):
            return await self._home_facts(user.id)
        return await self._private_facts(guild_id, interaction.channel_id or 0, user.id, user)

    async def channel_facts(self, guild_id: int, channel_id: int) -> AudienceFacts:
        """Return facts about the people who can read a channel."""
        return self._server_facts(guild_id, await self._channel_groups(guild_id, channel_id), None)

    async def actor(self, interaction: discord.Interaction[Any]) -> Actor:
        """Return the person of an interaction, in a server or in a direct message."""
        return interaction_actor(interaction) if interaction.guild_id else await self._actor(interaction.user.id)

    async def _actor(self, user_id: int) -> Actor:
        await self._client.wait_for_guilds()
        return Actor(person=f"{DISCORD_NAME}:{user_id}", groups=(await self._home_facts(user_id)).groups)

    async def _home_facts(self, user_id: int) -> AudienceFacts:
        homes = self._homes()
        members_by_home = dict(
            zip(homes, await asyncio.gather(*(self._member(home, user_id) for home in homes)), strict=True)
        )
        members = {str(home): member for home, member in members_by_home.items() if member and _member_groups(member)}

        async def reads(channel: PlaceId) -> bool:
            return self._may_read(channel, members[channel.space])

        groups = _person_groups(user_id).union(*map(_member_groups, members.values()))
        return AudienceFacts(
            groups,
            all_inside=bool(members),
            spaces=frozenset(map(workspace_key, map(int, members))),
            can_read_channel=reads,
        )

    async def _private_facts(
        self, guild_id: int, channel_id: int, user_id: int, member: discord.Member | None = None
    ) -> AudienceFacts:
        """Return facts about a person who sees a reply alone in a channel."""
        groups = await self._channel_groups(guild_id, channel_id)
        member = member or await self._member(guild_id, user_id)
        if member:
            groups |= _member_groups(member)
        return self._server_facts(guild_id, groups | _person_groups(user_id), member)

    def _server_facts(self, guild_id: int, groups: frozenset[str], member: discord.Member | None) -> AudienceFacts:
        """Return facts about everyone on a server, or the one member who reads."""
        reader = member if member and _member_groups(member) else None

        async def reads(channel: PlaceId) -> bool:
            return self._may_read(channel, None) or (reader is not None and self._may_read(channel, reader))

        return AudienceFacts(
            groups,
            all_inside=self._is_home(guild_id),
            spaces=frozenset({workspace_key(guild_id)}),
            can_read_channel=reads,
        )

    def _may_read(self, place: PlaceId, member: discord.Member | None) -> bool:
        """Return True if the member, or without one everyone, may read the channel."""
        guild = self._client.get_guild(int(place.space))
        channel = guild.get_channel(int(place.channel)) if guild else None
        if guild is None or guild.unavailable or channel is None:
            return False
        may = channel.permissions_for(member or guild.default_role)
        if not (may.view_channel and may.read_message_history):
            return False
        return member is not None or not any(map(_is_closing, channel.overwrites.values()))

    def _is_home(self, guild_id: int) -> bool:
        return guild_id in self._home_guilds if self._home_guilds else not self._client.is_public

    def _homes(self) -> tuple[int, ...]:
        if self._home_guilds or self._client.is_public:
            return self._home_guilds
        return tuple(guild.id for guild in self._client.guilds)

    async def _channel_groups(self, guild_id: int, channel_id: int) -> frozenset[str]:
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


def _is_closing(overwrite: discord.PermissionOverwrite) -> bool:
    """Return True if an overwrite closes a channel to somebody."""
    return overwrite.view_channel is False or overwrite.read_message_history is False


def _member_groups(member: discord.Member) -> frozenset[str]:
    """Return the groups of a member; none before the member has passed the server's screening."""
    if member.pending:
        return frozenset()
    server = workspace_key(member.guild.id)
    roles = (role for role in member.roles if role.id != member.guild.id)
    return frozenset({server, *(f"{server}:role:{role.id}" for role in roles)})


def interaction_actor(interaction: discord.Interaction[Any]) -> Actor:
    """Return the person of an interaction, with their roles in that server."""
    user = interaction.user
    roles = _member_groups(user) if interaction.guild_id and isinstance(user, discord.Member) else frozenset()
    return Actor(person=f"{DISCORD_NAME}:{user.id}", groups=roles | _person_groups(user.id))


def _person_groups(user_id: int) -> frozenset[str]:
    return frozenset({f"{DISCORD_NAME}:user:{user_id}"})
