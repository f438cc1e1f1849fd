"""Questions for documents that changed since a day: `What changed about parental leave since May?`

No text of the public sets and of our own rows has the form (of 38,309).
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from pipeline.words.text import alternatives_pattern

# --- The first day of a past period ---------------------------------------------------------------

UNIT_PATTERN = r"(?P<unit>(?:day|week|month|year|quarter)s?)"
SPAN_PATTERN = r"(?:(?:in|over|during|within) )?(?:the )?"
_COUNTED = re.compile(rf"{SPAN_PATTERN}(?:last|past|previous) (?P<count>\S+ )?{UNIT_PATTERN}", re.IGNORECASE)
_DATES = re.compile(r"[^\W\d]|\d{4}")
"""A word or a year, which every date has: `3.12` is a version."""
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


def parse_since_day(text: str, today: date, language: str) -> date | None:
    """Parse the name of a past day in a language; return the first day of the latest such period, None where
    it names no day or one still to come."""
    day = _parse_quarter(text, today) or _parse_relative(text, today, language)
    if day is None and not any(form.fullmatch(text) for form in _QUARTERS):
        day = _parse_date(text, today, language)
    return day if day and day <= today else None


def _parse_quarter(text: str, today: date) -> date | None:
    """Parse a quarter; without a year, the latest one that has begun."""
    match = next((result for form in _QUARTERS if (result := form.fullmatch(text))), None)
    if match is None:
        return None
    month = 3 * _NUMBER[match["which"].lower()] - 2
    year = int(match["year"]) if match["year"] else today.year - (month > today.month)
    return date(year, month, 1)


def _parse_relative(text: str, today: date, language: str) -> date | None:
    """Parse a day that is named by `last`, `this` or `the beginning of`."""
    monday = today - timedelta(days=today.weekday())
    for form, start in ((_OF_LAST_WEEK, monday - timedelta(days=7)), (_OF_THIS_WEEK, monday)):
        if (match := form.fullmatch(text)) and (day := _parse_date(match[1], today, language)):
            return start + timedelta(days=day.weekday())
    if match := _BEGINNING.fullmatch(text):
        name = _matched_text(match)
        return (
            _first_day(_UNITS[name.lower()], today)
            if name.lower() in _UNITS
            else parse_since_day(name, today, language)
        )
    for form, back in ((_LAST, True), (_THIS, False)):
        if match := form.fullmatch(text):
            name = _matched_text(match)
            if unit := _UNITS.get(name.lower()):
                first_day = _first_day(unit, today)
                return _first_day(unit, first_day - timedelta(days=1)) if back else first_day
            if back and _WEEKDAY.fullmatch(name):
                return _parse_date(name, today, language)
    return None


def _matched_text(match: re.Match[str]) -> str:
    return next(filter(None, match.groups()), "").strip()


def _first_day(unit: str, day: date) -> date:
    """Return the first day of the week, month, quarter or year that `day` is in."""
    match unit:
        case "week":
            return day - timedelta(days=day.weekday())
        case "month":
            return day.replace(day=1)
        case "quarter":
            return date(day.year, day.month - (day.month - 1) % 3, 1)
    return date(day.year, 1, 1)


def _parse_date(text: str, today: date, language: str) -> date | None:
    last = _COUNTED.fullmatch(text)
    expression = f"{last['count'] or 'a '}{last['unit']} ago" if last else text
    base = datetime.combine(today, time())
    settings = {"PREFER_DATES_FROM": "past", "PREFER_DAY_OF_MONTH": "first", "RELATIVE_BASE": base}
    if not _DATES.search(expression):
        return None
    from dateparser.date import DateDataParser

    parsed = DateDataParser(languages=[language], settings=settings).get_date_data(expression)
    moment = parsed.date_obj and parsed.date_obj.replace(tzinfo=None)
    if not moment or moment.minute or moment > base:
        return None
    day: date = moment.date()
    return _first_day(parsed.period, day) if parsed.period in ("week", "month", "quarter", "year") else day


# --- Questions for changed documents --------------------------------------------------------------

_PAPERS = r"(?:documents|docs|pages|files|articles|policies|guides|threads)"
_MADE = r"(?:new|changed|updated|revised|edited|added|different)"
_CHANGES = r"(?:new )?(?:changes|updates|news)"
_ASKS = alternatives_pattern(rf"""
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
    rf"|(?P<span>today|yesterday|{SPAN_PATTERN}(?:last|past|previous|this) (?:\S+ )?{UNIT_PATTERN}))"
)
_ZU = rf"(?: (?:an|am|bei|beim|in|im|zu|zum|zur) {_TOPIC})??"
_SUR = rf"(?: (?:dans|sur|pour|concernant) {_TOPIC})??"
_EN = rf"(?: (?:en|sobre|de) {_TOPIC})??"
_SEIT = rf"seit (?:de[mnr] )?{_TIME}"
_GEÄNDERT = "(?:geändert|verändert|aktualisiert|neu)"
_WELCHE = "welche (?:dokumente|seiten|dateien|artikel|richtlinien) (?:haben sich|wurden|sind)"
_DEPUIS, _DESDE = rf"depuis (?:l[ea] )?{_TIME}", rf"desde (?:el |la )?{_TIME}"
_FORMS = [
    (language, re.compile(form, re.IGNORECASE))
    for language, form in (
        ("en", rf"{_ASKS}(?:{_ABOUT})??,? {_WHEN}"),
        ("en", rf"{_ASKS},? {_WHEN},?{_ABOUT}"),
        ("en", rf"{_WHEN},? {_ASKS}(?:{_ABOUT})?"),
        ("de", rf"was (?:hat sich|ist|wurde){_ZU} {_SEIT} {_GEÄNDERT}"),
        ("de", rf"was (?:hat sich|ist|wurde) {_SEIT}{_ZU} {_GEÄNDERT}"),
        ("de", rf"{_WELCHE} {_SEIT} {_GEÄNDERT}"),
        ("de", rf"(?:was ist neu|was gibt (?:e|')s neues|gibt es (?:änderungen|neuerungen|neues)){_ZU} {_SEIT}"),
        ("fr", rf"(?:qu'est-ce qui a changé|quoi de neuf|qu'y a-t-il de nouveau|quels changements){_SUR} {_DEPUIS}"),
        ("fr", rf"quels documents (?:ont (?:été )?|sont )(?:changé|modifiés|mis à jour|nouveaux) {_DEPUIS}"),
        ("es", rf"¿?qué (?:ha cambiado|cambió|hay de nuevo|novedades hay|cambios hay){_EN} {_DESDE}"),
        ("es", rf"¿?qué documentos (?:han cambiado|cambiaron|se han (?:cambiado|actualizado)) {_DESDE}"),
        ("ja", rf"(?:{_TOPIC}(?:について|に関して)は?、?)?{_TIME}(?:以降|から)に?、?何が(?:変わりましたか|変わった)"),
    )
]
_ALL = re.compile(
    rf"(?:(?:the|our|your|all|these)(?: the)? )?(?:{_PAPERS}|handbook|wiki|library|knowledge base)", re.IGNORECASE
)
"""Words for all documents, which are no topic."""
_LONGEST = 200


class ChangesQuery(NamedTuple):
    """The first day of the changes, and their topic; empty for all."""

    day: date
    about: str = ""


def parse_changes_query(question: str, today: date) -> ChangesQuery | None:
    """Parse a question of that form; None for all others."""
    normalized = " ".join(question.replace("’", "'").replace("'s ", " is ").split()).rstrip("?!.？。 ")
    for language, form in _FORMS if len(normalized) <= _LONGEST else ():
        match = form.fullmatch(normalized)
        groups = match.groupdict(default="") if match else {}
        if match and (day := parse_since_day(groups["since"] or groups["span"], today, language)):
            return ChangesQuery(day, "" if _ALL.fullmatch(about := groups.get("about", "")) else about)
    return None
