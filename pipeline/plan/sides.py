"""The sides of a comparison and the parts of a question that asks several things."""

from __future__ import annotations

import re

from pipeline.plan.followup import leans

_COMPARED = [
    re.compile(pattern + r"[?.!\s]*$", re.IGNORECASE)
    for pattern in (
        r"^.*?\bdifferences?\b(?:\s+(?:in|of)\s+(?P<lead>.+?)\s+|.*?\b)between\s+(?P<a>.+?)\s+and\s+(?P<b>.+?)",
        r"^(?:.*?\b)?compare\s+(?P<a>.+?)\s+(?:with|to|and|against)\s+(?P<b>.+?)",
        r"^how\s+(?:do|does)\s+(?P<a>.+?)\s+and\s+(?P<b>.+?)\s+differ(?:\s+in\s+(?P<lead>.+?))?",
        r"^how\s+(?:do|does|is|are)\s+(?P<a>.+?)\s+(?:differ|different)\s+from\s+(?P<b>.+?)(?:\s+in\s+(?P<lead>.+?))?",
        r"^which\s+(?:(?:one\s+)?(?:is|are)\s+\w+|(?P<lead>[^,]+)),\s+(?P<a>[^,]+?)\s+or\s+(?P<b>[^,]+?)",
        r"^(?P<lead>.*?)(?P<a>[^\s,]+(?: [^\s,]+)?)\s+(?:vs\.?|versus)\s+(?P<b>[^,?]+?)",
    )
]
_HEAD = re.compile(r"^(?P<head>.+?\s(?:of|for|in|by|to)\s+)(?P<side>.+)$", re.IGNORECASE)

_LEADS = (
    r"(?:what|how|when|where|who|why|which"
    r"|(?:can|do|does|is|are|should|may|must)(?=\s(?:i|we|you|the|my|our|an?|any|there)\s))"
)
_SPLIT = re.compile(rf"\?\s+(?=\S)|,?\s+and(?:\s+also)?\s+(?={_LEADS}\s+\S)", re.IGNORECASE)
_ASKS = re.compile(rf"(?:{_LEADS}|can|do|does|did|is|are|should|may|must|will)\b", re.IGNORECASE)
_MOST_PARTS = 3
_LONGEST = 250
"""Characters of a question beyond which its sides are not looked for."""

Part = tuple[str, str]
"""What it is about, and the query that looks it up."""


def compared(question: str) -> tuple[Part, ...]:
    """The two sides of a comparison; empty when they cannot be told.

    What only one side says counts for both: the beginning up to `of` or `for`, the noun at the end, and the condition
    behind it (`annual vs monthly billing for teams`)."""
    found = next(filter(None, (pattern.match(question[: _LONGEST + 1]) for pattern in _COMPARED)), None)
    if not found or len(question) > _LONGEST:
        return ()
    named = found.groupdict(default="")
    a, b, lead, head = named["a"], named["b"], named.get("lead") or "", ""
    if (led := _HEAD.match(a)) and not _HEAD.match(b):
        head, a = led["head"], led["side"]
        b = b.removeprefix(head.split()[-1] + " ")
    a, b = (side.strip(" ,\"'“”") for side in (a, b))
    if not a or not b or a.lower() == b.lower():
        return ()
    noun = "" if head else " ".join(b.split()[len(a.split()) :])
    sides = ((a, f"{a} {noun}"), (b, b))
    return tuple((side, " ".join(f"{lead} {head} {words}".split())) for side, words in sides)


def parts(question: str) -> tuple[Part, ...]:
    """The two or three things a question asks; empty when it asks one.

    A part that leans on another (`and where is it made?`) is not split off: alone it would find anything."""
    pieces = [piece for piece in (piece.strip(" ,?.!") for piece in _SPLIT.split(question)) if piece]
    if not 2 <= len(pieces) <= _MOST_PARTS or any(not _ASKS.match(piece) or leans(piece) for piece in pieces):
        return ()
    return tuple((piece, f"{piece}?") for piece in pieces)
