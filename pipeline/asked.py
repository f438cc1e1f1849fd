"""What a question asks for: its content terms, and the kind of thing that would answer it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from pipeline.text import query_terms, terms


class AnswerType(StrEnum):
    NUMBER = "number"
    MONEY = "money"
    DURATION = "duration"
    DATE = "date"
    PERSON = "person"
    PLACE = "place"
    REASON = "reason"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, read once."""

    text: str
    terms: tuple[str, ...]
    """Distinct stems of its content words, in order; of all its words when it has no content word."""
    numbers: frozenset[str]
    wanted: AnswerType | None
    """What kind of thing answers it, where the wording tells."""


_UNIT_OF_TIME = r"(?:seconds?|minutes?|hours?|(?:business |working |calendar )?days?|weeks?|months?|quarters?|years?)"
_UNIT_ABROAD = (
    r"(?:stunden?|tagen?|wochen?|monaten?|jahren?|heures?|jours?|semaines?|mois|ans?|horas?|días?|meses|años?)"
)
_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_NUMBER_WORD = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|half|hundreds?"
    r"|thousands?|millions?|billions?|once|twice|single|both|several)"
)
_WORDINGS = (
    (
        AnswerType.MONEY,
        r"how much (?:does|do|did|will|would|is|are|was|were)?.{0,40}\b(?:costs?|pay|paid|charged?|earn|spen[dt]|worth|salary)"
        r"|how (?:much money|expensive)|what.{0,20}\b(?:price|cost|fee|salary|budget)\b|was kostet|combien coûte|cuánto cuesta",
    ),
    (AnswerType.DURATION, r"how long\b(?! ago)|what duration|wie lange|combien de temps|cuánto tiempo"),
    (
        AnswerType.DATE,
        r"(?:^|\b(?:since|until|by|from) )when\b|(?:what|which|in what|in which) (?:year|date|day|month|century|decade|time|era)"
        r"|how long ago|deadline|wann\b|seit wann|quand\b|cuándo\b",
    ),
    (
        AnswerType.NUMBER,
        r"how (?:many|much|often|far|old|large|big|tall|high|fast|deep|wide|heavy|hot|cold)\b|what (?:percent|number|amount"
        r"|fraction|population|size|area|age|temperature|limit|maximum|minimum)\w*|wie viele?|wie oft|combien\b|cuánt[oa]s?\b",
    ),
    (AnswerType.PERSON, r"(?:^|\b)(?:who|whom|whose)\b|(?:^|\s)we[rmn]\b|\bqui\b|quién"),
    (
        AnswerType.PLACE,
        r"\bwhere\b|(?:what|which|in what|in which) (?:\w+ )?(?:country|city|town|state|place|location|region|continent"
        r"|building|room|office|island|river|county|province|district)\b|(?:^|\s)wo\b|\boù\b|dónde",
    ),
    (
        AnswerType.REASON,
        r"\bwhy\b|what (?:is|was|were|are) the (?:reason|cause|purpose)|what causes?|warum|wieso|pourquoi|por qué",
    ),
)
_WANTED = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _WORDINGS)
_NAME = r"(?<![.!?]\s)(?<!^)\b[A-Z][\w'’-]+"
_HELD = {
    AnswerType.NUMBER: re.compile(rf"\d|\b{_NUMBER_WORD}\b", re.IGNORECASE),
    AnswerType.MONEY: re.compile(
        r"[$€£¥]\s?\d|\d\s?[$€£¥%]|\b(?:USD|EUR|GBP|CHF|dollars?|euros?|pounds?|cents?|free of charge|no (?:extra )?c(?:ost|harge))\b",
        re.IGNORECASE,
    ),
    AnswerType.DURATION: re.compile(
        rf"(?:\d|\b{_NUMBER_WORD})[\s-]+(?:\w+[\s-]+)?(?:{_UNIT_OF_TIME}|{_UNIT_ABROAD})\b"
        rf"|\buntil\b|\bfrom\b.{{1,40}}\bto\b|\bcentur|\bindefinite|\bpermanent",
        re.IGNORECASE,
    ),
    AnswerType.DATE: re.compile(
        rf"\b(?:1\d|20)\d\ds?\b|\b{_MONTH}\b|\bcentur(?:y|ies)\b|\b{_WEEKDAY}\b|\b\d{{1,2}}[./:]\d{{1,2}}\b|\b\d+ (?:AD|BC)\b"
        rf"|\b\d+ {_UNIT_OF_TIME} (?:ago|after|before)|\b{_UNIT_OF_TIME}\b|年|月|日",
        re.IGNORECASE,
    ),
    AnswerType.PERSON: re.compile(
        rf"{_NAME}|\b(?:team|manager|officer|department|owner|staff|president|director)s?\b|さん|氏"
    ),
    AnswerType.PLACE: re.compile(
        rf"\b(?:in|at|on|near|from|to|of|via|under|within|outside|in[a-z]*)\s+(?:the\s+)?[A-Z\d][\w'’-]+|{_NAME}|https?://"
    ),
    AnswerType.REASON: re.compile(
        r"\b(?:because|since|due to|owing to|so that|in order to|as a result|therefore|thus|hence|caus\w+|reason\w*|led to|leads? to"
        r"|result\w*|avoid|prevent\w*|to (?:be|make|ensure|protect|keep|reduce|allow)|allow\w*|weil|damit|wegen|car|parce|porque|para)\b"
        r"|ため|ので|から",
        re.IGNORECASE,
    ),
}
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")


@lru_cache(maxsize=512)
def read(question: str) -> Asked:
    """Read `question`; the same one is read once."""
    found = tuple(dict.fromkeys(terms(question))) or tuple(query_terms(question))
    return Asked(
        text=question,
        terms=found,
        numbers=frozenset(_NUMBER.findall(question)),
        wanted=next((kind for kind, pattern in _WANTED if pattern.search(question)), None),
    )


def holds(wanted: AnswerType | None, text: str) -> bool:
    """Whether `text` has something of the kind that is wanted; True when no kind is."""
    return wanted is None or bool(_HELD[wanted].search(text))
