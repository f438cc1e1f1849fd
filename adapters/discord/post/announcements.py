"""How Discord shows what the bot posts besides replies, and where."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import discord
from discord import ui

from adapters.chat.announcements import AnnouncementTarget
from adapters.chat.messages import NotPosted
from adapters.chat.reply import builder as parts
from adapters.chat.reply.parts import RenderOptions, Reply, ReplyButton
from adapters.chat.words import insights, source_notice
from adapters.chat.words.handoff import RESOLVE_BUTTON, NoticeText, build_notice_text
from adapters.discord import limits
from adapters.discord.errors import translate_discord_errors
from adapters.discord.events.incoming import shared_conversation
from adapters.discord.events.places import DiscordMessagePlace, message_key_text
from adapters.discord.permissions import explain_refusal
from adapters.discord.platform import DISCORD
from adapters.discord.post.recovery import CLOCK_SKEW
from adapters.discord.post.sender import (
    DiscordDestination,
    DiscordPost,
    DiscordSender,
    build_reference,
    find_unrecorded,
    parse_reference,
)
from adapters.discord.rendering import custom_ids, render
from adapters.discord.rendering.components import build_card, build_layout, page_files
from adapters.discord.rendering.markup import escape_text, render_link
from adapters.discord.transport.client import DiscordClient
from pipeline.errors import PostRefused, Refused
from pipeline.ports import BotServices, PostRecorder
from pipeline.translations import TranslatableText, Translator
from pipeline.values import Answer, ConversationId, HandoffNotice, MessageKey, NoticeKind, PersonId, PlaceId
from pipeline.values.posting import Announcement, AutoLimitNotice, Digest, IndexingNotice, SharedAnswer, UploadStatus

RESERVED_FOR_RESOLVER = 100
"""Characters that are left for who resolved it."""
CANNOT_SHARE_HERE = TranslatableText("I could not share it here: {why}")


class DiscordAnnouncementSender(DiscordSender):
    """What is posted in a channel or to a person."""

    def __init__(
        self,
        client: DiscordClient,
        destination: DiscordDestination,
        post: Announcement,
        receipt: PostRecorder,
        *,
        threads: bool,
    ) -> None:
        """`threads`: who replies is answered in a thread."""
        channel_id, self.recorded_names = _known(post)
        super().__init__(client, destination, post.key, receipt, channel_id=channel_id)
        self._where = DiscordMessagePlace(destination.guild_id, destination.candidate_channels[0], 0)
        self._post = post
        self._threads = threads

    def reference(self, names: Sequence[str]) -> str:
        return announcement_reference(self._post, self._destination.guild_id, self._channel_id, names)

    def conversation_of(self, name: str) -> ConversationId:
        thread = isinstance(self._client.get_channel(self._where.channel_id), discord.Thread)
        return shared_conversation(self._where, int(name), in_thread=thread, threads=self._threads)

    async def send(self, part: int, post: DiscordPost) -> str:
        """Raises NotTaken, too."""
        try:
            return await super().send(part, post)
        except NotPosted as refused:
            error = refused.__cause__
            if not (isinstance(self._post, SharedAnswer) and isinstance(error, discord.Forbidden)):
                raise
            words = Translator(self._post.language)
            why = explain_refusal(self._client, self._where, error, words)
            raise PostRefused(words(CANNOT_SHARE_HERE, why=why)) from refused


def _known(post: Announcement) -> tuple[int, Sequence[str]]:
    """The channel and the messages that its reference names; 0 and none of an empty one."""
    if not (isinstance(post, HandoffNotice) and post.reference):
        return parse_reference(post.reference)
    there = MessageKey.parse(post.reference)
    return int(there.channel), [there.message]


def announcement_reference(post: Announcement, guild_id: int | None, channel_id: int, names: Sequence[str]) -> str:
    """The reference: of a notice, whose message people reply to, the key of that."""
    return (
        message_key_text(guild_id, channel_id, int(names[0]))
        if isinstance(post, HandoffNotice)
        else build_reference(channel_id, names)
    )


class DiscordAnnouncementPoster:
    """The port `AnnouncementPoster`. A nonce guards each post while Discord remembers it; later its text does."""

    def __init__(self, client: DiscordClient, desk: BotServices, *, look: RenderOptions, threads: bool) -> None:
        """`threads`: mentions are answered in threads where nothing else is set."""
        self._client = client
        self._desk = desk
        self._look = look
        self._threads = threads

    async def open_sender(
        self, post: Announcement, where: AnnouncementTarget, receipt: PostRecorder
    ) -> DiscordAnnouncementSender:
        threads = self._threads
        if isinstance(post, SharedAnswer) and isinstance(where, PlaceId):
            set_here = (await self._desk.places.effective_settings(where.chain)).threads
            threads = threads if set_here is None else set_here
        with translate_discord_errors("post"):
            destination = await self._destination(post, where)
        return DiscordAnnouncementSender(self._client, destination, post, receipt, threads=threads)

    async def find_posted(self, post: Announcement, where: AnnouncementTarget) -> str | None:
        with translate_discord_errors("look for what was posted"):
            destination = await self._destination(post, where)
            channel_id, names = await find_unrecorded(self._client, destination)
        return announcement_reference(post, destination.guild_id, channel_id, names) if names else None

    async def _destination(self, post: Announcement, where: AnnouncementTarget) -> DiscordDestination:
        guild_id, channel_id = await self._place(where)

        async def there() -> int:
            return channel_id

        return DiscordDestination(
            guild_id=guild_id,
            candidate_channels=(channel_id,),
            open=there,
            is_match=lambda message, _: _is(post, message),
            after=post.posting_since - CLOCK_SKEW if post.posting_since else None,
            is_end=lambda message: _ends(post, message),
            refers_to=_answered(post) if isinstance(post, HandoffNotice) else None,
            mentioned_user=_asker(post) if isinstance(post, HandoffNotice) else 0,
            is_silent=isinstance(post, SharedAnswer),
        )

    async def _place(self, where: AnnouncementTarget) -> tuple[int | None, int]:
        """Its server and its channel."""
        if isinstance(where, PersonId):
            return None, (await (await self._client.fetch_user(int(where.user))).create_dm()).id
        if isinstance(where, PlaceId):  # which the settings name
            there = self._client.get_channel(int(where.channel))
            if isinstance(there, discord.abc.GuildChannel | discord.Thread) and there.guild.id != int(where.space):
                raise Refused(f"the channel {where.channel} is of another server")
        return int(where.space) if where.space.isdecimal() else None, int(where.channel)

    async def render_handoff_notice(self, notice: HandoffNotice, shown: NoticeText) -> DiscordPost:
        asker = _asker(notice)
        back = _address(notice) if notice.about is NoticeKind.ASKED else ""
        row = [(shown.button, custom_ids.build_custom_id(RESOLVE_BUTTON, notice.handoff.id))] if shown.button else []
        return DiscordPost(build_layout(render_notice_texts(shown, f"<@{asker}> " if asker else "", back), row))

    def render_line(self, text: str) -> DiscordPost:
        return DiscordPost(build_layout((escape_text(text),)))

    def render_auto_limit(self, report: AutoLimitNotice) -> DiscordPost:
        place = f"<#{report.place.channel}>" if report.place.platform == DISCORD.name else f"`{report.place}`"
        return DiscordPost(build_layout((insights.auto_limit_text(report, place), _marked(report.marker))))

    def render_panel(self, reply: Reply, mark: str) -> DiscordPost:
        return DiscordPost(build_layout((render.render_texts(reply)[0], _marked(mark))))

    def render_upload_status(self, adding: UploadStatus) -> DiscordPost:
        return DiscordPost(upload_result_view(adding.text, adding.small, adding.document, adding.back))

    def render_shared(self, answer: Answer, above: Sequence[str]) -> Sequence[DiscordPost]:
        pages = render.render_pages(parts.build_reply(answer, self._look, notes=above, attachable=True))
        return [DiscordPost(build_card(page), partial(page_files, page)) for page in pages]


def upload_result_view(text: str, small: str, document: str, back: str) -> ui.LayoutView:
    """What came of something that somebody adds, with the button that takes the `document` back."""
    row = [(back, custom_ids.build_custom_id(ReplyButton.TAKE_BACK, document))] if document else []
    return build_layout(("\n-# ".join(filter(None, [escape_text(text), small])),), row)


def _asker(notice: HandoffNotice) -> int:
    """Who is mentioned; nobody where people are asked."""
    on_discord = notice.handoff.origin.platform == "discord" and notice.about is not NoticeKind.ASKED
    return int(PersonId.parse(notice.handoff.asker).user) if on_discord else 0


def _marked(mark: str) -> str:
    return f"-# {mark}"


def _mark(report: Digest | AutoLimitNotice | IndexingNotice | UploadStatus) -> str:
    """By which it is found again."""
    if isinstance(report, UploadStatus):
        return escape_text(report.text)
    return (
        escape_text(source_notice.source_notice_text(report))
        if isinstance(report, IndexingNotice)
        else _marked(report.marker)
    )


def render_notice_texts(shown: NoticeText, ping: str, back: str) -> list[str]:
    """The texts of the message, which fit one; `back` leads to where it was asked."""
    while sum(map(limits.utf16_length, made := _texts(shown, ping, back))) > limits.MAX_TEXT - RESERVED_FOR_RESOLVER:
        shown = _shorter(shown)
    return made


def _shorter(shown: NoticeText) -> NoticeText:
    """Less of what takes most room: escapes may double it."""
    room = {"quoted": len(_quoted(shown)), "found": len(escape_text(shown.found)), "note": len(escape_text(shown.note))}
    name = max(room, key=lambda name: room[name])
    if room[name] < len(_listed(shown)):
        return shown._replace(sources=shown.sources[:-1])
    text: str = getattr(shown, name)
    cut: dict[str, Any] = {name: f"{text[: len(text) * 9 // 10].rstrip('… ')}…"}
    return shown._replace(**cut)


def _quoted(shown: NoticeText) -> str:
    return "\n".join(f"> {escape_text(one)}" for one in shown.quoted.splitlines())


def _listed(shown: NoticeText) -> str:
    return "\n".join(f"- {render_link(source.text, source.url)}" for source in shown.sources)


def _texts(shown: NoticeText, ping: str, back: str) -> list[str]:
    below = [f"-# {escape_text(shown.note)}" if shown.note else "", f"[{shown.origin}]({back})" if back else ""]
    return [
        f"{ping}**{escape_text(shown.heading)}**\n{_quoted(shown)}".rstrip(),
        escape_text(shown.found),
        _listed(shown),
        *below,
    ]


def _is(post: Announcement, message: discord.Message) -> bool:
    """By the week or day that it names, the button that resolves it, or the answer it refers to; a direct message by
    its words. Only what is shared is silent; whose it is, its last message says."""
    if isinstance(post, SharedAnswer):
        return message.flags.silent
    if not isinstance(post, HandoffNotice):
        return _mark(post) in custom_ids.iter_texts(message.components)
    if post.about is NoticeKind.ASKED:
        return custom_ids.build_custom_id(RESOLVE_BUTTON, post.handoff.id) in set(
            custom_ids.iter_custom_ids(message.components)
        )
    if post.handoff.private:
        there = "\n".join(custom_ids.iter_texts(message.components))
        return all(text.strip() in there for text in render_notice_texts(build_notice_text(post), "", ""))
    return bool(message.reference and str(message.reference.message_id) == post.handoff.message)


def _ends(post: Announcement, message: discord.Message) -> bool | None:
    """The last message of what is shared carries buttons. One is posted after the other, so those before it are its."""
    named = [
        found["answer"]
        for found in map(custom_ids.CUSTOM_ID_PATTERN.fullmatch, custom_ids.iter_custom_ids(message.components))
        if found
    ]
    return post.answer_id in named if isinstance(post, SharedAnswer) and named else None


def _answered(notice: HandoffNotice) -> discord.MessageReference | None:
    handoff = notice.handoff
    if notice.about is NoticeKind.ASKED or handoff.private or not handoff.message:
        return None
    return discord.MessageReference(
        message_id=int(handoff.message), channel_id=int(handoff.origin.channel), fail_if_not_exists=False
    )


def _address(notice: HandoffNotice) -> str:
    """Where the question was asked; nothing that only the asker could open."""
    origin, message = notice.handoff.origin, notice.handoff.message
    if notice.handoff.private or not message or origin.platform != "discord" or not origin.space.isdecimal():
        return ""
    return f"https://discord.com/channels/{origin.space}/{origin.channel}/{message}"
