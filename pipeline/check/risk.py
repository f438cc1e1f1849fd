"""How much of a claim its sources leave open: words, names, numbers and dates that they do not hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pipeline.check.facts import Date, Quantity
from pipeline.check.ground import Ground, Said, Word, abbreviations, read
from pipeline.values import RetrievedChunk

WINDOW = 3
"""Sentences of a source that may support one claim together."""
FACT, NAME, NEW, LOOSE = 4.0, 2.0, 0.5, 1.0
"""Weights of a number or date, a name, other words that no source has, and of words that stand too far apart.

Round numbers set by hand, not fitted, with the development halves of wice and ragtruth_qa in view. Changing any one of
them by about half moved the AUROC on either by at most .006."""
_MOST = 2
"""Numbers, and names, that are counted: one more does not make a claim falser."""
DOUBTFUL = 2.0
"""Hazard from which a sentence is more likely unsupported than not."""
_FEW = 4.0
"""Of a short claim, a missing word tells less."""


@dataclass(frozen=True, slots=True)
class Risk:
    """What the sources do not hold."""

    words: tuple[Word, ...]
    """Content words that no source has, names among them."""
    facts: tuple[Quantity | Date, ...]
    """Numbers and dates that no source has."""
    loose: float
    """Share of the distinct terms that even the best window of one source lacks."""
    terms: int
    """How many distinct terms the claim has."""

    @property
    def hazard(self) -> float:
        """0 when everything is there; adds up over the sentences of an answer."""
        names = {word.term for word in self.words if word.name}
        new = {word.term for word in self.words}
        return (
            FACT * min(len(self.facts), _MOST)
            + NAME * min(len(names), _MOST)
            + NEW * len(new) * self.loose
            + LOOSE * self.loose * self.terms / (self.terms + _FEW)
        )


def likelihood(hazard: float, even: float) -> float:
    """A hazard as a number between 0 and 1, one half at `even`."""
    return 1 - math.exp(-math.log(2) * hazard / even)


def unlikely(score: float) -> float:
    """The hazard that a `worth` was made of."""
    return -DOUBTFUL * math.log2(max(score, 1e-9))


def assess(said: Said, grounds: Sequence[Ground]) -> Risk:
    """Hold a claim against all of `grounds` together."""
    short = abbreviations(said.text)
    wanted = said.terms
    absent = {
        term
        for term in wanted
        if not any(ground.knows(term) or (term in short and ground.abbreviates(short[term])) for ground in grounds)
    }
    held = max((ground.covered(wanted, WINDOW) for ground in grounds), default=0)
    return Risk(
        words=tuple(word for word in said.words if word.term in absent),
        facts=tuple(fact for fact in said.facts if not any(ground.facts.holds(fact) for ground in grounds)),
        loose=1 - held / len(wanted) if wanted else 0.0,
        terms=len(wanted),
    )


def worth(claim: str, passages: Sequence[RetrievedChunk], question: str) -> float:
    """1 for a claim of which the passages hold every word and fact, one half at `DOUBTFUL`; the words of the
    `question` need no source."""
    return 1 - likelihood(assess(read(claim), [_ground(passage, question) for passage in passages]).hazard, DOUBTFUL)


def _ground(passage: RetrievedChunk, question: str) -> Ground:
    chunk = passage.chunk
    units = tuple((unit.start, unit.end) for unit in chunk.units)
    return _indexed(chunk.text, units, "\n".join((passage.document.title, *chunk.heading, question)))


@lru_cache(maxsize=64)
def _indexed(text: str, units: tuple[tuple[int, int], ...], around: str) -> Ground:
    return Ground(text, units, around)
