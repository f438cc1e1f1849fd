"""Times of the day: `5 p.m.` is `17:00`, and `5:30` may be either half of the day."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.words.units import Measure

CLOCK = "o'clock"
"""The unit of a time of the day, in minutes from midnight."""
_FIGURES = re.compile(r"([0-9]{1,2})(?:[:.]([0-5][0-9]))?")
_MARK = re.compile(r"\s?(?:([ap])\.?m(?![^\W_])\.?|(uhr)\b|o['’]clock\b)")
_NOON = re.compile(r"\b(?:noon|midday|(midnight))\b")


def marked(text: str, start: int, end: int) -> tuple[list[Measure], int]:
    """The times that figures from `start` to `end` may mean by what follows, and where that ends; none without it."""
    mark = _MARK.match(text, end)
    time = mark and _FIGURES.fullmatch(text, start, end)
    if not mark or not time or int(time[1]) > 24:
        return [], end
    hour, minute = int(time[1]), int(time[2] or 0)
    if mark[1]:
        return [(CLOCK, hour % 12 * 60.0 + minute + 720.0 * (mark[1] == "p"))], mark.end()
    return [(CLOCK, hour * 60.0 + minute)] if mark[2] else _either(time), mark.end()


def bare(digits: str) -> tuple[Measure, ...]:
    """The times that figures may mean by themselves: `9:30` of the morning or the evening, `09:30` and `17:30` one."""
    time = _FIGURES.fullmatch(digits)
    return tuple(_either(time)) if time and time[2] and ":" in digits and int(time[1]) <= 24 else ()


def noon(text: str) -> Iterator[tuple[float, int, int]]:
    for match in _NOON.finditer(text):
        yield (0.0 if match[1] else 720.0), match.start(), match.end()


def shown(minutes: float) -> str:
    return f"{int(minutes) // 60}:{int(minutes) % 60:02}"


def _either(time: re.Match[str]) -> list[Measure]:
    hour, minute = int(time[1]), int(time[2] or 0)
    either = 0 < hour <= 12 and not time[1].startswith("0")
    halves = (hour * 60.0, (hour % 12 + 12 * (hour < 12)) * 60.0) if either else (hour * 60.0,)
    return [(CLOCK, half + minute) for half in halves]
