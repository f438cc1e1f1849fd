"""The last question asked again under another circumstance: `and in London?`, `and after probation?`, `if I am ill?`"""

from __future__ import annotations

import re

from pipeline.plan.ellipsis import for_whom, without_mark

_TIME = ("during", "after", "before", "while", "während", "nach", "vor", "pendant", "après", "avant")
_AMOUNT = ("above", "below", "over", "under", "up to", "less than", "more than", "über", "unter")
_OUTSIDE = ("outside", "inside", "within", "außerhalb", "innerhalb")
_GIVES_WAY = {
    **dict.fromkeys(_TIME, _TIME),
    **dict.fromkeys(_AMOUNT, _AMOUNT),
    **dict.fromkeys(_OUTSIDE, (*_OUTSIDE, "in", "from")),
}
"""What a circumstance of one kind replaces besides one with the same preposition."""
_PLAIN = (
    "for in of to with on at from by without since until per between against via im am an auf aus bei beim mit von vom"
    " zum zur für seit bis ab ohne pro dans pour avec sans chez depuis en para con sin desde hasta"
).split()
_ALL = sorted({*_PLAIN, *_TIME, *_AMOUNT, *_OUTSIDE}, key=len, reverse=True)
_PREPOSITION = re.compile(rf"\b(?:{'|'.join(_ALL)})\b(?=\s)", re.IGNORECASE)
_ENDING = re.compile(rf"\s+(?!of\b|von\b|vom\b)(?:{'|'.join(_ALL)})\s", re.IGNORECASE)
"""Where a phrase ends: at the next one."""
_NAMED = re.compile(r"\s+(?:(?:the|den|dem|der|die|das)\s+)?[A-ZÄÖÜ][\w'’-]*(?:\s+[A-ZÄÖÜ][\w'’-]*)*")
"""A name with its article, where the phrase ends too."""
_INFINITIVE = re.compile(r"[Tt]o\s+(?!(?:the|a|an|my|our|your|his|her|their|other|another)\b)[a-z]")
_FINITE = re.compile(
    r"\b(?:am|is|are|was|were|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had"
    r"|ist|sind|war|wird|werden|hat|haben|kann|können|darf|dürfen|muss|müssen|soll|gilt|gibt|est|sont|peut|es|son|puede)\b",
    re.IGNORECASE,
)


def is_circumstance(phrase: str) -> bool:
    """Whether `phrase` begins with a preposition and says nothing of it: `for contractors`, `in the first year`.

    Not `to apply`, which says something."""
    return bool(_PREPOSITION.match(phrase)) and not _INFINITIVE.match(phrase) and not _FINITE.search(phrase)


def placed(phrase: str, topic: str) -> str:
    """`topic` with the phrase of its kind replaced by `phrase`, or `phrase` behind it; empty when that has no
    preposition."""
    found = _PREPOSITION.match(phrase)
    if not found:
        return ""
    topic, preposition = without_mark(topic), found.group().lower()
    kind = _GIVES_WAY.get(preposition, (preposition,))
    like = [one for one in _PREPOSITION.finditer(topic) if one.group().lower() in kind]
    like = [one for one in like if one.group().lower() == preposition] or like
    if like:
        named, ending = _NAMED.match(topic, like[-1].end()), _ENDING.search(topic, like[-1].end())
        end = named.end() if named else ending.start() if ending else len(topic)
        return f"{topic[: like[-1].start()]}{phrase}{topic[end:]}?"
    whom = for_whom(phrase[found.end() :].strip(), topic) if preposition == "for" else ""
    return whom or f"{topic} {phrase}?"
