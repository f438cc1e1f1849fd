"""A private answer for everyone in its channel."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import discord

from adapters.chat.press.sharing import CannotShare
from adapters.chat.reply import answer as parts
from adapters.chat.reply.parts import Look
from adapters.discord.audience import DiscordAudiences
from adapters.discord.errors import translated
from adapters.discord.events.incoming import shared_conversation
from adapters.discord.events.places import MessagePlace
from adapters.discord.parts.blocks import attachments, card
from adapters.discord.parts.render import Page, pages
from adapters.discord.permissions import obstacle
from adapters.discord.post.reply import nonce
from adapters.discord.press.presser import DiscordPresser
from adapters.discord.retry import steadily
from pipeline.ports import Desk
from pipeline.translations import Message
from pipeline.values import Answer, ConversationId, Readers
from pipeline.words import wording

NOT_HERE = Message("I could not share it here: {why}")


class DiscordSharer:
    """The port `Sharer`. Its messages carry nonces, so none of them is posted twice."""

    def __init__(self, desk: Desk, audiences: DiscordAudiences, *, look: Look, threads: bool) -> None:
        self._desk = desk
        self._audiences = audiences
        self._look = look
        self._threads = threads

    async def readers(self, by: DiscordPresser) -> Readers | Message:
        guild_id, channel_id = by.interaction.guild_id, by.interaction.channel_id
        if not guild_id or not channel_id:
            return wording.NOT_SHARED
        return await self._audiences.of_channel(guild_id, channel_id)

    async def post(self, by: DiscordPresser, answer: Answer, above: Sequence[str]) -> AsyncIterator[ConversationId]:
        client = by.interaction.client
        where = MessagePlace(by.interaction.guild_id, by.interaction.channel_id or 0, by.interaction.id)
        channel = client.get_partial_messageable(where.channel_id, guild_id=where.guild_id)
        set_here = (await self._desk.places.of(by.pressed.places)).threads
        threads = self._threads if set_here is None else set_here
        for part, page in enumerate(pages(parts.reply(answer, self._look, notes=above, attachable=True))):
            name = nonce(f"shared {answer.id} {where.channel_id}", part)

            async def send(page: Page = page, name: str = name) -> discord.Message:
                sent: discord.Message = await channel.send(
                    view=card(page), files=attachments(page), nonce=name, silent=True, suppress_embeds=True
                )
                return sent

            try:
                message = await steadily(send)
            except discord.Forbidden as error:
                words = await by.words()
                raise CannotShare(words(NOT_HERE, why=obstacle(client, where, error, words))) from error
            yield shared_conversation(where, message, threads=threads)

    async def confirm(self, by: DiscordPresser, answer: Answer) -> None:
        confirmed = pages(parts.reply(answer, self._look, notes=parts.asked(answer)))[-1]
        with translated("confirm what is shared"):
            await by.interaction.edit_original_response(view=card(confirmed))
