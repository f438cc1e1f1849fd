"""What delivering needs of Discord: the messages of a reply in a channel, thread or DM, “Citewell is typing …” while
nothing of it is there, and telling its asker alone."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any

import aiohttp
import discord

from adapters.chat.hear import Remark
from adapters.chat.post.deliver import Standing
from adapters.chat.post.growth import Pace, Settle
from adapters.chat.reply.cut import clean
from adapters.chat.reply.parts import File, Reply
from adapters.chat.words import wishes
from adapters.chat.words.handoff import Unsent
from adapters.chat.words.wishes import AboveAnswer
from adapters.discord import limits
from adapters.discord.errors import THREAD_EXISTS, steadily, translated
from adapters.discord.events.incoming import in_thread, root, withheld
from adapters.discord.events.places import MessagePlace, place
from adapters.discord.parts.blocks import attachments, card, layout
from adapters.discord.parts.buttons import custom_id
from adapters.discord.parts.markup import escape
from adapters.discord.parts.render import Page, pages, plain, progress
from adapters.discord.permissions import obstacle
from adapters.discord.post.found import SKEW, Opening, answers
from adapters.discord.post.private import Asking, DiscordPrivate
from adapters.discord.post.reply import (
    Destination,
    DiscordPost,
    DiscordSender,
    delete,
    look,
    nonce,
    parse,
    person_of,
    reference,
)
from pipeline.ports import Receipt
from pipeline.translations import Message, Words
from pipeline.values import IncomingMessage, Manner, MessageKey, PersonId, Stage, Work, replace

AFTER_SECONDS = 0.3
EVERY_SECONDS = 8.0
"""Discord shows it for ten seconds, or until the next message."""
TELL_SECONDS = 5.0
"""How long who said something may wait to be told."""
LAST_SECONDS = 2.0
"""How long a request under way is waited for: one that came after the message would be shown beside it."""


@contextlib.asynccontextmanager
async def typing(channel: discord.abc.Messageable | None) -> AsyncIterator[Settle]:
    """Show it until left, or until what is given is called: before the first message, which ends it. None: nowhere.

    That it cannot be shown is no reason not to answer."""
    over = asyncio.Event()
    task = asyncio.create_task(_keep_typing(channel, over))

    async def stop() -> None:
        over.set()
        await asyncio.wait({task}, timeout=LAST_SECONDS)

    try:
        yield stop
        await stop()
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _keep_typing(channel: discord.abc.Messageable | None, over: asyncio.Event) -> None:
    if channel is None:
        return
    with contextlib.suppress(discord.DiscordException, aiohttp.ClientError, OSError):
        pause = AFTER_SECONDS
        while not await _within(pause, over):
            await channel.typing()
            pause = EVERY_SECONDS


async def _within(seconds: float, over: asyncio.Event) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await over.wait()
    except TimeoutError:
        return False
    return True


def told(above: AboveAnswer, author: str) -> str:
    """What stands above an answer that `author` wanted to be told: they notice the mention. The message is found again
    by it."""
    heading, question = above
    return f"<@{PersonId.parse(author).user}> **{escape(heading)}**\n> {escape(question)}"


NO_THREADS = Message("I may not open threads here: I lack the permission “Create Public Threads”.")


class Target:
    """The thread of a message has the message's id, so it is found again without any record."""

    def __init__(self, client: discord.Client, message: IncomingMessage, where: MessagePlace) -> None:
        self._client = client
        self._message = message
        self._where = where
        begins = message.conversation.channel == str(where.message_id)
        itself = where.channel_id == where.message_id
        self._threads = begins and not itself and message.manner in (Manner.MENTION, Manner.OVERHEARD)
        self.remarks: list[Message] = []
        """What is to be said about where the reply went."""

    @property
    def begins_thread(self) -> bool:
        """The reply goes into a thread that is opened for it."""
        return self._threads

    @property
    def possible(self) -> tuple[int, ...]:
        """The channels the reply may be in, the likeliest first."""
        return (self._where.message_id, self._where.channel_id) if self._threads else (self._where.channel_id,)

    async def open(self) -> int:
        """The channel to post in. Without the permission to open a thread, the question's own, with a remark."""
        if not self._threads:
            return self._where.channel_id
        channel = self._client.get_partial_messageable(self._where.channel_id, guild_id=self._where.guild_id)
        question = channel.get_partial_message(self._where.message_id)
        try:
            await steadily(lambda: question.create_thread(name=thread_name(self._message.text)))
        except discord.DiscordServerError:
            raise
        except discord.HTTPException as error:
            if error.code == THREAD_EXISTS:
                return self._where.message_id
            if isinstance(error, discord.Forbidden):
                self.remarks.append(NO_THREADS)
            return self._where.channel_id
        return self._where.message_id


class DiscordReply(DiscordSender):
    """The reply to one question: a `ReplySender`, and one of `Edits`."""

    def __init__(self, client: discord.Client, work: Work, receipt: Receipt, *, content: bool, pace: Pace) -> None:
        """`content`: we may read what is not addressed to us."""
        self._message = work.message
        self._target = Target(client, work.message, place(work.message))
        self._content = content
        self.pace = pace
        channel_id, self.known = parse(work.reference)
        self.withheld = withheld(work.message) and not content
        self.place = f"<#{place(work.message).channel_id}>"
        super().__init__(client, destination(client, work, self._target), work.key, receipt, channel_id=channel_id)

    def standing(self) -> Standing:
        stoppable = self._content and in_thread(self._message, self.channel.id)
        return Standing(stoppable=stoppable, attachable=True, remarks=self._target.remarks)

    def working(self, words: Words, *, begun: bool) -> AbstractAsyncContextManager[Settle]:
        hidden = begun or self._target.begins_thread or self._message.manner.unannounced
        return typing(None if hidden else self.channel)

    def line(self, text: str) -> DiscordPost:
        return DiscordPost(layout([text]))

    def progress(self, reply: Reply, stage: Stage, words: Words) -> DiscordPost:
        page = progress(reply, stage, words)
        return DiscordPost(card(page), page=page)

    def drawn(self, reply: Reply, above: AboveAnswer | None) -> list[DiscordPost]:
        base = root(self._message)
        shown = headed(pages(reply), self._above(above))
        return [DiscordPost(card(page, root=base), partial(attachments, page)) for page in shown]

    def plainly(self, reply: Reply, above: AboveAnswer | None, *, begun: bool) -> list[DiscordPost]:
        """A message that began as a card can only stay one."""
        heading = self._above(above)
        if not begun:
            return [DiscordPost(content=text) for text in ((heading, *plain(reply)) if above else plain(reply))]
        shown = [(page.above, page.body, page.sources, page.status) for page in headed(pages(reply), heading)]
        return [DiscordPost(layout([text for text in texts if text])) for texts in shown]

    async def attach(self, files: Sequence[File], *, again: bool) -> bool:
        """They are in the message."""
        return True

    def _above(self, above: AboveAnswer | None) -> str:
        return told(above, self._message.author) if above else ""


class DiscordPosts:
    """The `Posts` of one connection."""

    def __init__(self, client: discord.Client, asking: Asking, *, content: bool, pace: Pace) -> None:
        """`content`: we may read what is not addressed to us."""
        self._client = client
        self._asking = asking
        self._content = content
        self._pace = pace

    def reply(self, work: Work, receipt: Receipt) -> DiscordReply:
        return DiscordReply(self._client, work, receipt, content=self._content, pace=self._pace)

    def private(self, work: Work) -> DiscordPrivate:
        return DiscordPrivate(self._client, work, self._asking, self._pace)

    async def find(self, work: Work) -> str | None:
        """Under the question or in the thread opened from it."""
        target = Target(self._client, work.message, place(work.message))
        with translated("look for what was posted"):
            channel_id, names = await look(self._client, destination(self._client, work, target))
        return reference(channel_id, names) if names else None

    async def delete(self, channel: str, reference: str) -> None:
        channel_id, names = parse(reference)
        there = self._client.get_partial_messageable(channel_id)
        with translated("delete a reply"):
            for name in names:
                await steadily(partial(delete, there, int(name)))

    async def tell(self, message: IncomingMessage, text: str, *, once: str = "") -> None:
        with translated("write to whoever asked"):
            asker = await person_of(self._client, message.author)
            guarded: dict[str, Any] = {"nonce": nonce(once, 0)} if once else {}
            await asker.send(text, suppress_embeds=True, **guarded)

    async def shared(self, channel: str) -> bool:
        """Discord has no channels that two organisations share."""
        return False

    def adds(self, message: IncomingMessage) -> str:
        return message.key


class DiscordTells:
    """The port `Tells`: in reply."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    async def tell(self, message: IncomingMessage, text: str) -> None:
        await self._reply(message.place, content=text, suppress_embeds=True)

    async def offer(self, remark: Remark, unsent: Unsent) -> None:
        about = f"{unsent.notice.channel}-{unsent.notice.message}"
        row = [(label, custom_id(action, about, remark.key.message)) for label, action in unsent.buttons]
        if row:
            await self._reply(remark.key, view=layout([unsent.text], row))
        else:
            await self._reply(remark.key, content=unsent.text, suppress_embeds=True)

    async def _reply(self, to: MessageKey, **shown: Any) -> None:
        """Nothing depends on it."""
        where = MessagePlace.of(to)
        channel = self._client.get_partial_messageable(where.channel_id, guild_id=where.guild_id)
        with contextlib.suppress(discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError):
            async with asyncio.timeout(TELL_SECONDS):
                await channel.get_partial_message(where.message_id).reply(**shown)


def destination(client: discord.Client, work: Work, target: Target) -> Destination:
    """Under the question, or in the thread that is opened from it."""
    where, begins = place(work.message), opening(work)
    refers_to = discord.MessageReference(message_id=where.message_id, channel_id=where.channel_id)
    hopeless = (discord.Forbidden, discord.NotFound) if work.message.manner is Manner.AWAITED else (discord.Forbidden,)
    return Destination(
        guild_id=where.guild_id,
        possible=target.possible,
        open=target.open,
        known=answers(where, begins),
        after=begins.since - SKEW if begins else discord.Object(where.message_id),
        refers_to=refers_to if where.message_id else None,
        pinged=begins.pinged if begins else 0,
        taken=partial(translated, "post", why=partial(obstacle, client, where), hopeless=hopeless),
    )


def opening(work: Work) -> Opening | None:
    """What an answer begins with that somebody wanted to be told; None for any other."""
    message, answer = work.message, work.answer
    if message.manner is not Manner.AWAITED or answer is None:
        return None
    above = told(wishes.above(answer), message.author)
    return Opening(above, answer.id, int(message.asker.user), message.sent_at)


def headed(pages: tuple[Page, ...], above: str) -> tuple[Page, ...]:
    """The pages with `above` on the first, or before it where that has no room."""
    first, *more = pages
    size = sum(map(limits.length, (above, first.body, first.sources, first.status)))
    if size > limits.TEXT:
        return (Page(body=above), *pages)
    return (replace(first, above=above), *more)


def thread_name(question: str) -> str:
    """The question as the name of a thread: one line of at most 100 characters."""
    name = clean(question) or "Question"
    if limits.length(name) <= limits.THREAD_NAME:
        return name
    name = name[: limits.THREAD_NAME]
    while limits.length(name) >= limits.THREAD_NAME:
        name = name[:-1]
    return f"{name.rstrip()}…"
