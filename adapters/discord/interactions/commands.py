"""The slash commands and the message menu, declared to Discord only when they changed."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import discord
import structlog
from discord import app_commands

from adapters.chat.interactions.personal_data import INSIGHTS_COMMAND, SOURCES_COMMAND
from adapters.chat.reply.panels import CITATION_CHOICES, LANGUAGE_CHOICES, STYLE_CHOICES
from adapters.chat.words.setup import NOT_SET, SETUP_FIELDS, THIS_CHANNEL, WHOLE_SERVER
from adapters.discord.events import incoming, plain_text
from adapters.discord.events.places import workspace_key
from adapters.discord.interactions import localization
from adapters.discord.interactions.handlers import CHANNEL, SERVER, DiscordInteractionHandlers
from adapters.discord.post.ephemeral import DiscordInteraction, send_ephemeral, words_for_locale
from adapters.discord.state import DiscordState
from pipeline.rules.tenancy import set_workspace
from pipeline.values import USE_DEFAULT, Attachment
from pipeline.words import wording


class DiscordCommandTree(app_commands.CommandTree[Any]):
    async def interaction_check(self, interaction: DiscordInteraction, /) -> bool:
        """Return True, and bind what follows to the server of the interaction."""
        set_workspace(workspace_key(interaction.guild_id))
        return True


AskCallback = Callable[[DiscordInteraction, str, bool, tuple[Attachment, ...]], Awaitable[None]]
"""Callback with a question, whether only the asker sees the answer, and the files of its message."""
log = structlog.get_logger(__name__)

MAX_COMMAND_QUESTION = 2000


def build_command_tree(
    client: discord.Client, ask: AskCallback, interactions: DiscordInteractionHandlers
) -> DiscordCommandTree:
    """Return the commands: for installation in a server, usable there and in direct messages with the bot."""
    tree = DiscordCommandTree(
        client,
        allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
        allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=False),
    )

    @tree.command(name=localization.ASK_COMMAND, description=localization.ASK_ABOUT)
    @app_commands.describe(question=localization.QUESTION_ABOUT, share=localization.SHARE_ABOUT)
    async def ask_command(
        interaction: DiscordInteraction, question: app_commands.Range[str, 1, MAX_COMMAND_QUESTION], share: bool = False
    ) -> None:
        await ask(interaction, question, not share, ())

    @tree.command(name=localization.SOURCES_COMMAND_NAME, description=localization.SOURCES_ABOUT)
    async def sources(interaction: DiscordInteraction) -> None:
        await interactions.on_command(interaction, SOURCES_COMMAND)

    @tree.command(name=localization.PRIVACY_COMMAND, description=localization.PRIVACY_ABOUT)
    async def privacy(interaction: DiscordInteraction) -> None:
        await interactions.privacy(interaction)

    @tree.command(name=localization.PREFERENCES_COMMAND, description=localization.PREFERENCES_ABOUT)
    @app_commands.describe(
        style=localization.STYLE_ABOUT, citations=localization.CITATIONS_ABOUT, language=localization.LANGUAGE_ABOUT
    )
    @app_commands.choices(
        style=to_choices(STYLE_CHOICES), citations=to_choices(CITATION_CHOICES), language=to_choices(LANGUAGE_CHOICES)
    )
    async def preferences(
        interaction: DiscordInteraction, style: str = "", citations: str = "", language: str = ""
    ) -> None:
        await interactions.preferences(interaction, style=style, citations=citations, language=language)

    @tree.command(name=localization.INSIGHTS_COMMAND_NAME, description=localization.INSIGHTS_ABOUT)
    async def insights_command(interaction: DiscordInteraction) -> None:
        await interactions.on_command(interaction, INSIGHTS_COMMAND)

    async def set_up(interaction: DiscordInteraction, where: str = CHANNEL, **given: str) -> None:
        await interactions.set_up(interaction, where, {name: value for name, value in given.items() if value})

    _offer_settings(tree, set_up)

    @tree.command(name=localization.HELP_COMMAND, description=localization.HELP_ABOUT)
    async def help_command(interaction: DiscordInteraction) -> None:
        await interactions.help(interaction)

    @tree.context_menu(name=localization.ANSWER_MENU)
    async def answer_this(interaction: DiscordInteraction, message: discord.Message) -> None:
        text = plain_text.message_to_text(message, client.user) if client.user else ""
        if text:
            await ask(interaction, text, True, incoming.parse_attachments(message))
        else:
            await send_ephemeral(interaction, (words_for_locale(interaction)(wording.MESSAGE_WITHOUT_TEXT),))

    @tree.context_menu(name=localization.UPLOAD_MENU)
    async def add_this(interaction: DiscordInteraction, message: discord.Message) -> None:
        await interactions.on_add_menu(interaction, message)

    @tree.error
    async def failed(interaction: DiscordInteraction, error: app_commands.AppCommandError) -> None:
        log.error("discord_command_failed", exc_info=error)
        await interactions.on_error(interaction, error)

    return tree


def _offer_settings(tree: DiscordCommandTree, set_up: Any) -> None:
    """Add `/setup` with an option for each setting: discord.py reads them from the signature."""
    defaults = {"where": CHANNEL, **dict.fromkeys(SETUP_FIELDS, "")}
    first = inspect.Parameter("interaction", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=DiscordInteraction)
    parameters = [first.replace(name=name, default=value, annotation=str) for name, value in defaults.items()]
    set_up.__signature__ = inspect.Signature([first, *parameters])
    hints = {name: field.hint for name, field in SETUP_FIELDS.items()}
    choices = {
        name: to_choices({USE_DEFAULT: NOT_SET, **field.options})
        for name, field in SETUP_FIELDS.items()
        if field.options
    }
    places = to_choices({CHANNEL: THIS_CHANNEL, SERVER: WHOLE_SERVER})
    described = app_commands.describe(where=localization.WHERE_ABOUT, **hints)(set_up)
    with_choices = app_commands.choices(where=places, **choices)(described)
    tree.command(name=localization.SETUP_COMMAND, description=localization.SETUP_ABOUT)(
        app_commands.guild_only()(with_choices)
    )


def to_choices(options: Mapping[str, str]) -> list[app_commands.Choice[str]]:
    return [app_commands.Choice(name=name, value=value) for value, name in options.items()]


async def sync_commands(tree: DiscordCommandTree, state: DiscordState) -> bool:
    """Declare the commands to Discord if they changed since last time. Return True if they did."""
    translator = localization.CommandTranslator()
    await tree.set_translator(translator)
    declared = [await command.get_translated_payload(tree, translator) for command in tree.get_commands()]
    digest = hashlib.sha256(json.dumps([tree.client.application_id, declared], sort_keys=True).encode()).hexdigest()
    if digest == state.commands_digest:
        return False
    await tree.sync()
    state.mark_commands(digest)
    return True
