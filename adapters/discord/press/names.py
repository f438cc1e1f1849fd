"""The names of the commands, and what is said of them, in the languages that people set Discord to."""

from __future__ import annotations

from collections.abc import Mapping

import discord
from discord import app_commands

from pipeline.translations import ENGLISH, Message, Words
from pipeline.words.language import speaking

ASK, SOURCES, PRIVACY = Message("ask"), Message("sources"), Message("privacy")
PREFERENCES, HELP = Message("preferences"), Message("help")
ANSWER_THIS, ADD_THIS = Message("Answer this message"), Message("Add to knowledge")
COMMANDS = {"ask": ASK, "sources": SOURCES, "privacy": PRIVACY, "preferences": PREFERENCES, "menu": ANSWER_THIS}
"""The fields of the help that name commands."""
QUESTION, SHARE = Message("question"), Message("share")
STYLE, CITATIONS, LANGUAGE = Message("style"), Message("citations"), Message("language")
"""Of what can be given with them."""
SETUP, WHERE, INSIGHTS = Message("setup"), Message("where"), Message("insights")
SETTINGS = {
    "auto": Message("auto"),
    "auto_level": Message("auto_level"),
    "auto_per_hour": Message("auto_per_hour"),
    "auto_wait": Message("auto_wait"),
    "collections": Message("collections"),
    "style": STYLE,
    "language": LANGUAGE,
    "writer": Message("writer"),
    "ask": ASK,
    "ask_name": Message("ask_name"),
    "teach": Message("teach"),
    "silent": Message("silent"),
    "index": Message("index"),
    "index_days": Message("index_days"),
    "threads": Message("threads"),
}
"""Of what can be set up; in English the names of the settings in `citewell.toml`."""
ASK_ABOUT = Message("Ask the documents; only you see the answer")
QUESTION_ABOUT, SHARE_ABOUT = Message("What would you like to know?"), Message("Show the answer to everyone here")
SOURCES_ABOUT = Message("What is indexed and visible to you here")
PRIVACY_ABOUT = Message("What is kept about you; export it or erase it")
PREFERENCES_ABOUT = Message("How I answer you; without options, what is set")
STYLE_ABOUT, CITATIONS_ABOUT = Message("How much is said"), Message("How sources are marked")
LANGUAGE_ABOUT = Message("The language of my answers")
HELP_ABOUT = Message("How to ask")
SETUP_ABOUT = Message("For admins: how I behave here; without options, what holds")
INSIGHTS_ABOUT = Message("For admins: what was asked lately, and what the documents lack")
WHERE_ABOUT = Message("This channel or the whole server")


_WORDS: Mapping[discord.Locale, Words] = {
    locale: words for locale in discord.Locale if (words := speaking(None, locale=locale.value)) != ENGLISH
}


class CommandTranslator(app_commands.Translator):
    """Whatever is declared to Discord and stands in our catalogues."""

    async def translate(
        self, string: app_commands.locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> str | None:
        words = _WORDS.get(locale)
        if words is None or not string.message:
            return None
        said = words(Message(string.message))
        return said if said != string.message else None
