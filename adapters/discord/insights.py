"""`/insights`: what was asked and what the documents lack, to admins alone."""

from __future__ import annotations

from adapters.discord import render
from adapters.discord.audience import Audiences
from adapters.discord.ephemeral import Interaction, honest, say, words_of
from adapters.replies import insights
from pipeline.errors import NotAllowed
from pipeline.ports import Desk


class Insights:
    def __init__(self, desk: Desk, audiences: Audiences) -> None:
        self._desk = desk
        self._audiences = audiences

    async def show(self, interaction: Interaction) -> None:
        """Visible to whoever asked alone."""
        async with honest(interaction, "insights"):
            await interaction.response.defer(ephemeral=True, thinking=True)
            speech = await words_of(self._desk, interaction)
            try:
                actor, readers = await self._audiences.actor(interaction), await self._audiences.of_presser(interaction)
                seen = await self._desk.insights(actor, readers, insights.DAYS)
            except NotAllowed:
                await say(interaction, (speech(insights.ADMINS_ONLY),))
            else:
                await say(interaction, render.texts(insights.panel(seen, speech)))
