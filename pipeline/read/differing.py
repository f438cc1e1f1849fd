"""Whether two documents give different values for the same thing.

Only numbers, dates, days and a plain yes against a no are compared: which names differ words alone do not tell. Where
one of two sentences is about a group, a place, a version or a time of its own, they do not contradict each other.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

from pipeline.facts import Date, Quantity, figures
from pipeline.read import layout
from pipeline.read.asked import Asked, read
from pipeline.read.evidence import Candidate
from pipeline.read.verdict import negated
from pipeline.text import STOP_WORDS, stem, terms, words
from pipeline.values import BlockKind

NEAR = 0.6
"""How far below the best sentence one of another document may score to be about the same."""
COVERED = 0.66
"""The share of the question's terms that one of the two must have, unless the question asks for a measure."""
_MEASURE = re.compile(
    r"\b(?:how (?:long|many|much|often|far|old|soon)|when|on (?:which|what) day|deadline)\b", re.IGNORECASE
)
_ROUGH = re.compile(r"\b(?:about|around|roughly|approximately|nearly|almost|circa|ca)\b", re.IGNORECASE)
_PREPOSITION = re.compile(
    r"\b(?:for|in|on|at|of|within|outside|inside|until|before|after|since|from|under|during|when|if|by)\s+"
    r"((?:[^\s,.;:]+\s*){1,4})",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[\w,] )[A-Z][\w-]*")
_WEEKDAY = re.compile(r"\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_TIME = re.compile(r"\d:\d\d")


def differing(question: str, evidence: Sequence[Sequence[Candidate]]) -> tuple[Candidate, ...]:
    """Two sentences of different documents that answer about equally well and do not agree; () where there are none."""
    said = [one for units in evidence for one in units if one.says and one.kind is not BlockKind.ROW]
    best = max((one.score for one in said), default=0.0)
    near = sorted((one for one in said if one.score >= best - NEAR), key=lambda one: -one.score)[:8]
    for one, other in combinations(near, 2):
        apart = one.passage.document.id != other.passage.document.id
        if apart and differ(question, _read(one), _read(other)):
            return one, other
    return ()


def _read(one: Candidate) -> str:
    """A sentence with the heading that says what it is about."""
    heading = layout.above(one.passage.chunk, one.index)
    return f"{one.text} ({heading})" if _NAME.search(f". {heading}") else one.text


def differ(question: str, one: str, other: str) -> bool:
    """Whether two sentences that answer `question` give different values for the same thing."""
    asked = read(question)
    known = set(asked.terms)
    if _qualified(one, known | set(terms(other))) or _qualified(other, known | set(terms(one))):
        return False
    mine, theirs = _values(one, question), _values(other, question)
    if asked.whether:
        return not (mine or theirs) and _opposed(asked, one, other)
    covered = max(len(known & set(terms(text))) for text in (one, other)) >= COVERED * len(known)
    if not (covered or _MEASURE.search(question)) or any(map(_ROUGH.search, (one, other))):
        return False
    apart = [kind for kind in mine.keys() & theirs.keys() if not _agree(mine[kind], theirs[kind])]
    return len(apart) == 1 and mine.keys() == theirs.keys()


def _opposed(asked: Asked, one: str, other: str) -> bool:
    about = [set(asked.terms) & set(terms(text)) for text in (one, other)]
    return all(4 * len(found) >= 3 * len(asked.terms) for found in about) and (
        negated(one, asked.terms) != negated(other, asked.terms)
    )


def _values(text: str, question: str) -> dict[str, set[Quantity | Date | str]]:
    """The values of a sentence that the question does not have, by what they measure."""
    asked = figures(question)
    found: dict[str, set[Quantity | Date | str]] = defaultdict(set)
    for fact in figures(_TIME.sub(" ", text)):
        if not any(_same(fact, one) for one in asked):
            found["date" if isinstance(fact, Date) else fact.unit].add(fact)
    for day in _WEEKDAY.findall(text):
        found["date"].add(day.lower())
    return found


def _agree(mine: set[Quantity | Date | str], theirs: set[Quantity | Date | str]) -> bool:
    """Whether any value of one is a value of the other."""
    return any(_same(one, other) for one in mine for other in theirs)


def _same(one: Quantity | Date | str, other: Quantity | Date | str) -> bool:
    if isinstance(one, Date) and isinstance(other, Date):
        return one.agrees(other) or other.agrees(one)
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        return one.value == other.value or one.amount == other.amount
    return one == other


def _qualified(text: str, known: set[str]) -> bool:
    """Whether a sentence is about something of its own: what it begins with, a name, or what follows a preposition is
    neither in the question nor in the other sentence."""
    facts = sorted((fact.start, fact.end) for fact in figures(text))
    plain = text
    for start, end in reversed(facts):
        plain = plain[:start] + " " * (end - start) + plain[end:]
    plain = _WEEKDAY.sub(" ", plain)
    first = words(text)[:1]
    begins = terms(plain)[:1] if first and (first[0] not in STOP_WORDS or first[0] in ("the", "a", "an")) else []
    after = [term for phrase in _PREPOSITION.findall(plain) for term in _phrase(phrase)]
    names = [stem(name.lower()) for name in _NAME.findall(plain) if name.lower() not in STOP_WORDS]
    return any(term not in known for term in (*begins, *after, *names))


def _phrase(phrase: str) -> list[str]:
    """The terms right behind a preposition, an article aside, up to the next stop word."""
    found: list[str] = []
    for number, word in enumerate(phrase.split()):
        if word.lower() in STOP_WORDS:
            if number:
                break
            continue
        found += terms(word)
    return found
