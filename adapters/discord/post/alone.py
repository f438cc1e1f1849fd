"""Telling whoever pressed something or used a command, so that they alone see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from adapters.discord.parts.blocks import Row, layout
from pipeline.translations import Words
from pipeline.words.language import speaking

Interaction = discord.Interaction[Any]


def by_locale(interaction: Interaction) -> Words:
    """Our words in the language that somebody set Discord to, where nothing better is known."""
    return speaking(None, locale=str(interaction.locale))


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
