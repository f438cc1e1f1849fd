"""Messages that need no document: greetings, thanks and questions about the bot itself, in the languages it speaks."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache

from pipeline.translations import LANGUAGES, Words
from pipeline.words import wording
from pipeline.words.text import any_of


class Talk(StrEnum):
    GREETING = "greeting"
    THANKS = "thanks"
    HELP = "help"
    SUMMARY = "summary"
    """Of what was said in the thread."""


PHRASES = {
    "en": {
        Talk.GREETING: "hi|hello|hey|good (?:morning|afternoon|evening|day)",
        Talk.THANKS: "(?:many )?thanks|thank you|thx|ok(?:ay)?|great|perfect|got it|never ?mind|that helps|super",
        Talk.HELP: r"""
            help|what can you (?:do|answer|help with)|what can i ask|who are you|how do(?:es this| you) work
            (?:what|which)(?: kinds? of)? (?:documents|docs|files|sources) do you (?:have|know|use|search|read)
            (?:what|which) (?:documents|docs|files|sources) are (?:there|indexed|available)
            (?:list|show)(?: me)?(?: all)?(?: the| your)? (?:documents|docs|files|sources)|what(?: is|'s) indexed
            what(?: is|'s) in (?:your|the) (?:knowledge base|index|library)
        """,
        Talk.SUMMARY: r"""
            (?:please |(?:can|could) you )?(?:summari[sz]e|sum up|recap) (?:this|the) (?:thread|discussion|conversation)
            (?:(?:a|the) )?summary of (?:this|the) (?:thread|discussion|conversation)|thread summary|tl ?dr
        """,
    },
    "de": {
        Talk.GREETING: "hallo|moin|servus|guten (?:morgen|tag|abend)",
        Talk.THANKS: "(?:vielen |besten )?dank|danke(?:schön)?|alles klar|verstanden",
        Talk.HELP: r"""
            hilfe|was kannst du|wobei kannst du helfen|was kann ich (?:dich )?fragen|wer bist du
            welche dokumente (?:hast|kennst) du
        """,
        Talk.SUMMARY: r"""
            (?:bitte )?fass(?:e|t)? (?:bitte )?(?:diesen|den) thread (?:bitte )?zusammen
            (?:bitte )?fass(?:e|t)? (?:bitte )?(?:diese|die) (?:diskussion|unterhaltung) (?:bitte )?zusammen
            (?:kannst du )?(?:diesen|den) thread (?:bitte )?zusammenfassen|zusammenfassung (?:dieses|des) threads
        """,
    },
    "fr": {
        Talk.GREETING: "bonjour|bonsoir|salut",
        Talk.THANKS: "merci|parfait|d'accord",
        Talk.HELP: r"""
            aide|que puis-je (?:te |vous )?demander|que (?:peux-tu|pouvez-vous) faire|qui (?:es-tu|êtes-vous)
            quels documents (?:as-tu|avez-vous)
        """,
        Talk.SUMMARY: r"""
            (?:peux-tu |pouvez-vous )?résum(?:e|er|ez)(?:-moi|-nous)? (?:[cl]e fil|cette discussion|cette conversation)
            (?:un |le )?résumé (?:de ce fil|du fil|de cette (?:discussion|conversation))
        """,
    },
    "es": {
        Talk.GREETING: "hola|buen[oa]s (?:d[ií]as|tardes|noches)",
        Talk.THANKS: "(?:muchas )?gracias|perfecto|vale",
        Talk.HELP: r"ayuda|qué puedes hacer|qué puedo preguntar(?:te)?|quién eres|qué documentos (?:tienes|conoces)",
        Talk.SUMMARY: r"""
            (?:(?:puedes|podrías) )?resum(?:e|ir|a|en) (?:este hilo|el hilo|esta (?:conversación|discusión))
            (?:un |el )?resumen (?:de este hilo|del hilo|de esta (?:conversación|discusión))
        """,
    },
    "it": {
        Talk.GREETING: "ciao|salve|buongiorno|buonasera",
        Talk.THANKS: "(?:mille )?grazie|perfetto|va bene",
        Talk.HELP: r"aiuto|cosa (?:puoi|sai) fare|chi sei|(?:che|quali) documenti (?:hai|conosci)",
        Talk.SUMMARY: r"(?:puoi )?riassum(?:i|ere) questa (?:discussione|conversazione)",
    },
    "pt": {
        Talk.GREETING: "ol[áa]|bom dia|boa (?:tarde|noite)",
        Talk.THANKS: "(?:muito )?obrigad[oa]|perfeito|está bem",
        Talk.HELP: r"ajuda|o que (?:você )?(?:pode|sabe) fazer|quem é você|(?:que|quais) documentos (?:você )?tem",
        Talk.SUMMARY: r"(?:pode )?resum(?:e|a|ir) esta (?:conversa|discussão)",
    },
    "ja": {
        Talk.GREETING: "こんにちは|こんばんは|おはよう(?:ございます)?|はじめまして",
        Talk.THANKS: "(?:どうも )?ありがとう(?:ございます|ございました)?|助かりました|了解(?:です|しました)?",
        Talk.HELP: r"ヘルプ|使い方|何ができますか|何を質問できますか|どんな(?:文書|資料|ドキュメント)がありますか",
        Talk.SUMMARY: r"""
            (?:この)?スレッド(?:を|の)?(?:要約|まとめ)(?:して|て)?(?:ください|をお願いします)?
        """,
    },
}
"""What the whole of a message says, by language and kind, as alternatives for a pattern: lower case, no punctuation."""


def said(talk: Talk) -> str:
    """A pattern for `talk` in any language."""
    return any_of("\n".join(phrases[talk] for phrases in PHRASES.values()))


_WHOM = "(?: (?:there|all|everyone|team|bot|citewell))?"
_MUCH = "so much|very much|a lot|again|for (?:the|your|that|this)(?: help| answer)?|sehr|beaucoup|mille|mucho"
_HELLO = rf"{said(Talk.GREETING)}{_WHOM}"
_KINDS = (
    (Talk.HELP, re.compile(rf"(?:{_HELLO} )?{said(Talk.HELP)}")),
    (Talk.SUMMARY, re.compile(rf"(?:{_HELLO} )?{said(Talk.SUMMARY)}(?: (?:for (?:me|us)|please|bitte))*")),
    (Talk.THANKS, re.compile(rf"{said(Talk.THANKS)}(?: (?:{_MUCH}|{said(Talk.THANKS)}))*{_WHOM}")),
    (Talk.GREETING, re.compile(_HELLO)),
)
_SPOKEN = tuple((name, re.compile(any_of("\n".join(phrases.values())))) for name, phrases in PHRASES.items())
_NOISE = re.compile(r"[^\w'\-\s]+|_+")
_LONGEST = 80


def small_talk(text: str) -> Talk | None:
    """What kind of small talk the whole of `text` is; None when there is anything to look up in it."""
    if len(text) > _LONGEST:
        return None
    return next((kind for kind, pattern in _KINDS if pattern.fullmatch(_plain(text))), None)


def greeted(text: str) -> str:
    """The language of small talk of few words; empty for anything else."""
    if len(text) > _LONGEST:
        return ""
    return next((language for language, said in _SPOKEN if said.fullmatch(_plain(text))), "")


def wants_all(text: str) -> bool:
    """Whether the whole of `text` asks for all of a list that was cut, as the note below it says how to."""
    return _plain(text) in _show_all()


@cache
def _show_all() -> frozenset[str]:
    return frozenset(_plain(Words(language)(wording.SHOW_ALL)) for language in LANGUAGES)


def _plain(text: str) -> str:
    return " ".join(_NOISE.sub(" ", text.lower().replace("’", "'")).split())
