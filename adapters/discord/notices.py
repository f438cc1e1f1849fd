"""What the bot posts by itself: a question for people, what its asker hears, the weekly digest."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from typing import Any

import discord

from adapters.discord import buttons, limits, render
from adapters.discord.blocks import layout
from adapters.discord.client import Client
from adapters.discord.found import SKEW
from adapters.discord.markup import escape, link
from adapters.discord.reply import nonce, person_of
from adapters.discord.retry import steadily
from adapters.replies import insights
from adapters.replies.handoff import RESOLVE_BUTTON, Told, told
from pipeline.errors import Refused
from pipeline.ports import Receipt
from pipeline.translations import Words
from pipeline.values import About, Answer, Notice, PersonId, PlaceId
from pipeline.values.digest import Digest
from pipeline.values.insights import Insights

SEARCHED = 500
RESOLVED = 100
"""Characters that are left for who resolved it."""


class Notices:
    """Posts each once: guarded by a nonce while Discord remembers it, and found again by what it says after that."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def notify(self, notice: Notice, answer: Answer | None, receipt: Receipt) -> None:
        """Post it. Raises what discord.py raises."""
        channel = await self._channel(notice)
        shown = told(notice, answer)
        handoff = notice.handoff
        asks = notice.about is About.ASKED
        asker = (
            discord.Object(int(PersonId.parse(handoff.asker).user)) if handoff.origin.platform == "discord" else None
        )
        pinged = None if asks else asker
        back = _address(notice) if asks else ""
        row = [(shown.button, buttons.custom_id(RESOLVE_BUTTON, handoff.id))] if shown.button else []
        send = partial(
            channel.send,
            view=layout(texts(shown, f"<@{pinged.id}> " if pinged else "", back), row),
            reference=None if asks else _answered(notice),
            allowed_mentions=discord.AllowedMentions(
                everyone=False, roles=False, replied_user=False, users=[pinged] if pinged else False
            ),
        )
        await _post(send, notice.key, receipt)

    async def find_notice(self, notice: Notice) -> str | None:
        """Look for it where it belongs, since shortly before it was to be posted."""
        return await self._find(await self._channel(notice), notice.posting_since, partial(_is, notice))

    async def post_digest(self, digest: Digest, seen: Insights, speech: Words, receipt: Receipt) -> None:
        """One message; what it has no room for is left out. Raises what discord.py raises."""
        channel = await self._channel_of(digest)
        first = render.texts(insights.panel(seen, speech, entries=insights.FEW))[0]
        nobody = discord.AllowedMentions.none()
        send = partial(channel.send, view=layout((first, _week(digest))), allowed_mentions=nobody)
        await _post(send, digest.key, receipt)

    async def find_digest(self, digest: Digest) -> str | None:
        """By the week that it names."""

        def named(message: discord.Message) -> bool:
            return _week(digest) in buttons.texts(message.components)

        return await self._find(await self._channel_of(digest), digest.posting_since, named)

    async def _find(
        self, channel: discord.abc.Messageable, posting_since: datetime | None, it: Callable[[discord.Message], bool]
    ) -> str | None:
        since = posting_since - SKEW if posting_since else None
        async for message in channel.history(after=since, oldest_first=True, limit=SEARCHED):
            ours = self._client.user is not None and message.author.id == self._client.user.id
            if ours and it(message):
                return str(message.id)
        return None

    async def _channel(self, notice: Notice) -> discord.abc.Messageable:
        handoff = notice.handoff
        if notice.about is About.ASKED:
            return self._channel_at(handoff.target)
        if handoff.private:
            return await (await person_of(self._client, handoff.asker)).create_dm()
        guild_id = int(handoff.origin.space) if handoff.origin.space.isdecimal() else None
        return self._client.get_partial_messageable(int(handoff.origin.channel), guild_id=guild_id)

    async def _channel_of(self, digest: Digest) -> discord.abc.Messageable:
        if digest.personal:
            return await (await self._client.fetch_user(int(digest.target))).create_dm()
        return self._channel_at(PlaceId.parse(digest.to))

    def _channel_at(self, place: PlaceId) -> discord.abc.Messageable:
        """The one that the settings name."""
        there = self._client.get_channel(int(place.channel))
        if isinstance(there, discord.abc.GuildChannel | discord.Thread) and there.guild.id != int(place.space):
            raise Refused(f"the channel {place.channel} is of another server")
        return self._client.get_partial_messageable(int(place.channel), guild_id=int(place.space))


async def _post(send: Callable[..., Awaitable[discord.Message]], key: str, receipt: Receipt) -> None:
    await receipt.posting()
    message = await steadily(partial(send, nonce=nonce(key, 0), suppress_embeds=True), before_retry=receipt.posting)
    await receipt.posted(str(message.id))


def _week(digest: Digest) -> str:
    return f"-# {digest.week}"


def texts(shown: Told, ping: str, back: str) -> list[str]:
    """The texts of the message, which fit one; `back` leads to where it was asked."""
    while sum(map(limits.length, made := _texts(shown, ping, back))) > limits.TEXT - RESOLVED:
        shown = _shorter(shown)
    return made


def _shorter(shown: Told) -> Told:
    """Less of what takes most room: escapes may double it."""
    room = {"quoted": len(_quoted(shown)), "found": len(escape(shown.found)), "note": len(escape(shown.note))}
    name = max(room, key=lambda name: room[name])
    if room[name] < len(_listed(shown)):
        return shown._replace(sources=shown.sources[:-1])
    text: str = getattr(shown, name)
    cut: dict[str, Any] = {name: f"{text[: len(text) * 9 // 10].rstrip('… ')}…"}
    return shown._replace(**cut)


def _quoted(shown: Told) -> str:
    return "\n".join(f"> {escape(one)}" for one in shown.quoted.splitlines())


def _listed(shown: Told) -> str:
    return "\n".join(f"- {link(source.text, source.url)}" for source in shown.sources)


def _texts(shown: Told, ping: str, back: str) -> list[str]:
    below = [f"-# {escape(shown.note)}" if shown.note else "", f"[{shown.origin}]({back})" if back else ""]
    return [
        f"{ping}**{escape(shown.heading)}**\n{_quoted(shown)}".rstrip(),
        escape(shown.found),
        _listed(shown),
        *below,
    ]


def _is(notice: Notice, message: discord.Message) -> bool:
    """By the button that resolves it, or by the answer it refers to; a direct message by its words."""
    if notice.about is About.ASKED:
        return buttons.custom_id(RESOLVE_BUTTON, notice.handoff.id) in set(buttons.ids(message.components))
    if notice.handoff.private:
        there = "\n".join(buttons.texts(message.components))
        return all(text.strip() in there for text in texts(told(notice, None), "", ""))
    return bool(message.reference and str(message.reference.message_id) == notice.handoff.message)


def _answered(notice: Notice) -> discord.MessageReference | None:
    handoff = notice.handoff
    if handoff.private or not handoff.message:
        return None
    return discord.MessageReference(
        message_id=int(handoff.message), channel_id=int(handoff.origin.channel), fail_if_not_exists=False
    )


def _address(notice: Notice) -> str:
    """Where the question was asked; nothing that only the asker could open."""
    origin, message = notice.handoff.origin, notice.handoff.message
    if notice.handoff.private or not message or origin.platform != "discord" or not origin.space.isdecimal():
        return ""
    return f"https://discord.com/channels/{origin.space}/{origin.channel}/{message}"
