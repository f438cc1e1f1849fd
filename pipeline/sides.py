"""The sides of a comparison and the parts of a question that asks several things."""

from __future__ import annotations

import re

from pipeline.phrases import any_of
from pipeline.text import STOP_WORDS, words

_DIFFERENCE = "(?:differences?|unterschiede?|différences?|diferencias?|differenz[ae]|diferenças?|verschil(?:len)?)"
_BETWEEN = "(?:between|zwischen|entre|tra|tussen)"
_AND = "(?:and|und|et|y|e|en)"
_WITH = "(?:with|to|and|against|mit|und|avec|et|con|y)"
_TAIL = (
    r"(?P<tail>\s+(?:for|in|at|on|when|under|during|regarding|about|if|concerning|für|bei|pour|para)\s.+?)?[?.!\s]*$"
)
_COMPARED = (
    re.compile(rf"^.*?\b{_DIFFERENCE}\b.*?\b{_BETWEEN}\s+(?P<a>.+?)\s+{_AND}\s+(?P<b>.+?){_TAIL}", re.IGNORECASE),
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
    r"^(?P<lead>.*?)(?P<a>[^\s,]+(?:[ -][^\s,]+)?)\s+"
    r"(?:vs\.?|versus|compared (?:to|with)|im vergleich zu[rm]?|par rapport (?:à|aux?)|frente a)\s+"
    r"(?P<b>[^,?]+?)(?P<tail>(?:,|\s+(?:for|in|at|on|when|under|during|für|pour|para)\s).*?)?[?.!\s]*$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:the|a|an|our|der|die|das|den|dem|le|la|les|l'|el|los|las)\s+", re.IGNORECASE)
_HEAD = re.compile(r"^(?P<head>.+?\s(?:of|for|in|by|to|von|für|de|du|des|pour|para)\s+)(?P<side>.+)$", re.IGNORECASE)

_LEADS = any_of("""
    what|how|when|where|who|why|which|can|do|does|is|are|should|may
    was|wie|wann|wo|wer|warum|welche|quand|où|comment|qui|qué|cómo|cuándo|dónde
""")
_SPLIT = re.compile(rf"\?\s+(?=\S)|,?\s+(?:and|und|et|y)(?:\s+also)?\s+(?={_LEADS}\s+\S)", re.IGNORECASE)
_LEANING = re.compile(
    r"\b(?:it|its|they|them|their|he|she|his|her|this|that|these|those|one|ones|there|so|er|sie|es|dies\w*|il|elle|ello)\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    rf"^(?:(?:{_LEADS}|much|many|long|often|i|we|you|did|will|the|a|an|our|my|your)\s+)+", re.IGNORECASE
)
_MOST_PARTS = 3

Part = tuple[str, str]
"""What it is about, and the query that looks it up."""


def compared(question: str) -> tuple[Part, ...]:
    """The two sides of a comparison; empty when they cannot be told."""
    for pattern in (*_COMPARED, _VERSUS):
        if found := pattern.match(question):
            named = found.groupdict(default="")
            return _pair(named.get("lead", ""), named["a"], named["b"], named["tail"])
    return ()


def _pair(lead: str, a: str, b: str, tail: str) -> tuple[Part, ...]:
    head = ""
    if (shared := _HEAD.match(a)) and not _HEAD.match(b):
        head, a = shared["head"], shared["side"]
    a, b = (_ARTICLE.sub("", side.strip(" ,\"'“”")) for side in (a, b))
    if not a or not b or a.lower() == b.lower():
        return ()
    return tuple((side, " ".join(f"{lead} {head} {side} {tail}".replace(",", " ").split())) for side in (a, b))


def parts(question: str) -> tuple[Part, ...]:
    """The two or three things a question asks; empty when it asks one.

    A part that leans on another (`and where is it made?`) is not split off: alone it would find anything."""
    pieces = [piece for piece in (piece.strip(" ,?.!") for piece in _SPLIT.split(question)) if piece]
    if not 2 <= len(pieces) <= _MOST_PARTS or any(_LEANING.search(piece) for piece in pieces[1:]):
        return ()
    if not all(any(word not in STOP_WORDS for word in words(piece)) for piece in pieces):
        return ()
    return tuple((_ASKING.sub("", piece) or piece, piece + "?") for piece in pieces)
