"""Answering an interaction, a press or a command, so that its user alone sees it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import Any

import discord
import structlog
from discord import ui

from adapters.discord.blocks import Row, layout
from adapters.discord.errors import TRANSIENT
from adapters.discord.places import PLATFORM, places
from adapters.discord.retry import REQUEST_SECONDS
from pipeline import wording
from pipeline.errors import CitewellError
from pipeline.language import speaking
from pipeline.ports import Desk
from pipeline.translations import Words
from pipeline.values import PersonId, PlaceId

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
    return speaking(None, locale=locale(interaction))


def locale(interaction: Interaction) -> str:
    return str(interaction.locale)


async def words_of(desk: Desk, interaction: Interaction) -> Words:
    """Our words to whoever pressed or typed."""
    return await desk.words(person(interaction), locale=locale(interaction))


def person(interaction: Interaction) -> str:
    return str(PersonId(platform=PLATFORM, user=str(interaction.user.id)))


def places_of(interaction: Interaction) -> tuple[PlaceId, ...]:
    """The places that a press or a command was made in, the widest first; none in a direct message."""
    return places(interaction.guild_id, interaction.channel_id or 0, interaction.channel)


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
