"""Names and descriptions of the commands, in the languages that people set Discord to."""

from __future__ import annotations

from collections.abc import Mapping

import discord
from discord import app_commands

from pipeline.translations import ENGLISH_TRANSLATOR, TranslatableText, Translator
from pipeline.words.language import choose_words

ASK_COMMAND, SOURCES_COMMAND_NAME, PRIVACY_COMMAND = (
    TranslatableText("ask"),
    TranslatableText("sources"),
    TranslatableText("privacy"),
)
PREFERENCES_COMMAND, HELP_COMMAND = TranslatableText("preferences"), TranslatableText("help")
ANSWER_MENU, UPLOAD_MENU = TranslatableText("Answer this message"), TranslatableText("Add to knowledge")
COMMAND_NAMES = {
    "ask": ASK_COMMAND,
    "sources": SOURCES_COMMAND_NAME,
    "privacy": PRIVACY_COMMAND,
    "preferences": PREFERENCES_COMMAND,
    "menu": ANSWER_MENU,
}
"""Placeholders of the help text that name commands."""
QUESTION_OPTION, SHARE_OPTION = TranslatableText("question"), TranslatableText("share")
STYLE_OPTION, CITATIONS_OPTION, LANGUAGE_OPTION = (
    TranslatableText("style"),
    TranslatableText("citations"),
    TranslatableText("language"),
)
"""Names of options."""
SETUP_COMMAND, WHERE_OPTION, INSIGHTS_COMMAND_NAME = (
    TranslatableText("setup"),
    TranslatableText("where"),
    TranslatableText("insights"),
)
SETTING_NAMES = {
    "auto": TranslatableText("auto"),
    "auto_level": TranslatableText("auto_level"),
    "auto_per_hour": TranslatableText("auto_per_hour"),
    "auto_wait": TranslatableText("auto_wait"),
    "collections": TranslatableText("collections"),
    "style": STYLE_OPTION,
    "language": LANGUAGE_OPTION,
    "writer": TranslatableText("writer"),
    "ask": ASK_COMMAND,
    "ask_name": TranslatableText("ask_name"),
    "teach": TranslatableText("teach"),
    "silent": TranslatableText("silent"),
    "index": TranslatableText("index"),
    "index_days": TranslatableText("index_days"),
    "threads": TranslatableText("threads"),
}
"""Names of settings; in English those of `citewell.toml`."""
ASK_ABOUT = TranslatableText("Ask the documents; only you see the answer")
QUESTION_ABOUT, SHARE_ABOUT = (
    TranslatableText("What would you like to know?"),
    TranslatableText("Show the answer to everyone here"),
)
SOURCES_ABOUT = TranslatableText("What is indexed and visible to you here")
PRIVACY_ABOUT = TranslatableText("What is kept about you; export it or erase it")
PREFERENCES_ABOUT = TranslatableText("How I answer you; without options, what is set")
STYLE_ABOUT, CITATIONS_ABOUT = TranslatableText("How much is said"), TranslatableText("How sources are marked")
LANGUAGE_ABOUT = TranslatableText("The language of my answers")
HELP_ABOUT = TranslatableText("How to ask")
SETUP_ABOUT = TranslatableText("For admins: how I behave here; without options, what holds")
INSIGHTS_ABOUT = TranslatableText("For admins: what was asked lately, and what the documents lack")
WHERE_ABOUT = TranslatableText("This channel or the whole server")


_TRANSLATORS: Mapping[discord.Locale, Translator] = {
    locale: words
    for locale in discord.Locale
    if (words := choose_words(None, locale=locale.value)) != ENGLISH_TRANSLATOR
}


class CommandTranslator(app_commands.Translator):
    """A translator of declared commands by our catalogues."""

    async def translate(
        self, string: app_commands.locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> str | None:
        translator = _TRANSLATORS.get(locale)
        if translator is None or not string.message:
            return None
        translation = translator(TranslatableText(string.message))
        return translation if translation != string.message else None
