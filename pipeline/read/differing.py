"""Whether two documents give different values for the same thing.

Only numbers, dates and a plain yes against a no are compared: which names differ words alone do not tell. Where one of
two sentences is about a thing or a name of its own, they do not contradict each other.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

from pipeline.facts import Date, Quantity, figures
from pipeline.read.asked import Asked, read
from pipeline.read.evidence import Candidate
from pipeline.read.verdict import negated
from pipeline.text import STOP_WORDS, stem, terms, words
from pipeline.values import BlockKind

NEAR = 0.6
"""How far below the best sentence one of another document may score to be about the same."""
COVERED = 0.66
"""The share of the question's terms that one of the two must have."""
OPPOSED = 0.75
"""The share of the question's terms that both must have where one says no."""
_NAME = re.compile(r"(?<=[\w,] )[A-Z][\w-]*")


def differing(question: str, evidence: Sequence[Sequence[Candidate]]) -> tuple[Candidate, ...]:
    """Two sentences of different documents that answer about equally well and do not agree; () where there are none."""
    said = [one for units in evidence for one in units if one.says and one.kind is not BlockKind.ROW]
    best = max((one.score for one in said), default=0.0)
    near = sorted((one for one in said if one.score >= best - NEAR), key=lambda one: -one.score)[:8]
    for one, other in combinations(near, 2):
        apart = one.passage.document.id != other.passage.document.id
        if apart and differ(question, one.text, other.text):
            return one, other
    return ()


def differ(question: str, one: str, other: str) -> bool:
    """Whether two sentences that answer `question` give different values for the same thing."""
    asked = read(question)
    known = set(asked.terms)
    if _has_its_own(one, known | set(terms(other))) or _has_its_own(other, known | set(terms(one))):
        return False
    mine, theirs = _values(one, question), _values(other, question)
    if asked.whether:
        return not (mine or theirs) and _opposed(asked, one, other)
    covered = max(len(known & set(terms(text))) for text in (one, other)) >= COVERED * len(known)
    apart = [kind for kind in mine.keys() & theirs.keys() if not _agree(mine[kind], theirs[kind])]
    return covered and len(apart) == 1 and mine.keys() == theirs.keys()


def _opposed(asked: Asked, one: str, other: str) -> bool:
    about = [set(asked.terms) & set(terms(text)) for text in (one, other)]
    return all(len(found) >= OPPOSED * len(asked.terms) for found in about) and (
        negated(one, asked.terms) != negated(other, asked.terms)
    )


def _values(text: str, question: str) -> dict[str, set[Quantity | Date]]:
    """The values of a sentence that the question does not have, by what they measure."""
    asked = figures(question)
    found: dict[str, set[Quantity | Date]] = defaultdict(set)
    for fact in figures(text):
        if not any(_same(fact, one) for one in asked):
            found["date" if isinstance(fact, Date) else fact.unit].add(fact)
    return found


def _agree(mine: set[Quantity | Date], theirs: set[Quantity | Date]) -> bool:
    """Whether any value of one is a value of the other."""
    return any(_same(one, other) for one in mine for other in theirs)


def _same(one: Quantity | Date, other: Quantity | Date) -> bool:
    if isinstance(one, Date) and isinstance(other, Date):
        return one.agrees(other) or other.agrees(one)
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        return one.value == other.value or one.amount == other.amount
    return False


def _has_its_own(text: str, known: set[str]) -> bool:
    """Whether what a sentence begins with, or a name in it, is neither in the question nor in the other sentence."""
    plain = text
    for fact in sorted(figures(text), key=lambda fact: -fact.start):
        plain = plain[: fact.start] + " " * (fact.end - fact.start) + plain[fact.end :]
    first = words(text)[:1]
    begins = terms(plain)[:1] if first and (first[0] not in STOP_WORDS or first[0] in ("the", "a", "an")) else []
    names = [stem(name.lower()) for name in _NAME.findall(plain) if name.lower() not in STOP_WORDS]
    return any(term not in known for term in (*begins, *names))
