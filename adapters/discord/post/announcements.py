"""Posts other than replies on Discord: their layout and their targets."""

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
    DiscordMessageBody,
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
"""Characters left for the name of the person who resolves it."""
CANNOT_SHARE_HERE = TranslatableText("I could not share it here: {why}")


class DiscordAnnouncementSender(DiscordSender):
    """The sender of one announcement to a channel or a person."""

    def __init__(
        self,
        client: DiscordClient,
        destination: DiscordDestination,
        post: Announcement,
        recorder: PostRecorder,
        *,
        threads: bool,
    ) -> None:
        """Create it. `threads`: replies to it are answered in a thread."""
        channel_id, self.recorded_names = _recorded_messages(post)
        super().__init__(client, destination, post.key, recorder, channel_id=channel_id)
        self._place = DiscordMessagePlace(destination.guild_id, destination.candidate_channels[0], 0)
        self._post = post
        self._threads = threads

    def reference(self, names: Sequence[str]) -> str:
        return announcement_reference(self._post, self._destination.guild_id, self._channel_id, names)

    def conversation_of(self, name: str) -> ConversationId:
        thread = isinstance(self._client.get_channel(self._place.channel_id), discord.Thread)
        return shared_conversation(self._place, int(name), in_thread=thread, threads=self._threads)

    async def send(self, part: int, post: DiscordMessageBody) -> str:
        """Send a message. Raises PostRefused, too."""
        try:
            return await super().send(part, post)
        except NotPosted as refused:
            error = refused.__cause__
            if not (isinstance(self._post, SharedAnswer) and isinstance(error, discord.Forbidden)):
                raise
            translator = Translator(self._post.language)
            reason = explain_refusal(self._client, self._place, error, translator)
            raise PostRefused(translator(CANNOT_SHARE_HERE, why=reason)) from refused


def _recorded_messages(post: Announcement) -> tuple[int, Sequence[str]]:
    """Return the channel and the messages that its reference names; 0 and none for an empty one."""
    if not (isinstance(post, HandoffNotice) and post.reference):
        return parse_reference(post.reference)
    key = MessageKey.parse(post.reference)
    return int(key.channel), [key.message]


def announcement_reference(post: Announcement, guild_id: int | None, channel_id: int, names: Sequence[str]) -> str:
    """Return the reference; for a handoff notice the key of its message, to which people reply."""
    return (
        message_key_text(guild_id, channel_id, int(names[0]))
        if isinstance(post, HandoffNotice)
        else build_reference(channel_id, names)
    )


class DiscordAnnouncementPoster:
    """The port `AnnouncementPoster`. A nonce guards each post while Discord remembers it; later it is found by its
    content."""

    def __init__(
        self, client: DiscordClient, services: BotServices, *, render_options: RenderOptions, threads: bool
    ) -> None:
        """Create it. `threads`: mentions are answered in threads unless a place is set otherwise."""
        self._client = client
        self._services = services
        self._render_options = render_options
        self._threads = threads

    async def open_sender(
        self, post: Announcement, target: AnnouncementTarget, recorder: PostRecorder
    ) -> DiscordAnnouncementSender:
        threads = self._threads
        if isinstance(post, SharedAnswer) and isinstance(target, PlaceId):
            own_setting = (await self._services.places.effective_settings(target.chain)).threads
            threads = threads if own_setting is None else own_setting
        with translate_discord_errors("post"):
            destination = await self._destination(post, target)
        return DiscordAnnouncementSender(self._client, destination, post, recorder, threads=threads)

    async def find_posted(self, post: Announcement, target: AnnouncementTarget) -> str | None:
        with translate_discord_errors("look for what was posted"):
            destination = await self._destination(post, target)
            channel_id, names = await find_unrecorded(self._client, destination)
        return announcement_reference(post, destination.guild_id, channel_id, names) if names else None

    async def _destination(self, post: Announcement, target: AnnouncementTarget) -> DiscordDestination:
        guild_id, channel_id = await self._locate(target)

        async def there() -> int:
            return channel_id

        return DiscordDestination(
            guild_id=guild_id,
            candidate_channels=(channel_id,),
            open=there,
            is_match=lambda message, _: _is_announcement(post, message),
            after=post.posting_since - CLOCK_SKEW if post.posting_since else None,
            is_end=lambda message: _is_end(post, message),
            refers_to=_question_reference(post) if isinstance(post, HandoffNotice) else None,
            mentioned_user=_mentioned_user(post) if isinstance(post, HandoffNotice) else 0,
            is_silent=isinstance(post, SharedAnswer),
        )

    async def _locate(self, target: AnnouncementTarget) -> tuple[int | None, int]:
        """Return its server and its channel."""
        if isinstance(target, PersonId):
            return None, (await (await self._client.fetch_user(int(target.user))).create_dm()).id
        if isinstance(target, PlaceId):  # which the settings name
            channel = self._client.get_channel(int(target.channel))
            if isinstance(channel, discord.abc.GuildChannel | discord.Thread) and channel.guild.id != int(target.space):
                raise Refused(f"the channel {target.channel} is of another server")
        return int(target.space) if target.space.isdecimal() else None, int(target.channel)

    async def render_handoff_notice(self, notice: HandoffNotice, texts: NoticeText) -> DiscordMessageBody:
        asker = _mentioned_user(notice)
        link = _question_link(notice) if notice.about is NoticeKind.ASKED else ""
        row = [(texts.button, custom_ids.build_custom_id(RESOLVE_BUTTON, notice.handoff.id))] if texts.button else []
        return DiscordMessageBody(build_layout(render_notice_texts(texts, f"<@{asker}> " if asker else "", link), row))

    def render_line(self, text: str) -> DiscordMessageBody:
        return DiscordMessageBody(build_layout((escape_text(text),)))

    def render_auto_limit(self, notice: AutoLimitNotice) -> DiscordMessageBody:
        place = f"<#{notice.place.channel}>" if notice.place.platform == DISCORD.name else f"`{notice.place}`"
        return DiscordMessageBody(build_layout((insights.auto_limit_text(notice, place), _marker_line(notice.marker))))

    def render_panel(self, reply: Reply, marker: str) -> DiscordMessageBody:
        return DiscordMessageBody(build_layout((render.render_texts(reply)[0], _marker_line(marker))))

    def render_upload_status(self, status: UploadStatus) -> DiscordMessageBody:
        return DiscordMessageBody(upload_result_view(status.text, status.small, status.document, status.back))

    def render_shared(self, answer: Answer, above: Sequence[str]) -> Sequence[DiscordMessageBody]:
        pages = render.render_pages(parts.build_reply(answer, self._render_options, notes=above, attachable=True))
        return [DiscordMessageBody(build_card(page), partial(page_files, page)) for page in pages]


def upload_result_view(text: str, small: str, document: str, label: str) -> ui.LayoutView:
    """Return the view of an upload's status, with the button that removes the `document`."""
    row = [(label, custom_ids.build_custom_id(ReplyButton.TAKE_BACK, document))] if document else []
    return build_layout(("\n-# ".join(filter(None, [escape_text(text), small])),), row)


def _mentioned_user(notice: HandoffNotice) -> int:
    """Return the person to mention; 0 where people are asked."""
    on_discord = notice.handoff.origin.platform == "discord" and notice.about is not NoticeKind.ASKED
    return int(PersonId.parse(notice.handoff.asker).user) if on_discord else 0


def _marker_line(marker: str) -> str:
    return f"-# {marker}"


def _marker(post: Digest | AutoLimitNotice | IndexingNotice | UploadStatus) -> str:
    """Return the text by which the post is found again."""
    if isinstance(post, UploadStatus):
        return escape_text(post.text)
    return (
        escape_text(source_notice.source_notice_text(post))
        if isinstance(post, IndexingNotice)
        else _marker_line(post.marker)
    )


def render_notice_texts(texts: NoticeText, ping: str, link: str) -> list[str]:
    """Return the texts of the notice, which fit one message; `link` leads to the question."""
    while (
        sum(map(limits.utf16_length, rendered := _texts(texts, ping, link))) > limits.MAX_TEXT - RESERVED_FOR_RESOLVER
    ):
        texts = _shorten(texts)
    return rendered


def _shorten(texts: NoticeText) -> NoticeText:
    """Return the notice with less of its longest part: escapes may double its length."""
    room = {
        "quoted": len(_quote_text(texts)),
        "found": len(escape_text(texts.found)),
        "note": len(escape_text(texts.note)),
    }
    name = max(room, key=lambda name: room[name])
    if room[name] < len(_source_list(texts)):
        return texts._replace(sources=texts.sources[:-1])
    text: str = getattr(texts, name)
    cut: dict[str, Any] = {name: f"{text[: len(text) * 9 // 10].rstrip('… ')}…"}
    return texts._replace(**cut)


def _quote_text(texts: NoticeText) -> str:
    return "\n".join(f"> {escape_text(line)}" for line in texts.quoted.splitlines())


def _source_list(texts: NoticeText) -> str:
    return "\n".join(f"- {render_link(source.text, source.url)}" for source in texts.sources)


def _texts(texts: NoticeText, ping: str, link: str) -> list[str]:
    small_print = [f"-# {escape_text(texts.note)}" if texts.note else "", f"[{texts.origin}]({link})" if link else ""]
    return [
        f"{ping}**{escape_text(texts.heading)}**\n{_quote_text(texts)}".rstrip(),
        escape_text(texts.found),
        _source_list(texts),
        *small_print,
    ]


def _is_announcement(post: Announcement, message: discord.Message) -> bool:
    """Return True if the message is the announcement: by the week or day it names, its resolve button, or the answer it
    refers to; a direct message by its text. Only shared answers are silent; the last message tells which one it is."""
    if isinstance(post, SharedAnswer):
        return message.flags.silent
    if not isinstance(post, HandoffNotice):
        return _marker(post) in custom_ids.iter_texts(message.components)
    if post.about is NoticeKind.ASKED:
        return custom_ids.build_custom_id(RESOLVE_BUTTON, post.handoff.id) in set(
            custom_ids.iter_custom_ids(message.components)
        )
    if post.handoff.private:
        shown_text = "\n".join(custom_ids.iter_texts(message.components))
        return all(text.strip() in shown_text for text in render_notice_texts(build_notice_text(post), "", ""))
    return bool(message.reference and str(message.reference.message_id) == post.handoff.message)


def _is_end(post: Announcement, message: discord.Message) -> bool | None:
    """Return whether the message ends the shared answer: its last message has buttons. Messages are posted one after
    the other, so those before it belong to it."""
    answer_ids = [
        match["answer"]
        for match in map(custom_ids.CUSTOM_ID_PATTERN.fullmatch, custom_ids.iter_custom_ids(message.components))
        if match
    ]
    return post.answer_id in answer_ids if isinstance(post, SharedAnswer) and answer_ids else None


def _question_reference(notice: HandoffNotice) -> discord.MessageReference | None:
    handoff = notice.handoff
    if notice.about is NoticeKind.ASKED or handoff.private or not handoff.message:
        return None
    return discord.MessageReference(
        message_id=int(handoff.message), channel_id=int(handoff.origin.channel), fail_if_not_exists=False
    )


def _question_link(notice: HandoffNotice) -> str:
    """Return the link to the question; empty where only the asker could open it."""
    origin, message = notice.handoff.origin, notice.handoff.message
    if notice.handoff.private or not message or origin.platform != "discord" or not origin.space.isdecimal():
        return ""
    return f"https://discord.com/channels/{origin.space}/{origin.channel}/{message}"
