"""The commands that answer by themselves: what is indexed, what is kept, how to ask."""

from __future__ import annotations

from adapters.conversation.press import insights_panel
from adapters.discord import buttons, names
from adapters.discord.audience import Audiences
from adapters.discord.ephemeral import Interaction, Presser, by_locale, honest, say
from adapters.replies import panels, words
from adapters.replies.parts import Button
from pipeline import wording
from pipeline.ports import Desk


class Panels:
    def __init__(self, desk: Desk, audiences: Audiences, *, retention_days: int) -> None:
        self._desk = desk
        self._audiences = audiences
        self._days = retention_days

    def _by(self, interaction: Interaction) -> Presser:
        return Presser(interaction, self._desk, self._audiences)

    async def sources(self, interaction: Interaction) -> None:
        async with honest(interaction, "sources"):
            await interaction.response.defer(ephemeral=True, thinking=True)
            by = self._by(interaction)
            await by.show(panels.documents(await self._desk.documents(await by.readers()), await by.words()))

    async def insights(self, interaction: Interaction) -> None:
        async with honest(interaction, "insights"):
            await interaction.response.defer(ephemeral=True, thinking=True)
            by = self._by(interaction)
            await by.show(await insights_panel(self._desk, by))

    async def preferences(self, interaction: Interaction, *, style: str, citations: str, language: str) -> None:
        async with honest(interaction, "preferences"):
            await interaction.response.defer(ephemeral=True, thinking=True)
            by = self._by(interaction)
            before = await self._desk.preferences(by.person)
            wanted = {"style": style, "citations": citations, "language": language}
            now = before.choosing({field: value for field, value in wanted.items() if value})
            if now != before:
                await self._desk.prefer(by.person, now)
            command = by_locale(interaction)(names.PREFERENCES)
            await say(interaction, (panels.preferences(now, await by.words(), command),))

    async def privacy(self, interaction: Interaction) -> None:
        async with honest(interaction, "privacy"):
            speech = await self._by(interaction).words()
            row = [
                (speech(words.EXPORT_LABEL), buttons.custom_id(buttons.EXPORT)),
                (speech(words.FORGET_LABEL), buttons.custom_id(buttons.FORGET)),
            ]
            time, command = speech.count(wording.DAYS, self._days), by_locale(interaction)(names.PREFERENCES)
            await say(interaction, (speech(words.PRIVACY, time=time, preferences=command),), row=row)

    async def help(self, interaction: Interaction) -> None:
        async with honest(interaction, "help"):
            speech, named = await self._by(interaction).words(), by_locale(interaction)
            commands = {name: named(message) for name, message in names.COMMANDS.items()}
            told = speech(words.HELP, share=speech(words.LABELS[Button.SHARE]), **commands)
            await say(interaction, (told,))
