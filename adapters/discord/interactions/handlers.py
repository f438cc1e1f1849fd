"""Handlers of buttons and commands, `/setup` among them.

Discord never sends an interaction a second time: an interrupted one shows nothing and can be pressed again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import discord

from adapters.chat.interactions.context import Acknowledgement
from adapters.chat.interactions.personal_data import save_preferences
from adapters.chat.interactions.setup import apply_setup, can_set_up
from adapters.chat.interactions.uploads import UPLOAD_COMMAND
from adapters.chat.reply import labels as words
from adapters.chat.reply import panels
from adapters.chat.reply.parts import Reply, ReplyButton
from adapters.chat.words import setup
from adapters.discord.errors import translate_discord_errors
from adapters.discord.interactions import localization
from adapters.discord.interactions.context import DiscordInteractionContext, DiscordInteractionDependencies
from adapters.discord.post.ephemeral import DiscordInteraction, words_for_locale
from adapters.discord.rendering import custom_ids
from adapters.discord.rendering.components import page_buttons
from adapters.discord.rendering.markup import escape_text
from pipeline.ports import BotServices
from pipeline.translations import TranslatableText, Translator
from pipeline.values import PlaceId, PlaceSettings, replace
from pipeline.words import wording

_CHANNEL = re.compile(r"(?:<#)?([0-9]+)>?")
CHANNEL, SERVER = "channel", "server"
SERVERS_ONLY = TranslatableText("I can be set up in servers only.")


async def apply_setup_command(
    services: BotServices, context: DiscordInteractionContext, where: str, choices: Mapping[str, str]
) -> None:
    """Store the choices for this channel or its server; without choices, show the settings in force here."""
    await context.ack(Acknowledgement.PRIVATE_REPLY)
    translator, place = await context.words(), setup_place(context.payload.places, where)
    if place is None:
        await context.try_reply_privately(translator(SERVERS_ONLY))
    elif choices:
        if settings := await apply_setup(services, context, place, _with_channel(context.interaction, place, choices)):
            await context.show_texts(
                (f"{translator(setup.SETUP_DONE)}\n{_settings_text(place, settings, translator)}",)
            )
    elif await can_set_up(services, context):
        await context.show_texts(
            (_settings_text(place, await services.places.effective_settings(place.chain), translator),)
        )
    else:
        await context.try_reply_privately(translator(setup.SETUP_ADMINS_ONLY))


def _with_channel(interaction: DiscordInteraction, place: PlaceId, choices: Mapping[str, str]) -> Mapping[str, str]:
    """Return the choices, with the channel where people are asked as the settings name it."""
    match = _CHANNEL.fullmatch(choices.get("ask", "").strip())
    if match is None:
        return choices
    ask_channel = interaction.guild.get_channel_or_thread(int(match[1])) if interaction.guild else None
    channel = str(replace(place, channel=match[1])) if ask_channel else "a channel of another server"
    return {**choices, "ask": channel}


def setup_place(chain: Sequence[PlaceId], where: str) -> PlaceId | None:
    """Return the place to set up: for a thread or forum post its channel."""
    return chain[0 if where == SERVER else 1] if chain else None


def _settings_text(place: PlaceId, settings: PlaceSettings, translator: Translator) -> str:
    place_label = translator(setup.THIS_CHANNEL if place.channel else setup.WHOLE_SERVER)
    rows = "\n".join(f"- {escape_text(line)}" for line in setup.setting_lines(settings, translator))
    return f"**{translator(setup.SETUP_TITLE)}** ({place_label})\n{rows}\n-# {translator(setup.SETUP_PRECEDENCE)}"


class DiscordInteractionHandlers:
    def __init__(self, context: DiscordInteractionDependencies, *, retention_days: int) -> None:
        self._context = context
        self._services = context.services
        self._retention_days = retention_days

    async def on_component(self, interaction: DiscordInteraction, custom_id: str) -> None:
        """Handle a button or a submitted modal of ours; ignore any other."""
        if match := custom_ids.CUSTOM_ID_PATTERN.fullmatch(custom_id):
            context = DiscordInteractionContext(interaction, self._context, *match.group("action", "answer", "root"))
            await self._context.chat.handle_interaction(context)

    async def on_command(self, interaction: DiscordInteraction, name: str) -> None:
        """Handle a command that is dispatched like a button."""
        await self._context.chat.handle_interaction(self._make_context(interaction, name))

    async def on_add_menu(self, interaction: DiscordInteraction, message: discord.Message) -> None:
        """Handle the menu `Add to knowledge`."""
        await self._context.chat.handle_interaction(
            DiscordInteractionContext(interaction, self._context, UPLOAD_COMMAND, menu_of=message)
        )

    async def set_up(self, interaction: DiscordInteraction, where: str, choices: Mapping[str, str]) -> None:
        context = self._make_context(interaction, "setup")
        async with context.report_errors():
            await apply_setup_command(self._services, context, where, choices)

    async def preferences(self, interaction: DiscordInteraction, *, style: str, citations: str, language: str) -> None:
        context = self._make_context(interaction, "preferences")
        async with context.report_errors():
            await context.ack(Acknowledgement.PRIVATE_REPLY)
            options = {"style": style, "citations": citations, "language": language}
            choices = {field: value for field, value in options.items() if value}
            preferences = await save_preferences(self._services, context.payload.person_id, choices)
            command = words_for_locale(interaction)(localization.PREFERENCES_COMMAND)
            await context.show_texts((panels.preferences_text(preferences, await context.words(), command),))

    async def privacy(self, interaction: DiscordInteraction) -> None:
        context = self._make_context(interaction, "privacy")
        async with context.report_errors():
            translator = await context.words()
            time, command = (
                translator.pluralize(wording.DAY_COUNT, self._retention_days),
                words_for_locale(interaction)(localization.PREFERENCES_COMMAND),
            )
            row = page_buttons(Reply(buttons=(ReplyButton.EXPORT, ReplyButton.FORGET), language=translator.language))
            await context.show_texts((translator(words.PRIVACY_TEXT, time=time, preferences=command),), row=row)

    async def help(self, interaction: DiscordInteraction) -> None:
        context = self._make_context(interaction, "help")
        async with context.report_errors():
            translator, localized = await context.words(), words_for_locale(interaction)
            commands = {name: localized(message) for name, message in localization.COMMAND_NAMES.items()}
            text = translator(words.HELP_TEXT, share=translator(words.BUTTON_LABELS[ReplyButton.SHARE]), **commands)
            await context.show_texts((text,))

    async def on_error(self, interaction: DiscordInteraction, error: Exception) -> None:
        """Tell the person that a command failed."""
        async with self._make_context(interaction, "command").report_errors():
            with translate_discord_errors("do a command"):
                raise error

    def _make_context(self, interaction: DiscordInteraction, command: str) -> DiscordInteractionContext:
        return DiscordInteractionContext(interaction, self._context, command)
