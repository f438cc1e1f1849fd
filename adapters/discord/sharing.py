"""A private answer for everyone in its channel."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from functools import partial

import discord

from adapters.conversation.sharing import Sharing as SharedOnce
from adapters.discord.audience import Audiences
from adapters.discord.blocks import attachments, card
from adapters.discord.ephemeral import Interaction, Presser
from adapters.discord.errors import TRANSIENT
from adapters.discord.incoming import shared_conversation
from adapters.discord.permissions import obstacle
from adapters.discord.places import Place
from adapters.discord.render import Page, pages
from adapters.discord.reply import nonce
from adapters.discord.retry import steadily
from adapters.replies import answer as parts
from adapters.replies.parts import Look
from pipeline import wording
from pipeline.ports import Desk, Inbox
from pipeline.translations import Message
from pipeline.values import Answer, ConversationId

NOT_HERE = Message("I could not share it here: {why}")


class Sharing:
    """Shares an answer once in a channel."""

    def __init__(self, desk: Desk, inbox: Inbox, audiences: Audiences, *, look: Look, threads: bool) -> None:
        self._once = SharedOnce(desk, inbox)
        self._audiences = audiences
        self._look = look
        self._desk = desk
        self._threads = threads

    async def share(self, interaction: Interaction, by: Presser) -> str:
        """Post the answer where the button was pressed, if everyone there may see what it rests on; otherwise why it
        is not there.

        It may be tried again after an error: its messages carry nonces, so none of them is posted twice."""
        speech = await by.words()
        guild_id, channel_id = interaction.guild_id, interaction.channel_id
        if not guild_id or not channel_id:
            return speech(wording.NOT_SHARED)
        readers = await self._audiences.of_channel(guild_id, channel_id)
        where = Place(guild_id, channel_id, interaction.id)
        try:
            shared = await self._once.share(
                by.about, str(channel_id), readers, partial(self._post, interaction, by, where)
            )
        except discord.Forbidden as error:
            return speech(NOT_HERE, why=obstacle(interaction.client, where, error, speech))
        if isinstance(shared, str):
            return speech(shared)
        with contextlib.suppress(*TRANSIENT, discord.DiscordException):
            confirmed = pages(parts.reply(shared, self._look, notes=parts.asked(shared)))[-1]
            await interaction.edit_original_response(view=card(confirmed))
        return ""

    async def _post(
        self, interaction: Interaction, by: Presser, where: Place, answer: Answer
    ) -> AsyncIterator[ConversationId]:
        channel = interaction.client.get_partial_messageable(where.channel_id, guild_id=where.guild_id)
        set_here = (await self._desk.places.of(by.places)).threads
        threads = self._threads if set_here is None else set_here
        above = parts.asked(answer, by=interaction.user.display_name)
        for part, page in enumerate(pages(parts.reply(answer, self._look, notes=above, attachable=True))):
            name = nonce(f"shared {answer.id} {where.channel_id}", part)

            async def send(page: Page = page, name: str = name) -> discord.Message:
                sent: discord.Message = await channel.send(
                    view=card(page), files=attachments(page), nonce=name, silent=True, suppress_embeds=True
                )
                return sent

            message = await steadily(send)
            yield shared_conversation(where, message, threads=threads)
