"""The commands that answer by themselves: what is indexed, what is kept, how to ask, how the bot behaves here."""

from __future__ import annotations

from collections.abc import Mapping

import discord

from adapters.chat.press.knowledge import FROM_MENU
from adapters.chat.press.person import INSIGHTS, SOURCES, prefer
from adapters.chat.press.presser import Then
from adapters.chat.reply import labels as words
from adapters.chat.reply import panels
from adapters.chat.reply.parts import Button, Reply
from adapters.discord.audience import DiscordAudiences
from adapters.discord.parts.blocks import pressed
from adapters.discord.post.alone import Interaction, by_locale, say
from adapters.discord.press import names
from adapters.discord.press.interactions import DiscordInteractions
from adapters.discord.press.presser import DiscordPresser, honest
from adapters.discord.press.setup import set_by_command
from pipeline.ports import Desk
from pipeline.words import wording


class Panels:
    def __init__(
        self, desk: Desk, audiences: DiscordAudiences, interactions: DiscordInteractions, *, retention_days: int
    ) -> None:
        self._desk = desk
        self._audiences = audiences
        self._interactions = interactions
        self._days = retention_days

    def _by(self, interaction: Interaction, command: str) -> DiscordPresser:
        return DiscordPresser(interaction, self._desk, self._audiences, command)

    async def sources(self, interaction: Interaction) -> None:
        await self._interactions.act(self._by(interaction, SOURCES))

    async def insights(self, interaction: Interaction) -> None:
        await self._interactions.act(self._by(interaction, INSIGHTS))

    async def add(self, interaction: Interaction, message: discord.Message) -> None:
        """The menu `Add to knowledge`."""
        by = DiscordPresser(interaction, self._desk, self._audiences, FROM_MENU, menu_of=message)
        await self._interactions.act(by)

    async def set_up(self, interaction: Interaction, where: str, choices: Mapping[str, str]) -> None:
        async with honest(interaction, "setup"):
            await set_by_command(self._desk, self._by(interaction, "setup"), where, choices)

    async def preferences(self, interaction: Interaction, *, style: str, citations: str, language: str) -> None:
        async with honest(interaction, "preferences"):
            by = self._by(interaction, "preferences")
            await by.ack(Then.TOLD)
            wanted = {"style": style, "citations": citations, "language": language}
            chosen = {field: value for field, value in wanted.items() if value}
            now = await prefer(self._desk, by.pressed.person, chosen)
            command = by_locale(interaction)(names.PREFERENCES)
            await say(interaction, (panels.preferences(now, await by.words(), command),))

    async def privacy(self, interaction: Interaction) -> None:
        async with honest(interaction, "privacy"):
            speech = await self._by(interaction, "privacy").words()
            time, command = speech.count(wording.DAYS, self._days), by_locale(interaction)(names.PREFERENCES)
            row = pressed(Reply(actions=(Button.EXPORT, Button.FORGET), language=speech.language))
            await say(interaction, (speech(words.PRIVACY, time=time, preferences=command),), row=row)

    async def help(self, interaction: Interaction) -> None:
        async with honest(interaction, "help"):
            speech, named = await self._by(interaction, "help").words(), by_locale(interaction)
            commands = {name: named(message) for name, message in names.COMMANDS.items()}
            told = speech(words.HELP, share=speech(words.LABELS[Button.SHARE]), **commands)
            await say(interaction, (told,))
