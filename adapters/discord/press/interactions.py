"""What happens after the answer, and the commands that answer by themselves, `/setup` among them.

Discord never sends a press or a command a second time: what is interrupted here says nothing and can be pressed again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import discord

from adapters.chat.press.knowledge import FROM_MENU
from adapters.chat.press.person import prefer
from adapters.chat.press.presser import Then
from adapters.chat.press.setup import may_set_up, set_up
from adapters.chat.reply import labels as words
from adapters.chat.reply import panels
from adapters.chat.reply.parts import Button, Reply
from adapters.chat.words import setup
from adapters.discord.errors import translated
from adapters.discord.parts import buttons
from adapters.discord.parts.blocks import pressed
from adapters.discord.parts.markup import escape
from adapters.discord.post.alone import Interaction, by_locale
from adapters.discord.press import names
from adapters.discord.press.presser import Context, DiscordPresser
from pipeline.ports import Desk
from pipeline.translations import Message, Words
from pipeline.values import Place, PlaceId, replace
from pipeline.words import wording

_CHANNEL = re.compile(r"(?:<#)?([0-9]+)>?")
CHANNEL, SERVER = "channel", "server"
SERVERS_ONLY = Message("I can be set up in servers only.")


async def set_by_command(desk: Desk, by: DiscordPresser, where: str, choices: Mapping[str, str]) -> None:
    """Set what is chosen for this channel or its server; without choices, show what holds here."""
    await by.ack(Then.TOLD)
    words, place = await by.words(), place_of(by.pressed.places, where)
    if place is None:
        await by.say(words(SERVERS_ONLY))
    elif choices:
        if now := await set_up(desk, by, place, _named(by.interaction, place, choices)):
            await by.show_texts((f"{words(setup.DONE)}\n{_shown(place, now, words)}",))
    elif await may_set_up(desk, by):
        await by.show_texts((_shown(place, await desk.places.of(place.chain), words),))
    else:
        await by.say(words(setup.ADMINS_ONLY))


def _named(interaction: Interaction, place: PlaceId, choices: Mapping[str, str]) -> Mapping[str, str]:
    """The choices with the channel where people are asked as the settings name it."""
    asked = _CHANNEL.fullmatch(choices.get("ask", "").strip())
    if asked is None:
        return choices
    here = interaction.guild.get_channel_or_thread(int(asked[1])) if interaction.guild else None
    channel = str(replace(place, channel=asked[1])) if here else "a channel of another server"
    return {**choices, "ask": channel}


def place_of(chain: Sequence[PlaceId], where: str) -> PlaceId | None:
    """The place that is meant: of a thread or a forum post, its channel."""
    return chain[0 if where == SERVER else 1] if chain else None


def _shown(place: PlaceId, now: Place, words: Words) -> str:
    where = words(setup.THIS_CHANNEL if place.channel else setup.WHOLE_SERVER)
    rows = "\n".join(f"- {escape(line)}" for line in setup.lines(now, words))
    return f"**{words(setup.TITLE)}** ({where})\n{rows}\n-# {words(setup.EXPLAINED)}"


class DiscordInteractions:
    def __init__(self, context: Context, *, retention_days: int) -> None:
        self._context = context
        self._desk = context.desk
        self._days = retention_days

    async def press(self, interaction: Interaction, custom_id: str) -> None:
        """Do what a button or a submitted modal of ours stands for; anything else is not ours."""
        if match := buttons.TEMPLATE.fullmatch(custom_id):
            presser = DiscordPresser(interaction, self._context, *match.group("action", "answer", "root"))
            await self._context.chat.press(presser)

    async def command(self, interaction: Interaction, name: str) -> None:
        """One that is done as a press is."""
        await self._context.chat.press(self._by(interaction, name))

    async def add(self, interaction: Interaction, message: discord.Message) -> None:
        """The menu `Add to knowledge`."""
        await self._context.chat.press(DiscordPresser(interaction, self._context, FROM_MENU, menu_of=message))

    async def set_up(self, interaction: Interaction, where: str, choices: Mapping[str, str]) -> None:
        by = self._by(interaction, "setup")
        async with by.honest():
            await set_by_command(self._desk, by, where, choices)

    async def preferences(self, interaction: Interaction, *, style: str, citations: str, language: str) -> None:
        by = self._by(interaction, "preferences")
        async with by.honest():
            await by.ack(Then.TOLD)
            wanted = {"style": style, "citations": citations, "language": language}
            chosen = {field: value for field, value in wanted.items() if value}
            now = await prefer(self._desk, by.pressed.person, chosen)
            command = by_locale(interaction)(names.PREFERENCES)
            await by.show_texts((panels.preferences(now, await by.words(), command),))

    async def privacy(self, interaction: Interaction) -> None:
        by = self._by(interaction, "privacy")
        async with by.honest():
            speech = await by.words()
            time, command = speech.count(wording.DAYS, self._days), by_locale(interaction)(names.PREFERENCES)
            row = pressed(Reply(actions=(Button.EXPORT, Button.FORGET), language=speech.language))
            await by.show_texts((speech(words.PRIVACY, time=time, preferences=command),), row=row)

    async def help(self, interaction: Interaction) -> None:
        by = self._by(interaction, "help")
        async with by.honest():
            speech, named = await by.words(), by_locale(interaction)
            commands = {name: named(message) for name, message in names.COMMANDS.items()}
            told = speech(words.HELP, share=speech(words.LABELS[Button.SHARE]), **commands)
            await by.show_texts((told,))

    async def failed(self, interaction: Interaction, error: Exception) -> None:
        """A command that went wrong otherwise."""
        async with self._by(interaction, "command").honest():
            with translated("do a command"):
                raise error

    def _by(self, interaction: Interaction, command: str) -> DiscordPresser:
        return DiscordPresser(interaction, self._context, command)
