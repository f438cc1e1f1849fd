"""Numbers and dates as values: `1,000` and `1000`, `five` and `5`, `2 weeks` and `14 days` agree."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_ONES = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen""".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
SPELLED = {word: float(value) for value, word in enumerate(_ONES)} | {
    word: float(10 * value) for value, word in enumerate(_TENS, start=2)
}
"""What number words are worth."""
_TIMES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "k": 1e3, "bn": 1e9, "dozen": 12.0}
_WRITTEN = {
    ("%", 1.0): "% percent pct",
    ("$", 1.0): "$ usd dollar dollars",
    ("€", 1.0): "€ eur euro euros",
    ("£", 1.0): "£ gbp",
    ("¥", 1.0): "¥ jpy yen 円",
    ("s", 1.0): "s sec secs second seconds",
    ("s", 60.0): "min mins minute minutes",
    ("s", 3600.0): "h hr hrs hour hours",
    ("s", 86400.0): "day days",
    ("s", 604800.0): "week weeks",
    ("month", 1.0): "month months",
    ("month", 3.0): "quarter quarters",
    ("month", 12.0): "year years yr yrs",
    ("m", 0.001): "mm millimeter millimeters millimetre millimetres",
    ("m", 0.01): "cm centimeter centimeters centimetre centimetres",
    ("m", 1.0): "meter meters metre metres",
    ("m", 1000.0): "km kilometer kilometers kilometre kilometres",
    ("mile", 1.0): "mile miles",
    ("inch", 1.0): "inch inches",
    ("inch", 12.0): "ft foot feet",
    ("g", 0.001): "mg milligram milligrams",
    ("g", 1.0): "g gram grams",
    ("g", 1000.0): "kg kilogram kilograms",
    ("lb", 1.0): "lb lbs pound pounds",
    ("byte", 1e3): "kb",
    ("byte", 1e6): "mb",
    ("byte", 1e9): "gb",
    ("byte", 1e12): "tb",
    ("°c", 1.0): "°c celsius",
    ("°f", 1.0): "°f fahrenheit",
}
_UNITS = {word: unit for unit, written in _WRITTEN.items() for word in written.split()}
_MULTIPLE = "|".join(sorted(_TIMES, key=len, reverse=True))
_UNIT = "|".join(re.escape(word) for word in sorted(_UNITS, key=len, reverse=True))
_AFTER = (
    rf"(?P<multiple>(?:[\s-]{{0,4}}(?:{_MULTIPLE})\b)*)"
    rf"(?:[\s-]{{0,4}}(?:(?:working|business|calendar|full|consecutive|us)[\s-]+)?(?P<unit>{_UNIT})(?![^\W_]))?"
)
_FIGURE = re.compile(rf"(?P<digits>[0-9]+(?:[.,:][0-9]+)*)(?:st|nd|rd|th|s)?{_AFTER}")
_WORD = re.compile(
    rf"(?:(?P<tens>{'|'.join(_TENS)})(?:[\s-]+(?P<ones>{'|'.join(_ONES[1:10])}))?|(?P<word>{'|'.join(_ONES)}))\b{_AFTER}"
)
_ADVERBS = {
    "hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter",
    "yearly": "year", "annual": "year", "annually": "year",
}  # fmt: skip
_ONE_OF = re.compile(r"(?:an?|per|each|every|/)\s*(?P<unit>minute|hour|day|week|month|quarter|year)\b")
_REGULARLY = re.compile(rf"(?P<unit>{'|'.join(_ADVERBS)})\b")
_THOUSANDS = re.compile(r",(?=[0-9]{3}(?![0-9]))")
_MULTIPLES = re.compile(_MULTIPLE)
_CURRENCIES = frozenset("$€£¥")
_ORDINAL = re.compile("|".join(_ORDINALS))
_DIGIT = re.compile("[0-9]")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_LABEL = re.compile(
    r"^\W*\d{1,2}[.):](?:\s|$)"
    r"|\b(?:passage|source|document|option|question|answer|step)s?\W*#?\d+(?:(?:\s|,|and|&|or|to|-)+\d+)*",
    re.IGNORECASE,
)
_MAY = re.compile(r"\bmay\b(?!,? (?:of )?[12][0-9]{3}\b)")
_DATES = [
    re.compile(pattern.replace(",? ", r"\s*,?\s+").replace(" ", r"\s+"))
    for pattern in (
        r"(?P<year>[12][0-9]{3})-(?P<number>[01][0-9])(?:-(?P<day>[0-3][0-9]))?\b",
        rf"(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)?\.? (?:of )?{_MONTH}(?:,? (?P<year>[12][0-9]{{3}}))?\b",
        rf"{_MONTH} (?:the )?(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)?\b(?!:)(?:,? (?P<year>[12][0-9]{{3}}))?\b",
        rf"{_MONTH},? (?:of )?(?P<year>[12][0-9]{{3}})\b",
    )
]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit as it stands in a text."""

    value: str
    """Normalised; a figure with several parts (`1.2.3`, `9:30`) as it is."""
    unit: str
    """The measure, empty when none is known."""
    amount: float
    """In the measure's base unit (seconds, months, metres, grams, bytes); nan without one."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Date:
    """A date, or the parts of it that are given; 0 for what is not."""

    year: int
    month: int
    day: int
    start: int
    end: int

    @property
    def name(self) -> str:
        """What it is told apart by."""
        return f"{self.year}-{self.month}-{self.day}"

    def agrees(self, other: Date) -> bool:
        """Whether `other` says all that this date says, and nothing against it."""
        mine, theirs = (self.year, self.month, self.day), (other.year, other.month, other.day)
        return all(not a or a == b for a, b in zip(mine, theirs, strict=True))


def lowered(text: str) -> str:
    """Lower case where that keeps every place; the verb `may` is no month."""
    lower = _MAY.sub("m_y", text).lower()
    return lower if len(lower) == len(text) else text


def dates(text: str) -> list[Date]:
    """Calendar dates with at least a month and a day or a year, in order of form."""
    found: list[Date] = []
    taken = bytearray(len(text))
    for pattern in _DATES if _DIGIT.search(text) else ():
        for match in _whole(pattern, text):
            if any(taken[match.start() : match.end()]):
                continue
            taken[match.start() : match.end()] = b"\1" * (match.end() - match.start())
            part = match.groupdict()
            month = int(part["number"]) if "number" in part else _MONTHS.index(part["month"][:3]) + 1
            day, year = int(part.get("day") or 0), int(part.get("year") or 0)
            found.append(Date(year, month, day, match.start(), match.end()))
    return found


def quantities(text: str) -> list[Quantity]:
    """Numbers in figures and English words; a lone `one` is a pronoun and no number."""
    found = (_quantity(match, text) for pattern in (_FIGURE, _WORD) for match in _whole(pattern, text))
    return [number for number in found if number]


def _whole(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Matches that do not begin inside a word or a number."""
    for match in pattern.finditer(text):
        before = text[max(0, match.start() - 2) : match.start()]
        if not (before[-1:].isalnum() or (before[-1:] in ".,:" and before[:1].isdigit())):
            yield match


def _quantity(match: re.Match[str], text: str) -> Quantity | None:
    part = match.groupdict()
    currency = text[: match.start()].rstrip()[-1:] if match.start() else ""
    written = currency if currency in _CURRENCIES else part["unit"] or ""
    unit, factor = _UNITS.get(written, ("", 1.0))
    if part.get("word") == "one" and not (unit or part["multiple"]):
        return None
    number = _number(part)
    if number is None:
        return Quantity(part["digits"], unit, float("nan"), match.start(), match.end())
    for multiple in _MULTIPLES.findall(part["multiple"]):
        number *= _TIMES[multiple]
    return Quantity(
        f"{number:.12g}", unit, round(number * factor, 9) if unit else float("nan"), match.start(), match.end()
    )


def _number(part: dict[str, str | None]) -> float | None:
    digits = part.get("digits")
    if digits is None:
        words = (part["tens"] or part["word"] or "", part["ones"] or "")
        return sum(SPELLED[word] for word in words if word)
    plain = _THOUSANDS.sub("", digits)
    return float(plain) if plain.count(".") < 2 and ":" not in plain and "," not in plain else None


def rates(text: str) -> list[Quantity]:
    """`per week`, `a year`, `monthly`: one of that length of time."""
    found = []
    for pattern in (_ONE_OF, _REGULARLY):
        for match in _whole(pattern, text):
            unit, factor = _UNITS[_ADVERBS.get(match["unit"], match["unit"])]
            found.append(Quantity("", unit, factor, match.start(), match.end()))
    return found


class Facts:
    """The numbers and dates of a source, to hold those of a claim against."""

    def __init__(self, text: str) -> None:
        text = lowered(text)
        self._dates = dates(text)
        numbers = quantities(text)
        self._units: dict[str, set[str]] = {}
        for found in numbers:
            self._units.setdefault(found.value, set()).add(found.unit)
        for match in _whole(_ORDINAL, text):
            self._units.setdefault(str(_ORDINALS.index(match.group()) + 1), set()).add("")
        for date in self._dates:
            for number in (date.year, date.month, date.day):
                self._units.setdefault(str(number), set()).add("")
        self._amounts = {(found.unit, found.amount) for found in (*numbers, *rates(text)) if found.unit}

    def holds(self, fact: Quantity | Date) -> bool:
        """Whether the source has this number in this unit, or this date."""
        if isinstance(fact, Date):
            return any(fact.agrees(date) for date in self._dates)
        units = self._units.get(fact.value, set())
        if not fact.unit or math.isnan(fact.amount):
            return bool(units)
        return "" in units or (fact.unit, fact.amount) in self._amounts


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
