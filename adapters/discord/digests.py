"""The weekly digest, posted once: guarded by a nonce, and found again by the week that it names."""

from __future__ import annotations

from functools import partial

import discord

from adapters.discord import buttons, render
from adapters.discord.audience import Audiences
from adapters.discord.blocks import layout
from adapters.discord.client import Client
from adapters.discord.notices import SEARCHED, SKEW
from adapters.discord.reply import nonce
from adapters.discord.retry import steadily
from adapters.replies import insights
from pipeline.errors import Refused
from pipeline.ports import Receipt
from pipeline.translations import Words
from pipeline.values import PlaceId, Readers
from pipeline.values.digest import Digest
from pipeline.values.insights import Insights


class Digests:
    def __init__(self, client: Client, audiences: Audiences) -> None:
        self._client = client
        self._audiences = audiences

    async def readers(self, digest: Digest) -> Readers:
        await self._client.complete()
        if digest.personal:
            return await self._audiences.of_person(int(digest.target))
        return await self._audiences.of_channel(int(PlaceId.parse(digest.to).space), int(digest.target))

    async def post(self, digest: Digest, seen: Insights, speech: Words, receipt: Receipt) -> None:
        """One message; what it has no room for is left out. Raises what discord.py raises."""
        channel = await self._channel(digest)
        first = render.texts(insights.panel(seen, speech, entries=insights.FEW))[0]
        await receipt.posting()
        message = await steadily(
            partial(
                channel.send,
                view=layout((first, _mark(digest))),
                allowed_mentions=discord.AllowedMentions.none(),
                nonce=nonce(f"digest:{digest.week}", 0),
                suppress_embeds=True,
            ),
            before_retry=receipt.posting,
        )
        await receipt.posted(str(message.id))

    async def find(self, digest: Digest) -> str | None:
        channel = await self._channel(digest)
        since = digest.posting_since - SKEW if digest.posting_since else None
        async for message in channel.history(after=since, oldest_first=True, limit=SEARCHED):
            ours = self._client.user is not None and message.author.id == self._client.user.id
            if ours and _mark(digest) in buttons.texts(message.components):
                return str(message.id)
        return None

    async def _channel(self, digest: Digest) -> discord.abc.Messageable:
        if digest.personal:
            return await (await self._client.fetch_user(int(digest.target))).create_dm()
        place = PlaceId.parse(digest.to)
        there = self._client.get_channel(int(place.channel))
        if isinstance(there, discord.abc.GuildChannel | discord.Thread) and there.guild.id != int(place.space):
            raise Refused("the channel of the digest is of another server")
        return self._client.get_partial_messageable(int(place.channel), guild_id=int(place.space))


def _mark(digest: Digest) -> str:
    return f"-# {digest.week}"
