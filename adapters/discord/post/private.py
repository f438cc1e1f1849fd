"""Questions asked by command: through the inbox like every question, back through the interaction's token.

The first message of the reply is the one Discord made when the command was acknowledged; editing it is idempotent,
so a crash costs nothing while the token lives (15 minutes). Further messages cannot be found again: after a crash
they are not posted, and the reply says so.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, cast

import discord

from adapters.chat.messages import NotPosted
from adapters.chat.post.growth import Pace
from adapters.chat.reply.parts import Reply
from adapters.discord import limits
from adapters.discord.errors import (
    NOT_TAKEN,
    REQUEST_SECONDS,
    TOKEN_GONE,
    TRANSIENT,
    UNKNOWN_MESSAGE,
    steadily,
    translated,
)
from adapters.discord.events.incoming import ReplyTo, command
from adapters.discord.events.places import DIRECT
from adapters.discord.parts.blocks import attachments, card
from adapters.discord.parts.render import Page, pages, progress
from adapters.discord.post.alone import Interaction, by_locale, say
from pipeline.errors import CitewellError
from pipeline.ports import Inbox
from pipeline.translations import Words
from pipeline.values import Attachment, Stage, Work, replace
from pipeline.words import wording

ORIGINAL = "@original"
ACK_SECONDS = 2.0
"""Discord gives three until the first response."""


class Opened(NamedTuple):
    """A command of this process; one of the process before can be answered, but not be followed up."""

    interaction: Interaction
    acknowledged: asyncio.Event


class Asking:
    """Takes such questions in, and knows those that are being answered."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self.open: dict[str, Opened] = {}

    async def ask(self, interaction: Interaction, question: str, private: bool, files: tuple[Attachment, ...]) -> None:
        """Put the question into the inbox, then acknowledge; what could not be kept is said.

        Where the inbox takes longer than Discord waits, it is acknowledged first: the question may still be kept."""
        message = command(interaction, question, private=private, files=files)
        self.open = {name: one for name, one in self.open.items() if not one.interaction.is_expired()}
        opened = self.open[message.key] = Opened(interaction, asyncio.Event())
        keeping = asyncio.create_task(self._inbox.accept(message))
        try:
            await asyncio.wait({keeping}, timeout=ACK_SECONDS)
            if not keeping.done():
                await _acknowledge(interaction, private)
            await keeping
            if not interaction.response.is_done():
                await _acknowledge(interaction, private)
        except CitewellError:
            del self.open[message.key]
            await say(interaction, (by_locale(interaction)(wording.BUSY),))
        finally:
            opened.acknowledged.set()


class DiscordPrivate:
    """Back to whoever used a command: a `PrivateSender`, and one of `Edits`."""

    attachable = True

    def __init__(self, client: discord.Client, work: Work, asking: Asking, pace: Pace) -> None:
        """Raises NotPosted once the token has expired."""
        self.pace = pace
        self._client = client
        self._work = work
        self._asking = asking
        self._opened = asking.open.get(work.key)
        self._way = ReplyTo.parse(work.message.reply_to)
        self.shareable = self._way.private and work.message.conversation.space != DIRECT
        if time.time() - work.message.sent_at.timestamp() > limits.TOKEN_SECONDS:
            raise _closed("the token of a command has expired")

    def line(self, text: str) -> Page:
        return Page(body=text)

    def progress(self, reply: Reply, stage: Stage, words: Words) -> Page:
        return progress(reply, stage, words)

    def drawn(self, reply: Reply) -> list[Page]:
        first, *more = pages(reply)
        if more and (self._opened is None or self._work.posting_since):
            again = Words(self._work.language)(wording.ASK_AGAIN)
            return [replace(first, status=f"-# {again}")]
        return [first, *more]

    async def glimpse(self, page: Page, name: str = "") -> None:
        await self._acknowledged()
        with _taken(), contextlib.suppress(*TRANSIENT, discord.RateLimited):
            async with asyncio.timeout(REQUEST_SECONDS):
                await self._edit(page)

    async def show(self, posts: Sequence[Page], shown: Callable[[], Awaitable[None]]) -> None:
        await self._acknowledged()
        self._asking.open.pop(self._work.key, None)
        with _taken():
            await steadily(lambda: self._edit(posts[0]))
            await shown()
            for page in posts[1:]:
                assert self._opened is not None
                async with asyncio.timeout(REQUEST_SECONDS):
                    await self._opened.interaction.followup.send(
                        view=card(page), files=attachments(page), ephemeral=self._way.private, suppress_embeds=True
                    )

    async def _acknowledged(self) -> None:
        if self._opened:
            await self._opened.acknowledged.wait()

    async def _edit(self, page: Page) -> None:
        webhook = discord.Webhook.partial(self._client.application_id or 0, self._way.token, client=self._client)
        await webhook.edit_message(
            cast("int", ORIGINAL),
            view=card(page),
            attachments=attachments(page),
            allowed_mentions=discord.AllowedMentions.none(),
        )


@contextmanager
def _taken() -> Iterator[None]:
    """Raises NotPosted where the reply of a command can no longer be reached; else as `translated`."""
    with translated("answer a command"):
        try:
            yield
        except discord.HTTPException as error:
            if error.code not in TOKEN_GONE:
                raise
            reason = f"the reply of a command cannot be reached (code {error.code})"
            raise _closed(reason, deleted=error.code == UNKNOWN_MESSAGE) from error


def _closed(reason: str, *, deleted: bool = False) -> NotPosted:
    return NotPosted(reason, why=lambda words: words(NOT_TAKEN), over=deleted, hopeless=not deleted)


async def _acknowledge(interaction: Interaction, private: bool) -> None:
    await interaction.response.defer(ephemeral=private, thinking=True)
