"""The commands that answer by themselves: what is indexed, what is kept, how to ask."""

from __future__ import annotations

from adapters.discord import buttons, render, words
from adapters.discord.audience import Audiences
from adapters.discord.interactions import Interaction, honest, person, say
from adapters.discord.preferences import chosen, shown
from pipeline import wording
from pipeline.ports import Desk


class Panels:
    def __init__(self, desk: Desk, audiences: Audiences, *, retention_days: int) -> None:
        self._desk = desk
        self._audiences = audiences
        self._days = retention_days

    async def sources(self, interaction: Interaction) -> None:
        async with honest(interaction, "sources"):
            await interaction.response.defer(ephemeral=True, thinking=True)
            documents = await self._desk.documents(await self._audiences.of_presser(interaction))
            await say(interaction, render.documents(documents))

    async def preferences(self, interaction: Interaction, *, style: str, citations: str, language: str) -> None:
        async with honest(interaction, "preferences"):
            await interaction.response.defer(ephemeral=True, thinking=True)
            before = await self._desk.preferences(person(interaction))
            now = chosen(before, style=style, citations=citations, language=language)
            if now != before:
                await self._desk.prefer(person(interaction), now)
            await say(interaction, (shown(now),))

    async def privacy(self, interaction: Interaction) -> None:
        row = [
            (words.EXPORT_LABEL, buttons.custom_id(buttons.EXPORT)),
            (words.FORGET_LABEL, buttons.custom_id(buttons.FORGET)),
        ]
        async with honest(interaction, "privacy"):
            await say(interaction, (words.PRIVACY.format(time=wording.counted(self._days, "day")),), row=row)

    async def help(self, interaction: Interaction) -> None:
        async with honest(interaction, "help"):
            await say(interaction, (words.HELP,))
