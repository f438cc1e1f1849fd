"""Units of measure and times of the day in text, and the equivalents of calendar units."""

from __future__ import annotations

import re
from collections.abc import Iterator

# --- Units ----------------------------------------------------------------------------------------

Measure = tuple[str, float]
"""A base unit and its amount; `/s` and `/month` are periods of a rate, not lengths of time."""

_WRITTEN: dict[Measure, str] = {
    ("%", 1.0): "%, percent, percentage, pct, per cent, prozent, pour cent, por ciento, por cento, per cento, procent",
    ("$", 1.0): "$, usd, dollar, dollars",
    ("€", 1.0): "€, eur, euro, euros",
    ("£", 1.0): "£, gbp, pounds sterling",
    ("¥", 1.0): "¥, jpy, yen, 円",
    ("chf", 1.0): "chf, franken, swiss francs",
    ("cent", 1.0): "cent, cents",
    ("s", 1.0): """s, sec, secs, second, seconds, sekunde, sekunden, seconde, secondes, segundo, segundos, secondi,
        seconden, sekund, sekunder""",
    ("s", 60.0): "min, mins, minute, minutes, minuten, minuto, minutos, minuti, minuut, minut, minutter",
    ("s", 3600.0): "h, hr, hrs, hour, hours, stunde, stunden, heure, heures, hora, horas, ora, ore, uur, uren",
    ("s", 86400.0): """day, days, tag, tage, tagen, tages, jour, jours, día, días, dia, dias, giorno, giorni, dag,
        dagen, dage""",
    ("s", 604800.0): """week, weeks, woche, wochen, semaine, semaines, semana, semanas, settimana, settimane, weken,
        uge, uger""",
    ("s", 1209600.0): "fortnight, fortnights",
    ("month", 1.0): """month, months, monat, monate, monaten, monats, mois, mes, meses, mês, mese, mesi, maand,
        maanden, måned, måneder""",
    ("month", 3.0): """quarter, quarters, quartal, quartale, quartalen, quartals, trimestre, trimestres, trimestri,
        kwartaal, kwartalen, kvartal, kvartaler""",
    ("month", 12.0): """year, years, yr, yrs, jahr, jahre, jahren, jahres, ans, année, années, año, años, ano, anos,
        anno, anni, jaar, jaren, år""",
    ("m", 0.001): "mm, millimeter, millimeters, millimetre, millimetres",
    ("m", 0.01): "cm, centimeter, centimeters, centimetre, centimetres",
    ("m", 1.0): "m, meter, meters, metre, metres",
    ("m", 1000.0): "km, kilometer, kilometers, kilometre, kilometres",
    ("mile", 1.0): "mile, miles",
    ("inch", 1.0): "inch, inches",
    ("inch", 12.0): "ft, foot, feet",
    ("inch", 36.0): "yard, yards",
    ("m²", 1.0): "m², m2, sqm, square meter, square meters, square metre, square metres, quadratmeter",
    ("m²", 1e6): "km², km2, square kilometer, square kilometers, square kilometre, square kilometres",
    ("m²", 1e4): "ha, hectare, hectares, hektar",
    ("inch²", 144.0): "ft², ft2, sq ft, square foot, square feet",
    ("mile²", 1.0): "square mile, square miles",
    ("acre", 1.0): "acre, acres",
    ("m/s", 1.0): "m/s, meters per second, metres per second",
    ("m/s", 1 / 3.6): """km/h, kmh, kph, kilometers per hour, kilometres per hour, kilometers an hour,
        kilometres an hour""",
    ("mph", 1.0): "mph, miles per hour, miles an hour",
    ("knot", 1.0): "knot, knots, kt, kts, kn",
    ("l", 0.001): "ml, milliliter, milliliters, millilitre, millilitres",
    ("l", 0.01): "cl, centiliter, centiliters, centilitre, centilitres",
    ("l", 1.0): "l, liter, liters, litre, litres",
    ("l", 1000.0): "m³, m3, cubic meter, cubic meters, cubic metre, cubic metres, kubikmeter",
    ("gallon", 1.0): "gal, gallon, gallons",
    ("g", 0.001): "mg, milligram, milligrams",
    ("g", 1.0): "g, gram, grams",
    ("g", 1000.0): "kg, kilo, kilos, kilogram, kilograms",
    ("g", 1e6): "tonne, tonnes, metric ton, metric tons",
    ("ton", 1.0): "ton, tons",
    ("lb", 1.0): "lb, lbs, pound, pounds",
    ("oz", 1.0): "oz, ounce, ounces",
    ("byte", 1.0): "byte, bytes",
    ("byte", 1e3): "kb, kilobyte, kilobytes",
    ("byte", 1e6): "mb, megabyte, megabytes",
    ("byte", 1e9): "gb, gigabyte, gigabytes",
    ("byte", 1e12): "tb, terabyte, terabytes",
    ("byte", 2.0**10): "kib",
    ("byte", 2.0**20): "mib",
    ("byte", 2.0**30): "gib",
    ("byte", 2.0**40): "tib",
    ("bit/s", 1e3): "kbit/s, kbps",
    ("bit/s", 1e6): "mbit/s, mbps",
    ("bit/s", 1e9): "gbit/s, gbps",
    ("hz", 1.0): "hz",
    ("hz", 1e3): "khz",
    ("hz", 1e6): "mhz",
    ("hz", 1e9): "ghz",
    ("w", 1.0): "watt, watts",
    ("w", 1e3): "kw, kilowatt, kilowatts",
    ("kwh", 1.0): "kwh, kilowatt hour, kilowatt hours",
    ("°c", 1.0): "°c, ° c, celsius, degree celsius, degrees celsius, grad celsius",
    ("°f", 1.0): "°f, ° f, fahrenheit, degree fahrenheit, degrees fahrenheit",
    ("°", 1.0): "°, degree, degrees, grad",
}
MEASURES_BY_NAME = {" ".join(word.split()): unit for unit, written in _WRITTEN.items() for word in written.split(",")}
"""Measure of each word or phrase, in lower case."""
UNIT_PREFIXES = frozenset(
    phrase[:place] for phrase in MEASURES_BY_NAME for place, sign in enumerate(phrase) if sign == " "
)
"""Beginnings of phrases."""
OTHER_MEASURES: dict[str, tuple[Measure, ...]] = {
    **dict.fromkeys(("pound", "pounds"), (("£", 1.0),)),
    **dict.fromkeys(("cent", "cents"), (("$", 0.01), ("€", 0.01))),
    **dict.fromkeys(("°", "degree", "degrees", "grad"), (("°c", 1.0), ("°f", 1.0))),
}
"""Other meanings of a word: pounds of money, cents of a dollar or euro, degrees of either scale."""
TIME_UNITS = frozenset({"s", "month"})


def equivalent_measures(unit: str, amount: float) -> Iterator[Measure]:
    """Yield the measure itself, and the days of its months.

    A day is 24 hours, a week 7 days, a quarter 3 months and a year 12 months: exactly. Months have no length in days,
    but people give them one, and a text that does is not wrong. So a month is 28 (four weeks), 30 or 31 days, up to
    eleven months are 30 days each, two and three are eight and twelve weeks too; quarters are 13 weeks each, the first
    also 90 to 92 days, half a year 182 or 183; years are 52 weeks or 365 days each, one also 366 days. Other lengths
    differ: 20 days are no month, 48 weeks no year, 360 days no year, and 30 days are not four weeks."""
    yield unit, amount
    if unit.removeprefix("/") == "month":
        yield from ((f"{unit[:-5]}s", days * 86400.0) for days in _days_of(amount))


def _days_of(months: float) -> set[float]:
    lengths = {30 * months} if months < 12 else set()
    if months in (1, 2, 3):
        lengths.add(28 * months)
    if months % 3 == 0:
        lengths.add(91 * months / 3)
    if months % 12 == 0:
        lengths.add(365 * months / 12)
    return lengths | _ALSO_DAYS.get(months, set())


_ALSO_DAYS: dict[float, set[float]] = {1: {31}, 3: {92}, 6: {183}, 12: {366}}


# --- Times of the day: `5 p.m.` is `17:00`, and `5:30` may be either half of the day --------------

CLOCK_UNIT = "o'clock"
"""Unit of a time of the day, in minutes from midnight."""
_FIGURES = re.compile(r"([0-9]{1,2})(?:[:.]([0-5][0-9]))?")
_MARK = re.compile(r"\s?(?:([ap])\.?m(?![^\W_])\.?|(uhr)\b|o['’]clock\b)")
_NOON = re.compile(r"\b(?:noon|midday|(midnight))\b")


def parse_clock_time(text: str, start: int, end: int) -> tuple[list[Measure], int]:
    """Return the times that the figures from `start` to `end` may mean with the mark behind them, and the end of that;
    none without a mark."""
    mark = _MARK.match(text, end)
    time = mark and _FIGURES.fullmatch(text, start, end)
    if not mark or not time or int(time[1]) > 24:
        return [], end
    hour, minute = int(time[1]), int(time[2] or 0)
    if mark[1]:
        return [(CLOCK_UNIT, hour % 12 * 60.0 + minute + 720.0 * (mark[1] == "p"))], mark.end()
    return [(CLOCK_UNIT, hour * 60.0 + minute)] if mark[2] else _possible_times(time), mark.end()


def parse_bare_time(digits: str) -> tuple[Measure, ...]:
    """Return the times that figures may mean by themselves: `9:30` of the morning or the evening, `09:30` and `17:30`
    one."""
    time = _FIGURES.fullmatch(digits)
    return tuple(_possible_times(time)) if time and time[2] and ":" in digits and int(time[1]) <= 24 else ()


def find_noon(text: str) -> Iterator[tuple[float, int, int]]:
    """Yield noon and midnight as minutes from midnight, with their spans."""
    for match in _NOON.finditer(text):
        yield (0.0 if match[1] else 720.0), match.start(), match.end()


def format_clock_time(minutes: float) -> str:
    """Format minutes from midnight as `17:30`."""
    return f"{int(minutes) // 60}:{int(minutes) % 60:02}"


def _possible_times(time: re.Match[str]) -> list[Measure]:
    hour, minute = int(time[1]), int(time[2] or 0)
    is_ambiguous = 0 < hour <= 12 and not time[1].startswith("0")
    halves = (hour * 60.0, (hour % 12 + 12 * (hour < 12)) * 60.0) if is_ambiguous else (hour * 60.0,)
    return [(CLOCK_UNIT, half + minute) for half in halves]
