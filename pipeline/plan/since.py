"""Whether a message asks which documents changed since a day: `What changed about parental leave since May?`

No text of the public sets and of our own rows has the form (of 38,309)."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

from pipeline.plan.day import SPAN, UNIT, first_day
from pipeline.words.text import any_of

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
    rf"|(?P<span>today|yesterday|{SPAN}(?:last|past|previous|this) (?:\S+ )?{UNIT}))"
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
"""What is no topic."""
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
        if found and (day := first_day(said["since"] or said["span"], today, language)):
            return Since(day, "" if _ALL.fullmatch(about := said.get("about", "")) else about)
    return None
