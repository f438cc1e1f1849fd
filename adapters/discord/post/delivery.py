"""Replies on Discord in a channel, thread or DM, “Citewell is typing …” until they appear, and messages to the asker
alone."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any

import aiohttp
import discord

from adapters.chat.intake import PersonMessage
from adapters.chat.post.delivery import ReplyPlacement
from adapters.chat.post.streaming import EditTiming, SettleIndicator
from adapters.chat.reply.parts import Reply, ReplyFile
from adapters.chat.reply.splitting import strip_hidden
from adapters.chat.words import subscriptions
from adapters.chat.words.handoff import UnsentReply
from adapters.chat.words.subscriptions import AnswerHeading
from adapters.discord import limits
from adapters.discord.errors import THREAD_EXISTS, retry_while_unreachable, translate_discord_errors
from adapters.discord.events.incoming import conversation_root, is_in_thread, is_text_withheld
from adapters.discord.events.places import DiscordMessagePlace, message_place
from adapters.discord.permissions import explain_refusal
from adapters.discord.post.private import DiscordCommandIntake, DiscordPrivateReply
from adapters.discord.post.recovery import CLOCK_SKEW, ReplyOpening, answer_matcher
from adapters.discord.post.sender import (
    DiscordDestination,
    DiscordMessageBody,
    DiscordSender,
    build_reference,
    delete_message,
    fetch_person,
    find_unrecorded,
    make_nonce,
    parse_reference,
)
from adapters.discord.rendering.components import build_card, build_layout, page_files
from adapters.discord.rendering.custom_ids import build_custom_id
from adapters.discord.rendering.markup import escape_text
from adapters.discord.rendering.render import DiscordPage, render_pages, render_plain, render_progress
from pipeline.ports import PostRecorder
from pipeline.translations import TranslatableText, Translator
from pipeline.values import IncomingMessage, LeasedMessage, MessageKey, MessageTrigger, PersonId, replace

TYPING_DELAY_SECONDS = 0.3
TYPING_INTERVAL_SECONDS = 8.0
"""Seconds between two typing indicators: Discord shows one for ten, or until the next message."""
NOTIFY_SECONDS = 5.0
"""Seconds after which a notice to an author is given up."""
TYPING_SETTLE_SECONDS = 2.0
"""Seconds that a request under way is awaited: one that arrives after the message would show beside it."""


@contextlib.asynccontextmanager
async def show_typing(channel: discord.abc.Messageable | None) -> AsyncIterator[SettleIndicator]:
    """Show a typing indicator until the context ends, or until the yielded function is called: before the first
    message, which ends it. None shows none. A failure is ignored."""
    stopped = asyncio.Event()
    task = asyncio.create_task(_keep_typing(channel, stopped))

    async def stop() -> bool:
        stopped.set()
        await asyncio.wait({task}, timeout=TYPING_SETTLE_SECONDS)
        return True

    try:
        yield stop
        await stop()
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _keep_typing(channel: discord.abc.Messageable | None, stopped: asyncio.Event) -> None:
    if channel is None:
        return
    with contextlib.suppress(discord.DiscordException, aiohttp.ClientError, OSError):
        pause = TYPING_DELAY_SECONDS
        while not await _is_over(pause, stopped):
            await channel.typing()
            pause = TYPING_INTERVAL_SECONDS


async def _is_over(seconds: float, stopped: asyncio.Event) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await stopped.wait()
    except TimeoutError:
        return False
    return True


def heading_text(above: AnswerHeading, author: str) -> str:
    """Return the heading above an answer for the subscriber `author`, who is notified by the mention. The message is
    found again by it."""
    heading, question = above
    return f"<@{PersonId.parse(author).user}> **{escape_text(heading)}**\n> {escape_text(question)}"


CANNOT_OPEN_THREADS = TranslatableText("I may not open threads here: I lack the permission “Create Public Threads”.")


class DiscordReplyTarget:
    """The channel or thread of a reply. The thread of a message has the message's id, so it is found again without any
    record."""

    def __init__(self, client: discord.Client, message: IncomingMessage, place: DiscordMessagePlace) -> None:
        self._client = client
        self._message = message
        self._place = place
        begins = message.conversation.channel == str(place.message_id)
        itself = place.channel_id == place.message_id
        self._threads = begins and not itself and message.manner in (MessageTrigger.MENTION, MessageTrigger.OVERHEARD)
        self.remarks: list[TranslatableText] = []
        """Notes about where the reply went."""

    @property
    def opens_thread(self) -> bool:
        """True where a thread is opened for the reply."""
        return self._threads

    @property
    def candidate_channels(self) -> tuple[int, ...]:
        """The channels that the reply may be in, the likeliest first."""
        return (self._place.message_id, self._place.channel_id) if self._threads else (self._place.channel_id,)

    async def open(self) -> int:
        """Return the channel to post in. Without the permission to open a thread it is the question's own, with a
        remark."""
        if not self._threads:
            return self._place.channel_id
        channel = self._client.get_partial_messageable(self._place.channel_id, guild_id=self._place.guild_id)
        question = channel.get_partial_message(self._place.message_id)
        try:
            await retry_while_unreachable(lambda: question.create_thread(name=thread_name(self._message.text)))
        except discord.DiscordServerError:
            raise
        except discord.HTTPException as error:
            if error.code == THREAD_EXISTS:
                return self._place.message_id
            if isinstance(error, discord.Forbidden):
                self.remarks.append(CANNOT_OPEN_THREADS)
            return self._place.channel_id
        return self._place.message_id


class DiscordReply(DiscordSender):
    """The reply to one question: a `ReplySender` and an `EditingSender`."""

    def __init__(
        self,
        client: discord.Client,
        work: LeasedMessage,
        recorder: PostRecorder,
        *,
        content: bool,
        edit_timing: EditTiming,
    ) -> None:
        """Create it. `content`: the bot may read messages that are not addressed to it."""
        self._message = work.message
        self._target = DiscordReplyTarget(client, work.message, message_place(work.message))
        self._content = content
        self.edit_timing = edit_timing
        channel_id, self.recorded_names = parse_reference(work.reference)
        self.is_text_withheld = is_text_withheld(work.message) and not content
        self.place = f"<#{message_place(work.message).channel_id}>"
        super().__init__(
            client, reply_destination(client, work, self._target), work.key, recorder, channel_id=channel_id
        )

    def placement(self) -> ReplyPlacement:
        stoppable = self._content and is_in_thread(self._message, self.channel.id)
        return ReplyPlacement(can_stop=stoppable, can_attach=True, remarks=self._target.remarks)

    def show_working(self, translator: Translator, *, begun: bool) -> AbstractAsyncContextManager[SettleIndicator]:
        hidden = begun or self._target.opens_thread or self._message.manner.is_background
        return show_typing(None if hidden else self.channel)

    def render_line(self, text: str) -> DiscordMessageBody:
        return DiscordMessageBody(build_layout([text]))

    def render_progress(self, reply: Reply, status: str) -> DiscordMessageBody:
        page = render_progress(reply, status)
        return DiscordMessageBody(build_card(page), page=page)

    def render_reply(self, reply: Reply, above: AnswerHeading | None) -> list[DiscordMessageBody]:
        base = conversation_root(self._message)
        pages = prepend_heading(render_pages(reply), self._heading(above))
        return [DiscordMessageBody(build_card(page, root=base), partial(page_files, page)) for page in pages]

    def render_plain(self, reply: Reply, above: AnswerHeading | None, *, begun: bool) -> list[DiscordMessageBody]:
        """Render the reply without components, unless it began as a card: such a message can only stay one."""
        heading = self._heading(above)
        if not begun:
            return [
                DiscordMessageBody(content=text)
                for text in ((heading, *render_plain(reply)) if above else render_plain(reply))
            ]
        page_texts = [
            (page.above, page.body, page.sources, page.status) for page in prepend_heading(render_pages(reply), heading)
        ]
        return [DiscordMessageBody(build_layout([text for text in texts if text])) for texts in page_texts]

    async def attach(self, files: Sequence[ReplyFile], *, resumed: bool) -> bool:
        """Return True: the files are in the message."""
        return True

    def _heading(self, above: AnswerHeading | None) -> str:
        return heading_text(above, self._message.author) if above else ""


class DiscordReplyPoster:
    """The port `ReplyPoster`, for one connection."""

    def __init__(
        self, client: discord.Client, command_intake: DiscordCommandIntake, *, content: bool, edit_timing: EditTiming
    ) -> None:
        """Create it. `content`: the bot may read messages that are not addressed to it."""
        self._client = client
        self._command_intake = command_intake
        self._content = content
        self._edit_timing = edit_timing

    def open_reply(self, work: LeasedMessage, recorder: PostRecorder) -> DiscordReply:
        return DiscordReply(self._client, work, recorder, content=self._content, edit_timing=self._edit_timing)

    def open_private_reply(self, work: LeasedMessage) -> DiscordPrivateReply:
        return DiscordPrivateReply(self._client, work, self._command_intake, self._edit_timing)

    async def find_posted(self, work: LeasedMessage) -> str | None:
        """Look below the question and in the thread opened from it."""
        target = DiscordReplyTarget(self._client, work.message, message_place(work.message))
        with translate_discord_errors("look for what was posted"):
            channel_id, names = await find_unrecorded(self._client, reply_destination(self._client, work, target))
        return build_reference(channel_id, names) if names else None

    async def delete_reply(self, channel: str, reference: str) -> None:
        channel_id, names = parse_reference(reference)
        target = self._client.get_partial_messageable(channel_id)
        with translate_discord_errors("delete a reply"):
            for name in names:
                await retry_while_unreachable(partial(delete_message, target, int(name)))

    async def send_direct(self, message: IncomingMessage, text: str, *, once: str = "") -> None:
        with translate_discord_errors("write to the person who asked"):
            asker = await fetch_person(self._client, message.author)
            guarded: dict[str, Any] = {"nonce": make_nonce(once, 0)} if once else {}
            await asker.send(text, suppress_embeds=True, **guarded)

    async def is_shared(self, channel: str) -> bool:
        """Return False: Discord has no channels that two organisations share."""
        return False

    def upload_button_value(self, message: IncomingMessage) -> str:
        return message.key


class DiscordNotifier:
    """The port `Notifier`: by a reply."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    async def notify(self, message: IncomingMessage, text: str) -> None:
        await self._reply(message.place, content=text, suppress_embeds=True)

    async def offer_handoff_reply(self, message: PersonMessage, unsent: UnsentReply) -> None:
        notice_id = f"{unsent.notice.channel}-{unsent.notice.message}"
        row = [(label, build_custom_id(action, notice_id, message.key.message)) for label, action in unsent.buttons]
        if row:
            await self._reply(message.key, view=build_layout([unsent.text], row))
        else:
            await self._reply(message.key, content=unsent.text, suppress_embeds=True)

    async def _reply(self, to: MessageKey, **content: Any) -> None:
        """Reply, best effort."""
        place = DiscordMessagePlace.from_key(to)
        channel = self._client.get_partial_messageable(place.channel_id, guild_id=place.guild_id)
        with contextlib.suppress(discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError):
            async with asyncio.timeout(NOTIFY_SECONDS):
                await channel.get_partial_message(place.message_id).reply(**content)


def reply_destination(client: discord.Client, work: LeasedMessage, target: DiscordReplyTarget) -> DiscordDestination:
    """Return the destination: below the question, or in the thread that is opened from it."""
    place, opening = message_place(work.message), expected_reply_opening(work)
    refers_to = discord.MessageReference(message_id=place.message_id, channel_id=place.channel_id)
    hopeless = (
        (discord.Forbidden, discord.NotFound) if work.message.manner is MessageTrigger.AWAITED else (discord.Forbidden,)
    )
    return DiscordDestination(
        guild_id=place.guild_id,
        candidate_channels=target.candidate_channels,
        open=target.open,
        is_match=answer_matcher(place, opening),
        after=opening.since - CLOCK_SKEW if opening else discord.Object(place.message_id),
        refers_to=refers_to if place.message_id else None,
        mentioned_user=opening.mentioned_user if opening else 0,
        translate_errors=partial(
            translate_discord_errors, "post", why=partial(explain_refusal, client, place), permanent=hopeless
        ),
    )


def expected_reply_opening(work: LeasedMessage) -> ReplyOpening | None:
    """Return the opening of an awaited answer; None for any other."""
    message, answer = work.message, work.answer
    if message.manner is not MessageTrigger.AWAITED or answer is None:
        return None
    above = heading_text(subscriptions.answer_heading(answer), message.author)
    return ReplyOpening(above, answer.id, int(message.asker.user), message.sent_at)


def prepend_heading(pages: tuple[DiscordPage, ...], above: str) -> tuple[DiscordPage, ...]:
    """Return the pages with `above` on the first, or before it where that has no room."""
    first, *more = pages
    size = sum(map(limits.utf16_length, (above, first.body, first.sources, first.status)))
    if size > limits.MAX_TEXT:
        return (DiscordPage(body=above), *pages)
    return (replace(first, above=above), *more)


def thread_name(question: str) -> str:
    """Return the question as the name of a thread: one line of at most 100 characters."""
    name = strip_hidden(question) or "Question"
    if limits.utf16_length(name) <= limits.MAX_THREAD_NAME:
        return name
    name = name[: limits.MAX_THREAD_NAME]
    while limits.utf16_length(name) >= limits.MAX_THREAD_NAME:
        name = name[:-1]
    return f"{name.rstrip()}…"
