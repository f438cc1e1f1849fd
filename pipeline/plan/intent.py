"""What kind of answer a question wants, and in which form, told by its wording."""

from __future__ import annotations

from pipeline.phrases import word_pattern
from pipeline.values import Format, Intent

_INTENTS = (
    (
        Intent.COMPARISON,
        word_pattern(r"""
            compar(?:e|es|ed|ing|ison)|differences? (?:between|of|in)|different from|differ|vs\.?|versus|better than
            unterschiede? (?:zwischen|von)|unterscheide[nt]|vergleich(?:e|en)?
            différences? entre|comparer?|comparez|diferencias? entre|comparar?
            differenz[ae] (?:tra|fra)|diferenças? entre|verschil(?:len)? tussen
        """),
    ),
    (
        Intent.SUMMARY,
        word_pattern(r"""
            summar(?:y|i[sz]e|ies)|overview|tl;?dr|main points|key points|in a nutshell|gist
            zusammenfass(?:ung|en)|fasse?|überblick|résum(?:é|er|ez)|resum(?:en|e|ir)|riassum(?:i|ere)|samenvatting
        """),
    ),
    (
        Intent.PROCEDURE,
        word_pattern(r"""
            how to|how (?:do|can|could|should|would|must) (?:i|we|you|one|people|someone|employees|users)
            steps?|procedure|process|walk (?:me|us) through|step[- ]by[- ]step|guide me
            wie (?:kann|könnte|muss|soll) (?:ich|wir|man)|wie \w+e ich|wie \w+[nt] (?:wir|man)
            schritte?|ablauf|vorgehen
            comment (?:puis-je|peut-on|dois-je|\w+(?:er|ir|re))|étapes|procédure
            cómo (?:puedo|podemos|hago|se|debo|\w+[aei]r)|pasos|procedimiento
            come (?:posso|faccio|si)|como (?:faço|posso)|hoe (?:kan|moet) ik
        """),
    ),
    (
        Intent.AGGREGATION,
        word_pattern(r"""
            across (?:all|our|every)|how many of (?:the|our|these)
            which (?:\w+ ){0,2}(?:documents?|policies|guides|teams|services|products|plans) (?:mention|require|allow)
            which (?:\w+ ){0,2}(?:documents?|policies|guides|teams|services|products|plans) (?:cover|include|have|offer)
            in allen|dans tous|dans toutes|en todos|en todas
        """),
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
            liste|auflisten|nenne|welche \w+ gibt es|quels sont|quelles sont|énumère[rz]?
            lista|enumera|cuáles son|quali sono|quais são
        """),
    ),
)
_FORMATS = (
    (Format.TABLE, word_pattern(r"(?:as|in|with) (?:a )?table|tabular|als tabelle|en tableau|en una tabla")),
    (
        Format.STEPS,
        word_pattern(r"""
            step[- ]by[- ]step|(?:as|in) (?:numbered )?steps
            schritt für schritt|étape par étape|paso a paso
        """),
    ),
    (
        Format.BULLETS,
        word_pattern(r"""
            (?:as|in|with) (?:a )?(?:bullets?(?: points?| list)?|list)|bullet points
            stichpunkten?|als liste|en liste
        """),
    ),
    (
        Format.PROSE,
        word_pattern(r"in (?:one|a few|two|three|a) sentences?|in (?:a |one )?(?:short )?(?:paragraph|prose)"),
    ),
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
