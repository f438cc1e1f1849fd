"""Adding a file or a link to the documents. Discord never sends a press again: it is tried once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import discord
import structlog

from adapters.discord import buttons, files
from adapters.discord.audience import Audiences
from adapters.discord.blocks import Row, layout
from adapters.discord.ephemeral import Interaction, honest, places_of, say, words_of
from adapters.discord.markup import escape
from adapters.discord.modal import OPTIONS, filled, modal
from adapters.replies import knowledge
from adapters.replies.knowledge import MOST, Thing
from pipeline.errors import CitewellError, NotAllowed
from pipeline.ports import Desk, NotAdded, Sent
from pipeline.translations import Words
from pipeline.values import Actor, PlaceId, Readers

log = structlog.get_logger(__name__)

_OPEN = 200
"""Forms that are remembered until they are sent."""


class Choice(NamedTuple):
    """Things of one message."""

    message: discord.Message
    things: tuple[Thing, ...]
    collections: tuple[str, ...]


class Knowledge:
    def __init__(self, desk: Desk, audiences: Audiences, *, api_url: str) -> None:
        self._desk = desk
        self._audiences = audiences
        self._api_url = api_url
        self._open: dict[str, Choice] = {}

    async def choose(self, interaction: Interaction, message: discord.Message) -> None:
        """The menu `Add to knowledge`: open the form, or add at once where there is nothing to choose."""
        async with honest(interaction, "add"):
            words = await words_of(self._desk, interaction)
            try:
                collections = await self._desk.knowledge.collections(*await self._where(interaction))
            except NotAllowed:
                await say(interaction, (words(knowledge.CONTRIBUTORS_ONLY),))
                return
            things = things_of(message)
            if not things or not collections:
                await say(interaction, (words(knowledge.NO_COLLECTION if things else knowledge.NOTHING_TO_ADD),))
                return
            choice = Choice(message, things, collections[:OPTIONS])
            if len(things) == len(collections) == 1:
                await self._add(interaction, choice, things, collections[0], words)
            else:
                name = str(interaction.id)
                self._open = dict([*self._open.items(), (name, choice)][-_OPEN:])
                await interaction.response.send_modal(modal(knowledge.form(name, things, choice.collections, words)))

    async def offered(self, interaction: Interaction) -> None:
        """The button below the reply to a message with files."""
        reference = interaction.message.reference if interaction.message else None
        words = await words_of(self._desk, interaction)
        if reference is None or reference.message_id is None or not isinstance(interaction.channel, discord.DMChannel):
            await say(interaction, (words(knowledge.NOTHING_TO_ADD),))
            return
        try:
            message = await interaction.channel.fetch_message(reference.message_id)
        except discord.NotFound:
            await say(interaction, (words(knowledge.NOTHING_TO_ADD),))
            return
        await self.choose(interaction, message)

    async def submitted(self, interaction: Interaction, name: str) -> None:
        words = await words_of(self._desk, interaction)
        choice = self._open.pop(name, None)
        if choice is None:
            await say(interaction, (words(knowledge.OUT_OF_DATE, add=words(knowledge.ADD)),))
            return
        things, collection = knowledge.given(filled(interaction.data), choice.things)
        await self._add(interaction, choice, things, collection or choice.collections[0], words)

    async def take_back(self, interaction: Interaction, document_id: str) -> None:
        """Forget the document, and say so in the place of the button."""
        await interaction.response.defer()
        words = await words_of(self._desk, interaction)
        try:
            title = await self._desk.knowledge.take_back(await self._audiences.actor(interaction), document_id)
        except NotAllowed:
            await say(interaction, (words(knowledge.NOT_YOURS),))
            return
        said = knowledge.NOT_THERE if title is None else knowledge.TAKEN_BACK
        await interaction.edit_original_response(view=layout((escape(words(said, title=title)),)))

    async def _add(
        self, interaction: Interaction, choice: Choice, things: Sequence[Thing], collection: str, words: Words
    ) -> None:
        """For all to see; alone to whoever adds it where the bot is silent."""
        silent = bool((await self._desk.places.of(places_of(interaction))).silent)
        await interaction.response.defer(ephemeral=silent, thinking=True)
        for thing in things:
            text, row = await self._added(interaction, choice, thing, collection, words)
            await interaction.followup.send(view=layout((text,), row), ephemeral=silent, suppress_embeds=True)

    async def _added(
        self, interaction: Interaction, choice: Choice, thing: Thing, collection: str, words: Words
    ) -> tuple[str, Row]:
        try:
            added = await self._desk.knowledge.add(
                *await self._where(interaction), self._sent(choice, thing), collection
            )
        except NotAllowed:
            return words(knowledge.CONTRIBUTORS_ONLY), ()
        except NotAdded as error:
            log.info("discord_nothing_added", reason=str(error))
            return escape(knowledge.left_out(thing, error, words)), ()
        except CitewellError as error:
            log.warning("discord_nothing_added", reason=str(error))
            return escape(knowledge.not_got(thing, words)), ()
        text = f"{escape(knowledge.told(thing, added, words))}\n-# {knowledge.how_back(added, words)}"
        return text, [(words(knowledge.TAKE_BACK), buttons.custom_id(buttons.TAKE_BACK, added.document))]

    def _sent(self, choice: Choice, thing: Thing) -> Sent:
        if not thing.file:
            return Sent(thing.name, thing.name)
        attached = next(one for one in choice.message.attachments if str(one.id) == thing.file)
        return Sent(attached.filename, choice.message.jump_url, partial(files.download, attached, self._api_url))

    async def _where(self, interaction: Interaction) -> tuple[Actor, Readers, tuple[PlaceId, ...]]:
        """Who adds, who reads along there, and what places it is in."""
        actor, places = await self._audiences.actor(interaction), places_of(interaction)
        if interaction.guild_id is None:
            return actor, await self._audiences.of_presser(interaction), places
        return actor, await self._audiences.of_channel(interaction.guild_id, interaction.channel_id or 0), places


def things_of(message: discord.Message) -> tuple[Thing, ...]:
    """What of a message can be added."""
    attached = [Thing(one.filename, str(one.id)) for one in message.attachments]
    return tuple([*attached, *knowledge.links(message.content)][:MOST])
