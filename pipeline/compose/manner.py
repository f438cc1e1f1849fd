"""How something is said: hedged or definite, long or short. Word lists and factors were asked for as they stand."""

from __future__ import annotations

import re
from functools import lru_cache

from pipeline.words import wording
from pipeline.words.text import word_pattern

STRONG, MODERATE = 0.6, 0.8
"""What each kind of hedging leaves of the confidence."""
HEDGING = {
    STRONG: wording.HEDGED,
    MODERATE: wording.CAUTIOUS,
    1.0: wording.DEFINITE,
}
_STRONG = word_pattern(r"""
    not enough information|insufficient information|no information|cannot (?:be )?determined?|unclear|not specified
    please contact|(?:i|we) (?:do not|don['’]t) know|is not known|unknown
""")
_MODERATE = word_pattern(r"""
    may depend|depends on|might vary|may vary|possibly|perhaps|seems? to|appears? to|likely|probably|it depends
""")
_SPECIFIC = re.compile(
    r"[$€£¥]\s?\d|\d\s?(?:[$€£¥%°円年月日]|(?:percent|dollars?|euros?|minutes?|hours?|days?|weeks?|months?|years?)\b)"
    r"|\b(?:1\d|20)\d\d\b",
    re.IGNORECASE,
)
_SHORT = ((5, 0.7), (10, 0.85), (15, 0.95))


@lru_cache(maxsize=64)
def hedging(text: str) -> float:
    """STRONG, MODERATE or 1."""
    return STRONG if _STRONG.search(text) else MODERATE if _MODERATE.search(text) else 1.0


def specific(text: str) -> bool:
    """Whether there is an amount, a percentage, a length of time or a year."""
    return bool(_SPECIFIC.search(text))


def brevity(words: int) -> float:
    """The factor for an answer of so many words: few words lower the confidence."""
    return next((factor for limit, factor in _SHORT if words < limit), 1.0)
