"""Adding a file or a link to the documents. Discord never sends a press again: it is tried once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import discord

from adapters.conversation import knowledge as adding_to
from adapters.discord import buttons, files
from adapters.discord.audience import Audiences
from adapters.discord.blocks import layout
from adapters.discord.ephemeral import Interaction, Presser, honest
from adapters.discord.markup import escape
from adapters.discord.modal import filled
from adapters.replies import knowledge
from adapters.replies.knowledge import MOST, Thing
from pipeline.ports import Desk, Sent

_OPEN = 200
"""Forms that are remembered until they are sent."""


class Choice(NamedTuple):
    """Things of one message."""

    message: discord.Message
    things: tuple[Thing, ...]


class Knowledge:
    def __init__(self, desk: Desk, audiences: Audiences, *, api_url: str) -> None:
        self._desk = desk
        self._audiences = audiences
        self._api_url = api_url
        self._open: dict[str, Choice] = {}

    def _by(self, interaction: Interaction) -> Presser:
        return Presser(interaction, self._desk, self._audiences)

    async def choose(self, interaction: Interaction, message: discord.Message) -> None:
        """The menu `Add to knowledge`."""
        async with honest(interaction, "add"):
            choice = Choice(message, things_of(message))
            self._open = dict([*self._open.items(), (str(interaction.id), choice)][-_OPEN:])
            collection = await adding_to.choose(self._desk, self._by(interaction), choice.things, str(interaction.id))
            if collection:
                await self._add(interaction, choice, choice.things, collection)

    async def offered(self, interaction: Interaction) -> None:
        """The button below the reply to a message with files."""
        if message := await _asked(interaction):
            await self.choose(interaction, message)
        else:
            by = self._by(interaction)
            await by.say((await by.words())(knowledge.NOTHING_TO_ADD))

    async def submitted(self, interaction: Interaction, name: str) -> None:
        choice = self._open.pop(name, None)
        if choice is None:
            by = self._by(interaction)
            words = await by.words()
            await by.say(words(knowledge.OUT_OF_DATE, add=words(knowledge.ADD)))
            return
        things, collection = knowledge.given(filled(interaction.data), choice.things)
        await self._add(interaction, choice, things, collection)

    async def take_back(self, interaction: Interaction, document_id: str) -> None:
        """Forget the document, and say so in the place of the button."""
        await interaction.response.defer()
        if said := await adding_to.take_back(self._desk, self._by(interaction), document_id):
            await interaction.edit_original_response(view=layout((escape(said),)))

    async def _add(self, interaction: Interaction, choice: Choice, things: Sequence[Thing], collection: str) -> None:
        """For all to see; alone to whoever adds it where the bot is silent."""
        by = self._by(interaction)
        silent = bool((await self._desk.places.of(by.places)).silent)
        await interaction.response.defer(ephemeral=silent, thinking=True)
        words = await by.words()
        for thing in things:
            outcome = await adding_to.add(self._desk, by, thing, partial(self._sent, choice, thing), collection)
            text = "\n-# ".join(filter(None, [escape(outcome.text), outcome.small]))
            back = buttons.custom_id(buttons.TAKE_BACK, outcome.document)
            row = [(words(knowledge.TAKE_BACK), back)] if outcome.document else []
            await interaction.followup.send(view=layout((text,), row), ephemeral=silent, suppress_embeds=True)

    async def _sent(self, choice: Choice, thing: Thing) -> Sent:
        if not thing.file:
            return Sent(thing.name, thing.name)
        attached = next(one for one in choice.message.attachments if str(one.id) == thing.file)
        return Sent(attached.filename, choice.message.jump_url, partial(files.download, attached, self._api_url))


async def _asked(interaction: Interaction) -> discord.Message | None:
    """The question above the reply in a direct message, if it is still there."""
    reference, channel = interaction.message and interaction.message.reference, interaction.channel
    if not (reference and reference.message_id and isinstance(channel, discord.DMChannel)):
        return None
    try:
        return await channel.fetch_message(reference.message_id)
    except discord.NotFound:
        return None


def things_of(message: discord.Message) -> tuple[Thing, ...]:
    """What of a message can be added."""
    attached = [Thing(one.filename, str(one.id)) for one in message.attachments]
    return tuple([*attached, *knowledge.links(message.content)][:MOST])
