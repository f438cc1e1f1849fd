"""What of a message can be added to the documents, and where what came of it is said."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import NamedTuple

import discord

from adapters.chat.press.knowledge import FROM_MENU, Addition
from adapters.chat.reply.parts import Button
from adapters.chat.words import knowledge
from adapters.chat.words.knowledge import MOST, Thing
from adapters.discord.events import files
from adapters.discord.parts import buttons
from adapters.discord.parts.blocks import layout
from adapters.discord.parts.markup import escape
from adapters.discord.post.alone import Interaction
from adapters.discord.press.presser import DiscordPresser
from pipeline.ports import Sent

_OPEN = 200
"""Messages that are remembered until their forms are sent."""


class DiscordShelf:
    """The port `Shelf`: a form has no room for what it is about."""

    def __init__(self, *, api_url: str) -> None:
        self._api_url = api_url
        self._open: dict[str, discord.Message] = {}

    async def offered(self, by: DiscordPresser) -> DiscordOffered | None:
        message = await self._message(by)
        if message is None:
            return None
        name = str(by.interaction.id)
        self._open = dict([*self._open.items(), (name, message)][-_OPEN:])
        return DiscordOffered(by.interaction, message, things_of(message), name, self._api_url)

    async def _message(self, by: DiscordPresser) -> discord.Message | None:
        if by.pressed.action == FROM_MENU:
            return by.menu_of
        if by.pressed.action == Button.ADD:
            return await _asked(by.interaction)
        return self._open.pop(by.pressed.about, None)


class DiscordOffered(NamedTuple):
    """The port `Offered`."""

    interaction: Interaction
    message: discord.Message
    things: Sequence[Thing]
    carried: str
    api_url: str

    async def sent(self, thing: Thing) -> Sent:
        if not thing.file:
            return Sent(thing.name, thing.name)
        sent = next(one for one in self.message.attachments if str(one.id) == thing.file)
        return Sent(sent.filename, self.message.jump_url, partial(files.attached, sent, self.api_url))

    async def begin(self, reading: str, *, alone: bool) -> Callable[[Addition], Awaitable[None]]:
        """Discord says by itself that it is being done."""
        if not self.interaction.response.is_done():
            await self.interaction.response.defer(ephemeral=alone, thinking=True)

        async def put(addition: Addition) -> None:
            text = "\n-# ".join(filter(None, [escape(addition.text), addition.small]))
            back = buttons.custom_id(Button.TAKE_BACK, addition.document)
            row = [(addition.back, back)] if addition.document else []
            await self.interaction.followup.send(view=layout((text,), row), ephemeral=alone, suppress_embeds=True)

        return put


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
