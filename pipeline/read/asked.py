"""What a question asks for: its content terms, and the kind of thing that would answer it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from pipeline.phrases import any_of, word_pattern
from pipeline.text import query_terms, terms


class AnswerType(StrEnum):
    """The kind of thing that answers a question."""

    MONEY = "an amount of money"
    DURATION = "a length of time"
    DATE = "a date or time"
    NUMBER = "a number"
    PERSON = "a person or group"
    PLACE = "a place"
    REASON = "a reason"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, read once."""

    text: str
    terms: tuple[str, ...]
    """Distinct stems of its content words in order; its words as they stand when it has no content word."""
    wanted: AnswerType | None
    """What kind of thing answers it, where the wording tells."""
    kind: frozenset[str] = frozenset()
    """The terms that only name that kind: `number`, `date`. Such a thing itself stands for them."""


_WANTED = (
    (
        AnswerType.REASON,
        re.compile(r"^\W*(?:why|how come|warum|wieso|weshalb|pourquoi|por qué|perché)\b", re.IGNORECASE),
    ),
    (
        AnswerType.MONEY,
        word_pattern(r"""
            how much (?:\S+ ){1,6}?(?:costs?|pay|paid|charged?|earn|spen[dt]|worth|salary)
            how much money|how expensive|what (?:\S+ ){1,4}?(?:price|costs?|fees?|salary|budget)
            (?:was|wie viel) kostet|combien coûte|cuánto cuesta
        """),
    ),
    (
        AnswerType.DURATION,
        word_pattern("how long(?! ago)|what duration|wie lange|combien de temps|cuánto tiempo|quanto tempo"),
    ),
    (
        AnswerType.DATE,
        word_pattern(r"""
            (?:in |on |by )?(?:what|which) (?:year|date|day|month|century|decade|time|era)
            what (?:is|was) the (?:\w+ ){0,2}?(?:date|year|day)
            when|since when|how long ago|deadline|wann|quand|cuándo|quando
        """),
    ),
    (
        AnswerType.NUMBER,
        word_pattern(r"""
            how (?:many|much|often|far|old|large|big|tall|high|fast|deep|wide|heavy|hot|cold)
            what (?:is|was) the (?:\w+ ){0,2}?(?:percent\w*|number|amount|fraction|population|size|area|age|temperature)
            (?:phone|telephone|room|extension) numbers?|numbers? (?:of|for)
            what (?:percent\w*|number|amount|fraction|population|size|area|age|temperature|limit|maximum|minimum)
            wie ?viele?|wie oft|wie hoch|combien|cuánt[oa]s?|quant[ioe]
        """),
    ),
    (AnswerType.PERSON, word_pattern("who|whom|whose|wer|wem|wen|qui|quién|quem")),
    (
        AnswerType.PLACE,
        word_pattern(r"""
            (?:in |at )?(?:what|which) (?:\w+ )?(?:country|city|town|state|place|location|region|continent|building)
            (?:in |at )?(?:what|which) (?:\w+ )?(?:room|office|island|river|county|province|district)
            where|wo|wohin|où|dónde|dove|onde
        """),
    ),
    (
        AnswerType.REASON,
        word_pattern(r"""
            why|what (?:is|was|were|are) the (?:reasons?|causes?|purpose)|what caused?|what causes
            warum|wieso|weshalb|pourquoi|por qué|perché|por que
        """),
    ),
)

_TIME = any_of(r"""
    seconds?|minutes?|hours?|(?:business |working |calendar )?days?|weeks?|months?|quarters?|years?|decades?
    sekunden?|minuten|stunden?|tagen?|wochen?|monaten?|jahren?|heures?|jours?|semaines?|mois|ans?|horas?|días?|meses|años?
""")
_COUNT = any_of(r"""
    one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|half
    hundreds?|thousands?|millions?|billions?|once|twice|single|both|several|zwei|drei|deux|trois|dos|tres
""")
_REASON = any_of(r"""
    because|since|due to|owing to|so that|in order to|as a result|therefore|thus|hence|caus\w+|reason\w*|le(?:d|ads?) to
    result\w*|avoid|prevent\w*|allow\w*|to (?:be|make|ensure|protect|keep|reduce|allow)
    weil|damit|wegen|car|parce|porque
""")
_MONTH = r"(?:jan|feb|mar|apr|(?-i:May)|june?|july?|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|ust|ember|ober)?"
_CALENDAR = any_of("""
    (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?
    January|February|March|April|May|June|July|August|September|October|November|December
""")
_NAME = rf"(?<![.!?]\s)(?<!^)\b(?!{_CALENDAR}\b)[A-Z][\w'’-]+"
_HELD = {
    AnswerType.MONEY: re.compile(
        r"[$€£¥]\s?\d|\d\s?[$€£¥円%]|\b(?:USD|EUR|GBP|CHF|dollars?|euros?|pounds?|cents?|free of charge)\b",
        re.IGNORECASE,
    ),
    AnswerType.DURATION: re.compile(
        rf"(?:\d|\b{_COUNT})[\s-]+(?:\w+[\s-]+)?{_TIME}\b|\b(?:until|indefinitely|permanent)|\bfrom\b.{{1,40}}\bto\b|\d\s?[日年]",
        re.IGNORECASE,
    ),
    AnswerType.DATE: re.compile(
        rf"\b(?:1\d|20)\d\ds?\b|\b{_TIME}\b|\b{_MONTH}\b|\b(?:century|centuries)\b|\d[./:]\d|[年月日]"
        r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b",
        re.IGNORECASE,
    ),
    AnswerType.NUMBER: re.compile(rf"\d|\b{_COUNT}\b", re.IGNORECASE),
    AnswerType.PERSON: re.compile(rf"{_NAME}|\b(?:team|manager|officer|department|owner|staff|director)s?\b|さん|氏"),
    AnswerType.PLACE: re.compile(
        rf"{_NAME}|https?://|\b(?:in|at|on|near|under|within|outside)\s+(?:the\s+)?"
        rf"(?:(?!{_CALENDAR}\b)[A-Z]|\d(?!\d?[:.]\d\d))"
    ),
    AnswerType.REASON: re.compile(rf"\b{_REASON}\b|ため|ので|から", re.IGNORECASE),
}


_KINDS = {
    AnswerType.MONEY: "price cost costs amount fee",
    AnswerType.DURATION: "duration time",
    AnswerType.DATE: "date day year month time",
    AnswerType.NUMBER: "number amount",
    AnswerType.PERSON: "name person",
    AnswerType.PLACE: "place location",
    AnswerType.REASON: "reason reasons cause",
}
_KIND_TERMS = {kind: frozenset(terms(named)) for kind, named in _KINDS.items()}
_REQUEST = re.compile(
    r"^(?:please\s+)?(?:summari[sz]e|sum up|describe|explain|outline|compare|what are all"
    r"|(?:give (?:me|us) )?an? (?:summary|overview) of"
    r"|(?:list|show|name|give|tell)(?: (?:me|us))?(?: about)?(?: (?:all|every|each))?"
    r"|what (?:is|are) the (?:main |key )?(?:differences?|points)\s+(?:between|of|in)"
    r"|what(?:['’]s| is| was| has| were)? (?:been )?(?:new|changed|added|fixed|happened|discussed|said|decided|agreed)"
    r"\s+(?:in|on|at|with|by|during))\b",
    re.IGNORECASE,
)
"""What is to be done, not what it is about."""
_MEASURING = re.compile(r"\b(how|that) (?:many|much|long|often|soon)\b", re.IGNORECASE)
"""Its second word asks, and is not looked for."""


@lru_cache(maxsize=512)
def read(question: str) -> Asked:
    """Read `question`; the same one is read once."""
    plain = _REQUEST.sub("", _MEASURING.sub(r"\1", question))
    found = tuple(dict.fromkeys(terms(plain) or terms(question))) or tuple(query_terms(question))
    wanted = next((kind for kind, pattern in _WANTED if pattern.search(question)), None)
    named = _KIND_TERMS[wanted].intersection(found) if wanted else frozenset[str]()
    return Asked(text=question, terms=found, wanted=wanted, kind=named if len(named) < len(found) else frozenset())


@lru_cache(maxsize=4096)
def holds(wanted: AnswerType, text: str) -> bool:
    """Whether `text` has something of the kind that is wanted; the writer and the confidence look at the same ones."""
    return bool(_HELD[wanted].search(text))


def held_kind(asked: Asked, text: str) -> frozenset[str]:
    """The terms of the question for which a thing of the wanted kind stands in `text`."""
    return asked.kind if asked.wanted is not None and holds(asked.wanted, text) else frozenset()
