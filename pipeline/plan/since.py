"""Whether a message asks which documents changed since a day: `What changed about parental leave since May?`

No text of the public sets and of our own rows has the form (of 38,309)."""

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
    (?:(?:which|what|show(?: me)?|list) )?(?:(?:any|all|the) )*new {_PAPERS}(?: (?:are|were) there)?
    anything (?:new|changed|updated)
    (?:has|have|did) anything (?:been )?(?:changed?|updated?|new)
    (?:(?:(?:are|were) there|have there been|show(?: me)?|list|give me) )?(?:(?:any|all|the) )*{_CHANGES}
    (?:what|which)(?: are| were)?(?: the)? {_CHANGES}(?: (?:are|were) (?:made|there)| have (?:been made|there been))?
    (?:which|what|show(?: me)?|list)(?: all| the)* {_PAPERS}(?: that| have| were| are| been)* {_MADE}
""")
_TOPIC, _TIME = r"(?P<about>.+?)", r"(?P<since>.+?)"
_ABOUT = rf" (?:about|in|to|for|with|on|regarding|around) {_TOPIC}"
_WHEN = (
    rf"(?:(?:since|after) {_TIME}"
    rf"|(?P<span>today|yesterday|{_SPAN}(?:last|past|previous|this) (?:\S+ )?{_UNIT}))"
)
_ZU = rf"(?: (?:an|am|bei|beim|in|im|zu|zum|zur) {_TOPIC})??"
_SUR = rf"(?: (?:dans|sur|pour|concernant) {_TOPIC})??"
_FORMS = [
    (language, re.compile(form, re.IGNORECASE))
    for language, form in (
        ("en", rf"{_ASKS}(?:{_ABOUT})??,? {_WHEN}"),
        ("en", rf"{_ASKS},? {_WHEN},?{_ABOUT}"),
        ("en", rf"{_WHEN},? {_ASKS}(?:{_ABOUT})?"),
        ("de", rf"was (?:hat sich|ist|wurde){_ZU} seit (?:dem )?{_TIME} (?:geändert|verändert|aktualisiert|neu)"),
        ("de", rf"was ist neu{_ZU} seit (?:dem )?{_TIME}"),
        ("fr", rf"(?:qu'est-ce qui a changé|quoi de neuf){_SUR} depuis (?:le )?{_TIME}"),
        ("es", rf"¿?qué (?:ha cambiado|cambió|hay de nuevo)(?: (?:en|sobre|de) {_TOPIC})?? desde (?:el )?{_TIME}"),
        ("ja", rf"(?:{_TOPIC}(?:について|に関して)は?、?)?{_TIME}(?:以降|から)に?、?何が(?:変わりましたか|変わった)"),
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
    """What is asked for by a question of that form; None for all others."""
    asked = " ".join(question.replace("’", "'").replace("'s ", " is ").split()).rstrip("?!.？。 ")
    for language, form in _FORMS if len(asked) <= _LONGEST else ():
        found = form.fullmatch(asked)
        said = found.groupdict(default="") if found else {}
        if found and (day := _day(said["since"] or said["span"], today, language)):
            return Since(day, "" if _ALL.fullmatch(said["about"]) else said["about"])
    return None


def _day(said: str, today: date, language: str) -> date | None:
    """The first day of the last time that is called so: of a week its Monday."""
    last = _LAST.fullmatch(said)
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
    match found.period:
        case "week":
            return day - timedelta(days=day.weekday())
        case "month":
            return day.replace(day=1)
        case "year":
            return day.replace(month=1, day=1)
    return day
