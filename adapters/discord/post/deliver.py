"""An answer's events as a reply in a channel, thread or DM."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from functools import partial

import discord
import structlog

from adapters.chat import refusals
from adapters.chat.messages import Messages
from adapters.chat.reply import answer as parts
from adapters.chat.reply import labels as words
from adapters.chat.reply.answer import EVERYTHING
from adapters.chat.reply.draft import Draft
from adapters.chat.reply.parts import Look
from adapters.chat.reply.parts import Reply as Shown
from adapters.discord import limits
from adapters.discord.errors import BAD_FORM, is_final, question_is_gone
from adapters.discord.events.incoming import in_thread, root, withheld
from adapters.discord.events.places import MessagePlace, place
from adapters.discord.parts import wishes
from adapters.discord.parts.blocks import attachments, card, layout
from adapters.discord.parts.render import Page, pages, plain, progress
from adapters.discord.permissions import obstacle
from adapters.discord.post.activity import typing
from adapters.discord.post.found import SKEW, Opening, answers
from adapters.discord.post.reply import Destination, DiscordPost, DiscordSender, look, parse, person_of, reference
from adapters.discord.post.target import Target
from adapters.discord.post.throttle import EDIT_SECONDS, FIRST_SECONDS, Throttle
from pipeline.errors import Refused, Unusable
from pipeline.ports import AnswerStream, Growing, Receipt
from pipeline.translations import ENGLISH, Words
from pipeline.values import Answer, ConversationId, IncomingMessage, Manner, Work, replace
from pipeline.words import wording

log = structlog.get_logger(__name__)


class DiscordDeliverer:
    def __init__(
        self,
        client: discord.Client,
        *,
        appearing: set[ConversationId],
        content: bool,
        look: Look = EVERYTHING,
        offers: Callable[[IncomingMessage], Awaitable[bool]],
        first_seconds: float = FIRST_SECONDS,
        edit_seconds: float = EDIT_SECONDS,
    ) -> None:
        """`appearing` is kept to hold the conversations in which a reply is appearing. `content`: we may read what is
        not addressed to us. `offers`: whether the files of a message may be added to the documents by its author."""
        self._client = client
        self._appearing = appearing
        self._content = content
        self._look = look
        self._offers = offers
        self._first = first_seconds
        self._every = edit_seconds

    async def deliver(self, growing: Growing, receipt: Receipt) -> None:
        """Show the reply as it comes. Returns without one when the question was deleted meanwhile."""
        work = growing.work
        where = place(work.message)
        target = Target(self._client, work.message, where)
        channel_id, known = parse(work.reference)
        sender = DiscordSender(self._client, _destination(work, target), work.key, receipt, channel_id=channel_id)
        reply = Messages(sender, receipt, known)
        self._appearing.add(work.message.conversation)
        try:
            if withheld(work.message) and not self._content:
                await reply.show([DiscordPost(layout([Words(work.language)(words.WITHHELD)]))])
            else:
                await self._show(growing, sender, reply, target)
        except discord.HTTPException as error:
            gone = work.message.manner is Manner.AWAITED and isinstance(error, discord.NotFound)
            ends = await refusals.settled(
                work,
                f"{type(error).__name__}, code {error.code}",
                over=question_is_gone(error),
                hopeless=gone or isinstance(error, discord.Forbidden) or (work.last and is_final(error)),
                alone=where.guild_id is None,
                explain=partial(self._explain, work, where, error),
            )
            if not ends:
                raise
        finally:
            self._appearing.discard(work.message.conversation)

    async def find(self, work: Work) -> str | None:
        """A reply that a crash left unrecorded, under the question or in the thread opened from it."""
        target = Target(self._client, work.message, place(work.message))
        channel_id, names = await look(self._client, _destination(work, target))
        return reference(channel_id, names) if names else None

    async def _show(
        self, growing: Growing, sender: DiscordSender, reply: Messages[DiscordPost], target: Target
    ) -> None:
        work = growing.work
        speech = Words(work.language)
        appears_here = not (reply.names or target.begins_thread or work.message.manner.unannounced)
        async with typing(sender.channel if appears_here else None) as stop_typing:

            async def show(page: Page) -> None:
                await stop_typing()
                if reply.names:
                    await sender.glimpse(reply.names[0], DiscordPost(card(page)))
                else:
                    await reply.show([DiscordPost(card(page))])

            async with Throttle(show, first=self._first, every=self._every) as painter:
                answer = await follow(growing.events, painter.newest, speech)
        await reply.begin()
        speech = Words(answer.language)
        offered = await self._offers(work.message)
        notes = wording.notes_on(work.message, speech, offered=offered)
        remarks = [speech(remark) for remark in target.remarks]
        stoppable = self._content and in_thread(work.message, sender.channel.id)
        adds = work.message.key if offered else ""
        made = partial(parts.reply, answer, self._look, notes=notes, remarks=remarks, adds=adds, stoppable=stoppable)
        begins = opening(work)
        await self._finish(
            made(attachable=True), made(), reply, root(work.message), above=begins.text if begins else ""
        )

    async def _finish(
        self, made: Shown, plainly: Shown, reply: Messages[DiscordPost], root: str, *, above: str = ""
    ) -> None:
        """Show what was made; `plainly` is the same for where Discord refuses the card."""
        try:
            shown = headed(pages(made), above)
            await reply.show([DiscordPost(card(page, root=root), partial(attachments, page)) for page in shown])
        except (discord.HTTPException, Unusable) as error:
            if isinstance(error, discord.HTTPException) and (error.code != BAD_FORM or question_is_gone(error)):
                raise
            log.warning("discord_card_refused", answer=made.answer_id, reason=str(error))
            await reply.show(_plainly(plainly, above, cards=bool(reply.names)))

    async def _explain(self, work: Work, where: MessagePlace, error: discord.HTTPException) -> None:
        """Tell the asker, in a DM, why there is no reply where they asked. Raises Refused where that fails, too."""
        speech = Words(work.language)
        why = obstacle(self._client, where, error, speech)
        text = speech(refusals.NO_REPLY, channel=f"<#{where.channel_id}>", why=why)
        with contextlib.suppress(discord.HTTPException):
            person = await person_of(self._client, work.message.author)
            await person.send(text, suppress_embeds=True)
            return
        raise Refused(f"{text} (code {error.code})") from error


def _plainly(made: Shown, above: str, *, cards: bool) -> list[DiscordPost]:
    """What is left when Discord refuses the card: a message that began as one can only stay one."""
    if not cards:
        return [DiscordPost(content=text) for text in ((above, *plain(made)) if above else plain(made))]
    shown = [(page.above, page.body, page.sources, page.status) for page in headed(pages(made), above)]
    return [DiscordPost(layout([text for text in texts if text])) for texts in shown]


def _destination(work: Work, target: Target) -> Destination:
    """Under the question, or in the thread that is opened from it."""
    where, begins = place(work.message), opening(work)
    refers_to = discord.MessageReference(message_id=where.message_id, channel_id=where.channel_id)
    return Destination(
        guild_id=where.guild_id,
        possible=target.possible,
        open=target.open,
        known=answers(where, begins),
        after=begins.since - SKEW if begins else discord.Object(where.message_id),
        refers_to=refers_to if where.message_id else None,
        pinged=begins.pinged if begins else 0,
    )


def opening(work: Work) -> Opening | None:
    """What an answer begins with that somebody wanted to be told; None for any other."""
    message, answer = work.message, work.answer
    if message.manner is not Manner.AWAITED or answer is None:
        return None
    return Opening(wishes.above(answer, message.author), answer.id, int(message.asker.user), message.sent_at)


def headed(pages: tuple[Page, ...], above: str) -> tuple[Page, ...]:
    """The pages with `above` on the first, or before it where that has no room."""
    first, *more = pages
    size = sum(map(limits.length, (above, first.body, first.sources, first.status)))
    if size > limits.TEXT:
        return (Page(body=above), *pages)
    return (replace(first, above=above), *more)


async def follow(stream: AnswerStream, newest: Callable[[Page], None], speech: Words = ENGLISH) -> Answer:
    """Read to the end, hand on what may be shown meanwhile, and return the answer."""
    draft = Draft(words=speech)
    async for event in stream:
        draft.add(event)
        newest(progress(draft.reply, draft.stage, speech))
    return await stream.answer()
