"""An answer's events as a reply in a channel, thread or DM."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial

import discord
import structlog

from adapters.discord import limits, wishes
from adapters.discord.activity import typing
from adapters.discord.blocks import attachments, card, layout
from adapters.discord.errors import BAD_FORM, is_final, question_is_gone
from adapters.discord.found import Opening, find
from adapters.discord.incoming import in_thread, root, withheld
from adapters.discord.permissions import obstacle
from adapters.discord.places import Place, place
from adapters.discord.render import Page, pages, plain, progress
from adapters.discord.reply import Reference, Reply, person_of
from adapters.discord.target import Target
from adapters.discord.throttle import EDIT_SECONDS, FIRST_SECONDS, Throttle
from adapters.replies import answer as parts
from adapters.replies import words
from adapters.replies.answer import EVERYTHING
from adapters.replies.draft import Draft
from adapters.replies.parts import Look
from adapters.replies.parts import Reply as Shown
from pipeline import wording
from pipeline.errors import Refused, Unusable
from pipeline.ports import Receipt
from pipeline.translations import ENGLISH, Message, Words
from pipeline.values import Answer, ConversationId, Event, IncomingMessage, Manner, Work

NO_REPLY = Message("I could not answer you in {channel}: {why}")

log = structlog.get_logger(__name__)


class Deliverer:
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

    async def deliver(self, work: Work, events: AsyncIterator[Event], receipt: Receipt) -> None:
        """Show the reply as it comes. Returns without one when the question was deleted meanwhile."""
        where = place(work.message)
        target = Target(self._client, work.message, where)
        reply = Reply(
            self._client,
            where,
            work.message.key,
            receipt,
            known=Reference.parse(work.reference) if work.reference else None,
            possible=target.possible,
            open_channel=target.open,
            searched=work.posting_since is None,
            opening=opening(work),
        )
        self._appearing.add(work.message.conversation)
        try:
            if withheld(work.message) and not self._content:
                await reply.put(0, layout([Words(work.language)(words.WITHHELD)]))
            else:
                await self._show(work, events, reply, target)
        except discord.HTTPException as error:
            if question_is_gone(error):
                return
            awaited = work.message.manner is Manner.AWAITED
            if awaited and isinstance(error, discord.Forbidden | discord.NotFound):
                log.info("discord_not_told", channel=where.channel_id, code=error.code)
                return
            hopeless = isinstance(error, discord.Forbidden) or (work.last and is_final(error))
            if where.guild_id is None or not hopeless:
                raise
            if work.message.manner.unannounced:
                log.info("discord_unasked_reply_refused", channel=where.channel_id, code=error.code)
                return
            await self._explain(work, where, error)
        finally:
            self._appearing.discard(work.message.conversation)

    async def _show(self, work: Work, events: AsyncIterator[Event], reply: Reply, target: Target) -> None:
        speech = Words(work.language)
        hidden = work.message.manner.unannounced
        appears_here = not (reply.started or target.begins_thread or hidden)
        async with typing(reply.channel if appears_here else None) as stop_typing:

            async def show(page: Page) -> None:
                await stop_typing()
                await reply.glimpse(card(page))

            async with Throttle(show, first=self._first, every=self._every) as painter:
                answer = await follow(events, painter.newest, speech)
        if answer is None:
            return
        await reply.begin()
        speech = Words(answer.language)
        offered = await self._offers(work.message)
        notes = wording.notes_on(work.message, speech, offered=offered)
        remarks = [speech(remark) for remark in target.remarks]
        stoppable = self._content and in_thread(work.message, reply.channel.id)
        adds = work.message.key if offered else ""
        made = partial(parts.reply, answer, self._look, notes=notes, remarks=remarks, adds=adds, stoppable=stoppable)
        begins = opening(work)
        await self._finish(
            made(attachable=True), made(), reply, root(work.message), above=begins.text if begins else ""
        )

    async def _finish(self, made: Shown, plainly: Shown, reply: Reply, root: str, *, above: str = "") -> None:
        """Show what was made; `plainly` is the same for where Discord refuses the card."""
        shown = headed(pages(made), above)
        try:
            for part, page in enumerate(shown):
                await reply.put(part, card(page, root=root), partial(attachments, page))
            await reply.trim(len(shown))
        except (discord.HTTPException, Unusable) as error:
            if isinstance(error, discord.HTTPException) and (error.code != BAD_FORM or question_is_gone(error)):
                raise
            log.warning("discord_card_refused", answer=made.answer_id, reason=str(error))
            await self._finish_plainly(plainly, reply, above)

    async def _finish_plainly(self, made: Shown, reply: Reply, above: str) -> None:
        """What is left when Discord refuses the card: a message that began as one can only stay one."""
        if reply.started:
            for part, page in enumerate(headed(pages(made), above)):
                texts = (page.above, page.body, page.sources, page.status)
                await reply.put(part, layout([text for text in texts if text]))
            return
        for part, content in enumerate((above, *plain(made)) if above else plain(made)):
            await reply.put_plain(part, content)

    async def find(self, work: Work) -> str | None:
        """A reply that a crash left unrecorded, under the question or in the thread opened from it."""
        where = place(work.message)
        for channel_id in Target(self._client, work.message, where).possible:
            if found := await find(self._client, channel_id, where, opening(work)):
                return str(Reference(channel_id, tuple(found)))
        return None

    async def _explain(self, work: Work, where: Place, error: discord.HTTPException) -> None:
        """Tell the asker, in a DM, why there is no reply where they asked. Raises Refused where that fails, too."""
        speech = Words(work.language)
        why = obstacle(self._client, where, error, speech)
        text = speech(NO_REPLY, channel=f"<#{where.channel_id}>", why=why)
        with contextlib.suppress(discord.HTTPException):
            person = await person_of(self._client, work.message.author)
            await person.send(text, suppress_embeds=True)
            log.warning("discord_reply_refused", channel=where.channel_id, reason=why, code=error.code)
            return
        raise Refused(f"{text} (code {error.code})") from error


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
    return (first.model_copy(update={"above": above}), *more)


async def follow(
    events: AsyncIterator[Event], newest: Callable[[Page], None], speech: Words = ENGLISH
) -> Answer | None:
    """Read the events to their end, hand on what may be shown meanwhile, and return the answer."""
    draft = Draft(words=speech)
    answer: Answer | None = None
    async for event in events:
        if isinstance(event, Answer):
            answer = event
        else:
            draft.add(event)
            newest(progress(draft.reply, draft.stage, speech))
    return answer
