"""What kind of answer a question wants, and in which form, told by its wording."""

from __future__ import annotations

from pipeline.phrases import word_pattern
from pipeline.values import Format, Intent

_DOCUMENTS = r"which (?:\w+ ){0,2}(?:documents?|policies|guides|teams|services|products|plans)"
_INTENTS = (
    (
        Intent.COMPARISON,
        word_pattern(r"""
            compar(?:e|es|ed|ing|ison)|differences? (?:between|of|in)|different from|differ|vs\.?|versus|better than
            unterschiede? (?:zwischen|von)|unterscheide[nt]|vergleich(?:e|en)?
            différences? entre|comparer?|comparez|differenz[ae] (?:tra|fra)|difere(?:ncias?|nças?) entre|comparar?
        """),
    ),
    (
        Intent.SUMMARY,
        word_pattern(r"""
            summar(?:y|i[sz]e|ies)|overview|tl;?dr|(?:main|key) points|in a nutshell
            zusammenfass(?:ung|en)|fasse?|überblick|résum(?:é|er|ez)|resum(?:en|e|ir|o)|riassum(?:i|ere)
        """),
    ),
    (
        Intent.PROCEDURE,
        word_pattern(r"""
            how to|how (?:do|can|could|should|would|must) (?:i|we|you|one|people|someone|employees|users)
            steps?|procedure|process|walk (?:me|us) through|guide me
            wie (?:kann|könnte|muss|soll) (?:ich|wir|man)|wie \w+e ich|wie \w+[nt] (?:wir|man)|schritte?|ablauf
            comment (?:puis-je|peut-on|dois-je|\w+(?:er|ir|re))|étapes|procédure
            cómo (?:puedo|podemos|hago|se|debo|\w+[aei]r)|pasos|come (?:posso|faccio|si)|como (?:faço|posso)
        """),
    ),
    (
        Intent.AGGREGATION,
        word_pattern(rf"across (?:all|our|every)|{_DOCUMENTS} (?:mention|require|allow|cover|include)"),
    ),
    (
        Intent.LIST,
        word_pattern(r"""
            list|enumerate|name (?:all|every)|what are all|what (?:kinds|types|sorts) of
            what are (?:the |our )?(?:different|various|main|available|supported|possible|types|kinds|options|reasons)
            what are (?:the |our )?(?:requirements|prerequisites|benefits|advantages|features|limitations|rules)
            what are (?:the |our )?(?:examples|components|ways|conditions)
            which (?:\w+ ){1,3}(?:are|is) (?:available|supported|allowed|offered|included|covered)
            what(?:['’]s| is| has)? (?:been )?(?:new|changed|added|fixed) (?:in|with)
            liste|auflisten|nenne|welche \w+ gibt es|quels sont|quelles sont|lista|cuáles son|quali sono|quais são
        """),
    ),
)
_FORMATS = (
    (Format.TABLE, word_pattern(r"(?:as|in|with) (?:a )?table|als tabelle|en tableau|en una tabla")),
    (Format.STEPS, word_pattern(r"step[- ]by[- ]step|in (?:numbered )?steps|schritt für schritt|étape par étape")),
    (
        Format.BULLETS,
        word_pattern(r"(?:as|in|with) (?:a )?(?:bullets?(?: points?| list)?|list)|stichpunkten?|als liste"),
    ),
    (Format.PROSE, word_pattern(r"in (?:one|a few|two|three|a) sentences?|in (?:a |one )?(?:short )?paragraph")),
    (Format.PLAIN, word_pattern(r"(?:in|as) plain text|without (?:markdown|formatting)")),
)
_BY_INTENT = {
    Intent.COMPARISON: Format.TABLE,
    Intent.PROCEDURE: Format.STEPS,
    Intent.LIST: Format.BULLETS,
    Intent.AGGREGATION: Format.BULLETS,
}


def intent_of(question: str) -> Intent:
    """What is wanted, by wording; factual when nothing says otherwise."""
    return next((intent for intent, pattern in _INTENTS if pattern.search(question)), Intent.FACTUAL)


def format_of(question: str, intent: Intent) -> Format | None:
    """The format asked for in words, else the one that suits the intent, if there is one."""
    asked = next((form for form, pattern in _FORMATS if pattern.search(question)), None)
    return asked or _BY_INTENT.get(intent)
