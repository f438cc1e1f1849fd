"""Numbers, dates and periods of a claim and of its source: `1,000` and `1000`, `2 weeks` and `14 days` agree."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from pipeline.words.language import FUNCTION_WORDS
from pipeline.words.numbers import distinct_words, match_whole_words
from pipeline.words.quantities import CURRENCY_SIGNS, Quantity, find_ordinals, find_quantities
from pipeline.words.units import CLOCK_UNIT, MEASURES_BY_NAME, TIME_UNITS, Measure, equivalent_measures

# --- Calendar dates as they are written -----------------------------------------------------------

_DIGIT = re.compile("[0-9]")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?P<year>[12][0-9]{3})\b"
_IN_NUMBERS = [
    re.compile(rf"{_YEAR}-(?P<number>[01][0-9])(?:-(?P<day>[0-3][0-9]))?\b"),
    re.compile(rf"(?P<day>[0-3]?[0-9])\.\s?(?P<number>0?[1-9]|1[0-2])\.\s?{_YEAR}"),
]
_WITH_NAMES = [
    re.compile(pattern.replace(" ", r"\s+").replace(",", r"\s*,"))
    for pattern in (
        rf"(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)?\.? (?:of )?{_MONTH}(?:(?:,)? {_YEAR})?\b",
        rf"{_MONTH} (?:the )?(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)?\b(?!:)(?:(?:,)? {_YEAR})?\b",
        rf"{_MONTH}(?:,)? (?:of )?{_YEAR}",
    )
]
_SLASHED = re.compile(rf"([0-3]?[0-9])/([0-3]?[0-9])/{_YEAR}")
_MAY = re.compile(r"\bmay\b(?!,? (?:of )?[12][0-9]{3}\b)")


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A date, or the given parts of one; 0 for the others."""

    year: int
    month: int
    day: int
    start: int
    end: int

    @property
    def key(self) -> str:
        """Text that identifies the date."""
        return f"{self.year}-{self.month}-{self.day}"

    def is_implied_by(self, other: PartialDate) -> bool:
        """Tell whether `other` has all parts of this date, and no different ones."""
        own_parts, other_parts = (self.year, self.month, self.day), (other.year, other.month, other.day)
        return all(not a or a == b for a, b in zip(own_parts, other_parts, strict=True))


def lowercase_text(text: str) -> str:
    """Return the text in lower case where that keeps every offset; the verb `may` is no month."""
    lower = (_MAY.sub("m_y", text) if "may" in text else text).lower()
    return lower if len(lower) == len(text) else text


def find_dates(text: str) -> list[PartialDate]:
    """Return the calendar dates with at least a month and a day or a year, ordered by form."""
    dates: list[PartialDate] = []
    if not _DIGIT.search(text):
        return dates
    used = bytearray(len(text))
    for pattern in (*_IN_NUMBERS, *(_WITH_NAMES if any(month in text for month in _MONTHS) else ())):
        for match in match_whole_words(pattern, text):
            if any(used[match.start() : match.end()]):
                continue
            used[match.start() : match.end()] = b"\1" * (match.end() - match.start())
            part = match.groupdict()
            month = int(part["number"]) if "number" in part else _MONTHS.index(part["month"][:3]) + 1
            day, year = int(part.get("day") or 0), int(part.get("year") or 0)
            dates.append(PartialDate(year, month, day, match.start(), match.end()))
    return dates


def find_slash_dates(text: str) -> Iterator[PartialDate]:
    """Yield both dates that `3/5/2024` may be."""
    for match in match_whole_words(_SLASHED, text):
        first, second = int(match[1]), int(match[2])
        yield from (
            PartialDate(int(match["year"]), month, day, *match.span())
            for day, month in ((first, second), (second, first))
        )


# --- How often something comes -------------------------------------------------------------------
# The period in `three guests a day` is no length of time like that of `within a day`.

_ADVERBS: dict[str, Measure] = {
    "hourly": ("s", 3600.0), "daily": ("s", 86400.0), "weekly": ("s", 604800.0), "fortnightly": ("s", 1209600.0),
    "monthly": ("month", 1.0), "quarterly": ("month", 3.0), "yearly": ("month", 12.0), "annual": ("month", 12.0),
    "annually": ("month", 12.0),
}  # fmt: skip
_NAMES = frozenset(word for word in MEASURES_BY_NAME if len(word) > 1)
_RATE = re.compile(
    r"(?P<how>an?|per|each|every|pro|je|im|par|por|al|cada|ogni)\s+(?P<other>other\s+)?"
    r"(?P<unit>[^\W\d_]+)(?![^\W_])"
)
_SLASH = re.compile(r"(?P<of>[^\W\d_]+|[0-9$€£¥])(?P<how>/)(?P<other>)\s?(?P<unit>[^\W\d_]+)(?![^\W_])")
_ADVERB = re.compile(rf"(?:{'|'.join(_ADVERBS)})(?![^\W_])")
_COUNT_GAP = re.compile(r"[\s-]+(?:[^\W\d_]+[\s-]+)?")
"""The text between `three` and `a day` in a rate: `guests`, but no more."""
_NEAR_GAP = re.compile(
    r"(?:[\s-]+(?!(?:in|within|after|for|of|by|before|over|at|to|on|from|and|or|is|are|takes?|lasts?)\s)[^\W\d_]+){0,3}"
    r"[\s-]*"
)
_FAR_GAP = re.compile(r"[^.;:!?()|\n0-9]{0,40}")
"""The text between a number with a unit and its period: `12 hours net a week`, `12 hours of overtime per week`."""
_TIMES = re.compile(r"twice\b|\S+\s+times\b")
_ONCE = re.compile(r"\bonce\s+$")
_DURATION_WORDS = re.compile(
    r"\b(?:in|within|after|for|of|by|before|than|about|under|until|during|lasts?|takes?|nearly|almost|to)\s+$"
)
"""Words before `a day` that make it a length of time."""


def find_rates(text: str) -> list[Quantity]:
    """Return the rates of a text: `per week`, `a year`, `monthly`, `a litre`; each with a unit like `/month`.

    A rate that may be a length of time has that as an alternative; `within a day` is only that."""
    words = distinct_words(text)
    if words.isdisjoint(_NAMES) and words.isdisjoint(_ADVERBS):
        return []
    numbers = find_quantities(text)
    number_offsets = {place for quantity in numbers for place in range(quantity.start, quantity.end)}
    rates = (*_find_article_rates(text, numbers), *_find_adverb_rates(text, numbers))
    return [quantity for quantity in rates if quantity.start not in number_offsets]


def _find_article_rates(text: str, numbers: Sequence[Quantity]) -> Iterator[Quantity]:
    slashes = (match for match in _SLASH.finditer(text) if match["of"] in MEASURES_BY_NAME or match["of"].isdigit())
    for match in (*match_whole_words(_RATE, text), *slashes):
        start, end = match.start("how"), match.end()
        unit, factor = MEASURES_BY_NAME.get(match["unit"], ("", 0.0))
        if not unit or unit == "%" or unit in CURRENCY_SIGNS or text.startswith(" of ", end):
            continue
        article = match["how"] in ("a", "an")
        counted = _find_counted(text, numbers, start, _NEAR_GAP if article else _FAR_GAP)
        may_be_duration = article and not counted and not _ONCE.search(text, max(0, start - 6), start)
        if may_be_duration and unit in TIME_UNITS and _DURATION_WORDS.search(text, max(0, start - 10), start):
            yield Quantity("", unit, factor, start, end)
        elif counted or unit in TIME_UNITS:
            amount = factor * (2 if match["other"] else 1)
            yield _make_rate(text, unit, amount, (start, end), counted, [(unit, amount)] if may_be_duration else [])


def _find_adverb_rates(text: str, numbers: Sequence[Quantity]) -> Iterator[Quantity]:
    for match in match_whole_words(_ADVERB, text):
        yield _make_rate(
            text, *_ADVERBS[match.group()], match.span(), _find_counted(text, numbers, match.start(), _NEAR_GAP), []
        )


def _make_rate(
    text: str, unit: str, amount: float, span: tuple[int, int], counted: Quantity | None, readings: list[Measure]
) -> Quantity:
    """Build a rate; `four times a year` is every three months as well."""
    if counted and counted.number and not counted.unit and _TIMES.match(text, counted.start):
        readings = [*readings, (f"/{unit}", amount / counted.number)]
    return Quantity("", f"/{unit}", amount, *span, tuple(readings), counted)


def _find_counted(text: str, numbers: Sequence[Quantity], start: int, between: re.Pattern[str]) -> Quantity | None:
    """Return the last number before a rate, if `between` matches the text in between."""
    before = [number for number in numbers if number.end <= start]
    if not before or _ONCE.search(text, max(0, start - 6), start):
        return None
    last = before[-1]
    return last if (between if last.unit else _COUNT_GAP).fullmatch(text, last.end, start) else None


# --- Facts ----------------------------------------------------------------------------------------

__all__ = [
    "PartialDate",
    "Quantity",
    "SourceFacts",
    "blank_out_labels",
    "find_dates",
    "find_facts",
    "find_figures",
    "find_quantities",
    "find_rates",
    "lowercase_text",
]

_LABEL = re.compile(
    r"^\W*\d{1,2}[.):](?:\s|$)"
    r"|\b(?:passage|source|document|option|question|answer|step)s?\W*#?\d+(?:(?:\s|,|and|&|or|to|-)+\d+)*",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[ \t\u00a0-]+([^\W\d_]+)(?:[ \t\u00a0-]+([^\W\d_]+))?(?:[ \t\u00a0-]+([^\W\d_]+))?")
_FUNCTION_WORDS = frozenset[str]().union(*FUNCTION_WORDS.values()) | {"per", "each", "every"}
_SHARES = re.compile(r"\b(?:(?<!first )(?<!second )(half)(?! past)|a quarter (?=of\b))")
_GROUPED = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}(?![0-9.,])")
_ALONE, _COUNTS = "", "#"
"""Kinds of numbers without a unit: one that stands by itself may have any unit (`Limit (km): 35`), one that counts
something has none (`35 guests`)."""


class SourceFacts:
    """The numbers, dates and periods of a source, to compare those of a claim with."""

    def __init__(self, text: str) -> None:
        figures = find_figures(text)
        text = lowercase_text(text)
        numbers = [fact for fact in figures if isinstance(fact, Quantity)]
        periods = find_rates(text)
        self._dates = [*(fact for fact in figures if isinstance(fact, PartialDate)), *find_slash_dates(text)]
        self._kinds: dict[str, set[str]] = defaultdict(set)
        self._measures = {measure for fact in (*numbers, *periods) for measure in _possible_measures(fact)}
        self._periods: dict[str | Measure, set[Measure | None]] = defaultdict(set)
        counted: dict[int, set[Measure]] = defaultdict(set)
        for period in periods:
            if period.per_period:
                counted[period.per_period.start].update(_possible_measures(period))
        for fact in numbers:
            self._add_number(fact, text, counted.get(fact.start, {None}))
        for fact in find_ordinals(text):
            self._kinds[fact.value].add(_COUNTS)
        for date in self._dates:
            for number in (date.year, date.month, date.day):
                self._kinds[str(number)].add(_COUNTS)
        self._measures.update(_find_shares(text, numbers))

    def contains(self, fact: Quantity | PartialDate) -> bool:
        """Tell whether the source has this number in this unit, this date, or this period, and of the same thing."""
        if isinstance(fact, PartialDate):
            return any(fact.is_implied_by(date) for date in self._dates)
        if fact.per_period and not self._may_come(fact, fact.per_period):
            return False
        measures = set(_possible_measures(fact))
        if fact.unit.startswith("/"):
            measures |= set(equivalent_measures(fact.unit[1:], fact.amount))
        if not self._measures.isdisjoint(measures):
            return True
        value = (
            str(int(fact.amount / 60 - 1) % 12 + 1) if fact.unit == CLOCK_UNIT and not fact.amount % 60 else fact.value
        )
        kinds = self._kinds.get(value, set())
        return _ALONE in kinds if fact.unit else bool(kinds)

    def _add_number(self, fact: Quantity, text: str, periods: Set[Measure | None]) -> None:
        """Record the kind of a number, and the periods that it comes in."""
        following = () if fact.unit else _following_words(text, fact.end)
        self._kinds[fact.value].add(fact.unit or (_COUNTS if following else _ALONE))
        if _GROUPED.match(text, fact.start) and fact.number < 1000:
            self._kinds[f"{fact.number * 1000:.12g}"].add(fact.unit or _ALONE)
            self._measures.update(equivalent_measures(fact.unit, round(fact.amount * 1000, 9)))
        for unit, factor in (MEASURES_BY_NAME[word] for word in following if word in MEASURES_BY_NAME):
            self._measures.update(equivalent_measures(unit, fact.number * factor))
        self._periods[fact.value] |= periods
        for measure in _possible_measures(fact):
            self._periods[measure] |= periods

    def _may_come(self, period: Quantity, thing: Quantity) -> bool:
        """Tell whether this many things may come in this period: not where the source has no such number of things, nor
        where it has them in other periods only."""
        measures = set(_possible_measures(period))
        if not self._measures.isdisjoint(
            measure for reading in period.alternatives for measure in equivalent_measures(*reading)
        ):
            return True
        names = [*_possible_measures(thing)] if thing.unit else [thing.value]
        known_periods = {known_period for name in names for known_period in self._periods.get(name, ())}
        if _ALONE in self._kinds.get(thing.value, ()):
            known_periods.add(None)
        return (
            bool(thing.unit) if not known_periods else None in known_periods or not known_periods.isdisjoint(measures)
        )


def _possible_measures(fact: Quantity) -> Iterable[Measure]:
    """Return all measures that a quantity may mean."""
    measures = (*([(fact.unit, fact.amount)] if fact.unit else []), *fact.alternatives)
    return (measure for unit, amount in measures for measure in equivalent_measures(unit, amount))


def _find_shares(text: str, numbers: Iterable[Quantity]) -> Iterator[Measure]:
    """Yield shares as percentages: `half of the fee` is 50 % of it; half an hour is not."""
    if "half" in text or "quarter" in text:
        inside = {place for fact in numbers for place in range(fact.start, fact.end)}
        for match in _SHARES.finditer(text):
            if match.start() not in inside:
                yield "%", 50.0 if match[1] else 25.0


def _following_words(text: str, end: int) -> tuple[str, ...]:
    """Return the words behind a number that counts something: at most three, up to a function word; none where it
    stands alone."""
    words: list[str] = []
    match = _WORDS.match(text, end)
    for word in match.groups() if match else ():
        if not word or word in _FUNCTION_WORDS:
            break
        words.append(word)
    return tuple(words)


def blank_out_labels(claim: str) -> str:
    """Return the claim with blanks for numbers that only count or label parts of the answer itself."""
    return _LABEL.sub(lambda match: " " * len(match.group()), claim)


def find_facts(text: str) -> list[Quantity | PartialDate]:
    """Return the dates, the rates, and the numbers that are no part of a date."""
    return [*find_figures(text), *find_rates(lowercase_text(text))]


@lru_cache(maxsize=2048)
def find_figures(text: str) -> tuple[Quantity | PartialDate, ...]:
    """Return the dates, and the numbers that are no part of a date."""
    text = lowercase_text(text)
    dates = find_dates(text)
    date_offsets = {place for date in dates for place in range(date.start, date.end)}
    return (*dates, *(number for number in find_quantities(text) if number.start not in date_offsets))
