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

from adapters.chat.press.person import INSIGHTS, SOURCES
from adapters.chat.reply.panels import CITATIONS, STYLES, TONGUES
from adapters.chat.words.setup import FIELDS, NOT_SET, THIS_CHANNEL, WHOLE_SERVER
from adapters.discord.events import incoming, spoken
from adapters.discord.events.places import workspace
from adapters.discord.memory import Memory
from adapters.discord.post.alone import Interaction, by_locale, say
from adapters.discord.press import names
from adapters.discord.press.interactions import CHANNEL, SERVER, DiscordInteractions
from pipeline.rules.tenancy import bind
from pipeline.values import AS_SET, Attachment
from pipeline.words import wording


class Tree(app_commands.CommandTree[Any]):
    async def interaction_check(self, interaction: Interaction, /) -> bool:
        """Everybody may: what follows is done for the server that it comes from."""
        bind(workspace(interaction.guild_id))
        return True


Ask = Callable[[Interaction, str, bool, tuple[Attachment, ...]], Awaitable[None]]
"""Takes the question, whether only the asker sees the answer, and the files of the message it is."""
log = structlog.get_logger(__name__)

QUESTION_ROOM = 2000


def declare(client: discord.Client, ask: Ask, interactions: DiscordInteractions) -> Tree:
    """Guild installation only, usable in servers and in direct messages with the bot."""
    tree = Tree(
        client,
        allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
        allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=False),
    )

    @tree.command(name=names.ASK, description=names.ASK_ABOUT)
    @app_commands.describe(question=names.QUESTION_ABOUT, share=names.SHARE_ABOUT)
    async def ask_command(
        interaction: Interaction, question: app_commands.Range[str, 1, QUESTION_ROOM], share: bool = False
    ) -> None:
        await ask(interaction, question, not share, ())

    @tree.command(name=names.SOURCES, description=names.SOURCES_ABOUT)
    async def sources(interaction: Interaction) -> None:
        await interactions.command(interaction, SOURCES)

    @tree.command(name=names.PRIVACY, description=names.PRIVACY_ABOUT)
    async def privacy(interaction: Interaction) -> None:
        await interactions.privacy(interaction)

    @tree.command(name=names.PREFERENCES, description=names.PREFERENCES_ABOUT)
    @app_commands.describe(style=names.STYLE_ABOUT, citations=names.CITATIONS_ABOUT, language=names.LANGUAGE_ABOUT)
    @app_commands.choices(style=choices(STYLES), citations=choices(CITATIONS), language=choices(TONGUES))
    async def preferences(interaction: Interaction, style: str = "", citations: str = "", language: str = "") -> None:
        await interactions.preferences(interaction, style=style, citations=citations, language=language)

    @tree.command(name=names.INSIGHTS, description=names.INSIGHTS_ABOUT)
    async def insights_command(interaction: Interaction) -> None:
        await interactions.command(interaction, INSIGHTS)

    async def set_up(interaction: Interaction, where: str = CHANNEL, **given: str) -> None:
        await interactions.set_up(interaction, where, {name: value for name, value in given.items() if value})

    _offer_settings(tree, set_up)

    @tree.command(name=names.HELP, description=names.HELP_ABOUT)
    async def help_command(interaction: Interaction) -> None:
        await interactions.help(interaction)

    @tree.context_menu(name=names.ANSWER_THIS)
    async def answer_this(interaction: Interaction, message: discord.Message) -> None:
        text = spoken.question(message, client.user) if client.user else ""
        if text:
            await ask(interaction, text, True, incoming.attachments(message))
        else:
            await say(interaction, (by_locale(interaction)(wording.NO_TEXT),))

    @tree.context_menu(name=names.ADD_THIS)
    async def add_this(interaction: Interaction, message: discord.Message) -> None:
        await interactions.add(interaction, message)

    @tree.error
    async def failed(interaction: Interaction, error: app_commands.AppCommandError) -> None:
        log.error("discord_command_failed", exc_info=error)
        await interactions.failed(interaction, error)

    return tree


def _offer_settings(tree: Tree, set_up: Any) -> None:
    """`/setup`, with an option for each setting: discord.py reads them from the signature."""
    given = {"where": CHANNEL, **dict.fromkeys(FIELDS, "")}
    first = inspect.Parameter("interaction", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Interaction)
    more = [first.replace(name=name, default=value, annotation=str) for name, value in given.items()]
    set_up.__signature__ = inspect.Signature([first, *more])
    about = {name: field.hint for name, field in FIELDS.items()}
    offered = {name: choices({AS_SET: NOT_SET, **field.options}) for name, field in FIELDS.items() if field.options}
    places = choices({CHANNEL: THIS_CHANNEL, SERVER: WHOLE_SERVER})
    described = app_commands.describe(where=names.WHERE_ABOUT, **about)(set_up)
    chosen = app_commands.choices(where=places, **offered)(described)
    tree.command(name=names.SETUP, description=names.SETUP_ABOUT)(app_commands.guild_only()(chosen))


def choices(offered: Mapping[str, str]) -> list[app_commands.Choice[str]]:
    return [app_commands.Choice(name=name, value=value) for value, name in offered.items()]


async def sync(tree: Tree, memory: Memory) -> bool:
    """Declare the commands to Discord if they are not the ones declared last; True when it was done."""
    translator = names.CommandTranslator()
    await tree.set_translator(translator)
    declared = [await command.get_translated_payload(tree, translator) for command in tree.get_commands()]
    digest = hashlib.sha256(json.dumps([tree.client.application_id, declared], sort_keys=True).encode()).hexdigest()
    if digest == memory.commands:
        return False
    await tree.sync()
    memory.mark_commands(digest)
    return True
