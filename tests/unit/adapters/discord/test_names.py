"""Discord shows each person the commands in the language they set it to."""

from __future__ import annotations

import re

import discord
import pytest
from discord import app_commands

from adapters.chat.reply.labels import PROMPTS
from adapters.chat.words import setup
from adapters.discord.press import names
from pipeline.plan.smalltalk import Talk, small_talk
from pipeline.translations import LANGUAGES, Words

ALLOWED = re.compile(r"[-_\w]{1,32}")
"""What Discord takes as the name of a command or an option, which has to be lower case too."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_names_of_commands_are_ones_that_discord_takes(language: str) -> None:
    words = Words(language)
    declared = (names.ASK, names.SOURCES, names.PRIVACY, names.PREFERENCES, names.SETUP, names.HELP)
    commands = [words(name) for name in declared]
    options = [words(name) for name in (names.QUESTION, names.SHARE, names.STYLE, names.CITATIONS, names.LANGUAGE)]
    settings = [words(name) for name in (names.WHERE, *names.SETTINGS.values())]
    assert all(ALLOWED.fullmatch(name) and name == name.lower() for name in commands + options + settings)
    assert len(set(commands)) == len(commands)
    assert len(set(options)) == len(options)
    assert len(set(settings)) == len(settings)
    assert len(words(names.ANSWER_THIS)) <= 32


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_said_of_a_setting_fits_the_command_of_discord_and_the_form_of_slack(language: str) -> None:
    words = Words(language)
    about = [words(text) for text in (names.SETUP_ABOUT, names.WHERE_ABOUT)]
    about += [words(field.hint) for field in setup.FIELDS.values()]
    chosen = [words(option) for field in setup.FIELDS.values() for option in field.options.values()]
    assert max(map(len, about)) <= 100
    assert max(map(len, [words(setup.NOT_SET), words(setup.WHOLE_WORKSPACE), *chosen])) <= 75
    assert max(map(len, [words(setup.TITLE), words(setup.SAVE)])) <= 24


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
    assert await names.CommandTranslator().translate(app_commands.locale_str(names.ASK), locale, context) == name


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_prompts_that_slack_suggests_are_answered_at_once(language: str) -> None:
    assert all(small_talk(Words(language)(message)) is Talk.HELP for _, message in PROMPTS)
