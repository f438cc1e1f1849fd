"""What a question asks for: its content terms, and whether it wants a yes or a no."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from pipeline.words.text import content_terms, label_terms, query_terms, strip_japanese_endings, word_pattern


@dataclass(frozen=True, slots=True)
class AnalyzedQuestion:
    """A question, read once."""

    text: str
    terms: tuple[str, ...]
    """Distinct stems of its content words in order; its words as they stand when it has no content word."""
    is_yes_no: bool
    """It is answered by yes or no."""
    asks_date: bool = False
    """It asks when something was."""
    asks_figure: bool = False
    """It asks for a number, an amount or a time, or the one that it leans on does."""
    asks_time: bool = False
    """That is a time."""
    asks_single_value: bool = False
    """It asks for one thing: a figure, or a name."""
    names: frozenset[str] = frozenset()
    """Those of its terms that name one of several: capitalised words inside it, letters and figures behind a noun;
    where there are none, those of the question that it leans on."""
    topic_terms: tuple[str, ...] = ()
    """Further terms, of the question that it leans on, but for the names that its own take the place of: what speaks of
    them as well fits better."""
    thread_names: frozenset[str] = frozenset()
    """Where it names none, those of its thread: of what is alike but for a name, another does not count."""


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
AUXILIARIES = frozenset("is are am was were do does did can may must should will could would has have".split())
_WHETHER = re.compile(rf"^\W*(?:{'|'.join(sorted(AUXILIARIES))})\b(?!.*\bor\b)", re.IGNORECASE)
"""Begins like a yes-or-no question, and offers no choice."""
CAPITALIZED_WORD = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w'’-]*")
"""A capitalised word inside a question."""
IDENTIFIER = re.compile(r"(?<!\w)(?:[^\W\d_]{1,8}[-_/.]?|[A-Z]{1,4} )\d{2,12}(?!\w)")
"""A code: letters and a figure that name a part, a ticket, an error."""
_DATES = word_pattern("when|(?:what|which) (?:date|day|year)|wann|quand|cuándo|quando")

_TIMED = word_pattern(
    "(?:^|and |by |since |until |from )when|how (?:long|often|soon|old|late|early)|wann|wie (?:lange|oft|alt)"
)
_FIGURE = word_pattern(r"""
    how (?:many|much|long|often|soon|old|late|early|far|large|big|high)|(?:^|and |by |since |until |from )when
    wann|wie ?(?:viele?|lange?|oft|alt|hoch|teuer|weit)
    (?:what|which)(?:['’]s)? (?:\w+ ){0,2}(?:date|day|year|time|number|amount|percentage|price|cost|fee|limit)
""")
"""Asks for a value."""
_ONE = re.compile(
    rf"^\W*(?:(?:and|or|but|so)\s+)?(?:who|whose|where|(?:which|what)\s+(?!(?:{'|'.join(sorted(AUXILIARIES))}|if|about)\b)\w+"
    r"|what(?:['’]s|\s+is|\s+was)\s+(?:the|my|our|its)\s+\w+)\b",
    re.IGNORECASE,
)
"""Asks for a name."""
_OWN = word_pattern("wh(?:en|ere|o|om|ose|y|ich)|(?:what|how)(?! about)|wann|wo|wer|warum|wie|was")
"""Says by itself what kind of thing it asks for."""


@lru_cache(maxsize=512)
def analyze_question(question: str, topic: str = "", thread: str = "") -> AnalyzedQuestion:
    """Read `question`, which may lean on an earlier one, `topic`, or only stand in a `thread` with it; the same one is
    read once."""
    plain = strip_japanese_endings(_REQUEST.sub("", _MEASURING.sub(r"\1", _WHETHER.sub(" ", question, count=1))))
    found = tuple(dict.fromkeys(content_terms(plain) or content_terms(question))) or tuple(query_terms(question))
    own, leant = _names(question, found), analyze_question(topic) if topic else None
    kin = leant if leant and not _OWN.search(question) else None
    figure = bool(_FIGURE.search(question)) or bool(kin and kin.asks_figure)
    replaced = {*found, *(leant.names if leant and own else ())}
    return AnalyzedQuestion(
        question,
        found,
        bool(_WHETHER.search(question)),
        bool(_DATES.search(question)),
        figure,
        bool(_TIMED.search(question)) or bool(kin and kin.asks_time),
        figure or bool(_ONE.search(question)) or bool(kin and kin.asks_single_value),
        own or (leant.names if leant else frozenset()),
        tuple(term for term in leant.terms if term not in replaced) if leant else (),
        analyze_question(thread).names if thread and not own and not leant else frozenset(),
    )


def _names(question: str, found: tuple[str, ...]) -> frozenset[str]:
    named = (
        term
        for name in (*CAPITALIZED_WORD.findall(question), *IDENTIFIER.findall(question))
        for term in content_terms(name)
    )
    return frozenset(named) | (label_terms(question) & set(found))
