"""Whether a source has the numbers, dates and periods of a claim: `1,000` and `1000`, `2 weeks` and `14 days` agree."""

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
    """A date, or the parts of it that are given; 0 for what is not."""

    year: int
    month: int
    day: int
    start: int
    end: int

    @property
    def key(self) -> str:
        """What it is told apart by."""
        return f"{self.year}-{self.month}-{self.day}"

    def is_implied_by(self, other: PartialDate) -> bool:
        """Whether `other` says all that this date says, and nothing against it."""
        mine, theirs = (self.year, self.month, self.day), (other.year, other.month, other.day)
        return all(not a or a == b for a, b in zip(mine, theirs, strict=True))


def lowercase_text(text: str) -> str:
    """Lower case where that keeps every place; the verb `may` is no month."""
    lower = (_MAY.sub("m_y", text) if "may" in text else text).lower()
    return lower if len(lower) == len(text) else text


def find_dates(text: str) -> list[PartialDate]:
    """Calendar dates with at least a month and a day or a year, in order of form."""
    found: list[PartialDate] = []
    if not _DIGIT.search(text):
        return found
    taken = bytearray(len(text))
    for pattern in (*_IN_NUMBERS, *(_WITH_NAMES if any(month in text for month in _MONTHS) else ())):
        for match in match_whole_words(pattern, text):
            if any(taken[match.start() : match.end()]):
                continue
            taken[match.start() : match.end()] = b"\1" * (match.end() - match.start())
            part = match.groupdict()
            month = int(part["number"]) if "number" in part else _MONTHS.index(part["month"][:3]) + 1
            day, year = int(part.get("day") or 0), int(part.get("year") or 0)
            found.append(PartialDate(year, month, day, match.start(), match.end()))
    return found


def find_slash_dates(text: str) -> Iterator[PartialDate]:
    """Both dates that `3/5/2024` may be."""
    for match in match_whole_words(_SLASHED, text):
        one, other = int(match[1]), int(match[2])
        yield from (
            PartialDate(int(match["year"]), month, day, *match.span()) for day, month in ((one, other), (other, one))
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


def find_rates(text: str) -> list[Quantity]:
    """`per week`, `a year`, `monthly`, `a litre`: one of that, with a unit like `/month`.

    What may as well be a length of time has that for a reading; `within a day` is nothing else."""
    words = distinct_words(text)
    if words.isdisjoint(_NAMES) and words.isdisjoint(_ADVERBS):
        return []
    numbers = find_quantities(text)
    inside = {place for one in numbers for place in range(one.start, one.end)}
    found = (*_articles(text, numbers), *_adverbs(text, numbers))
    return [one for one in found if one.start not in inside]


def _articles(text: str, numbers: Sequence[Quantity]) -> Iterator[Quantity]:
    slashes = (match for match in _SLASH.finditer(text) if match["of"] in MEASURES_BY_NAME or match["of"].isdigit())
    for match in (*match_whole_words(_RATE, text), *slashes):
        start, end = match.start("how"), match.end()
        unit, factor = MEASURES_BY_NAME.get(match["unit"], ("", 0.0))
        if not unit or unit == "%" or unit in CURRENCY_SIGNS or text.startswith(" of ", end):
            continue
        article = match["how"] in ("a", "an")
        counted = _counted(text, numbers, start, _NEAR if article else _FAR)
        lasts = article and not counted and not _ONCE.search(text, max(0, start - 6), start)
        if lasts and unit in TIME_UNITS and _LASTS.search(text, max(0, start - 10), start):
            yield Quantity("", unit, factor, start, end)
        elif counted or unit in TIME_UNITS:
            amount = factor * (2 if match["other"] else 1)
            yield _rate(text, unit, amount, (start, end), counted, [(unit, amount)] if lasts else [])


def _adverbs(text: str, numbers: Sequence[Quantity]) -> Iterator[Quantity]:
    for match in match_whole_words(_ADVERB, text):
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
_SMALL = frozenset[str]().union(*FUNCTION_WORDS.values()) | {"per", "each", "every"}
_SHARES = re.compile(r"\b(?:(?<!first )(?<!second )(half)(?! past)|a quarter (?=of\b))")
_GROUPED = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}(?![0-9.,])")
_ALONE, _COUNTS = "", "#"
"""Kinds of numbers without a unit: one that stands by itself may have any unit (`Limit (km): 35`), one that counts
something has none (`35 guests`)."""


class SourceFacts:
    """The numbers, dates and periods of a source, to hold those of a claim against."""

    def __init__(self, text: str) -> None:
        found = find_figures(text)
        text = lowercase_text(text)
        numbers = [fact for fact in found if isinstance(fact, Quantity)]
        periods = find_rates(text)
        self._dates = [*(fact for fact in found if isinstance(fact, PartialDate)), *find_slash_dates(text)]
        self._kinds: dict[str, set[str]] = defaultdict(set)
        self._measures = {measure for fact in (*numbers, *periods) for measure in _means(fact)}
        self._periods: dict[str | Measure, set[Measure | None]] = defaultdict(set)
        counted: dict[int, set[Measure]] = defaultdict(set)
        for period in periods:
            if period.per_period:
                counted[period.per_period.start].update(_means(period))
        for fact in numbers:
            self._take(fact, text, counted.get(fact.start, {None}))
        for fact in find_ordinals(text):
            self._kinds[fact.value].add(_COUNTS)
        for date in self._dates:
            for number in (date.year, date.month, date.day):
                self._kinds[str(number)].add(_COUNTS)
        self._measures.update(_shares(text, numbers))

    def contains(self, fact: Quantity | PartialDate) -> bool:
        """Whether the source has this number in this unit, this date, or this period, and of the same thing."""
        if isinstance(fact, PartialDate):
            return any(fact.is_implied_by(date) for date in self._dates)
        if fact.per_period and not self._comes(fact, fact.per_period):
            return False
        means = set(_means(fact))
        if fact.unit.startswith("/"):
            means |= set(equivalent_measures(fact.unit[1:], fact.amount))
        if not self._measures.isdisjoint(means):
            return True
        value = (
            str(int(fact.amount / 60 - 1) % 12 + 1) if fact.unit == CLOCK_UNIT and not fact.amount % 60 else fact.value
        )
        kinds = self._kinds.get(value, set())
        return _ALONE in kinds if fact.unit else bool(kinds)

    def _take(self, fact: Quantity, text: str, periods: Set[Measure | None]) -> None:
        """The kind of a number, and the periods that it comes in."""
        following = () if fact.unit else _following(text, fact.end)
        self._kinds[fact.value].add(fact.unit or (_COUNTS if following else _ALONE))
        if _GROUPED.match(text, fact.start) and fact.number < 1000:
            self._kinds[f"{fact.number * 1000:.12g}"].add(fact.unit or _ALONE)
            self._measures.update(equivalent_measures(fact.unit, round(fact.amount * 1000, 9)))
        for unit, factor in (MEASURES_BY_NAME[word] for word in following if word in MEASURES_BY_NAME):
            self._measures.update(equivalent_measures(unit, fact.number * factor))
        self._periods[fact.value] |= periods
        for measure in _means(fact):
            self._periods[measure] |= periods

    def _comes(self, period: Quantity, thing: Quantity) -> bool:
        """Whether this many things may come in this period: not where the source has no such number of things, nor
        where it has them in other periods only."""
        means = set(_means(period))
        if not self._measures.isdisjoint(
            measure for reading in period.alternatives for measure in equivalent_measures(*reading)
        ):
            return True
        names = [*_means(thing)] if thing.unit else [thing.value]
        known = {one for name in names for one in self._periods.get(name, ())}
        if _ALONE in self._kinds.get(thing.value, ()):
            known.add(None)
        return bool(thing.unit) if not known else None in known or not known.isdisjoint(means)


def _means(fact: Quantity) -> Iterable[Measure]:
    """All measures that it may mean."""
    measures = (*([(fact.unit, fact.amount)] if fact.unit else []), *fact.alternatives)
    return (measure for unit, amount in measures for measure in equivalent_measures(unit, amount))


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


def blank_out_labels(claim: str) -> str:
    """The claim with blanks for numbers that only count or name something in the answer itself."""
    return _LABEL.sub(lambda match: " " * len(match.group()), claim)


def find_facts(text: str) -> list[Quantity | PartialDate]:
    """Dates, rates, and the numbers that are no part of a date."""
    return [*find_figures(text), *find_rates(lowercase_text(text))]


@lru_cache(maxsize=2048)
def find_figures(text: str) -> tuple[Quantity | PartialDate, ...]:
    """Dates, and the numbers that are no part of a date."""
    text = lowercase_text(text)
    found = find_dates(text)
    inside = {place for date in found for place in range(date.start, date.end)}
    return (*found, *(number for number in find_quantities(text) if number.start not in inside))
