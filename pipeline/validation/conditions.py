"""What a sentence says only under a condition, or reports without saying it itself; does a claim leave that out?"""

from __future__ import annotations

import re

from pipeline.phrases import word_pattern
from pipeline.validation.ground import Vocabulary, content
from pipeline.validation.negation import NEGATION

_CONDITION = word_pattern("if|unless|except|excepting|excluding|provided that|as long as|in case|only when")
_CONDITIONAL = word_pattern("""
    if|unless|except|excepting|excluding|provided|as long as|in case|when|whenever|where|while|after|until|once|should
    depending|depends|otherwise
""")
_UNREAL = re.compile(
    r"\b(?:myth|misconception|fallacy|rumou?rs?|hoax|lie|joke|false|untrue|incorrect|wrong|unlikely|doubt\w*"
    r"|den(?:y|ies|ied|ying)|pretend\w*|alleg\w+|mistaken\w*|wrongly \w+|falsely \w+|no longer true)"
    r"(?:\W+\w+)?\W+that\b",
    re.IGNORECASE,
)
"""What stands behind it is reported, and not so."""
_ASKING = re.compile(
    r"\b(?:see|check|know|ask|asks|asked|wonder|find out|determine|sure|tell|test|verify)\s+$", re.IGNORECASE
)
"""Before an `if` that means `whether`."""
_END = re.compile(r"[.!?](?=[^\W\d_]{2}|\s|$)|[。！？]")
_STOP = re.compile(r"[.;:!?|]|,(?=\s)|\bthen\b")


def left_out(claim: str, source: str, asked: Vocabulary) -> str:
    """Why `source` does not say `claim` by itself; empty when it does. A condition in the words `asked` may go."""
    own = content(claim)
    unreal = _UNREAL.search(source)
    if unreal and not (_UNREAL.search(claim) or NEGATION.search(claim)) and _half(own, source[unreal.end() :]):
        return "the passage says it of what is not so"
    if _CONDITIONAL.search(claim) or not _CONDITION.search(source):
        return ""
    reasons = (_missing(own, sentence, asked) for sentence in _END.split(source) if _half(own, sentence))
    return next(filter(None, reasons), "")


def _missing(own: tuple[str, ...], sentence: str, asked: Vocabulary) -> str:
    for match in _CONDITION.finditer(sentence):
        if _ASKING.search(sentence, 0, match.start()):
            continue
        stop = _STOP.search(sentence, match.end())
        condition = content(sentence[match.end() : stop.start() if stop else len(sentence)])
        held, whole = Vocabulary(own), Vocabulary(condition)
        if own and all(term in whole for term in own):
            return "the passage says it only as a condition"
        if 2 * sum(term in held or term in asked for term in condition) < len(condition) or not condition:
            return "it leaves out a condition of the passage"
    return ""


def _half(found: tuple[str, ...], text: str) -> bool:
    vocabulary = Vocabulary(content(text))
    return 2 * sum(term in vocabulary for term in found) >= len(found)
