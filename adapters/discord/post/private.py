"""Questions by command: through the inbox like every question, back through the interaction's token.

The first message of the reply is the one Discord made when the command was acknowledged. Editing it is idempotent, so a
crash costs nothing while the token is valid (15 minutes). Further messages cannot be found again: after a crash they
are not posted, and the reply says so.
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
from adapters.chat.post.streaming import EditTiming
from adapters.chat.reply.parts import Reply
from adapters.discord import limits
from adapters.discord.errors import (
    REPLY_REFUSED,
    REQUEST_SECONDS,
    TOKEN_GONE_CODES,
    TRANSIENT_ERRORS,
    UNKNOWN_MESSAGE,
    retry_while_unreachable,
    translate_discord_errors,
)
from adapters.discord.events.incoming import CommandReplyTarget, parse_command
from adapters.discord.events.places import DIRECT_SPACE
from adapters.discord.post.ephemeral import DiscordInteraction, send_ephemeral, words_for_locale
from adapters.discord.rendering.components import build_card, page_files
from adapters.discord.rendering.render import DiscordPage, render_pages, render_progress
from pipeline.errors import CitewellError
from pipeline.ports import Inbox
from pipeline.translations import Translator
from pipeline.values import Attachment, LeasedMessage, replace
from pipeline.words import wording

ORIGINAL_MESSAGE = "@original"
ACK_SECONDS = 2.0
"""Seconds until a command is acknowledged at the latest; Discord gives three."""


class OpenCommand(NamedTuple):
    """A command of this process. One of an earlier process can be answered, but not be followed up."""

    interaction: DiscordInteraction
    acknowledged: asyncio.Event


class DiscordCommandIntake:
    """The intake of questions by command, with those that are being answered."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self.open: dict[str, OpenCommand] = {}

    async def ask(
        self, interaction: DiscordInteraction, question: str, private: bool, files: tuple[Attachment, ...]
    ) -> None:
        """Put the question into the inbox, then acknowledge it; say so if it could not be stored. Where the inbox takes
        longer than Discord waits, it is acknowledged first: the question may still be stored."""
        message = parse_command(interaction, question, private=private, files=files)
        self.open = {name: command for name, command in self.open.items() if not command.interaction.is_expired()}
        opened = self.open[message.key] = OpenCommand(interaction, asyncio.Event())
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
            await send_ephemeral(interaction, (words_for_locale(interaction)(wording.BOT_BUSY),))
        finally:
            opened.acknowledged.set()


class DiscordPrivateReply:
    """The private reply to a command: a `PrivateSender` and an `EditingSender`."""

    can_attach = True

    def __init__(
        self, client: discord.Client, work: LeasedMessage, command_intake: DiscordCommandIntake, edit_timing: EditTiming
    ) -> None:
        """Create it. Raises NotPosted once the token has expired."""
        self.edit_timing = edit_timing
        self._client = client
        self._work = work
        self._command_intake = command_intake
        self._command = command_intake.open.get(work.key)
        self._reply_target = CommandReplyTarget.parse(work.message.reply_to)
        self.can_share = self._reply_target.is_private and work.message.conversation.space != DIRECT_SPACE
        if time.time() - work.message.sent_at.timestamp() > limits.TOKEN_SECONDS:
            raise _expired("the token of a command has expired")

    def render_line(self, text: str) -> DiscordPage:
        return DiscordPage(body=text)

    def render_progress(self, reply: Reply, status: str) -> DiscordPage:
        return render_progress(reply, status)

    def render_reply(self, reply: Reply) -> list[DiscordPage]:
        first, *more = render_pages(reply)
        if more and (self._command is None or self._work.posting_since):
            note = Translator(self._work.language)(wording.ASK_AGAIN)
            return [replace(first, status=f"-# {note}")]
        return [first, *more]

    async def show_progress(self, page: DiscordPage, name: str = "") -> None:
        await self._acknowledged()
        with _translate_errors(), contextlib.suppress(*TRANSIENT_ERRORS, discord.RateLimited):
            async with asyncio.timeout(REQUEST_SECONDS):
                await self._edit(page)

    async def show(self, posts: Sequence[DiscordPage], record: Callable[[], Awaitable[None]]) -> None:
        await self._acknowledged()
        self._command_intake.open.pop(self._work.key, None)
        with _translate_errors():
            await retry_while_unreachable(lambda: self._edit(posts[0]))
            await record()
            for page in posts[1:]:
                assert self._command is not None
                async with asyncio.timeout(REQUEST_SECONDS):
                    await self._command.interaction.followup.send(
                        view=build_card(page),
                        files=page_files(page),
                        ephemeral=self._reply_target.is_private,
                        suppress_embeds=True,
                    )

    async def _acknowledged(self) -> None:
        if self._command:
            await self._command.acknowledged.wait()

    async def _edit(self, page: DiscordPage) -> None:
        webhook = discord.Webhook.partial(
            self._client.application_id or 0, self._reply_target.token, client=self._client
        )
        await webhook.edit_message(
            # discord.py puts any id into the address, but types it as a number.
            cast("int", ORIGINAL_MESSAGE),
            view=build_card(page),
            attachments=page_files(page),
            allowed_mentions=discord.AllowedMentions.none(),
        )


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Translate errors inside the context. Raises NotPosted where the reply of a command can no longer be reached, else
    the errors of `translate_discord_errors`."""
    with translate_discord_errors("answer a command"):
        try:
            yield
        except discord.HTTPException as error:
            if error.code not in TOKEN_GONE_CODES:
                raise
            reason = f"the reply of a command cannot be reached (code {error.code})"
            raise _expired(reason, deleted=error.code == UNKNOWN_MESSAGE) from error


def _expired(reason: str, *, deleted: bool = False) -> NotPosted:
    return NotPosted(
        reason, why=lambda translator: translator(REPLY_REFUSED), is_obsolete=deleted, is_permanent=not deleted
    )


async def _acknowledge(interaction: DiscordInteraction, private: bool) -> None:
    await interaction.response.defer(ephemeral=private, thinking=True)
