"""The commands that answer by themselves: what is indexed, what is kept, how to ask."""

from __future__ import annotations

from adapters.discord import buttons, render
from adapters.discord.audience import Audiences
from adapters.discord.ephemeral import Interaction, honest, person, say
from adapters.replies import panels, words
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
            await say(interaction, render.texts(panels.documents(documents)))

    async def preferences(self, interaction: Interaction, *, style: str, citations: str, language: str) -> None:
        async with honest(interaction, "preferences"):
            await interaction.response.defer(ephemeral=True, thinking=True)
            before = await self._desk.preferences(person(interaction))
            wanted = {"style": style, "citations": citations, "language": language}
            now = before.choosing({field: value for field, value in wanted.items() if value})
            if now != before:
                await self._desk.prefer(person(interaction), now)
            await say(interaction, (panels.preferences(now),))

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
