"""Days and times of a workbook as their format shows them."""

from __future__ import annotations

import datetime as dt
import locale
import math
from collections.abc import Sequence
from functools import lru_cache

_NEAR = 0.001
"""Of a second: a time that is nearer to the next whole one is that; other parts of a second are cut off."""
_LAST = 2_958_466
"""The day after 31 December 9999."""
_LEAP_DAY = 60
"""What Excel takes for 29 February 1900, a day that never was."""
_1904 = 1462
"""Days between the two epochs."""


class Dates:
    """The tokens of a format of days and times, understood once. A token is a code of the format behind `date`, a
    minute, the figures of a fraction of a second behind `.`, or a literal."""

    def __init__(self, tokens: Sequence[tuple[str, str]], named: str) -> None:
        codes = [text for kind, text in tokens if kind == "date"]
        twelve = any(code[0] in "aA" and "/" in code for code in codes)
        self._elapsed = any(code[0] == "[" for code in codes)
        self._digits = max((len(text) - 1 for kind, text in tokens if kind == "."), default=0)
        self._locale = named
        self._pattern = "".join(
            text.replace("%", "%%") if kind == '"' else _field(kind, text.lower(), twelve=twelve)
            for kind, text in tokens
        )

    def shown(self, serial: float, *, from_1904: bool) -> str | None:
        """None for a number that is no day of the calendar."""
        shift = _1904 if from_1904 else 0
        if not self._elapsed and not 0 <= serial + shift < _LAST:
            return None
        scale = 10**self._digits
        exact = abs(serial) * 86_400 * scale
        seconds, fraction = divmod(math.floor(exact + (0.5 if self._digits or self._elapsed else _NEAR)), scale)
        days, rest = divmod(seconds, 86_400)
        year, month, day, weekday = _day_of(days + shift)
        hour, minute, second = rest // 3600, rest // 60 % 60, rest % 60
        said = self._pattern % {
            "year": year, "yy": year % 100, "buddhist": year + 543, "bb": (year + 543) % 100, "month": month,
            "day": day, "hour": hour, "twelfth": (hour + 11) % 12 + 1, "minute": minute, "second": second,
            "fraction": fraction, "hours": seconds // 3600, "minutes": seconds // 60, "seconds": seconds,
            "AM": "AM" if hour < 12 else "PM", "A": "A" if hour < 12 else "P",
        }  # fmt: skip
        if "\0" in said:  # names of months and days
            said = _named(said, self._locale, month, weekday)
        return f"-{said}" if serial < 0 else said


def _field(kind: str, code: str, *, twelve: bool) -> str:
    """What stands for one code in a pattern; names between zeros, `\\0mmm\\0`."""
    letter, width = code[0], len(code)
    short = min(width, 2)
    match kind, letter:
        case _, "[":
            return f"%({ {'h': 'hours', 'm': 'minutes', 's': 'seconds'}[code[1]] })0{width - 2}d"
        case ".", _:
            return f".%(fraction)0{width - 1}d" if width > 1 else ""
        case "minute", _:
            return f"%(minute)0{short}d"
        case _, "a" if "/" in code:
            return "%(AM)s" if width > 3 else "%(A)s"
        case _, "h":
            return f"%({'twelfth' if twelve else 'hour'})0{short}d"
        case _, "s":
            return f"%(second)0{short}d"
        case _, "y" | "e":
            return "%(yy)02d" if letter == "y" and width < 3 else "%(year)04d"
        case _, "b":
            return "%(bb)02d" if width < 3 else "%(buddhist)d"
        case _, "m" | "d" if width < 3:
            return f"%({'month' if letter == 'm' else 'day'})0{short}d"
        case _, "g":
            return ""
        case _:
            return f"\0{code}\0"


def _named(said: str, named: str, month: int, weekday: int) -> str:
    parts = said.split("\0")
    parts[1::2] = [_name(code, named, month if code[0] == "m" else weekday) for code in parts[1::2]]
    return "".join(parts)


@lru_cache(maxsize=2_000)
def _name(code: str, named: str, number: int) -> str:
    """A month or a day of the week in the language of a locale's number, `407` or `20000407`, or name, `de-DE`."""
    from babel import Locale, UnknownLocaleError

    try:
        known = named if "-" in named else locale.windows_locale.get(int(named, 16) & 0xFFFF, "en")
        spoken = Locale.parse(known.replace("-", "_"))
    except (ValueError, UnknownLocaleError):
        spoken = Locale("en")
    width = "abbreviated" if len(code) == 3 else "wide"
    names = (spoken.months if code[0] == "m" else spoken.days)["format" if width == "wide" else "stand-alone"][width]
    name: str = names[number]
    return name if len(code) < 5 else name[0].upper()


@lru_cache(maxsize=10_000)
def _day_of(days: int) -> tuple[int, int, int, int]:
    """Year, month, day, and the day of the week from 0 for Monday."""
    if days == _LEAP_DAY:
        return 1900, 2, 29, 2
    if days == 0:
        return 1900, 1, 0, 5
    shift = 1 if days < _LEAP_DAY else 0
    day = dt.date(1899, 12, 30) + dt.timedelta(days=min(days + shift, _LAST - 1))
    return day.year, day.month, day.day, (day.weekday() - shift) % 7
