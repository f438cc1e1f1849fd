"""The last question asked again with another question word: `why?`, `since when?`, `on which days?`."""

from __future__ import annotations

import re

from pipeline.phrases import AUXILIARIES, BE
from pipeline.plan.ellipsis import without_mark

_AUXILIARY = rf"(?:{AUXILIARIES})\s"
_MEASURED = re.compile(
    rf"^(?:how (?P<how>\w+)|which|what)(?P<noun>(?:\s+(?!(?:{BE})\b)[\w'’-]+){{0,3}}?)\s+"
    rf"(?P<rest>{_AUXILIARY}.+)$",
    re.IGNORECASE,
)
_ASKED = re.compile(rf"^(?:how|when|where|who|whom)\s+(?P<rest>{_AUXILIARY}.+)$", re.IGNORECASE)
_WHETHER = re.compile(rf"^{_AUXILIARY}.+$", re.IGNORECASE)
_WHY = re.compile(
    r"(?:(?:and|but|so|ok(?:ay)?),?\s+)?(?:why|how come|what for)(?:\s+(?:not|so|(?:is|was)\s+(?:that|it|this)))?",
    re.IGNORECASE,
)
_WHAT_IS = re.compile(rf"^what\s+(?P<rest>(?:{BE})\s.+)$", re.IGNORECASE)
_EXISTS = re.compile(rf"(?:{BE})\s+there\s", re.IGNORECASE)
_ALONE = re.compile(
    r"(?:(?:for|since|until|till|from|to|by|at|in|on|with|under|up to|as of)\s+)?"
    r"(?:when|where|whom?|how(?:\s+(?:long|often|soon|far|much|many|(?:much|many)\s+[\w-]+))?|which\s+[\w-]+(?:\s+[\w-]+)?"
    r"|what\s+(?:time|days?|date|dates|conditions?|times))(?:\s+(?:to|from|exactly))?",
    re.IGNORECASE,
)
"""Nothing but a question word with what belongs to it."""


def wants_reason(question: str) -> bool:
    """Whether the whole of `question` asks why."""
    return bool(_WHY.fullmatch(without_mark(question)))


def reason(topic: str) -> str:
    """The question why the answer to `topic` is so: `How soon must it be done?` gives `Why must it be done that soon?`

    Empty when the form of `topic` is not known."""
    topic = without_mark(topic)
    if found := _MEASURED.match(topic):
        how, noun = found["how"] or "", found["noun"].strip()
        told = ["that", how, noun] if how or noun else ["what it is"]
        return f"Why {' '.join(filter(None, [found['rest'], *told]))}?"
    return asked_with("Why", topic)


def is_question_word(question: str) -> bool:
    """Whether `question` is nothing but a question word with what belongs to it."""
    return bool(_ALONE.fullmatch(without_mark(question)))


def asked_with(word: str, topic: str) -> str:
    """`topic` asked with the question word `word`: `Can I park here?` with `for how long` gives `For how long can I
    park here?` Empty when the form of `topic` is not known."""
    topic = without_mark(topic)
    if _EXISTS.match(topic) or word.lower() == "how many":
        return ""
    word = word[0].upper() + word[1:]
    if found := _ASKED.match(topic) or (_WHAT_IS.match(topic) if word.startswith("How ") else None):
        return f"{word} {found['rest']}?"
    return f"{word} {topic[0].lower()}{topic[1:]}?" if _WHETHER.match(topic) else ""
