"""How often something comes: the period in `three guests a day` is no length of time like that of `within a day`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pipeline.words.numbers import distinct, whole
from pipeline.words.quantities import CASH, Quantity, quantities
from pipeline.words.units import TIME, UNITS, Measure

_ADVERBS: dict[str, Measure] = {
    "hourly": ("s", 3600.0), "daily": ("s", 86400.0), "weekly": ("s", 604800.0), "fortnightly": ("s", 1209600.0),
    "monthly": ("month", 1.0), "quarterly": ("month", 3.0), "yearly": ("month", 12.0), "annual": ("month", 12.0),
    "annually": ("month", 12.0),
}  # fmt: skip
_NAMES = frozenset(word for word in UNITS if len(word) > 1)
_RATE = re.compile(
    r"(?P<how>an?|per|each|every|pro|je|im|par|por|al|cada|ogni)\s+(?P<other>other\s+)?"
    r"(?P<unit>[^\W\d_]+)(?![^\W_])"
)
_SLASH = re.compile(r"(?P<of>[^\W\d_]+|[0-9$€£¥])(?P<how>/)(?P<other>)\s?(?P<unit>[^\W\d_]+)(?![^\W_])")
_ADVERB = re.compile(rf"(?:{'|'.join(_ADVERBS)})(?![^\W_])")
_COUNT = re.compile(r"[\s-]+(?:[^\W\d_]+[\s-]+)?")
"""What stands between `three` and `a day`, and makes a rate of it: `guests`, but no more."""
_NEAR = re.compile(
    r"(?:[\s-]+(?!(?:in|within|after|for|of|by|before|over|at|to|on|from|and|or|is|are|takes?|lasts?)\s)[^\W\d_]+){0,3}"
    r"[\s-]*"
)
_FAR = re.compile(r"[^.;:!?()|\n0-9]{0,40}")
"""The same behind a number with a unit: `12 hours net a week`, `12 hours of overtime per week`."""
_TIMES = re.compile(r"twice\b|\S+\s+times\b")
_ONCE = re.compile(r"\bonce\s+$")
_LASTS = re.compile(
    r"\b(?:in|within|after|for|of|by|before|than|about|under|until|during|lasts?|takes?|nearly|almost|to)\s+$"
)
"""Words before `a day` that make a length of time of it."""


def rates(text: str) -> list[Quantity]:
    """`per week`, `a year`, `monthly`, `a litre`: one of that, with a unit like `/month`.

    What may as well be a length of time has that for a reading; `within a day` is nothing else."""
    words = distinct(text)
    if words.isdisjoint(_NAMES) and words.isdisjoint(_ADVERBS):
        return []
    numbers = quantities(text)
    inside = {place for one in numbers for place in range(one.start, one.end)}
    found = (*_articles(text, numbers), *_adverbs(text, numbers))
    return [one for one in found if one.start not in inside]


def _articles(text: str, numbers: Sequence[Quantity]) -> Iterator[Quantity]:
    slashes = (match for match in _SLASH.finditer(text) if match["of"] in UNITS or match["of"].isdigit())
    for match in (*whole(_RATE, text), *slashes):
        start, end = match.start("how"), match.end()
        unit, factor = UNITS.get(match["unit"], ("", 0.0))
        if not unit or unit == "%" or unit in CASH or text.startswith(" of ", end):
            continue
        article = match["how"] in ("a", "an")
        counted = _counted(text, numbers, start, _NEAR if article else _FAR)
        lasts = article and not counted and not _ONCE.search(text, max(0, start - 6), start)
        if lasts and unit in TIME and _LASTS.search(text, max(0, start - 10), start):
            yield Quantity("", unit, factor, start, end)
        elif counted or unit in TIME:
            amount = factor * (2 if match["other"] else 1)
            yield _rate(text, unit, amount, (start, end), counted, [(unit, amount)] if lasts else [])


def _adverbs(text: str, numbers: Sequence[Quantity]) -> Iterator[Quantity]:
    for match in whole(_ADVERB, text):
        yield _rate(text, *_ADVERBS[match.group()], match.span(), _counted(text, numbers, match.start(), _NEAR), [])


def _rate(
    text: str, unit: str, amount: float, span: tuple[int, int], counted: Quantity | None, readings: list[Measure]
) -> Quantity:
    """A rate; `four times a year` is every three months as well."""
    if counted and counted.number and not counted.unit and _TIMES.match(text, counted.start):
        readings = [*readings, (f"/{unit}", amount / counted.number)]
    return Quantity("", f"/{unit}", amount, *span, tuple(readings), counted)


def _counted(text: str, numbers: Sequence[Quantity], start: int, between: re.Pattern[str]) -> Quantity | None:
    """The last number before a rate, if only few words are `between`."""
    before = [one for one in numbers if one.end <= start]
    if not before or _ONCE.search(text, max(0, start - 6), start):
        return None
    last = before[-1]
    return last if (between if last.unit else _COUNT).fullmatch(text, last.end, start) else None
