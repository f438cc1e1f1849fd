"""What the bot posts by itself: a question for people, what its asker hears, the weekly digest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from adapters.chat.messages import Messages
from adapters.chat.words import insights, source_notice
from adapters.chat.words.handoff import RESOLVE_BUTTON, Told, told
from adapters.discord import limits
from adapters.discord.events.places import key
from adapters.discord.parts import buttons, render
from adapters.discord.parts.blocks import layout
from adapters.discord.parts.markup import escape, link
from adapters.discord.platform import DISCORD
from adapters.discord.post.found import SKEW
from adapters.discord.post.reply import Destination, DiscordPost, DiscordSender, look
from adapters.discord.transport.client import Client
from pipeline.errors import Refused
from pipeline.ports import Receipt
from pipeline.translations import Words
from pipeline.values import About, ConversationId, Notice, PersonId, PlaceId
from pipeline.values.posting.digest import Announcement, Digest, SourceNotice, Spent

RESOLVED = 100
"""Characters that are left for who resolved it."""


class _NoticeSender(DiscordSender):
    """One message, which is named by its key."""

    def reference(self, names: Sequence[str]) -> str:
        return key(self._destination.guild_id, self._channel_id, int(names[0]))


class DiscordNotices:
    """Posts each as one message: guarded by a nonce while Discord remembers it, then known by what it says."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def post(self, post: Announcement, receipt: Receipt) -> None:
        """Raises what discord.py raises."""
        sender = _NoticeSender(self._client, await self._destination(post), post.key, receipt)
        drawn = _notice(post) if isinstance(post, Notice) else _report(post)
        await Messages(sender, receipt).show([DiscordPost(drawn)])

    async def find(self, post: Announcement) -> str | None:
        """Look for it where it belongs, since shortly before it was to be posted."""
        destination = await self._destination(post)
        channel_id, names = await look(self._client, destination)
        return key(destination.guild_id, channel_id, int(names[0])) if names else None

    async def _destination(self, post: Announcement) -> Destination:
        where = post.where if isinstance(post, Notice) else DISCORD.whom(str(post.to))
        guild_id, channel_id = await self._place(where)

        async def there() -> int:
            return channel_id

        return Destination(
            guild_id=guild_id,
            possible=(channel_id,),
            open=there,
            known=lambda message, _: _is(post, message),
            after=post.posting_since - SKEW if post.posting_since else None,
            refers_to=_answered(post) if isinstance(post, Notice) else None,
            pinged=_asker(post) if isinstance(post, Notice) else 0,
        )

    async def _place(self, where: PlaceId | ConversationId | PersonId) -> tuple[int | None, int]:
        """Its server and its channel."""
        if isinstance(where, PersonId):
            return None, (await (await self._client.fetch_user(int(where.user))).create_dm()).id
        if isinstance(where, PlaceId):  # which the settings name
            there = self._client.get_channel(int(where.channel))
            if isinstance(there, discord.abc.GuildChannel | discord.Thread) and there.guild.id != int(where.space):
                raise Refused(f"the channel {where.channel} is of another server")
        return int(where.space) if where.space.isdecimal() else None, int(where.channel)


def _notice(notice: Notice) -> ui.LayoutView:
    shown, asker = told(notice), _asker(notice)
    back = _address(notice) if notice.about is About.ASKED else ""
    row = [(shown.button, buttons.custom_id(RESOLVE_BUTTON, notice.handoff.id))] if shown.button else []
    return layout(texts(shown, f"<@{asker}> " if asker else "", back), row)


def _report(report: Digest | Spent | SourceNotice) -> ui.LayoutView:
    """What it has no room for is left out."""
    if isinstance(report, SourceNotice):
        return layout((_mark(report),))
    if isinstance(report, Spent):
        place = f"<#{report.place.channel}>" if report.place.platform == DISCORD.name else f"`{report.place}`"
        return layout((insights.spent(report, place), _mark(report)))
    assert report.seen
    first = render.texts(insights.panel(report.seen, Words(report.language), entries=insights.FEW))[0]
    return layout((first, _mark(report)))


def _asker(notice: Notice) -> int:
    """Who is mentioned; nobody where people are asked."""
    on_discord = notice.handoff.origin.platform == "discord" and notice.about is not About.ASKED
    return int(PersonId.parse(notice.handoff.asker).user) if on_discord else 0


def _mark(report: Digest | Spent | SourceNotice) -> str:
    """By which it is found again."""
    return escape(source_notice.text(report)) if isinstance(report, SourceNotice) else f"-# {report.mark}"


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


def _is(post: Announcement, message: discord.Message) -> bool:
    """By the week or day that it names, the button that resolves it, or the answer it refers to; a direct message by
    its words."""
    if not isinstance(post, Notice):
        return _mark(post) in buttons.texts(message.components)
    if post.about is About.ASKED:
        return buttons.custom_id(RESOLVE_BUTTON, post.handoff.id) in set(buttons.ids(message.components))
    if post.handoff.private:
        there = "\n".join(buttons.texts(message.components))
        return all(text.strip() in there for text in texts(told(post), "", ""))
    return bool(message.reference and str(message.reference.message_id) == post.handoff.message)


def _answered(notice: Notice) -> discord.MessageReference | None:
    handoff = notice.handoff
    if notice.about is About.ASKED or handoff.private or not handoff.message:
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
