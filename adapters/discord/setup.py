"""`/setup`: how the bot behaves in a channel or a server, set by its admins."""

from __future__ import annotations

import re
from collections.abc import Mapping

import discord

from adapters.discord.audience import actor
from adapters.discord.ephemeral import Interaction, honest, say, words_of
from adapters.discord.incoming import PLATFORM
from adapters.discord.markup import escape
from adapters.replies import setup
from pipeline.errors import NotAllowed, WrongSetting
from pipeline.places import around
from pipeline.ports import Desk
from pipeline.translations import Message, Words
from pipeline.values import Action, Place

_CHANNEL = re.compile(r"(?:<#)?([0-9]+)>?")
CHANNEL, SERVER = "channel", "server"
SERVERS_ONLY = Message("I can be set up in servers only.")


class Setup:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def set_up(self, interaction: Interaction, where: str, choices: Mapping[str, str]) -> None:
        """Set what is chosen for this channel or its server; without choices, show what holds here."""
        async with honest(interaction, "setup"):
            await interaction.response.defer(ephemeral=True, thinking=True)
            words = await words_of(self._desk, interaction)
            await say(interaction, (await self._done(interaction, where, choices, words),))

    async def _done(self, interaction: Interaction, where: str, choices: Mapping[str, str], words: Words) -> str:
        place = place_of(interaction, where)
        if place is None:
            return words(SERVERS_ONLY)
        who = actor(interaction)
        if not choices:
            if not self._desk.allows(who, Action.SET_UP):
                return words(setup.ADMINS_ONLY)
            return _shown(place, await self._desk.place(around(place)), words)
        if asked := _CHANNEL.fullmatch(choices.get("ask", "").strip()):
            choices = {**choices, "ask": f"{PLATFORM}:{interaction.guild_id}:{asked[1]}"}
        try:
            return f"{words(setup.DONE)}\n{_shown(place, await self._desk.set_up(who, place, choices), words)}"
        except NotAllowed:
            return words(setup.ADMINS_ONLY)
        except WrongSetting as error:
            return escape(setup.refusal(error, words))


def place_of(interaction: Interaction, where: str) -> str | None:
    """The place that is meant: of a thread or a forum post, its channel."""
    if interaction.guild_id is None:
        return None
    if where == SERVER:
        return f"{PLATFORM}:{interaction.guild_id}"
    channel = interaction.channel
    parent = channel.parent_id if isinstance(channel, discord.Thread) else interaction.channel_id
    return f"{PLATFORM}:{interaction.guild_id}:{parent}"


def _shown(place: str, now: Place, words: Words) -> str:
    where = words(setup.THIS_CHANNEL if place.count(":") == 2 else setup.WHOLE_SERVER)
    rows = "\n".join(f"- {escape(line)}" for line in setup.lines(now, words))
    return f"**{words(setup.TITLE)}** ({where})\n{rows}\n-# {words(setup.EXPLAINED)}"
