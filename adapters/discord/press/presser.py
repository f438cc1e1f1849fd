"""Whoever pressed a button, sent a form or used a command."""

from __future__ import annotations

import asyncio
import contextlib
import io
from collections.abc import AsyncIterator

import discord
import structlog

from adapters.chat.press.presser import EMPTY, Pressed, Then, Written
from adapters.chat.reply import labels as words
from adapters.chat.reply.answer import plain
from adapters.chat.reply.parts import Reply
from adapters.chat.words.forms import Form
from adapters.discord import limits
from adapters.discord.audience import DiscordAudiences
from adapters.discord.errors import TRANSIENT
from adapters.discord.events.places import DIRECT, PLATFORM, key, places
from adapters.discord.events.spoken import question
from adapters.discord.parts import buttons, render
from adapters.discord.parts.blocks import layout, pressed
from adapters.discord.parts.markup import escape
from adapters.discord.parts.modal import filled, modal
from adapters.discord.post.alone import Interaction, by_locale, say
from adapters.discord.retry import REQUEST_SECONDS
from pipeline.errors import CitewellError
from pipeline.ports import Desk
from pipeline.translations import Words
from pipeline.values import Actor, ConversationId, MessageKey, PersonId, Readers, replace
from pipeline.words import wording

log = structlog.get_logger(__name__)


@contextlib.asynccontextmanager
async def honest(interaction: Interaction, action: str) -> AsyncIterator[None]:
    """When what is done inside goes wrong, its user is told so, once, if Discord can be reached for that."""
    try:
        yield
    except (CitewellError, discord.DiscordException, *TRANSIENT) as error:
        log.warning("discord_interaction_failed", action=action, reason=str(error) or type(error).__name__)
        with contextlib.suppress(discord.DiscordException, *TRANSIENT):
            async with asyncio.timeout(REQUEST_SECONDS):
                await say(interaction, (by_locale(interaction)(wording.TRY_AGAIN),))


def read(interaction: Interaction, action: str, about: str, seen: str) -> Pressed:
    """`seen`: what a button carries besides: the root of the conversation; beside an answer, the id of that."""
    message, guild_id, channel_id = interaction.message, interaction.guild_id, interaction.channel_id
    form = interaction.type is discord.InteractionType.modal_submit
    return Pressed(
        action=action,
        about=about,
        person=str(PersonId(platform=PLATFORM, user=str(interaction.user.id))),
        places=places(guild_id, channel_id or 0, interaction.channel),
        conversation=ConversationId(platform=PLATFORM, space=str(guild_id or DIRECT), channel=str(channel_id)),
        message=str(message.id) if message else "",
        below=str(message.id) if message and not message.flags.ephemeral else seen,
        name=interaction.user.display_name,
        filled=filled(interaction.data) if form else EMPTY,
    )


class DiscordPresser:
    """The port `Presser`. People are never of another organisation: servers are home or not."""

    shows_votes = False

    def __init__(
        self,
        interaction: Interaction,
        desk: Desk,
        audiences: DiscordAudiences,
        action: str,
        about: str = "",
        seen: str = "",
        *,
        menu_of: discord.Message | None = None,
    ) -> None:
        """`menu_of`: the message in whose menu it was chosen."""
        self.interaction = interaction
        self.menu_of = menu_of
        self._desk = desk
        self._audiences = audiences
        self._seen = seen
        self.pressed = read(interaction, action, about, seen)

    async def words(self, text: str = "") -> Words:
        return await self._desk.words(self.pressed.person, text=text, locale=str(self.interaction.locale))

    async def actor(self) -> Actor:
        return await self._audiences.actor(self.interaction)

    async def readers(self) -> Readers:
        return await self._audiences.of_presser(self.interaction)

    async def everyone(self) -> Readers:
        guild_id, channel_id = self.interaction.guild_id, self.interaction.channel_id
        return await (self._audiences.of_channel(guild_id, channel_id or 0) if guild_id else self.readers())

    async def told_in(self) -> ConversationId:
        """In a channel, the chain of replies that the answer is in."""
        pressed = self.pressed
        if not pressed.below:
            alone = await self.interaction.user.create_dm()
            return ConversationId(platform=PLATFORM, space=DIRECT, channel=str(alone.id))
        whole = self.interaction.guild_id is None or isinstance(self.interaction.channel, discord.Thread)
        return replace(pressed.conversation, thread="" if whole else self._seen or pressed.below)

    async def link(self) -> str:
        return self.interaction.message.jump_url if self.interaction.message else ""

    async def ack(self, then: Then) -> None:
        match then:
            case Then.TOLD:
                await self.interaction.response.defer(ephemeral=True, thinking=True)
            case Then.CHANGED | Then.CHECKED:
                await self.interaction.response.defer()

    async def say(self, text: str) -> None:
        await self.show(plain(text))

    async def show(self, reply: Reply) -> None:
        await say(self.interaction, render.texts(reply), row=pressed(reply, self.pressed.below))

    async def open(self, form: Form) -> None:
        await self.interaction.response.send_modal(modal(form))

    async def refuse(self, text: str, field: str = "") -> None:
        await self.say(text)

    async def replace(self, text: str) -> None:
        await self.interaction.edit_original_response(view=layout((escape(text),)))

    async def written(self) -> Written | None:
        """The button carries its channel and message, and theirs."""
        channel, _, notice = self.pressed.about.partition("-")
        here, me = self.interaction.channel, self.interaction.client.user
        if not isinstance(here, discord.abc.Messageable) or me is None:
            return None
        try:
            message = await here.fetch_message(int(self._seen))
        except discord.NotFound:
            return None
        asked = MessageKey.parse(key(self.interaction.guild_id, int(channel), int(notice)))
        theirs = message.author.id == self.interaction.user.id
        return Written(question(message, me), asked, message.jump_url) if theirs else None

    async def tick(self, heading: str, at: MessageKey | None = None) -> None:
        if at:
            channel = self.interaction.client.get_partial_messageable(int(at.channel))
            message = await channel.fetch_message(int(at.message))
            await message.edit(view=_ticked(message, heading))
        elif message := self.interaction.message:
            await self.interaction.edit_original_response(view=_ticked(message, heading))

    async def give(self, data: str) -> None:
        """In as many files as Discord takes it in."""
        content, told = data.encode(), (await self.words())(words.EXPORTED)
        parts = [content[start : start + limits.FILE] for start in range(0, len(content), limits.FILE)] or [b"{}"]
        for number, part in enumerate(parts, start=1):
            name = "citewell-export.json" if len(parts) == 1 else f"citewell-export-{number}.json.part"
            await self.interaction.followup.send(told, file=discord.File(io.BytesIO(part), name), ephemeral=True)


def _ticked(message: discord.Message, heading: str) -> discord.ui.LayoutView:
    first, *below = buttons.texts(message.components)
    _, *quoted = first.splitlines()
    return layout(["\n".join([f"**✓ {escape(heading)}**", *quoted]), *below])
