"""Days and times of a workbook as their format shows them."""

from __future__ import annotations

import datetime as dt
import math
from functools import lru_cache

_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "da": "januar februar marts april maj juni juli august september oktober november december",
    "nb": "januar februar mars april mai juni juli august september oktober november desember",
}
_DAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
    "it": "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "pt": "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "sv": "måndag tisdag onsdag torsdag fredag lördag söndag",
    "da": "mandag tirsdag onsdag torsdag fredag lørdag søndag",
    "nb": "mandag tirsdag onsdag torsdag fredag lørdag søndag",
}
_SHORT_MONTHS = {
    "fr": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
    "nl": "jan feb mrt apr mei jun jul aug sep okt nov dec",
}
_SHORT_DAYS = {"de": 2, "nl": 2}
_LANGUAGES = {
    0x06: "da", 0x07: "de", 0x09: "en", 0x0A: "es", 0x0C: "fr", 0x10: "it", 0x13: "nl", 0x14: "nb", 0x16: "pt",
    0x1D: "sv",
}  # fmt: skip
"""By the lower ten bits of a locale's number."""
_NEAR = 0.001
"""Of a second: a time that is nearer to the next whole one is that; other parts of a second are cut off."""
_LAST = 2_958_466
"""The day after 31 December 9999."""
_LEAP_DAY = 60
"""What Excel takes for 29 February 1900, a day that never was."""


def language(locale: str) -> str:
    """The language of a locale's number, `407` or `20000407`; English for one whose names are not known."""
    try:
        return _LANGUAGES.get(int(locale, 16) & 0x3FF, "en")
    except ValueError:
        return "en"


def shows(serial: float, *, from_1904: bool) -> bool:
    """Whether a serial number is a day of the calendar."""
    return 0 <= serial + (1462 if from_1904 else 0) < _LAST


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


class Moment:
    """A serial number taken apart; `digits` of a second are shown."""

    def __init__(self, serial: float, digits: int, *, from_1904: bool, nearest: bool) -> None:
        scale = 10**digits
        ticks = math.floor(abs(serial) * 86_400 * scale + (0.5 if digits or nearest else _NEAR))
        self.seconds, self.fraction = divmod(ticks, scale)
        self.digits = digits
        days, rest = divmod(self.seconds, 86_400)
        self.hour, rest = divmod(rest, 3600)
        self.minute, self.second = divmod(rest, 60)
        self.days = days + (1462 if from_1904 else 0)

    def part(self, code: str, spoken: str, *, half: bool, minutes: bool) -> str:
        """What one code of a format shows: `yyyy`, `mmm`, `[h]`, `.00`, `AM/PM`; `half`: the clock has twelve hours."""
        letter, width = code[0].lower(), len(code)
        if letter == "[":
            whole = {"h": self.seconds // 3600, "m": self.seconds // 60, "s": self.seconds}[code[1].lower()]
            return f"{whole:0{width - 2}d}"
        if letter == ".":
            return f".{self.fraction:0{self.digits}d}" if self.digits else ""
        if letter == "a":
            before, after = code.split("/") if len(code) < 5 else ("AM", "PM")
            return after if self.hour >= 12 else before
        if letter == "h":
            hour = (self.hour + 11) % 12 + 1 if half else self.hour
            return f"{hour:0{min(width, 2)}d}"
        if letter == "s" or minutes:
            return f"{self.second if letter == 's' else self.minute:0{min(width, 2)}d}"
        return self._day(letter, width, spoken)

    def _day(self, letter: str, width: int, spoken: str) -> str:
        year, month, day, weekday = _day_of(self.days)
        if letter in "ye":
            return f"{year % 100:02d}" if letter == "y" and width < 3 else f"{year:04d}"
        if letter == "b":
            return f"{(year + 543) % 100:02d}" if width < 3 else str(year + 543)
        if letter == "g":
            return ""
        if width < 3:
            return f"{month if letter == 'm' else day:0{width}d}"
        if letter == "d":
            name = _DAYS[spoken].split()[weekday]
            return name if width > 3 else f"{name[: _SHORT_DAYS.get(spoken, 3)]}{'.' * (spoken == 'fr')}"
        name = _MONTHS[spoken].split()[month - 1]
        if width == 5:
            return name[0].upper()
        if width > 3:
            return name
        return _SHORT_MONTHS[spoken].split()[month - 1] if spoken in _SHORT_MONTHS else name[:3]
