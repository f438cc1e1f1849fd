"""The analysis of a question: its content terms, and the kind of answer it wants."""

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
    """True where it is answered by yes or no."""
    asks_date: bool = False
    """True where it asks for the time of an event."""
    asks_figure: bool = False
    """True where it, or the question that it leans on, asks for a number, an amount or a time."""
    asks_time: bool = False
    """True where that figure is a time."""
    asks_single_value: bool = False
    """True where it asks for one thing: a figure, or a name."""
    names: frozenset[str] = frozenset()
    """Its terms that name one of several things: capitalised words inside it, letters and figures behind a noun; where
    there are none, the names of the question that it leans on."""
    topic_terms: tuple[str, ...] = ()
    """Further terms, of the question that it leans on, without the names that its own replace: a text with these as
    well fits better."""
    thread_names: frozenset[str] = frozenset()
    """The names of its thread, where it has none: of texts that differ only in a name, the one with another name does
    not count."""


_REQUEST = re.compile(
    r"^(?:please\s+)?(?:summari[sz]e|sum up|describe|explain|outline|compare|what are all"
    r"|(?:give (?:me|us) )?an? (?:summary|overview) of"
    r"|(?:list|show|name|give|tell)(?: (?:me|us))?(?: about)?(?: (?:all|every|each))?"
    r"|what (?:is|are) the (?:main |key )?(?:differences?|points)\s+(?:between|of|in)"
    r"|what(?:['’]s| is| was| has| were)? (?:been )?(?:new|changed|added|fixed|happened|discussed|said|decided|agreed)"
    r"\s+(?:in|on|at|with|by|during))\b",
    re.IGNORECASE,
)
"""The request at the beginning of a question, which is not its subject."""
_MEASURING = re.compile(r"\b(how|that) (?:many|much|long|often|soon)\b", re.IGNORECASE)
"""A question word with a measure: the measure asks, and is no search term."""
AUXILIARIES = frozenset("is are am was were do does did can may must should will could would has have".split())
_YES_NO = re.compile(rf"^\W*(?:{'|'.join(sorted(AUXILIARIES))})\b(?!.*\bor\b)", re.IGNORECASE)
"""The opening of a yes-or-no question that offers no choice."""
CAPITALIZED_WORD = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w'’-]*")
"""A capitalised word inside a question."""
IDENTIFIER = re.compile(r"(?<!\w)(?:[^\W\d_]{1,8}[-_/.]?|[A-Z]{1,4} )\d{2,12}(?!\w)")
"""A code: letters and a figure that name a part, a ticket, an error."""
_ASKS_DATE = word_pattern("when|(?:what|which) (?:date|day|year)|wann|quand|cuándo|quando")

_ASKS_TIME = word_pattern(
    "(?:^|and |by |since |until |from )when|how (?:long|often|soon|old|late|early)|wann|wie (?:lange|oft|alt)"
)
_ASKS_FIGURE = word_pattern(r"""
    how (?:many|much|long|often|soon|old|late|early|far|large|big|high)|(?:^|and |by |since |until |from )when
    wann|wie ?(?:viele?|lange?|oft|alt|hoch|teuer|weit)
    (?:what|which)(?:['’]s)? (?:\w+ ){0,2}(?:date|day|year|time|number|amount|percentage|price|cost|fee|limit)
""")
"""Words that ask for a value."""
_ASKS_NAME = re.compile(
    rf"^\W*(?:(?:and|or|but|so)\s+)?(?:who|whose|where|(?:which|what)\s+(?!(?:{'|'.join(sorted(AUXILIARIES))}|if|about)\b)\w+"
    r"|what(?:['’]s|\s+is|\s+was)\s+(?:the|my|our|its)\s+\w+)\b",
    re.IGNORECASE,
)
"""Words that ask for a name."""
_ASKS_ITSELF = word_pattern("wh(?:en|ere|o|om|ose|y|ich)|(?:what|how)(?! about)|wann|wo|wer|warum|wie|was")
"""Words that show the kind of answer without an earlier question."""


@lru_cache(maxsize=512)
def analyze_question(question: str, topic: str = "", thread: str = "") -> AnalyzedQuestion:
    """Analyze `question`, which may lean on an earlier one, `topic`, or only stand in a `thread` with it. Results are
    cached."""
    plain = strip_japanese_endings(_REQUEST.sub("", _MEASURING.sub(r"\1", _YES_NO.sub(" ", question, count=1))))
    terms = tuple(dict.fromkeys(content_terms(plain) or content_terms(question))) or tuple(query_terms(question))
    own_names, earlier = _find_names(question, terms), analyze_question(topic) if topic else None
    completed = earlier if earlier and not _ASKS_ITSELF.search(question) else None
    figure = bool(_ASKS_FIGURE.search(question)) or bool(completed and completed.asks_figure)
    replaced = {*terms, *(earlier.names if earlier and own_names else ())}
    return AnalyzedQuestion(
        question,
        terms,
        bool(_YES_NO.search(question)),
        bool(_ASKS_DATE.search(question)),
        figure,
        bool(_ASKS_TIME.search(question)) or bool(completed and completed.asks_time),
        figure or bool(_ASKS_NAME.search(question)) or bool(completed and completed.asks_single_value),
        own_names or (earlier.names if earlier else frozenset()),
        tuple(term for term in earlier.terms if term not in replaced) if earlier else (),
        analyze_question(thread).names if thread and not own_names and not earlier else frozenset(),
    )


def _find_names(question: str, terms: tuple[str, ...]) -> frozenset[str]:
    named = (
        term
        for name in (*CAPITALIZED_WORD.findall(question), *IDENTIFIER.findall(question))
        for term in content_terms(name)
    )
    return frozenset(named) | (label_terms(question) & set(terms))
