"""How Discord shows what the bot posts besides replies, and where."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import discord
from discord import ui

from adapters.chat.announce import Where
from adapters.chat.messages import NotPosted
from adapters.chat.reply import answer as parts
from adapters.chat.reply.parts import Button, Look, Reply
from adapters.chat.words import insights, source_notice
from adapters.chat.words.handoff import RESOLVE_BUTTON, Told, told
from adapters.discord import limits
from adapters.discord.errors import translated
from adapters.discord.events.incoming import shared_conversation
from adapters.discord.events.places import MessagePlace, key
from adapters.discord.parts import buttons, render
from adapters.discord.parts.blocks import attachments, card, layout
from adapters.discord.parts.markup import escape, link
from adapters.discord.permissions import obstacle
from adapters.discord.platform import DISCORD
from adapters.discord.post.found import SKEW
from adapters.discord.post.reply import Destination, DiscordPost, DiscordSender, look, parse, reference
from adapters.discord.transport.client import Client
from pipeline.errors import NotTaken, Refused
from pipeline.ports import Desk, Receipt
from pipeline.translations import Message, Words
from pipeline.values import About, Answer, ConversationId, MessageKey, Notice, PersonId, PlaceId
from pipeline.values.posting import Adding, Announcement, Digest, Share, SourceNotice, Spent

RESOLVED = 100
"""Characters that are left for who resolved it."""
NOT_HERE = Message("I could not share it here: {why}")


class AnnouncementSender(DiscordSender):
    """What is posted in a channel or to a person."""

    def __init__(
        self, client: Client, destination: Destination, post: Announcement, receipt: Receipt, *, threads: bool
    ) -> None:
        """`threads`: who replies is answered in a thread."""
        channel_id, self.known = _known(post)
        super().__init__(client, destination, post.key, receipt, channel_id=channel_id)
        self._where = MessagePlace(destination.guild_id, destination.possible[0], 0)
        self._post = post
        self._threads = threads

    def reference(self, names: Sequence[str]) -> str:
        return named(self._post, self._destination.guild_id, self._channel_id, names)

    def conversation(self, name: str) -> ConversationId:
        thread = isinstance(self._client.get_channel(self._where.channel_id), discord.Thread)
        return shared_conversation(self._where, int(name), in_thread=thread, threads=self._threads)

    async def send(self, part: int, post: DiscordPost) -> str:
        """Raises NotTaken, too."""
        try:
            return await super().send(part, post)
        except NotPosted as refused:
            error = refused.__cause__
            if not (isinstance(self._post, Share) and isinstance(error, discord.Forbidden)):
                raise
            words = Words(self._post.language)
            why = obstacle(self._client, self._where, error, words)
            raise NotTaken(words(NOT_HERE, why=why)) from refused


def _known(post: Announcement) -> tuple[int, Sequence[str]]:
    """The channel and the messages that its reference names; 0 and none of an empty one."""
    if not (isinstance(post, Notice) and post.reference):
        return parse(post.reference)
    there = MessageKey.parse(post.reference)
    return int(there.channel), [there.message]


def named(post: Announcement, guild_id: int | None, channel_id: int, names: Sequence[str]) -> str:
    """The reference: of a notice, whose message people reply to, the key of that."""
    return key(guild_id, channel_id, int(names[0])) if isinstance(post, Notice) else reference(channel_id, names)


class DiscordNotices:
    """The port `Announces`. Each is guarded by a nonce while Discord remembers it, then known by what it says."""

    def __init__(self, client: Client, desk: Desk, *, look: Look, threads: bool) -> None:
        """`threads`: mentions are answered in threads where nothing else is set."""
        self._client = client
        self._desk = desk
        self._look = look
        self._threads = threads

    async def sender(self, post: Announcement, where: Where, receipt: Receipt) -> AnnouncementSender:
        threads = self._threads
        if isinstance(post, Share) and isinstance(where, PlaceId):
            set_here = (await self._desk.places.of(where.chain)).threads
            threads = threads if set_here is None else set_here
        with translated("post"):
            destination = await self._destination(post, where)
        return AnnouncementSender(self._client, destination, post, receipt, threads=threads)

    async def find(self, post: Announcement, where: Where) -> str | None:
        with translated("look for what was posted"):
            destination = await self._destination(post, where)
            channel_id, names = await look(self._client, destination)
        return named(post, destination.guild_id, channel_id, names) if names else None

    async def _destination(self, post: Announcement, where: Where) -> Destination:
        guild_id, channel_id = await self._place(where)

        async def there() -> int:
            return channel_id

        return Destination(
            guild_id=guild_id,
            possible=(channel_id,),
            open=there,
            known=lambda message, _: _is(post, message),
            after=post.posting_since - SKEW if post.posting_since else None,
            ends=lambda message: _ends(post, message),
            refers_to=_answered(post) if isinstance(post, Notice) else None,
            pinged=_asker(post) if isinstance(post, Notice) else 0,
            silent=isinstance(post, Share),
        )

    async def _place(self, where: Where) -> tuple[int | None, int]:
        """Its server and its channel."""
        if isinstance(where, PersonId):
            return None, (await (await self._client.fetch_user(int(where.user))).create_dm()).id
        if isinstance(where, PlaceId):  # which the settings name
            there = self._client.get_channel(int(where.channel))
            if isinstance(there, discord.abc.GuildChannel | discord.Thread) and there.guild.id != int(where.space):
                raise Refused(f"the channel {where.channel} is of another server")
        return int(where.space) if where.space.isdecimal() else None, int(where.channel)

    async def notice(self, notice: Notice, shown: Told) -> DiscordPost:
        asker = _asker(notice)
        back = _address(notice) if notice.about is About.ASKED else ""
        row = [(shown.button, buttons.custom_id(RESOLVE_BUTTON, notice.handoff.id))] if shown.button else []
        return DiscordPost(layout(texts(shown, f"<@{asker}> " if asker else "", back), row))

    def line(self, text: str) -> DiscordPost:
        return DiscordPost(layout((escape(text),)))

    def spent(self, report: Spent) -> DiscordPost:
        place = f"<#{report.place.channel}>" if report.place.platform == DISCORD.name else f"`{report.place}`"
        return DiscordPost(layout((insights.spent(report, place), _marked(report.mark))))

    def panel(self, reply: Reply, mark: str) -> DiscordPost:
        return DiscordPost(layout((render.texts(reply)[0], _marked(mark))))

    def adding(self, adding: Adding) -> DiscordPost:
        return DiscordPost(added(adding.text, adding.small, adding.document, adding.back))

    def shared(self, answer: Answer, above: Sequence[str]) -> Sequence[DiscordPost]:
        pages = render.pages(parts.reply(answer, self._look, notes=above, attachable=True))
        return [DiscordPost(card(page), partial(attachments, page)) for page in pages]


def added(text: str, small: str, document: str, back: str) -> ui.LayoutView:
    """What came of something that somebody adds, with the button that takes the `document` back."""
    row = [(back, buttons.custom_id(Button.TAKE_BACK, document))] if document else []
    return layout(("\n-# ".join(filter(None, [escape(text), small])),), row)


def _asker(notice: Notice) -> int:
    """Who is mentioned; nobody where people are asked."""
    on_discord = notice.handoff.origin.platform == "discord" and notice.about is not About.ASKED
    return int(PersonId.parse(notice.handoff.asker).user) if on_discord else 0


def _marked(mark: str) -> str:
    return f"-# {mark}"


def _mark(report: Digest | Spent | SourceNotice | Adding) -> str:
    """By which it is found again."""
    if isinstance(report, Adding):
        return escape(report.text)
    return escape(source_notice.text(report)) if isinstance(report, SourceNotice) else _marked(report.mark)


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
    its words. Only what is shared is silent; whose it is, its last message says."""
    if isinstance(post, Share):
        return message.flags.silent
    if not isinstance(post, Notice):
        return _mark(post) in buttons.texts(message.components)
    if post.about is About.ASKED:
        return buttons.custom_id(RESOLVE_BUTTON, post.handoff.id) in set(buttons.ids(message.components))
    if post.handoff.private:
        there = "\n".join(buttons.texts(message.components))
        return all(text.strip() in there for text in texts(told(post), "", ""))
    return bool(message.reference and str(message.reference.message_id) == post.handoff.message)


def _ends(post: Announcement, message: discord.Message) -> bool | None:
    """The last message of what is shared carries buttons. One is posted after the other, so those before it are its."""
    named = [found["answer"] for found in map(buttons.TEMPLATE.fullmatch, buttons.ids(message.components)) if found]
    return post.answer_id in named if isinstance(post, Share) and named else None


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
