"""Calendar dates as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.words.numbers import whole

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
    lower = (_MAY.sub("m_y", text) if "may" in text else text).lower()
    return lower if len(lower) == len(text) else text


def dates(text: str) -> list[Date]:
    """Calendar dates with at least a month and a day or a year, in order of form."""
    found: list[Date] = []
    if not _DIGIT.search(text):
        return found
    taken = bytearray(len(text))
    for pattern in (*_IN_NUMBERS, *(_WITH_NAMES if any(month in text for month in _MONTHS) else ())):
        for match in whole(pattern, text):
            if any(taken[match.start() : match.end()]):
                continue
            taken[match.start() : match.end()] = b"\1" * (match.end() - match.start())
            part = match.groupdict()
            month = int(part["number"]) if "number" in part else _MONTHS.index(part["month"][:3]) + 1
            day, year = int(part.get("day") or 0), int(part.get("year") or 0)
            found.append(Date(year, month, day, match.start(), match.end()))
    return found


def slashed(text: str) -> Iterator[Date]:
    """Both dates that `3/5/2024` may be."""
    for match in whole(_SLASHED, text):
        one, other = int(match[1]), int(match[2])
        yield from (Date(int(match["year"]), month, day, *match.span()) for day, month in ((one, other), (other, one)))
