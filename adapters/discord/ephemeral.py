"""Answering an interaction, a press or a command, so that its user alone sees it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import Any

import discord
import structlog
from discord import ui

from adapters.discord import render
from adapters.discord.audience import Audiences
from adapters.discord.blocks import Row, layout, pressed
from adapters.discord.errors import TRANSIENT
from adapters.discord.modal import modal
from adapters.discord.places import DIRECT, PLATFORM, places
from adapters.discord.retry import REQUEST_SECONDS
from adapters.replies.answer import plain
from adapters.replies.forms import Form
from adapters.replies.parts import Reply
from pipeline import wording
from pipeline.errors import CitewellError
from pipeline.language import speaking
from pipeline.ports import Desk
from pipeline.translations import Words
from pipeline.values import Actor, ConversationId, PersonId, PlaceId, Readers

Interaction = discord.Interaction[Any]
log = structlog.get_logger(__name__)


@contextlib.asynccontextmanager
async def honest(interaction: Interaction, action: str) -> AsyncIterator[None]:
    """When what is done inside goes wrong, its user is told so, once, if Discord can be reached for that."""
    try:
        yield
    except (CitewellError, discord.DiscordException, *TRANSIENT) as error:
        log.warning("discord_interaction_failed", action=action, reason=str(error) or type(error).__name__)
        with contextlib.suppress(discord.DiscordException, *TRANSIENT):
            async with asyncio.timeout(REQUEST_SECONDS):
                await say(interaction, (by_locale(interaction)(wording.TRY_AGAIN),))


def by_locale(interaction: Interaction) -> Words:
    """Our words in the language that somebody set Discord to, where nothing better is known."""
    return speaking(None, locale=str(interaction.locale))


class Presser:
    """The port `Presser`."""

    def __init__(
        self, interaction: Interaction, desk: Desk, audiences: Audiences, about: str = "", seen: str = ""
    ) -> None:
        """`seen`: what a button carries besides: the root of the conversation; beside an answer, the id of that."""
        self._interaction = interaction
        self._desk = desk
        self._audiences = audiences
        self.about = about
        self._seen = seen
        message = interaction.message
        self.below = str(message.id) if message and not message.flags.ephemeral else seen

    @property
    def person(self) -> str:
        return str(PersonId(platform=PLATFORM, user=str(self._interaction.user.id)))

    @property
    def places(self) -> tuple[PlaceId, ...]:
        """None in a direct message."""
        return places(self._interaction.guild_id, self._interaction.channel_id or 0, self._interaction.channel)

    @property
    def conversation(self) -> ConversationId:
        """The channel or thread."""
        guild_id, channel_id = self._interaction.guild_id, self._interaction.channel_id
        return ConversationId(platform=PLATFORM, space=str(guild_id or DIRECT), channel=str(channel_id))

    @property
    def external(self) -> bool:
        """Servers are home or not, people are not."""
        return False

    async def told_in(self) -> ConversationId:
        """In a channel, the chain of replies that the answer is in."""
        if not self.below:
            alone = await self._interaction.user.create_dm()
            return ConversationId(platform=PLATFORM, space=DIRECT, channel=str(alone.id))
        whole = self._interaction.guild_id is None or isinstance(self._interaction.channel, discord.Thread)
        return self.conversation.model_copy(update={"thread": "" if whole else self._seen or self.below})

    async def words(self, text: str = "") -> Words:
        return await self._desk.words(self.person, text=text, locale=str(self._interaction.locale))

    async def actor(self) -> Actor:
        return await self._audiences.actor(self._interaction)

    async def readers(self) -> Readers:
        return await self._audiences.of_presser(self._interaction)

    async def everyone(self) -> Readers:
        guild_id, channel_id = self._interaction.guild_id, self._interaction.channel_id
        return await (self._audiences.of_channel(guild_id, channel_id or 0) if guild_id else self.readers())

    async def say(self, text: str) -> None:
        await self.show(plain(text))

    async def show(self, reply: Reply) -> None:
        await say(self._interaction, render.texts(reply), row=pressed(reply))

    async def open(self, form: Form) -> None:
        await self._interaction.response.send_modal(modal(form))


async def say(interaction: Interaction, texts: Sequence[str], *, row: Row = ()) -> None:
    """The row of buttons stands under the last text."""
    for text in texts[:-1]:
        await say_view(interaction, layout((text,)))
    await say_view(interaction, layout(texts[-1:], row))


async def say_view(interaction: Interaction, view: ui.LayoutView) -> None:
    if interaction.response.is_done():
        await interaction.followup.send(view=view, ephemeral=True, suppress_embeds=True)
    else:
        await interaction.response.send_message(view=view, ephemeral=True, suppress_embeds=True)
