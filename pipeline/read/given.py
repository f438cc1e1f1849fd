"""The values that a sentence gives, by what they measure: two of one kind say the same, or do not."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import dataclass

from pipeline.words.facts import Date, Quantity, figures

NEARLY = 0.01
"""How far two amounts may be apart that were written in different units."""
_KINDS = {
    "s": ("time", 1.0, 1.0),
    "month": ("time", 28 * 86400.0, 31 * 86400.0),
    "m": ("length", 1.0, 1.0),
    "mile": ("length", 1609.344, 1609.344),
    "inch": ("length", 0.0254, 0.0254),
    "g": ("weight", 1.0, 1.0),
    "lb": ("weight", 453.592, 453.592),
}
"""What a unit measures, and the least and most that it is of that: a month has 28 to 31 days."""
_YEAR = re.compile("(?:19|20)[0-9]{2}")
_WEEKDAY = re.compile(r"\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_MONTHS = "January February March April May June July August September October November December".split()
_MONTH = re.compile(rf"(?<!\w)(?<!\d )(?!May (?!and |or |to ))({'|'.join(_MONTHS)})\b(?! \d)")
"""A month without a day or year; `May` may be no month."""
_CLOCK = re.compile(
    r"\b(\d{1,2})(?:[:.](\d\d)\s*([ap])\.?m\b|:(\d\d)|\s*([ap])\.?m\b|\s*o['’]clock\b)|\b(noon|midnight)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, or what lies between two."""

    low: float
    high: float
    unit: str = ""

    def agrees(self, other: Amount) -> bool:
        slack = NEARLY * max(self.high, other.high) if self.unit != other.unit else 0.0
        return max(self.low, other.low) <= min(self.high, other.high) + slack


Value = Amount | Date | str


def values(text: str, question: str) -> dict[str, set[Value]]:
    """The values of a sentence that the question does not have, by what they measure."""
    asked = [_measured(fact) for fact in figures(_CLOCK.sub(" ", question))]
    found: dict[str, set[Value]] = defaultdict(set)
    for fact in figures(_CLOCK.sub(" ", text)):
        kind, value = _measured(fact)
        if not any(kind == other and agree({value}, {one}) for other, one in asked):
            found[kind].add(value)
    for kind, value in _named(text) - _named(question):
        found[kind].add(value)
    return {kind: said for kind, said in found.items() if said}


def _named(text: str) -> set[tuple[str, Value]]:
    """Weekdays, months and times of the day."""
    days: set[tuple[str, Value]] = {("date", day.lower()) for day in _WEEKDAY.findall(text)}
    months = {("date", Date(0, _MONTHS.index(month) + 1, 0, 0, 0)) for month in _MONTH.findall(text)}
    return days | months | {("clock", _time(match)) for match in _CLOCK.finditer(text)}


def without_values(text: str) -> str:
    plain = _MONTH.sub(" ", _WEEKDAY.sub(" ", _CLOCK.sub(" ", text)))
    for fact in sorted(figures(plain), key=lambda fact: -fact.start):
        plain = f"{plain[: fact.start]} {plain[fact.end :]}"
    return plain


def agree(mine: set[Value], theirs: set[Value]) -> bool:
    """Whether any value of one is a value of the other."""
    return any(_same(one, other) for one in mine for other in theirs)


def _measured(fact: Quantity | Date) -> tuple[str, Value]:
    if isinstance(fact, Date):
        return "date", fact
    if not math.isnan(fact.amount):
        kind, least, most = _KINDS.get(fact.unit, (fact.unit, 1.0, 1.0))
        return kind, Amount(fact.amount * least, fact.amount * most, fact.unit)
    return ("year" if _YEAR.fullmatch(fact.value) else fact.unit), fact.value


def _time(match: re.Match[str]) -> str:
    hour, full, first, minute, second, named = match.groups()
    if named:
        return "12:00" if named.lower() == "noon" else "0:00"
    half = (first or second or "").lower()
    return f"{int(hour) % 12 + 12 * (half == 'p') if half else int(hour)}:{full or minute or '00'}"


def _same(one: Value, other: Value) -> bool:
    if isinstance(one, Date) and isinstance(other, Date):
        return one.agrees(other) or other.agrees(one)
    if isinstance(one, Amount) and isinstance(other, Amount):
        return one.agrees(other)
    return one == other
