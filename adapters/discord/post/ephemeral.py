"""Responses that only the person of an interaction sees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from adapters.discord.rendering.components import ButtonRow, build_layout
from pipeline.translations import Translator
from pipeline.words.language import choose_words

DiscordInteraction = discord.Interaction[Any]


def words_for_locale(interaction: DiscordInteraction) -> Translator:
    """Return the translator for the language that the person set Discord to, where nothing better is known."""
    return choose_words(None, locale=str(interaction.locale))


async def send_ephemeral(interaction: DiscordInteraction, texts: Sequence[str], *, row: ButtonRow = ()) -> None:
    """Show the texts; the row of buttons stands below the last one."""
    for text in texts[:-1]:
        await send_ephemeral_view(interaction, build_layout((text,)))
    await send_ephemeral_view(interaction, build_layout(texts[-1:], row))


async def send_ephemeral_view(interaction: DiscordInteraction, view: ui.LayoutView) -> None:
    if interaction.response.is_done():
        await interaction.followup.send(view=view, ephemeral=True, suppress_embeds=True)
    else:
        await interaction.response.send_message(view=view, ephemeral=True, suppress_embeds=True)
