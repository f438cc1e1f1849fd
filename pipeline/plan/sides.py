"""The sides of a comparison and the parts of a question that asks several things."""

from __future__ import annotations

import re

from pipeline.phrases import any_of
from pipeline.plan.followup import leans

_DIFFERENCE = "(?:differences?|unterschiede?|différences?|diferencias?|differenz[ae]|diferenças?)"
_PAIR = r"(?:between|zwischen|entre|tra|fra)\s+(?P<a>.+?)\s+(?:and|und|et|y|e)\s+(?P<b>.+?)"
_WITH = "(?:with|to|and|against|mit|und|avec|et|con|y|e)"
_TAIL = r"(?P<tail>\s+(?:for|in|at|on|when|under|during|regarding|if|für|bei|pour|para|per)\s.+?)?[?.!\s]*$"
_COMPARED = [
    re.compile(pattern + _TAIL, re.IGNORECASE)
    for pattern in (
        rf"^.*?\b{_DIFFERENCE}\b(?:\s+(?:in|of)\s+(?P<lead>.+?)\s+|.*?\b){_PAIR}",
        rf"^(?:.*?\b)?(?:compare|vergleiche?|comparez?|compara|confronta)\s+(?P<a>.+?)\s+{_WITH}\s+(?P<b>.+?)",
        r"^how\s+(?:do|does|is|are)\s+(?P<a>.+?)\s+(?:differ(?:ent)? from|compare (?:to|with))\s+(?P<b>.+?)",
        rf"^(?:how do(?:es)?|wie unterscheide[nt] sich)\s+(?P<lead>.+?)\s+(?:differ\s+)?{_PAIR}",
        r"^how\s+(?:do|are)\s+(?P<a>.+?)\s+and\s+(?P<b>.+?)\s+(?:differ(?:ent)?|compare)",
        r"^(?P<lead>.*?)(?P<a>[^\s,]+(?: [^\s,]+)?)\s+(?:vs\.?|versus)\s+(?P<b>[^,?]+?)",
    )
]
_ARTICLE = re.compile(
    r"^(?:the|an?|our|der|die|das|den|dem|le|la|les|l'|el|los|las|il|lo|gli|os?|as?)\s+", re.IGNORECASE
)
_HEAD = re.compile(r"^(?P<head>.+?\s(?:of|for|in|by|to|von|für|de|du|des|pour|para|di)\s+)(?P<side>.+)$", re.IGNORECASE)

_LEADS = any_of("""
    what|how|when|where|who|why|which|(?:can|do|does|is|are|should|may|must)(?=\\s(?:i|we|you|the|my|our|an?|any|there)\\s)
    was|wie|wann|wo|wer|warum|quand|où|comment|qui|qué|cómo|cuándo|dónde|come|quando|dove|como|onde
""")
_SPLIT = re.compile(rf"\?\s+(?=\S)|,?\s+(?:and|und|et|y|e)(?:\s+also)?\s+(?={_LEADS}\s+\S)", re.IGNORECASE)
_ASKS = re.compile(rf"(?:{_LEADS}|can|do|does|did|is|are|should|may|must|will)\b", re.IGNORECASE)
_ASKING = re.compile(
    rf"^(?:(?:{_LEADS}|much|many|long|often|i|we|you|do|does|is|are|the|an?|our|my)\s+)+", re.IGNORECASE
)
_MOST_PARTS = 3
_LONGEST = 250
"""Characters of a question beyond which its sides are not looked for."""

Part = tuple[str, str]
"""What it is about, and the query that looks it up."""


def compared(question: str) -> tuple[Part, ...]:
    """The two sides of a comparison; empty when they cannot be told.

    What only one side says counts for both: the beginning up to `of` or `for`, the noun at the end, and the condition
    behind (`annual vs monthly billing for teams`)."""
    found = next(filter(None, (pattern.match(question[: _LONGEST + 1]) for pattern in _COMPARED)), None)
    if not found or len(question) > _LONGEST:
        return ()
    named = found.groupdict(default="")
    a, b, lead, head = named["a"], named["b"], named.get("lead", ""), ""
    if (led := _HEAD.match(a)) and not _HEAD.match(b):
        head, a = led["head"], led["side"]
        b = b.removeprefix(head.split()[-1] + " ")
    a, b = (_ARTICLE.sub("", side.strip(" ,\"'“”")) for side in (a, b))
    if not a or not b or a.lower() == b.lower():
        return ()
    noun = "" if head else " ".join(b.split()[len(a.split()) :])
    sides = ((a, f"{a} {noun}"), (b, b))
    return tuple((side, " ".join(f"{lead} {head} {words} {named['tail']}".split())) for side, words in sides)


def parts(question: str) -> tuple[Part, ...]:
    """The two or three things a question asks; empty when it asks one.

    A part that leans on another (`and where is it made?`) is not split off: alone it would find anything."""
    pieces = [piece for piece in (piece.strip(" ,?.!") for piece in _SPLIT.split(question)) if piece]
    if not 2 <= len(pieces) <= _MOST_PARTS or any(not _ASKS.match(piece) or leans(piece) for piece in pieces):
        return ()
    return tuple((_ASKING.sub("", piece) or piece, f"{piece}?") for piece in pieces)
