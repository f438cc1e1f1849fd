"""The cosines of any embedder as those of the one that the thresholds were fitted with.

What all vectors of an embedder have in common keeps every cosine high, and how far the rest spreads is its own: those
of e5 lie between .7 and 1, those of MiniLM, which the thresholds are of, between 0 and 1. So a share of the mean is
taken from every vector, the share with which the cosines follow MiniLM's best, and what is left is carried over by its
quantiles. Both are measured on what is indexed, since the mean is as much of the subject as of the embedder: with that
of another library, MiniLM's vectors with a constant added came out .13 too high.

A question is not embedded as a passage is, and is nearer to what answers it than passages are to each other. So the
quantiles are of questions against units: those that are apart, and those of a unit with the question that its second
half makes. What is compared with its like has quantiles of its own.

docs/decisions/0030-another-embedder.md has the figures.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.ports import Vectors

Numbers = NDArray[np.float64]

APART, OWN = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99), (0.25, 0.5, 0.75)
"""The quantiles that are carried over, of questions against units of other texts and against their own."""
ENGLISH = np.array([-0.06, 0.02, 0.09, 0.18, 0.32, 0.48, 0.55, 0.64, 0.73])
"""Those of MiniLM over the example handbook: what others are carried over to where a library is not in English, of
which MiniLM knows nothing. Of German sentences that have nothing to do with each other its median is
.37, of English .13."""
BELOW = 10
"""How many times the way from the lowest quantile to the median its line goes on."""
SHARES = np.arange(0.0, 1.01, 0.1)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A cosine `here`, and what it is `there`; both rise."""

    here: Numbers
    there: Numbers

    def __call__(self, cosines: Vectors) -> Vectors:
        """Those between two rows in proportion, those beyond the last ones as the rows before go on, up to 1."""
        carried: Vectors = np.interp(cosines, self.here, self.there).astype(np.float32)
        return carried


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """How to compare the vectors of one embedder. Without means, as they are."""

    questions: Vectors | None = None
    """What is taken from the vector of each question."""
    units: Vectors | None = None
    """The same of each unit."""
    asked: Table | None = None
    """From cosines of a question with units."""
    alike: Table | None = None
    """From those of units with units."""

    def question(self, vector: Vectors) -> Vectors:
        """What is left of the vector of a question, shape (dimensions,)."""
        return vector if self.questions is None else _without(vector[None, :], self.questions)[0]

    def passages(self, vectors: Vectors) -> Vectors:
        """What is left of those of units."""
        return vectors if self.units is None else _without(vectors, self.units)

    def cosines(self, found: Vectors) -> Vectors:
        """Those of what is left of a question and of units, carried over."""
        return found if self.asked is None else self.asked(found)

    def compared(self, question: Vectors, units: Vectors) -> Vectors:
        """The cosines of a question's vector with those of units, shape (units,)."""
        return self.cosines(self.passages(units) @ self.question(question))

    def among(self, vectors: Vectors) -> Vectors:
        """The cosines of units with each other, carried over."""
        left = self.passages(vectors)
        found: Vectors = left @ left.T
        return found if self.alike is None else self.alike(found)


AS_THEY_ARE = Scale()


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Vectors of the same texts by one embedder; the first of the units are those that the questions were made from."""

    units: Vectors
    questions: Vectors
    """As questions are embedded."""
    alike: Vectors
    """The questions as units are embedded."""


def halves(text: str) -> str:
    """A question that the unit `text` answers: its second half, asked for. Of the ways tried (its terms, its first
    half, without `What`), real questions are carried over best with it."""
    words = text.split()
    return f"What {' '.join(words[len(words) // 2 :]).rstrip('.:;,')}?"


def measured(here: Sample, there: Sample, *, english: bool) -> Scale:
    """The scale from `here` to that of `there`, which is MiniLM; to ENGLISH where the texts are not."""
    asked, alike = there.questions @ there.units.T, there.alike @ there.units.T
    means = here.questions.mean(axis=0), here.units.mean(axis=0)

    def left(share: float) -> tuple[Vectors, Vectors]:
        return _without(here.questions, share * means[0]), _without(here.units, share * means[1])

    def follows(share: float) -> float:
        questions, units = left(share)
        return float(np.corrcoef((questions @ units.T).ravel(), asked.ravel())[0, 1])

    share = float(max(SHARES, key=follows))
    questions, units = left(share)
    like = _without(here.alike, share * means[1])
    return Scale(
        questions=(share * means[0]).astype(np.float32),
        units=(share * means[1]).astype(np.float32),
        asked=_table(_quantiles(questions @ units.T), _quantiles(asked) if english else ENGLISH),
        alike=_table(_quantiles(like @ units.T), _quantiles(alike) if english else ENGLISH),
    )


def _without(vectors: Vectors, common: Vectors) -> Vectors:
    left = vectors - common.astype(np.float32)
    unit: Vectors = left / np.maximum(np.linalg.norm(left, axis=1, keepdims=True), np.float32(1e-6))
    return unit


def _quantiles(cosines: Vectors) -> Numbers:
    questions, units = np.indices(cosines.shape)
    own = questions == units
    return np.concatenate([np.quantile(cosines[~own], APART), np.quantile(cosines[own], OWN)])


def _table(here: Numbers, there: Numbers) -> Table:
    """With a row far below, as the lowest ones go on, and one for 1, which is 1 everywhere."""
    rising = np.maximum.accumulate(here) + np.arange(len(here)) * 1e-6
    rows = [(rising, max(1.0, rising[-1] + 1e-3)), (np.maximum.accumulate(there), 1.0)]
    return Table(*(np.concatenate([one[:1] - BELOW * (one[2:3] - one[:1]), one, [top]]) for one, top in rows))
