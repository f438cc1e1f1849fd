"""The places in an English question where it says what or whom it is about."""

from __future__ import annotations

import re

from pipeline.phrases import AUXILIARIES, BE, MODALS

_ARTICLE = r"(?:the|a|an|my|our)\s+"
WORD = r"[\w'’-]+(?:\.\w+)*"
WORDS = rf"{WORD}(?:\s+{WORD}){{0,2}}"
_PRONOUNS = r"(?:i|we|you|it|they|he|she|one|people|someone)\b"
_PEOPLE = (
    r"(?:people|person|employees?|staff|workers?|contractors?|freelancers?|consultants?|interns?|trainees?|apprentices?"
    r"|students?|part-timers?|full-timers?|hires?|joiners?|starters?|colleagues?|managers?|directors?|executives?|leads?"
    r"|heads?|engineers?|developers?|admins?|users?|members?|guests?|visitors?|customers?|clients?|suppliers?|vendors?"
    r"|drivers?|agents?|parents?|mothers?|fathers?|children|partners?|spouses?|famil(?:y|ies)|applicants?|volunteers?)"
)
NAMES_PEOPLE = re.compile(rf"(?:{WORD}\s+){{0,2}}{_PEOPLE}", re.IGNORECASE)
_PREPOSITIONS = (
    r"(?:per|for|of|in|to|with|on|at|from|by|under|during|after|before|without|above|over|into|via|about|as)"
)
_PLACED = "abroad|remotely|home|here|there|together|online"
_ENDS = rf"\s+(?:be\s+|(?:have|need|want)\s+to\s+)?{WORD}(?:[?.!]*$|\s+(?:a|an|the|my|our|{_PREPOSITIONS}|{_PLACED})\b)"
_DONE = r"\s+(?:\w+ed|\w+en|kept|paid|held|sent|made|done|sold|built|bought|due|valid|available)\b"
_AUXILIARY = f"(?:{MODALS})"
_DOES = rf"\b{_AUXILIARY}\s+"
_IS = f"(?:{BE})"
_WH_IS = (
    rf"^(?:(?:what|who|where|when|why|how(?:\s+\w+)?)\s+{_IS}|(?:what|who|where|when)['’]s)\s+(?!{_PRONOUNS}|there\b)"
)
_BEFORE_PHRASE = rf"(?=\s+{_PREPOSITIONS}\s|$)"
ATTRIBUTE = re.compile(
    rf"{_WH_IS}(?P<who>(?:{_ARTICLE}){WORDS}?)(?=\s+(?:of|for)\s+(?P<the>{_ARTICLE})?(?P<of>\S+))", re.IGNORECASE
)
"""What is asked of something: `the price` of it."""
WHOLE = re.compile(rf"{_WH_IS}(?P<who>(?:{_ARTICLE})?(?!{_PREPOSITIONS}\b){WORDS}?){_BEFORE_PHRASE}", re.IGNORECASE)
"""The whole of what is asked about, when nothing is said of it: `what is the gym subsidy?`"""
WHO_IS = re.compile(rf"who\s+{_IS}\s+(?P<who>the\s.+)", re.IGNORECASE)
OBJECT = re.compile(
    rf"{_DOES}(?:{_PRONOUNS}|(?P<thing>the\s+{WORD})|(?:{_ARTICLE})?(?:{WORD}\s+){{0,2}}?{_PEOPLE})"
    rf"\s+(?P<verb>{WORD}(?:\s+(?:up|out|over|in|back|off))?)\s+(?P<who>(?!{_PREPOSITIONS}\b)(?:{_ARTICLE})?{WORDS}?){_BEFORE_PHRASE}",
    re.IGNORECASE,
)
"""What somebody does, and to what: `I` `restart` `the scheduler`; `thing` where no person does it."""
GOVERNED = re.compile(rf"(?:\b(?:for|of)|\b{_AUXILIARY})\s+(?:{_ARTICLE})?$", re.IGNORECASE)
"""Ends where a name is what a question is asked for or of, or its subject."""
FOR_A_THING = re.compile(rf"\s+(?:for|of)\s+(?!{_PEOPLE}$)(?:{_ARTICLE})?(?-i:[a-z])[\w'’ -]*$", re.IGNORECASE)
COUNTED = re.compile(rf"^(?:how many|which)\s+(?P<who>{WORDS}?)(?:\s+per\s+\w+)?\s+{_AUXILIARY}\s", re.IGNORECASE)
"""What is counted or chosen from."""
_SUBJECTS = (
    re.compile(rf"{_DOES}(?!{_PRONOUNS})(?P<who>(?:{_ARTICLE})?(?:{WORD}\s+){{0,2}}?{WORD})(?={_ENDS})", re.IGNORECASE),
    re.compile(rf"{_DOES}(?P<who>{_PRONOUNS})(?={_ENDS})", re.IGNORECASE),
)
SOMEBODY = (
    re.compile(rf"{_DOES}(?P<who>{_PRONOUNS}|(?:{_ARTICLE})?(?:{WORD}\s+){{0,2}}?{_PEOPLE})(?=\s)", re.IGNORECASE),
)
"""Who does it."""
PLACES = (
    _SUBJECTS[0],
    re.compile(
        rf"^{_IS}\s+(?!{_PRONOUNS}|there\b)(?P<who>(?:{_ARTICLE})?(?:{WORD}\s+){{0,2}}?{WORD})(?={_ENDS})",
        re.IGNORECASE,
    ),
    re.compile(rf"^{_IS}\s+there\s+(?P<who>(?:(?:a|an|any)\s+)?{WORDS}?){_BEFORE_PHRASE}", re.IGNORECASE),
    re.compile(rf"{_WH_IS}(?P<who>(?:{_ARTICLE})?(?:{WORD}\s+){{0,2}}?{WORD})(?={_DONE})", re.IGNORECASE),
    re.compile(
        rf"\b(?:for|of)\s+(?P<who>(?:{_ARTICLE})?{WORDS}?)(?=(?:\s+(?:in|on|at|per|from|during|under)\s.*)?$)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^(?:who|what|which \w+)\s+(?!(?:{AUXILIARIES})\b)"
        rf"{WORD}\s+(?P<who>(?:{_ARTICLE})?{WORDS})$",
        re.IGNORECASE,
    ),
    re.compile(rf"\b{_IS}\s+{_ARTICLE}(?P<bare>{WORDS}?)(?={_ENDS})", re.IGNORECASE),
    WHOLE,
    _SUBJECTS[1],
)
"""Where the last question says what it is about: its subject, what it is `for`, the object of `who`, what stands
before the noun it asks for (`the hotel limit`), and where nothing else does, `I`."""
