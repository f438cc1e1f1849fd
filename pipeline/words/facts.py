"""Whether a source has the numbers, dates and periods of a claim: `1,000` and `1000`, `2 weeks` and `14 days` agree."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache

from pipeline.words.clock import CLOCK
from pipeline.words.dates import Date, dates, lowered, slashed
from pipeline.words.language import SMALL_WORDS
from pipeline.words.quantities import Quantity, ordinals, quantities
from pipeline.words.rates import rates
from pipeline.words.units import UNITS, Measure, equals

__all__ = ["Date", "Facts", "Quantity", "dates", "facts_of", "figures", "lowered", "quantities", "rates", "unlabelled"]

_LABEL = re.compile(
    r"^\W*\d{1,2}[.):](?:\s|$)"
    r"|\b(?:passage|source|document|option|question|answer|step)s?\W*#?\d+(?:(?:\s|,|and|&|or|to|-)+\d+)*",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[ \t\u00a0-]+([^\W\d_]+)(?:[ \t\u00a0-]+([^\W\d_]+))?(?:[ \t\u00a0-]+([^\W\d_]+))?")
_SMALL = frozenset[str]().union(*SMALL_WORDS.values()) | {"per", "each", "every"}
_SHARES = re.compile(r"\b(?:(?<!first )(?<!second )(half)(?! past)|a quarter (?=of\b))")
_GROUPED = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}(?![0-9.,])")
_ALONE, _COUNTS = "", "#"
"""Kinds of numbers without a unit: one that stands by itself may have any unit (`Limit (km): 35`), one that counts
something has none (`35 guests`)."""


class Facts:
    """The numbers, dates and periods of a source, to hold those of a claim against."""

    def __init__(self, text: str) -> None:
        found = figures(text)
        text = lowered(text)
        numbers = [fact for fact in found if isinstance(fact, Quantity)]
        periods = rates(text)
        self._dates = [*(fact for fact in found if isinstance(fact, Date)), *slashed(text)]
        self._kinds: dict[str, set[str]] = defaultdict(set)
        self._measures = {measure for fact in (*numbers, *periods) for measure in _means(fact)}
        self._periods: dict[str | Measure, set[Measure | None]] = defaultdict(set)
        counted: dict[int, set[Measure]] = defaultdict(set)
        for period in periods:
            if period.each:
                counted[period.each.start].update(_means(period))
        for fact in numbers:
            self._take(fact, text, counted.get(fact.start, {None}))
        for fact in ordinals(text):
            self._kinds[fact.value].add(_COUNTS)
        for date in self._dates:
            for number in (date.year, date.month, date.day):
                self._kinds[str(number)].add(_COUNTS)
        self._measures.update(_shares(text, numbers))

    def holds(self, fact: Quantity | Date) -> bool:
        """Whether the source has this number in this unit, this date, or this period, and of the same thing."""
        if isinstance(fact, Date):
            return any(fact.agrees(date) for date in self._dates)
        if fact.each and not self._comes(fact, fact.each):
            return False
        means = set(_means(fact))
        if fact.unit.startswith("/"):
            means |= set(equals(fact.unit[1:], fact.amount))
        if not self._measures.isdisjoint(means):
            return True
        value = str(int(fact.amount / 60 - 1) % 12 + 1) if fact.unit == CLOCK and not fact.amount % 60 else fact.value
        kinds = self._kinds.get(value, set())
        return _ALONE in kinds if fact.unit else bool(kinds)

    def _take(self, fact: Quantity, text: str, periods: Set[Measure | None]) -> None:
        """The kind of a number, and the periods that it comes in."""
        following = () if fact.unit else _following(text, fact.end)
        self._kinds[fact.value].add(fact.unit or (_COUNTS if following else _ALONE))
        if _GROUPED.match(text, fact.start) and fact.number < 1000:
            self._kinds[f"{fact.number * 1000:.12g}"].add(fact.unit or _ALONE)
            self._measures.update(equals(fact.unit, round(fact.amount * 1000, 9)))
        for unit, factor in (UNITS[word] for word in following if word in UNITS):
            self._measures.update(equals(unit, fact.number * factor))
        self._periods[fact.value] |= periods
        for measure in _means(fact):
            self._periods[measure] |= periods

    def _comes(self, period: Quantity, thing: Quantity) -> bool:
        """Whether this many things may come in this period: not where the source has no such number of things, nor
        where it has them in other periods only."""
        means = set(_means(period))
        if not self._measures.isdisjoint(measure for reading in period.readings for measure in equals(*reading)):
            return True
        names = [*_means(thing)] if thing.unit else [thing.value]
        known = {one for name in names for one in self._periods.get(name, ())}
        if _ALONE in self._kinds.get(thing.value, ()):
            known.add(None)
        return bool(thing.unit) if not known else None in known or not known.isdisjoint(means)


def _means(fact: Quantity) -> Iterable[Measure]:
    """All measures that it may mean."""
    measures = (*([(fact.unit, fact.amount)] if fact.unit else []), *fact.readings)
    return (measure for unit, amount in measures for measure in equals(unit, amount))


def _shares(text: str, numbers: Iterable[Quantity]) -> Iterator[Measure]:
    """`half of the fee` is 50 % of it; half an hour is not."""
    if "half" in text or "quarter" in text:
        inside = {place for fact in numbers for place in range(fact.start, fact.end)}
        for match in _SHARES.finditer(text):
            if match.start() not in inside:
                yield "%", 50.0 if match[1] else 25.0


def _following(text: str, end: int) -> tuple[str, ...]:
    """The words behind a number that counts something: at most three, up to a small one; none where it stands alone."""
    found: list[str] = []
    match = _WORDS.match(text, end)
    for word in match.groups() if match else ():
        if not word or word in _SMALL:
            break
        found.append(word)
    return tuple(found)


def unlabelled(claim: str) -> str:
    """The claim with blanks for numbers that only count or name something in the answer itself."""
    return _LABEL.sub(lambda match: " " * len(match.group()), claim)


def facts_of(text: str) -> list[Quantity | Date]:
    """Dates, rates, and the numbers that are no part of a date."""
    return [*figures(text), *rates(lowered(text))]


@lru_cache(maxsize=2048)
def figures(text: str) -> tuple[Quantity | Date, ...]:
    """Dates, and the numbers that are no part of a date."""
    text = lowered(text)
    found = dates(text)
    inside = {place for date in found for place in range(date.start, date.end)}
    return (*found, *(number for number in quantities(text) if number.start not in inside))
