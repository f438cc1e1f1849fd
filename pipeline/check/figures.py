"""Which words of a sentence a figure belongs to: `500 EUR for travel, 100 EUR for meals` is not 500 EUR for meals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pipeline.check.facts import UNIT_WORDS, figures
from pipeline.check.ground import Vocabulary, content

_CONJUNCTION = re.compile(r"[;,|](?:\s+|$)|(?<!\s)\s+(?:and|or|but|while|whereas)\s+")
_UNITS = frozenset(term for word in UNIT_WORDS for term in content(word))

Figures = frozenset[str]


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a sentence that has figures of its own."""

    figures: Figures
    own: tuple[str, ...]
    """Its words, units of measure left out."""
    lead: tuple[str, ...]
    """Those before the first figure; where there are none, those of the part before, which it shares."""

    def apart(self, other: Share) -> list[str]:
        """Its words that `other` neither has nor shares."""
        theirs = Vocabulary((*other.own, *other.lead))
        return [term for term in self.own if term not in theirs]


@lru_cache(maxsize=1024)
def shares(sentence: str, header: str = "") -> tuple[Share, ...]:
    """The parts of a sentence that have figures; of a table row under its `header`, the cells."""
    cells, above = sentence.split(" | "), header.split(" | ")
    if header and len(cells) == len(above):
        row = [
            Share(found, _content(f"{name} {cell}"), _content(cells[0]))
            for name, cell in zip(above[1:], cells[1:], strict=True)
            if (found := figure_names(cell))
        ]
        return tuple(row)
    parts: list[Share] = []
    for part in _CONJUNCTION.split(sentence):
        if numbers := figures(part):
            before = _content(part[: min(one.start for one in numbers)])
            shared = before or (parts[-1].lead if parts else ())
            parts.append(Share(figure_names(part), _content(part), shared))
    return tuple(parts)


def exchanged(claim: str, source: str, header: str = "") -> str:
    """Why a figure of the claim belongs to something else in `source`; empty when none does."""
    theirs, ours = shares(source, header), shares(claim)
    if len(theirs) < 2 or not ours:
        return ""
    words = [one.own for one in ours] if len(ours) > 1 else [_content(claim)]
    for one, own in zip(ours, words, strict=True):
        for figure in sorted(one.figures):
            if _elsewhere(figure, Vocabulary(own), theirs):
                return f"{figure} is said of something else"
    return ""


def _elsewhere(figure: str, claim: Vocabulary, theirs: Sequence[Share]) -> bool:
    """Whether wherever the figure stands, the claim has words of another figure's part and none of this one's."""
    having = [one for one in theirs if figure in one.figures]
    others = [one for one in theirs if figure not in one.figures]
    return bool(having) and all(any(_taken(claim, one, other) for other in others) for one in having)


def _taken(claim: Vocabulary, one: Share, other: Share) -> bool:
    mine = one.apart(other)
    return bool(mine) and not _any(mine, claim) and _any(other.apart(one), claim)


def _any(terms: Sequence[str], vocabulary: Vocabulary) -> bool:
    return any(term in vocabulary for term in terms)


@lru_cache(maxsize=4096)
def _content(text: str) -> tuple[str, ...]:
    return tuple(term for term in content(text) if term not in _UNITS)


@lru_cache(maxsize=4096)
def figure_names(text: str) -> Figures:
    """The figures of a text, by what each is told apart by."""
    return frozenset(one.name for one in figures(text))
