"""Numbers with their units in a text."""

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

_MULTIPLES = {"hundred": 1e2, "dozen": 12.0} | {
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
_NEXT_WORD = re.compile(r"[\s-]{0,4}([^\W\d_]+(?:[²³23]|/[^\W\d_]+)?(?!\w)|[%$€£¥]|°(?:\s?[cf](?![^\W_]))?)")
_MONEY = re.compile(r"((?<![^\W_])(?:usd|eur|gbp|jpy|chf)|[$€£¥])\s?$")
_FRACTION = re.compile(r"[\s-]+and[\s-]+a[\s-]+(half|quarter)\b|\s?([½¼¾])|\s([13]/[24])(?![0-9/])")
_FRACTION_VALUES = {
    "half": 0.5, "quarter": 0.25, "½": 0.5, "¼": 0.25, "¾": 0.75, "1/2": 0.5, "1/4": 0.25, "3/4": 0.75,
    "a": 0.25, "one": 0.25, "three": 0.75,
}  # fmt: skip
"""Values of fractions; of quarters, their number."""
_FRACTION_PHRASES = re.compile(
    r"(?P<part>half)[\s-]+(?:an?[\s-]+)?(?P<word>[^\W\d_]+)"
    r"|(?P<quarters>a|one|three)[\s-]+(?P<name>quarters?)\s+of\b(?:\s+an?\s+(?P<of>[^\W\d_]+))?"
    r"|an?\s+(?P<one>[^\W\d_]+)\s+and\s+a\s+(?P<more>half|quarter)\b"
)
_TWICE = re.compile(r"\btwice\b")
_NAMES = frozenset("half quarter quarters noon midday midnight twice".split())
"""Words that may be a number or a time in a pattern of their own."""
_RANGE = re.compile(r"(?: ?[-–—] ?|\s+(?:to|or|bis|oder|à|ou|o|tot|of|til|eller)\s+)(?:up\s+to\s+)?[$€£¥]?")
_BETWEEN = re.compile(r"\s+(?:and|und|et|y|e|en|og)\s+[$€£¥]?")
_RANGE_OPENING = re.compile(r"\b(?:between|zwischen|entre|tra|fra|tussen|mellem)\s+[$€£¥]?$")
_REMAINDER_GAP = re.compile(r"\s*,?\s+(?:(?:and|und|et|y|e|en|og)\s+)?")
_YEAR = re.compile("(?:19|20)[0-9]{2}")
_EVERY = re.compile(r"\b(?:per|every|each|alle)\s+$")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit in a text, or a period: `three` and `a day` of `three guests a day`."""

    value: str
    """Normalized number; a figure with several parts (`1.2.3`, `9:30`) is unchanged; empty for a period."""
    unit: str
    """Base unit, empty when none is known."""
    amount: float
    """Amount in the base unit (seconds, months, metres, grams, bytes); nan without one."""
    start: int
    end: int
    alternatives: tuple[Measure, ...] = ()
    """Other measures that it may mean, or is a part of."""
    per_period: Quantity | None = None
    """The quantity that comes in each such period, where there is one."""

    @property
    def number(self) -> float:
        """Plain number as written; 0 where it is none."""
        return float(self.value) if self.value.replace(".", "", 1).isdigit() else 0.0


@lru_cache(maxsize=2048)
def find_quantities(text: str) -> tuple[Quantity, ...]:
    """Return the numbers in figures and words of a text in lower case, in order; a lone `one` is a pronoun and no
    number."""
    quantities = [*_find_figures(text), *_find_spelled(text)] if _DIGIT.search(text) else list(_find_spelled(text))
    words = distinct_words(text)
    if not words.isdisjoint(_NAMES):
        quantities = [*_find_fractions(text), *_find_named(text), *quantities]
    if len(quantities) < 2:
        return tuple(quantities)
    quantities.sort(key=lambda quantity: (quantity.start, -quantity.end))
    apart = [quantities[0]]
    for quantity in quantities:
        if quantity.start >= apart[-1].end:
            apart.append(quantity)
    return tuple(_share_units(text, apart))


def find_ordinals(text: str) -> Iterator[Quantity]:
    """Yield ordinals (`first`, `twenty-second`): no claim is checked for them, but a source may have them."""
    return (
        _read_measure(text, number.start, number.end, number.value)
        for number in find_spelled_numbers(text)
        if number.ordinal
    )


def _find_figures(text: str) -> Iterator[Quantity]:
    for match in match_whole_words(_FIGURE, text):
        start, end = match.span()
        times, clock_end = parse_clock_time(text, start, end)
        if times:
            yield Quantity(format_clock_time(times[0][1]), *times[0], start, clock_end, tuple(times[1:]))
            continue
        money = _MONEY.search(text, max(0, start - 5), start)
        following = _NEXT_WORD.match(text, end)
        cash = bool(money or (following and MEASURES_BY_NAME.get(following[1], ("", 0))[0] in CURRENCY_SIGNS))
        number = parse_figure(match.group(), text, money=cash)
        if number is None:
            yield Quantity(match.group(), "", float("nan"), start, end, parse_bare_time(match.group()))
        else:
            ending = _ENDING.match(text, end)
            yield _read_measure(text, start, ending.end() if ending else end, number, money[1] if money else "")


def _find_spelled(text: str) -> Iterator[Quantity]:
    for number in find_spelled_numbers(text):
        quantity = _read_measure(text, number.start, number.end, number.value)
        if not number.ordinal and (quantity.unit or quantity.value != "1"):
            yield quantity


def _read_measure(text: str, start: int, end: int, number: float, written: str = "") -> Quantity:
    """Return the number that ends at `end`, with the multiples, fraction and unit behind it, unless a unit was
    `written` before."""
    if more := _FRACTION.match(text, end):
        number, end = number + _FRACTION_VALUES[more[more.lastindex or 0]], more.end()
    following = _NEXT_WORD.match(text, end)
    while following and (following[1] in _MULTIPLES or (written and following[1] == "m")):
        number, end = number * _MULTIPLES.get(following[1], 1e6), following.end()
        following = _NEXT_WORD.match(text, end)
    if not written:
        if following and following[1] in _QUALIFIERS:
            following = _NEXT_WORD.match(text, following.end())
        written, end = _read_unit(text, following, end)
        if written and (more := _FRACTION.match(text, end)):
            number, end = number + _FRACTION_VALUES[more[more.lastindex or 0]], more.end()
    return _make_quantity(text, written, number, start, end)


def _read_unit(text: str, following: re.Match[str] | None, end: int) -> tuple[str, int]:
    """Return the longest unit name that begins with the word `following`, and its end."""
    longest, phrase = ("", end), ""
    while following:
        phrase = f"{phrase} {following[1]}".lstrip()
        if phrase in MEASURES_BY_NAME:
            longest = (phrase, following.end())
        elif "/" in phrase and (first := phrase.partition("/")[0]) in MEASURES_BY_NAME:
            longest = (first, following.end() - len(phrase) + len(first))
        following = _NEXT_WORD.match(text, following.end()) if phrase in UNIT_PREFIXES else None
    return longest


def _make_quantity(text: str, written: str, number: float, start: int, end: int) -> Quantity:
    if not written:
        return Quantity(f"{number:.12g}", "", float("nan"), start, end)
    unit, factor = MEASURES_BY_NAME[written]
    amount = round(number * factor, 9)
    readings = [(also, round(number * worth, 9)) for also, worth in OTHER_MEASURES.get(written, ())]
    if unit in TIME_UNITS and _EVERY.search(text, max(0, start - 7), start):
        readings.append((f"/{unit}", amount))
    return Quantity(f"{number:.12g}", unit, amount, start, end, tuple(readings))


def _find_fractions(text: str) -> Iterator[Quantity]:
    """Yield fractions: `half an hour`, `a quarter of a year`, `an hour and a half`."""
    for match in match_whole_words(_FRACTION_PHRASES, text):
        word = match["word"] or match["of"] or match["one"]
        number = (
            _FRACTION_VALUES[match["part"] or match["quarters"]]
            if not match["one"]
            else 1 + _FRACTION_VALUES[match["more"]]
        )
        if word in _MULTIPLES:
            yield _read_measure(text, match.start(), match.end(), number * _MULTIPLES[word])
        elif word in MEASURES_BY_NAME:
            yield _make_quantity(text, word, number, *match.span())
        elif match["quarters"] in ("one", "three"):
            yield _make_quantity(text, "%", 100 * number, match.start(), match.end("name"))


def _find_named(text: str) -> Iterator[Quantity]:
    for minutes, start, end in find_noon(text):
        yield Quantity(format_clock_time(minutes), CLOCK_UNIT, minutes, start, end)
    for match in _TWICE.finditer(text):
        yield Quantity("2", "", float("nan"), *match.span())


def _share_units(text: str, quantities: list[Quantity]) -> list[Quantity]:
    """Share units between neighbours: the numbers of `3-5 days` and `$10 to 20` have one unit; those of `1 hour 30
    minutes` are parts of 90 minutes."""
    for place, (first, second) in enumerate(pairwise(quantities)):
        if not first.unit and second.unit and _is_range(text, first, second):
            quantities[place] = _with_unit_of(first, second)
        elif first.unit in CURRENCY_SIGNS and not second.unit and _is_range(text, first, second):
            quantities[place + 1] = _with_unit_of(second, first)
        elif first.unit and first.unit == second.unit and _is_remainder(text, first, second):
            combined = (first.unit, round(first.amount + second.amount, 9))
            quantities[place] = replace(first, alternatives=(*first.alternatives, combined))
            quantities[place + 1] = replace(second, alternatives=(*second.alternatives, combined))
    return quantities


def _is_range(text: str, first: Quantity, second: Quantity) -> bool:
    """Tell whether two numbers, one of them with a unit, are the ends of a range."""
    if CLOCK_UNIT in (first.unit, second.unit) or _YEAR.fullmatch(first.value) or not (first.number and second.number):
        return False
    if _RANGE.fullmatch(text, first.end, second.start):
        return True
    opened = _RANGE_OPENING.search(text, max(0, first.start - 12), first.start)
    return bool(opened and _BETWEEN.fullmatch(text, first.end, second.start))


def _is_remainder(text: str, first: Quantity, second: Quantity) -> bool:
    """Tell whether the second number is the rest of the first: less than one of its units, and right behind it."""
    smaller = bool(first.number) and second.amount < first.amount / first.number
    return smaller and bool(_REMAINDER_GAP.fullmatch(text, first.end, second.start))


def _with_unit_of(first: Quantity, second: Quantity) -> Quantity:
    """Return the first number in the unit of the second."""
    ratio = first.number / second.number
    readings = tuple((unit, round(amount * ratio, 9)) for unit, amount in second.alternatives)
    return replace(first, unit=second.unit, amount=round(second.amount * ratio, 9), alternatives=readings)
