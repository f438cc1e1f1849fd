"""The commands that answer by themselves: what is indexed, what is kept, how to ask."""

from __future__ import annotations

from adapters.conversation.press import insights_panel
from adapters.discord import buttons, names, render
from adapters.discord.audience import Audiences
from adapters.discord.ephemeral import Interaction, Presser, by_locale, honest, person, say, words_of
from adapters.replies import panels, words
from adapters.replies.parts import Button
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
            speech = await words_of(self._desk, interaction)
            documents = await self._desk.documents(await self._audiences.of_presser(interaction))
            await say(interaction, render.texts(panels.documents(documents, speech)))

    async def insights(self, interaction: Interaction) -> None:
        async with honest(interaction, "insights"):
            await interaction.response.defer(ephemeral=True, thinking=True)
            by = Presser(interaction, self._desk, self._audiences)
            await by.show(await insights_panel(self._desk, by))

    async def preferences(self, interaction: Interaction, *, style: str, citations: str, language: str) -> None:
        async with honest(interaction, "preferences"):
            await interaction.response.defer(ephemeral=True, thinking=True)
            before = await self._desk.preferences(person(interaction))
            wanted = {"style": style, "citations": citations, "language": language}
            now = before.choosing({field: value for field, value in wanted.items() if value})
            if now != before:
                await self._desk.prefer(person(interaction), now)
            speech = await words_of(self._desk, interaction)
            await say(interaction, (panels.preferences(now, speech, by_locale(interaction)(names.PREFERENCES)),))

    async def privacy(self, interaction: Interaction) -> None:
        async with honest(interaction, "privacy"):
            speech = await words_of(self._desk, interaction)
            row = [
                (speech(words.EXPORT_LABEL), buttons.custom_id(buttons.EXPORT)),
                (speech(words.FORGET_LABEL), buttons.custom_id(buttons.FORGET)),
            ]
            time, command = speech.count(wording.DAYS, self._days), by_locale(interaction)(names.PREFERENCES)
            await say(interaction, (speech(words.PRIVACY, time=time, preferences=command),), row=row)

    async def help(self, interaction: Interaction) -> None:
        async with honest(interaction, "help"):
            speech, named = await words_of(self._desk, interaction), by_locale(interaction)
            commands = {name: named(message) for name, message in names.COMMANDS.items()}
            told = speech(words.HELP, share=speech(words.LABELS[Button.SHARE]), **commands)
            await say(interaction, (told,))
