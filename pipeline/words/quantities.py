"""Numbers with their units as they stand in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from pipeline.words.numbers import distinct_words, find_spelled_numbers, match_whole_words, parse_figure
from pipeline.words.units import (
    CLOCK_UNIT,
    MEASURES_BY_NAME,
    OTHER_MEASURES,
    TIME_UNITS,
    UNIT_PREFIXES,
    Measure,
    find_noon,
    format_clock_time,
    parse_bare_time,
    parse_clock_time,
)

_TIMES = {"hundred": 1e2, "dozen": 12.0} | {
    word: worth
    for worth, written in {
        1e3: "k thousand tausend mille mil mila duizend tusind",
        1e6: "mio million millions millionen millones milhões milioni miljoen millioner",
        1e9: "bn mrd billion billions milliarden milliards miliardi miljard milliarder",
    }.items()
    for word in written.split()
}
_QUALIFIERS = frozenset("working business calendar full consecutive us".split())
CURRENCY_SIGNS = frozenset("$€£¥")
_DIGIT = re.compile("[0-9]")
_FIGURE = re.compile(r"[0-9]+(?:[.,:][0-9]+|['’\u00a0\u202f\u2009][0-9]{3}(?![0-9]))*")
_ENDING = re.compile(r"(?:st|nd|rd|th|s)(?![^\W_])")
_NEXT = re.compile(r"[\s-]{0,4}([^\W\d_]+(?:[²³23]|/[^\W\d_]+)?(?!\w)|[%$€£¥]|°(?:\s?[cf](?![^\W_]))?)")
_MONEY = re.compile(r"((?<![^\W_])(?:usd|eur|gbp|jpy|chf)|[$€£¥])\s?$")
_MORE = re.compile(r"[\s-]+and[\s-]+a[\s-]+(half|quarter)\b|\s?([½¼¾])|\s([13]/[24])(?![0-9/])")
_PART = {
    "half": 0.5, "quarter": 0.25, "½": 0.5, "¼": 0.25, "¾": 0.75, "1/2": 0.5, "1/4": 0.25, "3/4": 0.75,
    "a": 0.25, "one": 0.25, "three": 0.75,
}  # fmt: skip
"""What parts are worth; of quarters, how many there are."""
_PARTS = re.compile(
    r"(?P<part>half)[\s-]+(?:an?[\s-]+)?(?P<word>[^\W\d_]+)"
    r"|(?P<quarters>a|one|three)[\s-]+(?P<name>quarters?)\s+of\b(?:\s+an?\s+(?P<of>[^\W\d_]+))?"
    r"|an?\s+(?P<one>[^\W\d_]+)\s+and\s+a\s+(?P<more>half|quarter)\b"
)
_TWICE = re.compile(r"\btwice\b")
_NAMES = frozenset("half quarter quarters noon midday midnight twice".split())
"""Words that may be a number or time in a pattern of their own."""
_RANGE = re.compile(r"(?: ?[-–—] ?|\s+(?:to|or|bis|oder|à|ou|o|tot|of|til|eller)\s+)(?:up\s+to\s+)?[$€£¥]?")
_BETWEEN = re.compile(r"\s+(?:and|und|et|y|e|en|og)\s+[$€£¥]?")
_OPENS = re.compile(r"\b(?:between|zwischen|entre|tra|fra|tussen|mellem)\s+[$€£¥]?$")
_TOGETHER = re.compile(r"\s*,?\s+(?:(?:and|und|et|y|e|en|og)\s+)?")
_YEAR = re.compile("(?:19|20)[0-9]{2}")
_EVERY = re.compile(r"\b(?:per|every|each|alle)\s+$")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit as it stands in a text, or a period: `three` and `a day` of `three guests a day`."""

    value: str
    """Normalised; a figure with several parts (`1.2.3`, `9:30`) as it is; empty for a period."""
    unit: str
    """The measure, empty when none is known."""
    amount: float
    """In the measure's base unit (seconds, months, metres, grams, bytes); nan without one."""
    start: int
    end: int
    alternatives: tuple[Measure, ...] = ()
    """What it may mean besides, or is a part of."""
    per_period: Quantity | None = None
    """What comes in each such period, where that is told."""

    @property
    def number(self) -> float:
        """As it is written; 0 for what is no plain number."""
        return float(self.value) if self.value.replace(".", "", 1).isdigit() else 0.0


@lru_cache(maxsize=2048)
def find_quantities(text: str) -> tuple[Quantity, ...]:
    """Numbers in figures and words of a text in lower case, in its order; a lone `one` is a pronoun and no number."""
    found = [*_in_figures(text), *_in_words(text)] if _DIGIT.search(text) else list(_in_words(text))
    words = distinct_words(text)
    if not words.isdisjoint(_NAMES):
        found = [*_parts(text), *_named(text), *found]
    if len(found) < 2:
        return tuple(found)
    found.sort(key=lambda one: (one.start, -one.end))
    apart = [found[0]]
    for one in found:
        if one.start >= apart[-1].end:
            apart.append(one)
    return tuple(_with_neighbours(text, apart))


def find_ordinals(text: str) -> Iterator[Quantity]:
    """`first`, `twenty-second`: numbers that nobody claims, but a source may have them."""
    return (_measured(text, one.start, one.end, one.value) for one in find_spelled_numbers(text) if one.ordinal)


def _in_figures(text: str) -> Iterator[Quantity]:
    for match in match_whole_words(_FIGURE, text):
        start, end = match.span()
        times, clock_end = parse_clock_time(text, start, end)
        if times:
            yield Quantity(format_clock_time(times[0][1]), *times[0], start, clock_end, tuple(times[1:]))
            continue
        money = _MONEY.search(text, max(0, start - 5), start)
        following = _NEXT.match(text, end)
        cash = bool(money or (following and MEASURES_BY_NAME.get(following[1], ("", 0))[0] in CURRENCY_SIGNS))
        number = parse_figure(match.group(), text, money=cash)
        if number is None:
            yield Quantity(match.group(), "", float("nan"), start, end, parse_bare_time(match.group()))
        else:
            ending = _ENDING.match(text, end)
            yield _measured(text, start, ending.end() if ending else end, number, money[1] if money else "")


def _in_words(text: str) -> Iterator[Quantity]:
    for one in find_spelled_numbers(text):
        found = _measured(text, one.start, one.end, one.value)
        if not one.ordinal and (found.unit or found.value != "1"):
            yield found


def _measured(text: str, start: int, end: int, number: float, written: str = "") -> Quantity:
    """The number that ends at `end`, with the multiples, part and unit behind it, unless one was `written` before."""
    if more := _MORE.match(text, end):
        number, end = number + _PART[more[more.lastindex or 0]], more.end()
    following = _NEXT.match(text, end)
    while following and (following[1] in _TIMES or (written and following[1] == "m")):
        number, end = number * _TIMES.get(following[1], 1e6), following.end()
        following = _NEXT.match(text, end)
    if not written:
        if following and following[1] in _QUALIFIERS:
            following = _NEXT.match(text, following.end())
        written, end = _unit(text, following, end)
        if written and (more := _MORE.match(text, end)):
            number, end = number + _PART[more[more.lastindex or 0]], more.end()
    return _quantity(text, written, number, start, end)


def _unit(text: str, following: re.Match[str] | None, end: int) -> tuple[str, int]:
    """The longest name of a unit that begins with the word that is `following`."""
    found, phrase = ("", end), ""
    while following:
        phrase = f"{phrase} {following[1]}".lstrip()
        if phrase in MEASURES_BY_NAME:
            found = (phrase, following.end())
        elif "/" in phrase and (first := phrase.partition("/")[0]) in MEASURES_BY_NAME:
            found = (first, following.end() - len(phrase) + len(first))
        following = _NEXT.match(text, following.end()) if phrase in UNIT_PREFIXES else None
    return found


def _quantity(text: str, written: str, number: float, start: int, end: int) -> Quantity:
    if not written:
        return Quantity(f"{number:.12g}", "", float("nan"), start, end)
    unit, factor = MEASURES_BY_NAME[written]
    amount = round(number * factor, 9)
    readings = [(also, round(number * worth, 9)) for also, worth in OTHER_MEASURES.get(written, ())]
    if unit in TIME_UNITS and _EVERY.search(text, max(0, start - 7), start):
        readings.append((f"/{unit}", amount))
    return Quantity(f"{number:.12g}", unit, amount, start, end, tuple(readings))


def _parts(text: str) -> Iterator[Quantity]:
    """`half an hour`, `a quarter of a year`, `an hour and a half`."""
    for match in match_whole_words(_PARTS, text):
        word = match["word"] or match["of"] or match["one"]
        number = _PART[match["part"] or match["quarters"]] if not match["one"] else 1 + _PART[match["more"]]
        if word in _TIMES:
            yield _measured(text, match.start(), match.end(), number * _TIMES[word])
        elif word in MEASURES_BY_NAME:
            yield _quantity(text, word, number, *match.span())
        elif match["quarters"] in ("one", "three"):
            yield _quantity(text, "%", 100 * number, match.start(), match.end("name"))


def _named(text: str) -> Iterator[Quantity]:
    for minutes, start, end in find_noon(text):
        yield Quantity(format_clock_time(minutes), CLOCK_UNIT, minutes, start, end)
    for match in _TWICE.finditer(text):
        yield Quantity("2", "", float("nan"), *match.span())


def _with_neighbours(text: str, found: list[Quantity]) -> list[Quantity]:
    """The numbers of `3-5 days` and `$10 to 20` have one unit; those of `1 hour 30 minutes` are parts of 90 minutes."""
    for place, (one, other) in enumerate(pairwise(found)):
        if not one.unit and other.unit and _ranged(text, one, other):
            found[place] = _alike(one, other)
        elif one.unit in CURRENCY_SIGNS and not other.unit and _ranged(text, one, other):
            found[place + 1] = _alike(other, one)
        elif one.unit and one.unit == other.unit and _parts_of_one(text, one, other):
            both = (one.unit, round(one.amount + other.amount, 9))
            found[place] = replace(one, alternatives=(*one.alternatives, both))
            found[place + 1] = replace(other, alternatives=(*other.alternatives, both))
    return found


def _ranged(text: str, one: Quantity, other: Quantity) -> bool:
    """Whether two numbers, of which one has a unit, are the ends of a range."""
    if CLOCK_UNIT in (one.unit, other.unit) or _YEAR.fullmatch(one.value) or not (one.number and other.number):
        return False
    if _RANGE.fullmatch(text, one.end, other.start):
        return True
    opened = _OPENS.search(text, max(0, one.start - 12), one.start)
    return bool(opened and _BETWEEN.fullmatch(text, one.end, other.start))


def _parts_of_one(text: str, one: Quantity, other: Quantity) -> bool:
    """Whether the second is the rest of the first: less than one of its units, and right behind it."""
    smaller = bool(one.number) and other.amount < one.amount / one.number
    return smaller and bool(_TOGETHER.fullmatch(text, one.end, other.start))


def _alike(one: Quantity, other: Quantity) -> Quantity:
    """The first number in the unit of the second."""
    times = one.number / other.number
    readings = tuple((unit, round(amount * times, 9)) for unit, amount in other.alternatives)
    return replace(one, unit=other.unit, amount=round(other.amount * times, 9), alternatives=readings)
