"""Whether two documents give different values for the same thing.

Numbers, dates, days, times and a plain yes against a no are compared: which names differ words alone do not tell. Two
sentences that each have words of their own, besides their values, are about different things: a group, a place, a
version, a year.
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
from pipeline.read.verdict import negated, stated
from pipeline.text import STOP_WORDS, terms, words
from pipeline.values import BlockKind

Value = Quantity | Date | str

NEAR = 0.55
"""The cosine with the question, or without vectors the share of its terms, from which a sentence answers it."""
COVERED = 0.66
"""The share of the question's terms that a sentence must have; of two that give values one."""
_BOUND = re.compile(
    r"\b(?:about|around|roughly|approximately|nearly|almost|circa|ca|over|under|at least|(?:more|less) than)\b",
    re.IGNORECASE,
)
"""A value that another one may meet."""
_NAME = re.compile(r"(?<=[\w,] )[A-Z][\w-]*")
_WEEKDAY = re.compile(r"\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_YEAR = re.compile("(?:19|20)[0-9]{2}")
_CLOCK = re.compile(r"\b(\d{1,2})(?::(\d\d)(?:\s*([ap])\.?m\b)?|\s*([ap])\.?m\b)", re.IGNORECASE)


def differing(question: str, evidence: Sequence[Sequence[Candidate]]) -> tuple[Candidate, ...]:
    """Two sentences of different documents that answer the question and do not agree; () where there are none."""
    said = [one for units in evidence for one in units if one.says and one.kind is not BlockKind.ROW]
    near = [one for one in said if _fit(one) >= NEAR]
    for one, other in combinations(sorted(near, key=_fit, reverse=True)[:8], 2):
        apart = one.passage.document.id != other.passage.document.id
        if apart and differ(question, _read(one), _read(other)):
            return one, other
    return ()


def _fit(one: Candidate) -> float:
    return one.cosine or one.coverage


def _read(one: Candidate) -> str:
    """A sentence with the heading that says what it is about."""
    heading = layout.above(one.passage.chunk, one.index)
    return f"{one.text} ({heading})" if _NAME.search(f". {heading}") else one.text


def differ(question: str, one: str, other: str) -> bool:
    """Whether two sentences that answer `question` give different values for the same thing."""
    asked = read(question)
    mine, theirs = _values(one, question), _values(other, question)
    if asked.whether:
        return not (mine or theirs) and _opposed(asked, one, other)
    apart = [kind for kind in mine.keys() & theirs.keys() if not _agree(mine[kind], theirs[kind])]
    if len(apart) != 1 or mine.keys() != theirs.keys() or bool(_BOUND.search(one)) != bool(_BOUND.search(other)):
        return False
    subjects = _own_subject(asked, one, other) or _own_subject(asked, other, one)
    own = _own(asked, one, other) and _own(asked, other, one)
    return not (subjects or own) and (_covers(asked, one) or _covers(asked, other))


def _covers(asked: Asked, text: str) -> bool:
    return len(set(asked.terms) & set(terms(text))) >= COVERED * len(asked.terms)


def _opposed(asked: Asked, one: str, other: str) -> bool:
    """Whether one of them denies what the other says: what the denial alone has may be all it denies."""
    no, yes = (one, other) if negated(one, asked.terms) else (other, one)
    if negated(yes, asked.terms) or not negated(no, asked.terms):
        return False
    return _covers(asked, no) and _covers(asked, yes) and not _own(asked, no, yes)


def _values(text: str, question: str) -> dict[str, set[Value]]:
    """The values of a sentence that the question does not have, by what they measure."""
    asked, plain = figures(question), _CLOCK.sub(" ", text)
    found: dict[str, set[Value]] = defaultdict(set)
    for fact in figures(plain):
        if not any(_same(fact, one) for one in asked):
            found["date" if isinstance(fact, Date) else "year" if _YEAR.fullmatch(fact.value) else fact.unit].add(fact)
    for day in _WEEKDAY.findall(text):
        found["date"].add(day.lower())
    for hour, minute, *half in _CLOCK.findall(text):
        after_noon = "p" in "".join(half).lower()
        found["clock"].add(f"{int(hour) % 12 + 12 * after_noon if any(half) else int(hour)}:{minute or '00'}")
    return found


def _agree(mine: set[Value], theirs: set[Value]) -> bool:
    """Whether any value of one is a value of the other."""
    return any(_same(one, other) for one in mine for other in theirs)


def _same(one: Value, other: Value) -> bool:
    if isinstance(one, Date) and isinstance(other, Date):
        return one.agrees(other) or other.agrees(one)
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        return one.value == other.value or one.amount == other.amount
    return one == other


def _own(asked: Asked, text: str, other: str) -> set[str]:
    """The terms that neither the question nor the other sentence has, values aside."""
    return stated(_without_values(text)) - set(asked.terms) - set(terms(other))


def _own_subject(asked: Asked, text: str, other: str) -> bool:
    """Whether a sentence begins with a term of its own, as `Trainees have four weeks` does."""
    first = next(iter(words(text)), "")
    subject = terms(_without_values(text))[:1] if first not in STOP_WORDS or first in ("the", "a", "an") else []
    return not {*asked.terms, *terms(other)}.issuperset(subject)


def _without_values(text: str) -> str:
    plain = _CLOCK.sub(" ", _WEEKDAY.sub(" ", text))
    for fact in sorted(figures(plain), key=lambda fact: -fact.start):
        plain = f"{plain[: fact.start]} {plain[fact.end :]}"
    return plain
