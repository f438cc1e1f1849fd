"""What the figures of a sentence tell: another thing than the one asked for, or another value than elsewhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from pipeline.opposites import opposed
from pipeline.read.evidence import Candidate
from pipeline.text import STOP_WORDS, shape, stem, terms, words
from pipeline.values import BlockKind

NEAR, AS_MUCH = 0.6, 0.05
"""How far below the best sentence one of another document may score, and how much less of the question it may cover,
to be about the same."""
ALIKE = 0.6
"""Share of common words, their figures aside, from which two sentences say the same thing."""

_FIGURE = re.compile(r"(?<![\[\d])\d+(?:[.,:/-]\d+)*")
"""Not the number of a reference: `[13]`."""
_HYPHENATED = re.compile(r"[\w-]+")
_DIGIT, _LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")
_DESIGNATED = re.compile(r"(?<![^\W\d_])([^\W\d_]{2,})[ -]#?(\d+(?:\.\d+)*)\b(?![:/])")
_MONTHS = frozenset(
    terms("""january february march april june july august september october november december
             jan feb mar apr jun jul aug sept sep oct nov dec""")
)
_MAY = re.compile(r"(?<=\d )May\b|\bMay(?= \d)")


def names_another(question: str, text: str) -> bool:
    """Whether `text` is about another one of what the question numbers: machine 74 for machine 77, E4 for E9."""
    figures = set(_FIGURE.findall(text))
    ours, theirs = _designated(question), _designated(text)
    if any(number not in figures and any(kind == other for other, _ in theirs) for kind, number in ours):
        return True
    codes, wanted = _codes(text), _codes(question)
    shapes = set(map(shape, codes))
    return any(code not in codes and shape(code) in shapes for code in wanted)


def _codes(text: str) -> set[str]:
    """What is made of letters and digits: `E4`, `B-12`."""
    found = (word.strip("-").lower() for word in _HYPHENATED.findall(text))
    return {word for word in found if _DIGIT.search(word) and _LETTER.search(word)}


def differing(evidence: Sequence[Sequence[Candidate]]) -> tuple[Candidate, ...]:
    """Two sentences of different documents that answer equally well, in the same words with other figures; or none."""
    said = [one for units in evidence for one in units if one.says and one.kind is not BlockKind.ROW]
    best = max(said, key=lambda one: one.score, default=None)
    if best is None:
        return ()
    near = (one for one in said if one.score >= best.score - NEAR and one.coverage >= best.coverage - AS_MUCH)
    told = [_told(one) for one in near]
    pairs = combinations([one for one in told if one.figures], 2)
    return next(((one.candidate, other.candidate) for one, other in pairs if _differ(one, other)), ())


@dataclass(frozen=True, slots=True)
class _Told:
    """A sentence taken apart."""

    candidate: Candidate
    figures: frozenset[str]
    words: frozenset[str]


def _told(candidate: Candidate) -> _Told:
    figures = _figures(candidate.text)
    return _Told(candidate, figures, frozenset(terms(candidate.text)) - figures)


def _differ(one: _Told, other: _Told) -> bool:
    if one.candidate.passage.document.id == other.candidate.passage.document.id:
        return False
    common = len(one.words & other.words)
    alike = common > 1 and common >= ALIKE * len(one.words | other.words)
    figures = bool(one.figures - other.figures) and bool(other.figures - one.figures)
    return alike and figures and not opposed(words(one.candidate.text), words(other.candidate.text))


def _figures(text: str) -> frozenset[str]:
    found = [*_FIGURE.findall(text), *_MAY.findall(text)]
    parts = (part for figure in found for part in terms(figure))
    return frozenset((*found, *parts, *_MONTHS.intersection(terms(text))))


def _designated(text: str) -> set[tuple[str, str]]:
    """Every word with the number behind it."""
    found = (
        (stem(word.lower()), number) for word, number in _DESIGNATED.findall(text) if word.lower() not in STOP_WORDS
    )
    return {(word, number) for word, number in found if word not in _MONTHS}
