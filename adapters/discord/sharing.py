"""A private answer for everyone in its channel."""

from __future__ import annotations

import contextlib
from collections import deque
from functools import partial

import discord

from adapters.discord.audience import Audiences
from adapters.discord.card import card
from adapters.discord.errors import TRANSIENT
from adapters.discord.incoming import Place
from adapters.discord.interactions import Interaction
from adapters.discord.patience import steadily
from adapters.discord.permissions import obstacle
from adapters.discord.render import Look, pages, shared
from adapters.discord.reply import nonce
from pipeline import wording
from pipeline.ports import Desk
from pipeline.values import Answer

REMEMBERED = 1000
"""Shared answers that are not shared again, unless we were started anew meanwhile."""


class Sharing:
    """Shares an answer once in a channel."""

    def __init__(self, desk: Desk, audiences: Audiences, *, look: Look) -> None:
        self._desk = desk
        self._audiences = audiences
        self._look = look
        self._shared: deque[tuple[str, int]] = deque(maxlen=REMEMBERED)

    async def share(self, interaction: Interaction, answer_id: str) -> str:
        """Post the answer where the button was pressed, if everyone there may see what it rests on; otherwise why it
        is not there.

        It may be tried again after an error: its messages carry nonces, so none of them is posted twice."""
        guild_id, channel_id = interaction.guild_id, interaction.channel_id
        if not guild_id or not channel_id:
            return wording.NOT_SHARED
        if (answer_id, channel_id) in self._shared:
            return wording.SHARED_ALREADY
        self._shared.append((answer_id, channel_id))
        try:
            refused = await self._post(interaction, Place(guild_id, channel_id, interaction.id), answer_id)
        except BaseException:
            self._shared.remove((answer_id, channel_id))
            raise
        if refused:
            self._shared.remove((answer_id, channel_id))
        return refused

    async def _post(self, interaction: Interaction, where: Place, answer_id: str) -> str:
        readers = await self._audiences.of_channel(where.guild_id or 0, where.channel_id)
        answer = await self._desk.answer(answer_id, readers)
        if answer is None:
            return wording.NOT_SHARED
        try:
            await self._send(interaction, where, answer)
        except discord.Forbidden as error:
            return f"I could not share it here: {obstacle(interaction.client, where, error)}"
        with contextlib.suppress(*TRANSIENT, discord.DiscordException):
            await interaction.edit_original_response(view=card(pages(answer, self._look)[-1]))
        return ""

    async def _send(self, interaction: Interaction, where: Place, answer: Answer) -> None:
        channel = interaction.client.get_partial_messageable(where.channel_id, guild_id=where.guild_id)
        for part, page in enumerate(shared(answer, interaction.user.display_name, self._look)):
            name = nonce(f"shared {answer.id} {where.channel_id}", part)
            await steadily(partial(channel.send, view=card(page), nonce=name, silent=True, suppress_embeds=True))
