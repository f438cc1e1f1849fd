"""What of a message can be added to the documents, and where what came of it is said."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import NamedTuple

import discord

from adapters.chat.press.knowledge import FROM_MENU
from adapters.chat.press.offered import Addition
from adapters.chat.press.presser import Pressed
from adapters.chat.reply.parts import Button
from adapters.chat.words import knowledge
from adapters.chat.words.knowledge import MOST, Thing
from adapters.discord.errors import translated
from adapters.discord.events import files
from adapters.discord.post.alone import Interaction
from adapters.discord.post.notices import added
from pipeline.ports import Sent
from pipeline.translations import Words

_OPEN = 200
"""Messages that are remembered until their forms are sent."""


class DiscordShelf:
    """Remembers what forms are about: they have no room for it."""

    def __init__(self, *, api_url: str) -> None:
        self._api_url = api_url
        self._open: dict[str, discord.Message] = {}

    async def offered(
        self, interaction: Interaction, pressed: Pressed, menu_of: discord.Message | None
    ) -> DiscordOffered | None:
        """`menu_of`: the message in whose menu it was chosen."""
        match pressed.action:
            case action if action == FROM_MENU:
                message = menu_of
            case Button.ADD:
                message = await _asked(interaction)
            case _:
                message = self._open.pop(pressed.about, None)
        if message is None:
            return None
        name = str(interaction.id)
        self._open = dict([*self._open.items(), (name, message)][-_OPEN:])
        return DiscordOffered(interaction, message, things_of(message), name, self._api_url)


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

    async def begin(self, reading: str, words: Words, *, alone: bool) -> Callable[[Addition], Awaitable[None]]:
        """Discord says by itself that it is being done, and what comes of it is the answer to the press."""
        with translated("acknowledge a press"):
            if not self.interaction.response.is_done():
                await self.interaction.response.defer(ephemeral=alone, thinking=True)

        async def put(addition: Addition) -> None:
            with translated("answer a press"):
                await self.interaction.followup.send(view=added(*addition), ephemeral=alone, suppress_embeds=True)

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
