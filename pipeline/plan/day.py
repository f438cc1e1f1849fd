"""The first day of the last time that is called so: `last Friday`, `Q1 2026`, `seit letztem Monat`, `先週の金曜日`."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from dateparser.date import DateDataParser

UNIT = r"(?P<unit>(?:day|week|month|year|quarter)s?)"
SPAN = r"(?:(?:in|over|during|within) )?(?:the )?"
_COUNTED = re.compile(rf"{SPAN}(?:last|past|previous) (?P<count>\S+ )?{UNIT}", re.IGNORECASE)
_DATES = re.compile(r"[^\W\d]|\d{4}")
"""What a date has: `3.12` is a version."""
_NUMBER = {"1": 1, "2": 2, "3": 3, "4": 4} | {
    word: number
    for number, words in enumerate(
        (
            "first erste ersten erstem premier primer primero",
            "second zweite zweiten zweitem deuxième segundo",
            "third dritte dritten drittem troisième tercer tercero",
            "fourth vierte vierten viertem quatrième cuarto",
        ),
        1,
    )
    for word in words.split()
}
_WHICH = rf"(?P<which>{'|'.join(_NUMBER)})"
_YEAR = r"(?:,? ?(?:of |de |du |del |in |/)?(?P<year>(?:19|20)\d\d))?"
_QUARTERS = (
    re.compile(rf"(?:the )?[qt]{_WHICH}{_YEAR}", re.IGNORECASE),
    re.compile(rf"(?P<year>(?:19|20)\d\d)[ -/]?[qt]{_WHICH}", re.IGNORECASE),
    re.compile(
        rf"(?:the )?{_WHICH}(?:\.|st|nd|rd|th|er|e|ème|º|°)? ?(?:quarter|quartal|trimestre|t|q){_YEAR}", re.IGNORECASE
    ),
    re.compile(rf"(?:(?P<year>(?:19|20)\d\d)年の?)?第?{_WHICH}四半期"),
)
_LAST = re.compile(
    r"(?:the )?(?:last|past|previous) (.+)|(?:de[mnr] )?(?:letzt|vorig|vergangen)e[mnrs]? (.+)"
    r"|(?:l[ae] |el |l['’])?(?:dernier|dernière|últim[oa]) (.+)"
    r"|(?:l[ae] |el |l['’])?(.+) (?:dernier|dernière|passée?|pasad[oa])|(?:先|前|昨)(.+)",
    re.IGNORECASE,
)
_THIS = re.compile(r"(?:the )?this (.+)|diese[mnrs]? (.+)|(?:ce|cet|cette|est[ea]) (.+)|今(.+)|本(.+)", re.IGNORECASE)
_BEGINNING = re.compile(
    r"(?:the )?(?:start|beginning) of (?:the |this )?(.+)|(?:anfang|beginn)(?: de[sr])? (.+?)|(jahres)(?:anfang|beginn)"
    r"|(?:le )?début (?:de (?:l['’]|la )?|du |d['’])?(.+)|(?:principios|inicios?|comienzos?) (?:del?|de la) (.+)",
    re.IGNORECASE,
)
_UNITS = {
    word: unit
    for unit, words in {
        "week": "week woche semaine semana 週 週間",
        "month": "month monat monats mois mes 月",
        "quarter": "quarter quartal quartals trimestre 四半期",
        "year": "year jahr jahres année an año 年",
    }.items()
    for word in words.split()
}
_OF_LAST_WEEK, _OF_THIS_WEEK = re.compile(r"先週の?(.曜日?)"), re.compile(r"今週の?(.曜日?)")
_WEEKDAY = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|sonnabend"
    r"|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
    r"|lunes|martes|miércoles|jueves|viernes|sábado|domingo|[月火水木金土日]曜日?",
    re.IGNORECASE,
)


def first_day(said: str, today: date, language: str) -> date | None:
    """That day, as `said` in a language calls it; None where it calls no day, or one that is still to come."""
    found = _quarter(said, today) or _named(said, today, language)
    if found is None and not any(form.fullmatch(said) for form in _QUARTERS):
        found = _parsed(said, today, language)
    return found if found and found <= today else None


def _quarter(said: str, today: date) -> date | None:
    """The first day of a quarter; without a year, of the last one that has begun."""
    match = next((found for form in _QUARTERS if (found := form.fullmatch(said))), None)
    if match is None:
        return None
    month = 3 * _NUMBER[match["which"].lower()] - 2
    year = int(match["year"]) if match["year"] else today.year - (month > today.month)
    return date(year, month, 1)


def _named(said: str, today: date, language: str) -> date | None:
    """What is told by `last`, `this` or `the beginning of`."""
    monday = today - timedelta(days=today.weekday())
    for form, of in ((_OF_LAST_WEEK, monday - timedelta(days=7)), (_OF_THIS_WEEK, monday)):
        if (found := form.fullmatch(said)) and (day := _parsed(found[1], today, language)):
            return of + timedelta(days=day.weekday())
    if found := _BEGINNING.fullmatch(said):
        what = _what(found)
        return _begun(_UNITS[what.lower()], today) if what.lower() in _UNITS else first_day(what, today, language)
    for form, back in ((_LAST, True), (_THIS, False)):
        if found := form.fullmatch(said):
            what = _what(found)
            if unit := _UNITS.get(what.lower()):
                begun = _begun(unit, today)
                return _begun(unit, begun - timedelta(days=1)) if back else begun
            if back and _WEEKDAY.fullmatch(what):
                return _parsed(what, today, language)
    return None


def _what(found: re.Match[str]) -> str:
    return next(filter(None, found.groups()), "").strip()


def _begun(unit: str, day: date) -> date:
    """The first day of the week, month, quarter or year that `day` is in."""
    match unit:
        case "week":
            return day - timedelta(days=day.weekday())
        case "month":
            return day.replace(day=1)
        case "quarter":
            return date(day.year, day.month - (day.month - 1) % 3, 1)
    return date(day.year, 1, 1)


def _parsed(said: str, today: date, language: str) -> date | None:
    last = _COUNTED.fullmatch(said)
    told = f"{last['count'] or 'a '}{last['unit']} ago" if last else said
    base = datetime.combine(today, time())
    settings = {"PREFER_DATES_FROM": "past", "PREFER_DAY_OF_MONTH": "first", "RELATIVE_BASE": base}
    if not _DATES.search(told):
        return None
    found = DateDataParser(languages=[language], settings=settings).get_date_data(told)
    told_at = found.date_obj and found.date_obj.replace(tzinfo=None)
    if not told_at or told_at.minute or told_at > base:
        return None
    day: date = told_at.date()
    return _begun(found.period, day) if found.period in ("week", "month", "quarter", "year") else day
