"""Answering an interaction, a press or a command, so that its user alone sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from adapters.discord.card import Row, layout
from adapters.discord.incoming import PLATFORM

Interaction = discord.Interaction[Any]


def person(interaction: Interaction) -> str:
    return f"{PLATFORM}:{interaction.user.id}"


async def say(interaction: Interaction, texts: Sequence[str], *, row: Row = ()) -> None:
    """The row of buttons stands under the last text."""
    for text in texts[:-1]:
        await say_view(interaction, layout((text,)))
    await say_view(interaction, layout(texts[-1:], row))


async def say_view(interaction: Interaction, view: ui.LayoutView, *, ephemeral: bool = True) -> None:
    if interaction.response.is_done():
        await interaction.followup.send(view=view, ephemeral=ephemeral, suppress_embeds=True)
    else:
        await interaction.response.send_message(view=view, ephemeral=ephemeral, suppress_embeds=True)
