"""Screening documents: sentences that tell whoever reads the document for someone else what to say.

Documentation is full of orders to people (`Click Save`, `Add this line to your file`). What gives an instruction to an
assistant away is whom it names (a machine that is to speak), what it orders (a statement, the reply itself, its form,
what is told to whoever asks), or that nothing else in the document is about what it orders to write. Poisoned documents
say it in plain words, without `ignore previous instructions`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from pipeline.screen.frames import SIGNS
from pipeline.screen.legible import fold, hidden
from pipeline.screen.screening import Screening, signs
from pipeline.screen.vocabulary import COMPOSE, DUTY, ORDER, TELL
from pipeline.words.text import sentences, terms

_LONGEST = 2_000_000
"""Characters of a document that are read."""
_OVERRIDE = 4.5
"""Weight of what `screen` refuses when a person writes it; `you will act as ...` is said to people too."""
_MENTIONED = re.compile(r"(?<=[a-z,] )[\"“‘'][^\"”’'\n]{1,120}[\"”’'](?!\w)")
"""Words in quotation marks behind others: they are spoken of, and what they say is nobody's order."""
_GOES_ON = re.compile(
    rf"(?:{ORDER}|, |\b(?:not|don't|never|always|only|just|you {DUTY}(?: also)?|and|or|then) )"
    rf"(?:{TELL}|cite|quote|direct)\b"
)
_COMPOSES = re.compile(rf"{ORDER}{COMPOSE}\b")
_OFF_TOPIC = 4.5
"""Weight of an order to write something when all its words are foreign to the passage."""
_FEWEST, _PASSAGE = 3, 40
"""Distinct content words an order must have, and a passage, before the one can be told to be foreign to the other."""
_BIAS = -3.2
_ADDRESSED = 0.5
"""Score from which a sentence is taken for an instruction to an assistant."""

Found = dict[str, float]
"""Signs found, with what each adds to the log odds."""


def screen_document(text: str) -> Screening:
    """Screen a document or a passage; `flag` means it holds instructions addressed to an assistant."""
    text = text[:_LONGEST]
    folded = f"{fold(text)}\n{hidden(text)}".strip()
    said = (folded[start:end] for start, end in sentences(folded))
    found = max((_signs(one) | _off_topic(one, folded) for one in said), key=_score, default={})
    score = _score(found)
    return Screening(score=score, flag=score >= _ADDRESSED, reasons=tuple(sorted(found, key=lambda name: -found[name])))


def addressed_to_assistant(sentence: str, passage: str = "") -> bool:
    """Whether a sentence of a document tells its reader machine what to do, and so must never reach an answer.

    With the `passage` it stands in, orders to write something that has nothing to do with the passage count too."""
    found, order = _by_itself(sentence)
    around = passage if not passage or sentence in passage else f"{passage}\n{sentence}"
    return _score(found | _off_topic(order, around)) >= _ADDRESSED


@lru_cache(maxsize=16384)
def _by_itself(sentence: str) -> tuple[Found, str]:
    """The signs it has whatever it stands in; and its folded text where that may have one more.

    Kept for what is read again: 200 questions asked a second time read 7.7 sentences anew each with 1,024, none so."""
    folded = f"{fold(sentence)}\n{hidden(sentence)}".strip()
    return _signs(folded), folded if _COMPOSES.search(folded) else ""


def goes_on(sentence: str) -> bool:
    """Whether a sentence tells its reader what to say or not to say: beside an order to an assistant it is one too,
    by itself it may be said to people."""
    return bool(_GOES_ON.search(_MENTIONED.sub('""', fold(sentence))))


@lru_cache(maxsize=16)
def _counted(passage: str) -> Mapping[str, int]:
    return Counter(terms(passage))


def _score(found: Found) -> float:
    return 1 / (1 + math.exp(-_BIAS - sum(found.values())))


def _signs(folded: str) -> Found:
    ordered = _MENTIONED.sub('""', folded)
    found = {name: weight for name, (weight, pattern) in SIGNS.items() if pattern.search(ordered)}
    return found | dict.fromkeys((name for name in signs(ordered) if name != "persona"), _OVERRIDE)


def _off_topic(folded: str, passage: str) -> Found:
    """The sign that an order to write something is foreign to the passage."""
    if not _COMPOSES.search(folded):
        return {}
    own, counts = Counter(terms(folded)), _counted(passage)
    if not counts or len(own) < _FEWEST:
        return {}
    known = min(1.0, len(counts) / _PASSAGE)
    return {"off_topic": _OFF_TOPIC * known * _foreign(own, counts) ** 2}


def _foreign(own: Mapping[str, int], counts: Mapping[str, int]) -> float:
    """Share of a sentence's content words that its passage uses nowhere else."""
    return sum(counts.get(term, 0) <= times for term, times in own.items()) / len(own)
