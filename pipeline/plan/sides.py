"""The sides of a comparison and the parts of a question that asks several things."""

from __future__ import annotations

import re

from pipeline.phrases import any_of
from pipeline.text import STOP_WORDS, words

_DIFFERENCE = "(?:differences?|unterschiede?|différences?|diferencias?|differenz[ae]|diferenças?|verschil(?:len)?)"
_BETWEEN = "(?:between|zwischen|entre|tra|tussen)"
_AND = "(?:and|und|et|y|e|en)"
_IN = "(?:in|of|for|regarding|beim?|im|en|dans|nel(?:la)?)"
_WITH = "(?:with|to|and|against|mit|und|avec|et|con|y)"
_TAIL = (
    r"(?P<tail>\s+(?:for|in|at|on|when|under|during|regarding|about|if|concerning|für|bei|pour|para)\s.+?)?[?.!\s]*$"
)
_COMPARED = (
    re.compile(rf"^how\s+(?:do|does)\s+(?P<a>.+?)\s+compare\s+(?:to|with|against)\s+(?P<b>.+?){_TAIL}", re.IGNORECASE),
    re.compile(
        rf"^.*?\b{_DIFFERENCE}\b(?:\s+{_IN}\s+(?P<lead>.+?)\s+|.*?\b){_BETWEEN}\s+"
        rf"(?P<a>.+?)\s+{_AND}\s+(?P<b>.+?){_TAIL}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^(?:how|wie)\s+(?:do|does|is|are|unterscheide[nt] sich)\s+(?P<lead>.+?)\s+(?:(?:differ|different|vary)\s+)?"
        rf"{_BETWEEN}\s+(?P<a>.+?)\s+{_AND}\s+(?P<b>.+?){_TAIL}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^(?:.*?\b)?(?:compare|comparison of|vergleiche?|comparez?|compara)\s+"
        rf"(?P<a>.+?)\s+{_WITH}\s+(?P<b>.+?){_TAIL}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^(?:how|in what way|worin|wie)\s+(?:do|does|is|are|unterscheide[nt] sich)\s+(?P<a>.+?)\s+"
        rf"(?:differ from|different from|and|von|und)\s+(?P<b>.+?)(?:\s+(?:differ|different|compare))?{_TAIL}",
        re.IGNORECASE,
    ),
)
_VERSUS = re.compile(
    r"^(?P<lead>.*?)(?P<a>[^\s,]+(?: [^\s,]+)?)(?P<verb>\s+(?:get|have|receive|earn|need|pay|cost|work|take|use))?\s+"
    r"(?:vs\.?|versus|compared (?:to|with)|im vergleich zu[rm]?|par rapport (?:à|aux?)|frente a)\s+"
    r"(?P<b>[^,?]+?)(?P<tail>(?:,|\s+(?:for|in|at|on|when|under|during|für|pour|para)\s).*?)?[?.!\s]*$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:the|a|an|our|der|die|das|den|dem|le|la|les|l'|el|los|las)\s+", re.IGNORECASE)
_HEAD = re.compile(r"^(?P<head>.+?\s(?:of|for|in|by|to|von|für|de|du|des|pour|para)\s+)(?P<side>.+)$", re.IGNORECASE)

_LEADS = any_of("""
    what|how|when|where|who|why|which|(?:can|do|does|is|are|should|may|must)(?=\\s(?:i|we|you|the|my|our|an?|any|there)\\s)
    was|wie|wann|wo|wer|warum|welche|quand|où|comment|qui|qué|cómo|cuándo|dónde
""")
_SPLIT = re.compile(rf"\?\s+(?=\S)|,?\s+(?:and|und|et|y)(?:\s+also)?\s+(?={_LEADS}\s+\S)", re.IGNORECASE)
_LEANING = re.compile(
    r"\b(?:it|its|they|them|their|he|she|his|her|this|that|these|those|one|ones|there|so|er|sie|es|dies\w*|il|elle|ello)\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    rf"^(?:(?:{_LEADS}|what's|who's|where's|much|many|long|often|i|we|you|did|will|the|a|an|our|my|your)\s+)+",
    re.IGNORECASE,
)
_ASKS = re.compile(rf"(?:{_LEADS}|can|do|does|did|is|are|was|were|should|may|must|will)\b", re.IGNORECASE)
_EMPTY = STOP_WORDS | {"much", "many", "else", "other", "long", "often", "ok", "okay"}
_MOST_PARTS = 3
_LONGEST = 250
"""Characters of a question beyond which its sides are not looked for."""

Part = tuple[str, str]
"""What it is about, and the query that looks it up."""


def compared(question: str) -> tuple[Part, ...]:
    """The two sides of a comparison; empty when they cannot be told.

    What only one side says counts for both: the beginning up to `of` or `for`, the noun at the end, and the condition
    behind (`annual vs monthly billing for teams`)."""
    if len(question) > _LONGEST:
        return ()
    for pattern in (*_COMPARED, _VERSUS):
        if found := pattern.match(question):
            named = found.groupdict(default="")
            return _pair(named.get("lead", ""), named["a"], named["b"], named.get("verb", "") + named["tail"])
    return ()


def _pair(lead: str, a: str, b: str, tail: str) -> tuple[Part, ...]:
    head = ""
    if (found := _HEAD.match(a)) and not _HEAD.match(b):
        head, a = found["head"], found["side"]
        b = b.removeprefix(head.split()[-1] + " ")
    while lead and " " in a and a.split()[0].lower() in STOP_WORDS:
        word, a = a.split(maxsplit=1)
        lead = f"{lead} {word}"
    a, b = (_ARTICLE.sub("", side.strip(" ,\"'“”")) for side in (a, b))
    if not a or not b or a.lower() == b.lower():
        return ()
    noun = "" if head else " ".join(b.split()[len(a.split()) :])
    sides = ((a, f"{a} {noun}"), (b, b))
    return tuple((side, " ".join(f"{lead} {head} {words} {tail}".replace(",", " ").split())) for side, words in sides)


def parts(question: str) -> tuple[Part, ...]:
    """The two or three things a question asks; empty when it asks one.

    A part that leans on another (`and where is it made?`) is not split off: alone it would find anything."""
    pieces = [piece for piece in (piece.strip(" ,?.!") for piece in _SPLIT.split(question)) if piece]
    if not 2 <= len(pieces) <= _MOST_PARTS or not all(_stands_alone(piece) for piece in pieces):
        return ()
    return tuple((_ASKING.sub("", piece) or piece, piece + "?") for piece in pieces)


def _stands_alone(piece: str) -> bool:
    asks = _ASKS.match(piece) and not _LEANING.search(piece)
    return bool(asks) and any(word not in _EMPTY for word in words(piece))
