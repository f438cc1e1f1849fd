"""Whether a message asks which documents changed since a day: `What changed about parental leave since May?`"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from dateparser.date import DateDataParser

from pipeline.words.text import any_of

_UNIT = r"(?P<unit>(?:day|week|month|year)s?)"
_SPAN = r"(?:(?:in|over|during|within) )?(?:the )?"
_PAPERS = r"(?:documents|docs|pages|files|articles|policies|guides|threads)"
_MADE = r"(?:new|changed|updated|revised|edited|added|different)"
_CHANGES = r"(?:new )?(?:changes|updates|news)"
_ASKS = any_of(rf"""
    what(?: is| has| have| was)?(?: been)? {_MADE}
    (?:any )?new {_PAPERS}|anything (?:new|changed|updated)
    (?:has|have|did) anything (?:been )?(?:changed?|updated?|new)
    (?:(?:(?:are|were) there|have there been|show(?: me)?|list|give me) )?(?:(?:any|all|the) )*{_CHANGES}
    what(?: are| were)?(?: the)? {_CHANGES}(?: (?:are|were) (?:made|there)| have (?:been made|there been))?
    (?:which|what|show(?: me)?|list)(?: all| the)*(?: new)? {_PAPERS}(?: that| have| were| are| been)*(?: {_MADE})?
""")
_ABOUT = r" (?:about|in|to|for|with|on|regarding|around) (?P<about>.+?)"
_WHEN = (
    rf"(?:(?:since|after) (?P<since>.+?)"
    rf"|(?P<span>today|yesterday|{_SPAN}(?:last|past|previous|this) (?:\S+ )?{_UNIT}))"
)
_FORMS = [
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_ASKS}(?:{_ABOUT})??,? {_WHEN}",
        rf"{_ASKS},? {_WHEN},?{_ABOUT}",
        rf"{_WHEN},? {_ASKS}(?:{_ABOUT})?",
    )
]
_LAST = re.compile(rf"{_SPAN}(?:last|past|previous) (?P<count>\S+ )?{_UNIT}", re.IGNORECASE)
_ALL = re.compile(
    rf"(?:(?:the|our|your|all|these)(?: the)? )?(?:{_PAPERS}|handbook|wiki|library|knowledge base)", re.IGNORECASE
)
"""What is no topic."""
_DATES = re.compile(r"[^\W\d]|\d{4}")
"""What a date has: `3.12` is a version."""
_LONGEST = 200


class Since(NamedTuple):
    """From which day on, and what about; empty for everything."""

    day: date
    about: str = ""


def since(question: str, today: date) -> Since | None:
    """What is asked for by a question of that form, in English; None for all others."""
    asked = " ".join(question.replace("’", "'").replace("'s ", " is ").split()).rstrip("?!. ")
    for form in _FORMS if len(asked) <= _LONGEST else ():
        found = form.fullmatch(asked)
        if found and (day := _day(found["since"] or found["span"], today)):
            about = found["about"] or ""
            return Since(day, "" if _ALL.fullmatch(about) else about)
    return None


def _day(said: str, today: date) -> date | None:
    """The first day of the last time that is called so: of a week its Monday."""
    last = _LAST.fullmatch(said)
    told = f"{last['count'] or 'a '}{last['unit']} ago" if last else said
    base = datetime.combine(today, time())
    settings = {"PREFER_DATES_FROM": "past", "PREFER_DAY_OF_MONTH": "first", "RELATIVE_BASE": base}
    found = DateDataParser(languages=["en"], settings=settings).get_date_data(told) if _DATES.search(told) else None
    if not found or not found.date_obj or found.date_obj.minute or found.date_obj > base:
        return None
    day: date = found.date_obj.date()
    match found.period:
        case "week":
            return day - timedelta(days=day.weekday())
        case "month":
            return day.replace(day=1)
        case "year":
            return day.replace(month=1, day=1)
    return day
