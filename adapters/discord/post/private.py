"""Questions asked by command: through the inbox like every question, back through the interaction's token.

The first message of the reply is the one Discord made when the command was acknowledged; editing it is idempotent,
so a crash costs nothing while the token lives (15 minutes). Further messages cannot be found again: after a crash
they are not posted, and the reply says so.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import NamedTuple, cast

import discord
import structlog

from adapters.chat.reply import answer as parts
from adapters.chat.reply.answer import EVERYTHING
from adapters.chat.reply.parts import Look
from adapters.discord import limits
from adapters.discord.errors import TOKEN_GONE, TRANSIENT, UNKNOWN_MESSAGE
from adapters.discord.events.incoming import ReplyTo, command
from adapters.discord.events.places import DIRECT
from adapters.discord.parts.blocks import attachments, card
from adapters.discord.parts.render import Page, pages
from adapters.discord.post.alone import Interaction, by_locale, say
from adapters.discord.post.deliver import follow
from adapters.discord.post.reply import nonce, person_of
from adapters.discord.post.throttle import EDIT_SECONDS, FIRST_SECONDS, Throttle
from adapters.discord.retry import REQUEST_SECONDS, steadily
from pipeline.errors import CitewellError, Withdrawn
from pipeline.ports import AnswerStream, Growing, Inbox, Receipt
from pipeline.translations import Words
from pipeline.values import Attachment, IncomingMessage, Work, replace
from pipeline.words import wording

ORIGINAL = "@original"
ACK_SECONDS = 2.0
"""Discord gives three until the first response."""

log = structlog.get_logger(__name__)


class _Open(NamedTuple):
    """A command of this process; one of the process before can be answered, but not be followed up."""

    interaction: Interaction
    acknowledged: asyncio.Event


class Asking:
    """Takes such questions in and gives their answers back."""

    def __init__(
        self,
        client: discord.Client,
        inbox: Inbox,
        *,
        look: Look = EVERYTHING,
        first_seconds: float = FIRST_SECONDS,
        edit_seconds: float = EDIT_SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._client = client
        self._inbox = inbox
        self._look = look
        self._first = first_seconds
        self._every = edit_seconds
        self._clock = clock
        self._open: dict[str, _Open] = {}

    async def ask(self, interaction: Interaction, question: str, private: bool, files: tuple[Attachment, ...]) -> None:
        """Put the question into the inbox, then acknowledge; what could not be kept is said.

        Where the inbox takes longer than Discord waits, it is acknowledged first: the question may still be kept."""
        message = command(interaction, question, private=private, files=files)
        self._open = {name: one for name, one in self._open.items() if not one.interaction.is_expired()}
        opened = self._open[message.key] = _Open(interaction, asyncio.Event())
        keeping = asyncio.create_task(self._inbox.accept(message))
        try:
            await asyncio.wait({keeping}, timeout=ACK_SECONDS)
            if not keeping.done():
                await _acknowledge(interaction, private)
            await keeping
            if not interaction.response.is_done():
                await _acknowledge(interaction, private)
        except CitewellError:
            del self._open[message.key]
            await say(interaction, (by_locale(interaction)(wording.BUSY),))
        finally:
            opened.acknowledged.set()

    async def deliver(self, growing: Growing, receipt: Receipt) -> None:
        """Show the answer in the reply of the command; when its token has expired, ask in a DM to ask again."""
        work = growing.work
        if self._clock() - work.message.sent_at.timestamp() > limits.TOKEN_SECONDS:
            await self._tell_directly(work)
            return
        if opened := self._open.get(work.message.key):
            await opened.acknowledged.wait()
        try:
            try:
                await self._show(work, growing.events, receipt)
            except Withdrawn:
                await self._glimpse(work, Page(body=Words(work.language)(wording.WITHDRAWN)))
                raise
        except discord.HTTPException as error:
            if error.code not in TOKEN_GONE:
                raise
            if error.code == UNKNOWN_MESSAGE:
                log.info("discord_command_reply_deleted", key=work.message.key)
            else:
                await self._tell_directly(work)

    async def _show(self, work: Work, stream: AnswerStream, receipt: Receipt) -> None:
        interrupted = work.posting_since is not None
        await receipt.posting()
        async with Throttle(lambda page: self._glimpse(work, page), first=self._first, every=self._every) as painter:
            answer = await follow(stream, painter.newest, Words(work.language))
        may_share = _private(work.message) and _in_guild(work.message)
        notes = [*parts.asked(answer), *wording.notes_on(work.message, Words(answer.language))]
        made = parts.reply(answer, self._look, notes=notes, shareable=may_share, attachable=True)
        await self._finish(work, pages(made), receipt, interrupted=interrupted)

    async def _finish(self, work: Work, shown: tuple[Page, ...], receipt: Receipt, *, interrupted: bool) -> None:
        opened = self._open.pop(work.message.key, None)
        private = _private(work.message)
        whole = len(shown) == 1 or (opened is not None and not interrupted)
        if not whole:
            shown = (replace(shown[0], status=f"-# {Words(work.language)(wording.ASK_AGAIN)}"),)
        await steadily(lambda: self._edit(work, shown[0]))
        await receipt.posted(ORIGINAL)
        for page in shown[1:]:
            assert opened is not None
            async with asyncio.timeout(REQUEST_SECONDS):
                await opened.interaction.followup.send(
                    view=card(page), files=attachments(page), ephemeral=private, suppress_embeds=True
                )

    async def _tell_directly(self, work: Work) -> None:
        log.info("discord_command_expired", key=work.message.key)
        if work.reference:
            return
        with contextlib.suppress(discord.HTTPException):
            asker = await person_of(self._client, work.message.author)
            await asker.send(
                Words(work.language)(wording.ASK_AGAIN), nonce=nonce(work.message.key, 0), suppress_embeds=True
            )

    async def _glimpse(self, work: Work, page: Page) -> None:
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                await self._edit(work, page)
        except (*TRANSIENT, discord.RateLimited) as error:
            log.info("discord_edit_skipped", key=work.message.key, reason=type(error).__name__)

    async def _edit(self, work: Work, page: Page) -> None:
        token = ReplyTo.parse(work.message.reply_to).token
        webhook = discord.Webhook.partial(self._client.application_id or 0, token, client=self._client)
        await webhook.edit_message(
            cast("int", ORIGINAL),
            view=card(page),
            attachments=attachments(page),
            allowed_mentions=discord.AllowedMentions.none(),
        )


async def _acknowledge(interaction: Interaction, private: bool) -> None:
    await interaction.response.defer(ephemeral=private, thinking=True)


def _private(message: IncomingMessage) -> bool:
    return ReplyTo.parse(message.reply_to).private


def _in_guild(message: IncomingMessage) -> bool:
    return message.conversation.space != DIRECT
