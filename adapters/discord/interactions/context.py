"""The context of one interaction in Discord, and the files and links of its message. Forms are read from what Discord
sends, not from memory."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import discord
from discord import ui

from adapters.chat.adapter import ChatApp
from adapters.chat.interactions.context import (
    NO_VALUES,
    Acknowledgement,
    ChannelInteractionContext,
    HandoffReply,
    InteractionPayload,
)
from adapters.chat.interactions.upload_source import UploadResult
from adapters.chat.interactions.uploads import UPLOAD_COMMAND
from adapters.chat.reply import builder as parts
from adapters.chat.reply import labels
from adapters.chat.reply.builder import text_reply
from adapters.chat.reply.parts import RenderOptions, Reply, ReplyButton
from adapters.chat.words import uploads
from adapters.chat.words.forms import ChoiceField, Form, FormValues, TextField
from adapters.chat.words.uploads import MAX_UPLOADS, UploadCandidate
from adapters.discord import limits
from adapters.discord.audience import DiscordAudienceResolver
from adapters.discord.errors import REQUEST_SECONDS, translate_discord_errors
from adapters.discord.events import files
from adapters.discord.events.places import DIRECT_SPACE, DISCORD_NAME, message_key_text, place_chain
from adapters.discord.events.plain_text import message_to_text
from adapters.discord.post.announcements import upload_result_view
from adapters.discord.post.ephemeral import DiscordInteraction, send_ephemeral
from adapters.discord.post.sender import DiscordMessageBody
from adapters.discord.rendering import custom_ids, render
from adapters.discord.rendering.components import ButtonRow, build_card, build_layout, page_buttons
from adapters.discord.rendering.markup import escape_text
from pipeline.ports import BotServices, Upload
from pipeline.translations import TranslatableText, Translator
from pipeline.values import Actor, Answer, ConversationId, MessageKey, PersonId, Readers, replace
from pipeline.words import wording

_MAX_OPEN = 200
"""Messages that are kept until their forms are sent."""


class DiscordUploadStore:
    """Store of the messages of open forms, which have no room for them."""

    def __init__(self, *, api_url: str) -> None:
        self._api_url = api_url
        self._open: dict[str, discord.Message] = {}

    async def upload_source(
        self, interaction: DiscordInteraction, payload: InteractionPayload, menu_of: discord.Message | None
    ) -> DiscordUploadSource | None:
        """Return the message whose files can be added. `menu_of` is the message in whose menu the action was chosen."""
        match payload.action:
            case action if action == UPLOAD_COMMAND:
                message = menu_of
            case ReplyButton.ADD:
                message = await _fetch_question(interaction)
            case _:
                message = self._open.pop(payload.subject_id, None)
        if message is None:
            return None
        name = str(interaction.id)
        # The oldest messages are dropped.
        self._open = dict([*self._open.items(), (name, message)][-_MAX_OPEN:])
        return DiscordUploadSource(interaction, message, upload_candidates(message), name, self._api_url)


class DiscordUploadSource(NamedTuple):
    """The port `UploadSource`."""

    interaction: DiscordInteraction
    message: discord.Message
    candidates: Sequence[UploadCandidate]
    form_state: str
    api_url: str

    async def resolve(self, candidate: UploadCandidate) -> Upload:
        if not candidate.file_id:
            return Upload(candidate.name, candidate.name)
        attachment = next(attached for attached in self.message.attachments if str(attached.id) == candidate.file_id)
        return Upload(
            attachment.filename, self.message.jump_url, partial(files.download_attachment, attachment, self.api_url)
        )

    async def announce_reading(
        self, notice: str, translator: Translator, *, privately: bool
    ) -> Callable[[UploadResult], Awaitable[None]]:
        """Defer the response: Discord itself shows that work is under way, and the result is the response."""
        with translate_discord_errors("acknowledge a press"):
            if not self.interaction.response.is_done():
                await self.interaction.response.defer(ephemeral=privately, thinking=True)

        async def put(addition: UploadResult) -> None:
            with translate_discord_errors("answer a press"):
                await self.interaction.followup.send(
                    view=upload_result_view(*addition), ephemeral=privately, suppress_embeds=True
                )

        return put


async def _fetch_question(interaction: DiscordInteraction) -> discord.Message | None:
    """Return the question above the reply in a direct message, if it still exists."""
    reference, channel = interaction.message and interaction.message.reference, interaction.channel
    if not (reference and reference.message_id and isinstance(channel, discord.DMChannel)):
        return None
    try:
        return await channel.fetch_message(reference.message_id)
    except discord.NotFound:
        return None


def upload_candidates(message: discord.Message) -> tuple[UploadCandidate, ...]:
    """Return the files and links of a message that can be added."""
    files_attached = [UploadCandidate(attachment.filename, str(attachment.id)) for attachment in message.attachments]
    return tuple([*files_attached, *uploads.find_urls(message.content)][:MAX_UPLOADS])


FORM_SECONDS = 900.0
MAX_FORM_OPTIONS, MAX_OPTION_LABEL = 25, 100
"""Options of one field, and characters of an option's label."""


def build_modal(form: Form) -> ui.Modal:
    modal = ui.Modal(
        title=form.title, custom_id=custom_ids.build_custom_id(form.name, form.subject_id), timeout=FORM_SECONDS
    )
    for field in form.fields:
        component = _text_input(field) if isinstance(field, TextField) else _select(field)
        modal.add_item(ui.Label(text=field.label, description=field.hint or None, component=component))
    return modal


def parse_form_values(data: Any) -> FormValues:
    """Return the values of a submitted form."""
    return {
        str(field.get("custom_id")): tuple(
            str(value) for value in [*(field.get("values") or ()), field.get("value")] if value
        )
        for field in _iter_fields((data or {}).get("components", ()))
    }


def _text_input(field: TextField) -> ui.Item[Any]:
    style = discord.TextStyle.paragraph if field.is_multiline else discord.TextStyle.short
    text: ui.TextInput[Any] = ui.TextInput(
        custom_id=field.name,
        style=style,
        required=field.required,
        max_length=field.max_length,
        default=field.value or None,
    )
    return text


def _select(field: ChoiceField) -> ui.Item[Any]:
    options = [
        discord.SelectOption(label=name[:MAX_OPTION_LABEL], value=value, default=value in field.initial)
        for value, name in list(field.options.items())[:MAX_FORM_OPTIONS]
    ]
    select: ui.Select[Any] = ui.Select(
        custom_id=field.name,
        options=options,
        required=field.required,
        min_values=int(field.required),
        max_values=len(options) if field.is_multiple else 1,
    )
    return select


def _iter_fields(components: Any) -> Iterator[dict[str, Any]]:
    """Yield every component, however deep."""
    for component in components:
        yield component
        yield from _iter_fields(component.get("components", ()))
        if component.get("component"):
            yield component["component"]


def parse_interaction(interaction: DiscordInteraction, action: str, subject_id: str, root: str) -> InteractionPayload:
    """Return the payload of an interaction. `root` is what a button carries besides: the root of the conversation, or
    beside an answer the answer's message."""
    message, guild_id, channel_id = interaction.message, interaction.guild_id, interaction.channel_id
    answer_id = str(message.id) if message and not message.flags.ephemeral else root
    conversation = ConversationId(platform=DISCORD_NAME, space=str(guild_id or DIRECT_SPACE), channel=str(channel_id))
    is_whole_channel = guild_id is None or isinstance(interaction.channel, discord.Thread)
    subscription_target = replace(conversation, thread="" if is_whole_channel else root or answer_id)
    form = interaction.type is discord.InteractionType.modal_submit
    return InteractionPayload(
        action=action,
        subject_id=subject_id,
        person_id=str(PersonId(platform=DISCORD_NAME, user=str(interaction.user.id))),
        places=place_chain(guild_id, channel_id or 0, interaction.channel),
        conversation=conversation,
        message=str(message.id) if message else "",
        answer_message=answer_id,
        name=interaction.user.display_name,
        form_values=parse_form_values(interaction.data) if form else NO_VALUES,
        subscription_conversation=subscription_target if answer_id else None,
        locale=str(interaction.locale),
    )


class DiscordInteractionDependencies(NamedTuple):
    """The services that interactions on Discord need."""

    services: BotServices
    chat: ChatApp[DiscordMessageBody]
    audience_resolver: DiscordAudienceResolver
    upload_store: DiscordUploadStore
    render_options: RenderOptions


class DiscordInteractionContext(ChannelInteractionContext):
    """One interaction on Discord. Nobody is of another organisation: servers are home or not."""

    def __init__(
        self,
        interaction: DiscordInteraction,
        context: DiscordInteractionDependencies,
        action: str,
        subject_id: str = "",
        root: str = "",
        *,
        menu_of: discord.Message | None = None,
    ) -> None:
        """Create it. `menu_of` is the message in whose menu the action was chosen."""
        super().__init__(parse_interaction(interaction, action, subject_id, root), context.services)
        self.interaction = interaction
        self._context = context
        self._audience_resolver = context.audience_resolver
        self._menu_of = menu_of
        self._root = root

    async def actor(self) -> Actor:
        with translate_discord_errors("ask who pressed"):
            return await self._audience_resolver.actor(self.interaction)

    async def private_readers(self) -> Readers:
        with translate_discord_errors("ask who reads"):
            return await self._context.chat.audience.build(await self._audience_resolver.person_facts(self.interaction))

    async def channel_readers(self) -> Readers:
        guild_id, channel_id = self.interaction.guild_id, self.interaction.channel_id
        if not guild_id:
            return await self.private_readers()
        with translate_discord_errors("ask who reads"):
            return await self._context.chat.audience.build(
                await self._audience_resolver.channel_facts(guild_id, channel_id or 0)
            )

    async def share_readers(self) -> Readers | TranslatableText:
        return await self.channel_readers() if self.interaction.guild_id else wording.SHARE_REFUSED

    async def direct_conversation(self) -> ConversationId:
        with translate_discord_errors("open a direct message"):
            direct_channel = await self.interaction.user.create_dm()
        return ConversationId(platform=DISCORD_NAME, space=DIRECT_SPACE, channel=str(direct_channel.id))

    async def message_link(self) -> str:
        return self.interaction.message.jump_url if self.interaction.message else ""

    async def handoff_reply(self) -> HandoffReply | None:
        """Return the person's message. The button carries the notice's channel and message, and the message's id."""
        # As `DiscordNotifier.offer_handoff_reply` writes it.
        channel, _, notice = self.payload.subject_id.partition("-")
        current_channel, me = self.interaction.channel, self.interaction.client.user
        if not isinstance(current_channel, discord.abc.Messageable) or me is None:
            return None
        with translate_discord_errors("read a message"):
            try:
                message = await current_channel.fetch_message(int(self._root))
            except discord.NotFound:
                return None
        notice_key = MessageKey.parse(message_key_text(self.interaction.guild_id, int(channel), int(notice)))
        is_own = message.author.id == self.interaction.user.id
        return HandoffReply(message_to_text(message, me), notice_key, message.jump_url) if is_own else None

    async def upload_source(self) -> DiscordUploadSource | None:
        with translate_discord_errors("read a message"):
            return await self._context.upload_store.upload_source(self.interaction, self.payload, self._menu_of)

    async def ack(self, kind: Acknowledgement) -> None:
        with translate_discord_errors("acknowledge a press"):
            match kind:
                case Acknowledgement.PRIVATE_REPLY:
                    await self.interaction.response.defer(ephemeral=True, thinking=True)
                case Acknowledgement.MESSAGE_UPDATE | Acknowledgement.FORM_VALIDATION:
                    await self.interaction.response.defer()

    async def reply_privately(self, text: str) -> None:
        await self.show_privately(text_reply(text))

    async def show_privately(self, reply: Reply) -> None:
        await self.show_texts(render.render_texts(reply), row=page_buttons(reply, self.payload.answer_message))

    async def show_texts(self, texts: Sequence[str], *, row: ButtonRow = ()) -> None:
        """Show texts that are Discord's Markdown already."""
        with translate_discord_errors("answer a press"):
            async with asyncio.timeout(REQUEST_SECONDS):
                await send_ephemeral(self.interaction, texts, row=row)

    async def open_form(self, form: Form) -> None:
        with translate_discord_errors("open a form"):
            await self.interaction.response.send_modal(build_modal(form))

    async def show_field_error(self, text: str, field: str) -> bool:
        """Return False: a modal is closed once it is sent."""
        return False

    async def replace_message(self, text: str) -> None:
        await self._edit_message(build_layout((escape_text(text),)))

    async def show_shared_note(self, answer: Answer) -> None:
        render_options = self._context.render_options
        await self._edit_message(
            build_card(
                render.render_pages(parts.build_reply(answer, render_options, notes=parts.question_lines(answer)))[-1]
            )
        )

    async def mark_done(self, heading: str, at: MessageKey | None = None) -> None:
        if at:
            with translate_discord_errors("change a message"):
                channel = self.interaction.client.get_partial_messageable(int(at.channel))
                message = await channel.fetch_message(int(at.message))
                await message.edit(view=_done_layout(message, heading))
        elif self.interaction.message:
            await self._edit_message(_done_layout(self.interaction.message, heading))

    async def _edit_message(self, view: discord.ui.LayoutView) -> None:
        with translate_discord_errors("change a message"):
            await self.interaction.edit_original_response(view=view)

    async def send_export(self, data: str) -> None:
        """Send the data in as many files as Discord's size limit needs."""
        content, note = data.encode(), (await self.words())(labels.EXPORTED)
        files = [
            content[start : start + limits.MAX_ATTACHMENT_BYTES]
            for start in range(0, len(content), limits.MAX_ATTACHMENT_BYTES)
        ] or [b"{}"]
        with translate_discord_errors("send a file"):
            for number, part in enumerate(files, start=1):
                name = "citewell-export.json" if len(files) == 1 else f"citewell-export-{number}.json.part"
                await self.interaction.followup.send(note, file=discord.File(io.BytesIO(part), name), ephemeral=True)


def _done_layout(message: discord.Message, heading: str) -> discord.ui.LayoutView:
    first, *rest = custom_ids.iter_texts(message.components)
    _, *quoted = first.splitlines()
    return build_layout(["\n".join([f"**✓ {escape_text(heading)}**", *quoted]), *rest])
