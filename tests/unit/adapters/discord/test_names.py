"""Discord shows each person the commands in the language they set it to."""

from __future__ import annotations

import re

import discord
import pytest
from discord import app_commands

from adapters.chat.reply.labels import SUGGESTED_PROMPTS
from adapters.chat.words import setup
from adapters.discord.interactions import localization
from pipeline.plan.smalltalk import SmallTalk, detect_small_talk
from pipeline.translations import LANGUAGES, Translator

ALLOWED = re.compile(r"[-_\w]{1,32}")
"""What Discord takes as the name of a command or an option, which has to be lower case too."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_names_of_commands_are_ones_that_discord_takes(language: str) -> None:
    words = Translator(language)
    declared = (
        localization.ASK_COMMAND,
        localization.SOURCES_COMMAND_NAME,
        localization.PRIVACY_COMMAND,
        localization.PREFERENCES_COMMAND,
        localization.SETUP_COMMAND,
        localization.HELP_COMMAND,
    )
    commands = [words(name) for name in declared]
    options = [
        words(name)
        for name in (
            localization.QUESTION_OPTION,
            localization.SHARE_OPTION,
            localization.STYLE_OPTION,
            localization.CITATIONS_OPTION,
            localization.LANGUAGE_OPTION,
        )
    ]
    settings = [words(name) for name in (localization.WHERE_OPTION, *localization.SETTING_NAMES.values())]
    assert all(ALLOWED.fullmatch(name) and name == name.lower() for name in commands + options + settings)
    assert len(set(commands)) == len(commands)
    assert len(set(options)) == len(options)
    assert len(set(settings)) == len(settings)
    assert len(words(localization.ANSWER_MENU)) <= 32


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_said_of_a_setting_fits_the_command_of_discord_and_the_form_of_slack(language: str) -> None:
    words = Translator(language)
    about = [words(text) for text in (localization.SETUP_ABOUT, localization.WHERE_ABOUT)]
    about += [words(field.hint) for field in setup.SETUP_FIELDS.values()]
    chosen = [words(option) for field in setup.SETUP_FIELDS.values() for option in field.options.values()]
    assert max(map(len, about)) <= 100
    assert max(map(len, [words(setup.NOT_SET), words(setup.WHOLE_WORKSPACE), *chosen])) <= 75
    assert max(map(len, [words(setup.SETUP_TITLE), words(setup.SAVE_LABEL)])) <= 24


@pytest.mark.parametrize(
    ("locale", "name"),
    [
        (discord.Locale.german, "fragen"),
        (discord.Locale.latin_american_spanish, "preguntar"),
        (discord.Locale.british_english, None),
        (discord.Locale.korean, None),
    ],
)
async def test_a_name_is_told_where_it_differs(locale: discord.Locale, name: str | None) -> None:
    context = app_commands.TranslationContext(app_commands.TranslationContextLocation.other, None)
    assert (
        await localization.CommandTranslator().translate(
            app_commands.locale_str(localization.ASK_COMMAND), locale, context
        )
        == name
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_prompts_that_slack_suggests_are_answered_at_once(language: str) -> None:
    assert all(detect_small_talk(Translator(language)(message)) is SmallTalk.HELP for _, message in SUGGESTED_PROMPTS)
