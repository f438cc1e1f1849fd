"""Messages that need no document: greetings, thanks and questions about the bot itself, in the languages it speaks."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache

from pipeline.translations import LANGUAGES, Translator
from pipeline.words import wording
from pipeline.words.text import alternatives_pattern


class SmallTalk(StrEnum):
    GREETING = "greeting"
    THANKS = "thanks"
    HELP = "help"
    SUMMARY = "summary"
    """Of what was said in the thread."""


PHRASES = {
    "en": {
        SmallTalk.GREETING: "hi|hello|hey|good (?:morning|afternoon|evening|day)",
        SmallTalk.THANKS: "(?:many )?thanks|thank you|thx|ok(?:ay)?|great|perfect|got it|never ?mind|that helps|super",
        SmallTalk.HELP: r"""
            help|what can you (?:do|answer|help with)|what can i ask|who are you|how do(?:es this| you) work
            (?:what|which)(?: kinds? of)? (?:documents|docs|files|sources) do you (?:have|know|use|search|read)
            (?:what|which) (?:documents|docs|files|sources) are (?:there|indexed|available)
            (?:list|show)(?: me)?(?: all)?(?: the| your)? (?:documents|docs|files|sources)|what(?: is|'s) indexed
            what(?: is|'s) in (?:your|the) (?:knowledge base|index|library)
        """,
        SmallTalk.SUMMARY: r"""
            (?:please |(?:can|could) you )?(?:summari[sz]e|sum up|recap) (?:this|the) (?:thread|discussion|conversation)
            (?:(?:a|the) )?summary of (?:this|the) (?:thread|discussion|conversation)|thread summary|tl ?dr
        """,
    },
    "de": {
        SmallTalk.GREETING: "hallo|moin|servus|guten (?:morgen|tag|abend)",
        SmallTalk.THANKS: "(?:vielen |besten )?dank|danke(?:schön)?|alles klar|verstanden",
        SmallTalk.HELP: r"""
            hilfe|was kannst du|wobei kannst du helfen|was kann ich (?:dich )?fragen|wer bist du
            welche dokumente (?:hast|kennst) du
        """,
        SmallTalk.SUMMARY: r"""
            (?:bitte )?fass(?:e|t)? (?:bitte )?(?:diesen|den) thread (?:bitte )?zusammen
            (?:bitte )?fass(?:e|t)? (?:bitte )?(?:diese|die) (?:diskussion|unterhaltung) (?:bitte )?zusammen
            (?:kannst du )?(?:diesen|den) thread (?:bitte )?zusammenfassen|zusammenfassung (?:dieses|des) threads
        """,
    },
    "fr": {
        SmallTalk.GREETING: "bonjour|bonsoir|salut",
        SmallTalk.THANKS: "merci|parfait|d'accord",
        SmallTalk.HELP: r"""
            aide|que puis-je (?:te |vous )?demander|que (?:peux-tu|pouvez-vous) faire|qui (?:es-tu|êtes-vous)
            quels documents (?:as-tu|avez-vous)
        """,
        SmallTalk.SUMMARY: r"""
            (?:peux-tu |pouvez-vous )?résum(?:e|er|ez)(?:-moi|-nous)? (?:[cl]e fil|cette discussion|cette conversation)
            (?:un |le )?résumé (?:de ce fil|du fil|de cette (?:discussion|conversation))
        """,
    },
    "es": {
        SmallTalk.GREETING: "hola|buen[oa]s (?:d[ií]as|tardes|noches)",
        SmallTalk.THANKS: "(?:muchas )?gracias|perfecto|vale",
        SmallTalk.HELP: r"ayuda|qué puedes hacer|qué puedo preguntar(?:te)?|quién eres"
        r"|qué documentos (?:tienes|conoces)",
        SmallTalk.SUMMARY: r"""
            (?:(?:puedes|podrías) )?resum(?:e|ir|a|en) (?:este hilo|el hilo|esta (?:conversación|discusión))
            (?:un |el )?resumen (?:de este hilo|del hilo|de esta (?:conversación|discusión))
        """,
    },
    "it": {
        SmallTalk.GREETING: "ciao|salve|buongiorno|buonasera",
        SmallTalk.THANKS: "(?:mille )?grazie|perfetto|va bene",
        SmallTalk.HELP: r"aiuto|cosa (?:puoi|sai) fare|chi sei|(?:che|quali) documenti (?:hai|conosci)",
        SmallTalk.SUMMARY: r"(?:puoi )?riassum(?:i|ere) questa (?:discussione|conversazione)",
    },
    "pt": {
        SmallTalk.GREETING: "ol[áa]|bom dia|boa (?:tarde|noite)",
        SmallTalk.THANKS: "(?:muito )?obrigad[oa]|perfeito|está bem",
        SmallTalk.HELP: r"ajuda|o que (?:você )?(?:pode|sabe) fazer|quem é você|(?:que|quais) documentos (?:você )?tem",
        SmallTalk.SUMMARY: r"(?:pode )?resum(?:e|a|ir) esta (?:conversa|discussão)",
    },
    "ja": {
        SmallTalk.GREETING: "こんにちは|こんばんは|おはよう(?:ございます)?|はじめまして",
        SmallTalk.THANKS: "(?:どうも )?ありがとう(?:ございます|ございました)?|助かりました|了解(?:です|しました)?",
        SmallTalk.HELP: r"ヘルプ|使い方|何ができますか|何を質問できますか|どんな(?:文書|資料|ドキュメント)がありますか",
        SmallTalk.SUMMARY: r"""
            (?:この)?スレッド(?:を|の)?(?:要約|まとめ)(?:して|て)?(?:ください|をお願いします)?
        """,
    },
}
"""What the whole of a message says, by language and kind, as alternatives for a pattern: lower case, no punctuation."""


def small_talk_pattern(talk: SmallTalk) -> str:
    """A pattern for `talk` in any language."""
    return alternatives_pattern("\n".join(phrases[talk] for phrases in PHRASES.values()))


_WHOM = "(?: (?:there|all|everyone|team|bot|citewell))?"
_MUCH = "so much|very much|a lot|again|for (?:the|your|that|this)(?: help| answer)?|sehr|beaucoup|mille|mucho"
_HELLO = rf"{small_talk_pattern(SmallTalk.GREETING)}{_WHOM}"
_KINDS = (
    (SmallTalk.HELP, re.compile(rf"(?:{_HELLO} )?{small_talk_pattern(SmallTalk.HELP)}")),
    (
        SmallTalk.SUMMARY,
        re.compile(rf"(?:{_HELLO} )?{small_talk_pattern(SmallTalk.SUMMARY)}(?: (?:for (?:me|us)|please|bitte))*"),
    ),
    (
        SmallTalk.THANKS,
        re.compile(
            rf"{small_talk_pattern(SmallTalk.THANKS)}(?: (?:{_MUCH}|{small_talk_pattern(SmallTalk.THANKS)}))*{_WHOM}"
        ),
    ),
    (SmallTalk.GREETING, re.compile(_HELLO)),
)
_SPOKEN = tuple(
    (name, re.compile(alternatives_pattern("\n".join(phrases.values())))) for name, phrases in PHRASES.items()
)
_NOISE = re.compile(r"[^\w'\-\s]+|_+")
_LONGEST = 80


def detect_small_talk(text: str) -> SmallTalk | None:
    """What kind of small talk the whole of `text` is; None when there is anything to look up in it."""
    if len(text) > _LONGEST:
        return None
    return next((kind for kind, pattern in _KINDS if pattern.fullmatch(_plain(text))), None)


def greeting_language(text: str) -> str:
    """The language of small talk of few words; empty for anything else."""
    if len(text) > _LONGEST:
        return ""
    return next((language for language, said in _SPOKEN if said.fullmatch(_plain(text))), "")


def is_show_all(text: str) -> bool:
    """Whether the whole of `text` asks for all of a list that was cut, as the note below it says how to."""
    return _plain(text) in _show_all()


@cache
def _show_all() -> frozenset[str]:
    return frozenset(_plain(Translator(language)(wording.SHOW_ALL)) for language in LANGUAGES)


def _plain(text: str) -> str:
    return " ".join(_NOISE.sub(" ", text.lower().replace("’", "'")).split())
