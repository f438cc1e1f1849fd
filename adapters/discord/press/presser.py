"""Whoever pressed a button, sent a form or used a command, and what of a message they can add to the documents. Forms
are read from what Discord sends, not from memory."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import discord
from discord import ui

from adapters.chat.adapter import Chat
from adapters.chat.press.knowledge import FROM_MENU
from adapters.chat.press.offered import Addition
from adapters.chat.press.presser import EMPTY, AmongOthers, Pressed, Then, Written
from adapters.chat.reply import answer as parts
from adapters.chat.reply import labels
from adapters.chat.reply.answer import plain
from adapters.chat.reply.parts import Button, Look, Reply
from adapters.chat.words import knowledge
from adapters.chat.words.forms import ChoiceField, Filled, Form, TextField
from adapters.chat.words.knowledge import MOST, Thing
from adapters.discord import limits
from adapters.discord.audience import DiscordReaches
from adapters.discord.errors import REQUEST_SECONDS, translated
from adapters.discord.events import files
from adapters.discord.events.places import DIRECT, PLATFORM, key, places
from adapters.discord.events.spoken import question
from adapters.discord.parts import buttons, render
from adapters.discord.parts.blocks import Row, card, layout, pressed
from adapters.discord.parts.markup import escape
from adapters.discord.post.alone import Interaction, say
from adapters.discord.post.notices import added
from adapters.discord.post.reply import DiscordPost
from pipeline.ports import Desk, Sent
from pipeline.translations import Message, Words
from pipeline.values import Actor, Answer, ConversationId, MessageKey, PersonId, Readers, replace
from pipeline.words import wording

_OPEN = 200
"""Messages that are remembered until their forms are sent."""


class DiscordShelf:
    """Remembers what forms are about: they have no room for it."""

    def __init__(self, *, api_url: str) -> None:
        self._api_url = api_url
        self._open: dict[str, discord.Message] = {}

    async def offered(
        self, interaction: Interaction, pressed: Pressed, menu_of: discord.Message | None
    ) -> DiscordOffered | None:
        """`menu_of`: the message in whose menu it was chosen."""
        match pressed.action:
            case action if action == FROM_MENU:
                message = menu_of
            case Button.ADD:
                message = await _asked(interaction)
            case _:
                message = self._open.pop(pressed.about, None)
        if message is None:
            return None
        name = str(interaction.id)
        self._open = dict([*self._open.items(), (name, message)][-_OPEN:])
        return DiscordOffered(interaction, message, things_of(message), name, self._api_url)


class DiscordOffered(NamedTuple):
    """The port `Offered`."""

    interaction: Interaction
    message: discord.Message
    things: Sequence[Thing]
    carried: str
    api_url: str

    async def sent(self, thing: Thing) -> Sent:
        if not thing.file:
            return Sent(thing.name, thing.name)
        sent = next(one for one in self.message.attachments if str(one.id) == thing.file)
        return Sent(sent.filename, self.message.jump_url, partial(files.attached, sent, self.api_url))

    async def begin(self, reading: str, words: Words, *, alone: bool) -> Callable[[Addition], Awaitable[None]]:
        """Discord says by itself that it is being done, and what comes of it is the answer to the press."""
        with translated("acknowledge a press"):
            if not self.interaction.response.is_done():
                await self.interaction.response.defer(ephemeral=alone, thinking=True)

        async def put(addition: Addition) -> None:
            with translated("answer a press"):
                await self.interaction.followup.send(view=added(*addition), ephemeral=alone, suppress_embeds=True)

        return put


async def _asked(interaction: Interaction) -> discord.Message | None:
    """The question above the reply in a direct message, if it is still there."""
    reference, channel = interaction.message and interaction.message.reference, interaction.channel
    if not (reference and reference.message_id and isinstance(channel, discord.DMChannel)):
        return None
    try:
        return await channel.fetch_message(reference.message_id)
    except discord.NotFound:
        return None


def things_of(message: discord.Message) -> tuple[Thing, ...]:
    """What of a message can be added."""
    attached = [Thing(one.filename, str(one.id)) for one in message.attachments]
    return tuple([*attached, *knowledge.links(message.content)][:MOST])


OPEN_SECONDS = 900.0
OPTIONS, OPTION = 25, 100
"""Of one field, and characters of what one is called."""


def modal(form: Form) -> ui.Modal:
    made = ui.Modal(title=form.title, custom_id=buttons.custom_id(form.name, form.about), timeout=OPEN_SECONDS)
    for field in form.fields:
        component = _typed(field) if isinstance(field, TextField) else _chosen(field)
        made.add_item(ui.Label(text=field.label, description=field.hint or None, component=component))
    return made


def filled(data: Any) -> Filled:
    """What a submitted form says."""
    return {
        str(field.get("custom_id")): tuple(
            str(one) for one in [*(field.get("values") or ()), field.get("value")] if one
        )
        for field in _fields((data or {}).get("components", ()))
    }


def _typed(field: TextField) -> ui.Item[Any]:
    style = discord.TextStyle.paragraph if field.lines else discord.TextStyle.short
    text: ui.TextInput[Any] = ui.TextInput(
        custom_id=field.name, style=style, required=field.required, max_length=field.most, default=field.value or None
    )
    return text


def _chosen(field: ChoiceField) -> ui.Item[Any]:
    options = [
        discord.SelectOption(label=name[:OPTION], value=value, default=value in field.first)
        for value, name in list(field.options.items())[:OPTIONS]
    ]
    select: ui.Select[Any] = ui.Select(
        custom_id=field.name,
        options=options,
        required=field.required,
        min_values=int(field.required),
        max_values=len(options) if field.several else 1,
    )
    return select


def _fields(components: Any) -> Iterator[dict[str, Any]]:
    """Everything that was filled in."""
    for one in components:
        yield one
        yield from _fields(one.get("components", ()))
        if one.get("component"):
            yield one["component"]


def read(interaction: Interaction, action: str, about: str, seen: str) -> Pressed:
    """`seen`: what a button carries besides: the root of the conversation; beside an answer, the id of that."""
    message, guild_id, channel_id = interaction.message, interaction.guild_id, interaction.channel_id
    below = str(message.id) if message and not message.flags.ephemeral else seen
    there = ConversationId(platform=PLATFORM, space=str(guild_id or DIRECT), channel=str(channel_id))
    whole = guild_id is None or isinstance(interaction.channel, discord.Thread)
    chain = replace(there, thread="" if whole else seen or below)
    form = interaction.type is discord.InteractionType.modal_submit
    return Pressed(
        action=action,
        about=about,
        person=str(PersonId(platform=PLATFORM, user=str(interaction.user.id))),
        places=places(guild_id, channel_id or 0, interaction.channel),
        conversation=there,
        message=str(message.id) if message else "",
        below=below,
        name=interaction.user.display_name,
        filled=filled(interaction.data) if form else EMPTY,
        told_in=chain if below else None,
        locale=str(interaction.locale),
    )


class Context(NamedTuple):
    """What it takes to answer somebody on Discord."""

    desk: Desk
    chat: Chat[DiscordPost]
    reaches: DiscordReaches
    shelf: DiscordShelf
    look: Look


class DiscordPresser(AmongOthers):
    """People are never of another organisation: servers are home or not."""

    def __init__(
        self,
        interaction: Interaction,
        context: Context,
        action: str,
        about: str = "",
        seen: str = "",
        *,
        menu_of: discord.Message | None = None,
    ) -> None:
        """`menu_of`: the message in whose menu it was chosen."""
        super().__init__(read(interaction, action, about, seen), context.desk)
        self.interaction = interaction
        self._context = context
        self._reaches = context.reaches
        self._menu_of = menu_of
        self._seen = seen

    async def actor(self) -> Actor:
        with translated("ask who pressed"):
            return await self._reaches.actor(self.interaction)

    async def reads_alone(self) -> Readers:
        with translated("ask who reads"):
            return await self._context.chat.audience.of(await self._reaches.presser(self.interaction))

    async def everyone(self) -> Readers:
        guild_id, channel_id = self.interaction.guild_id, self.interaction.channel_id
        if not guild_id:
            return await self.reads_alone()
        with translated("ask who reads"):
            return await self._context.chat.audience.of(await self._reaches.everyone(guild_id, channel_id or 0))

    async def channel(self) -> Readers | Message:
        return await self.everyone() if self.interaction.guild_id else wording.NOT_SHARED

    async def alone(self) -> ConversationId:
        with translated("open a direct message"):
            alone = await self.interaction.user.create_dm()
        return ConversationId(platform=PLATFORM, space=DIRECT, channel=str(alone.id))

    async def link(self) -> str:
        return self.interaction.message.jump_url if self.interaction.message else ""

    async def written(self) -> Written | None:
        """The button carries its channel and message, and theirs."""
        channel, _, notice = self.pressed.about.partition("-")
        here, me = self.interaction.channel, self.interaction.client.user
        if not isinstance(here, discord.abc.Messageable) or me is None:
            return None
        with translated("read a message"):
            try:
                message = await here.fetch_message(int(self._seen))
            except discord.NotFound:
                return None
        asked = MessageKey.parse(key(self.interaction.guild_id, int(channel), int(notice)))
        theirs = message.author.id == self.interaction.user.id
        return Written(question(message, me), asked, message.jump_url) if theirs else None

    async def offered(self) -> DiscordOffered | None:
        with translated("read a message"):
            return await self._context.shelf.offered(self.interaction, self.pressed, self._menu_of)

    async def ack(self, then: Then) -> None:
        with translated("acknowledge a press"):
            match then:
                case Then.TOLD:
                    await self.interaction.response.defer(ephemeral=True, thinking=True)
                case Then.CHANGED | Then.CHECKED:
                    await self.interaction.response.defer()

    async def tell(self, text: str) -> None:
        await self.show(plain(text))

    async def show(self, reply: Reply) -> None:
        await self.show_texts(render.texts(reply), row=pressed(reply, self.pressed.below))

    async def show_texts(self, texts: Sequence[str], *, row: Row = ()) -> None:
        """Show them what is written as Discord's Markdown."""
        with translated("answer a press"):
            async with asyncio.timeout(REQUEST_SECONDS):
                await say(self.interaction, texts, row=row)

    async def open(self, form: Form) -> None:
        with translated("open a form"):
            await self.interaction.response.send_modal(modal(form))

    async def at_field(self, text: str, field: str) -> bool:
        """A modal is gone once it is sent."""
        return False

    async def replace(self, text: str) -> None:
        await self._change(layout((escape(text),)))

    async def confirm(self, answer: Answer) -> None:
        look = self._context.look
        await self._change(card(render.pages(parts.reply(answer, look, notes=parts.asked(answer)))[-1]))

    async def tick(self, heading: str, at: MessageKey | None = None) -> None:
        if at:
            with translated("change a message"):
                channel = self.interaction.client.get_partial_messageable(int(at.channel))
                message = await channel.fetch_message(int(at.message))
                await message.edit(view=_ticked(message, heading))
        elif self.interaction.message:
            await self._change(_ticked(self.interaction.message, heading))

    async def _change(self, view: discord.ui.LayoutView) -> None:
        with translated("change a message"):
            await self.interaction.edit_original_response(view=view)

    async def give(self, data: str) -> None:
        """In as many files as Discord takes it in."""
        content, told = data.encode(), (await self.words())(labels.EXPORTED)
        files = [content[start : start + limits.FILE] for start in range(0, len(content), limits.FILE)] or [b"{}"]
        with translated("send a file"):
            for number, part in enumerate(files, start=1):
                name = "citewell-export.json" if len(files) == 1 else f"citewell-export-{number}.json.part"
                await self.interaction.followup.send(told, file=discord.File(io.BytesIO(part), name), ephemeral=True)


def _ticked(message: discord.Message, heading: str) -> discord.ui.LayoutView:
    first, *below = buttons.texts(message.components)
    _, *quoted = first.splitlines()
    return layout(["\n".join([f"**✓ {escape(heading)}**", *quoted]), *below])
