"""Calibration of an embedder: its cosines mapped to those of the embedder that the thresholds were fitted with.

The common part of all vectors of an embedder keeps every cosine high, and the spread of the rest is its own: cosines of
e5 lie between .7 and 1, those of MiniLM, which the thresholds are of, between 0 and 1. So a share of the mean is
subtracted from every vector, the share with which the cosines follow MiniLM's best, and the cosines of the rest are
mapped by their quantiles. Both are measured on the indexed library, since the mean depends on the subject as much as on
the embedder: with that of another library, MiniLM's vectors with a constant added came out .13 too high.

A question is embedded otherwise than a passage, and is nearer to its answer than passages are to each other. So the
quantiles are of questions against units: units of other texts, and the unit whose second half makes the question.
Cosines of units with units have quantiles of their own.

docs/decisions/0030-another-embedder.md has the figures.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.ports import Vectors

CosineArray = NDArray[np.float64]

APART, OWN = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99), (0.25, 0.5, 0.75)
"""Quantiles that are mapped, of questions against units of other texts and against their own."""
REFERENCE_COSINES = np.array([-0.06, 0.02, 0.09, 0.18, 0.32, 0.48, 0.55, 0.64, 0.73])
"""Quantiles of MiniLM over the example handbook, the target for a library that is not in English, which MiniLM does not
know. Of unrelated German sentences its median is .37, of English .13."""
EXTRAPOLATION = 10
"""Factor of the distance from the lowest quantile to the median by which the line is extended downwards."""
MEAN_SHARES = np.arange(0.0, 1.01, 0.1)


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationTable:
    """A monotonic map of cosines, from `source` to `reference`; both rise."""

    source: CosineArray
    reference: CosineArray

    def __call__(self, cosines: Vectors) -> Vectors:
        """Map cosines: interpolated between two rows, extrapolated along the nearest rows beyond them, up to 1."""
        carried: Vectors = np.interp(cosines, self.source, self.reference).astype(np.float32)
        return carried


@dataclass(frozen=True, slots=True, eq=False)
class ScoreCalibration:
    """The calibration of one embedder. Without means, vectors are compared as they are."""

    question_mean: Vectors | None = None
    """Mean that is subtracted from the vector of a question."""
    unit_mean: Vectors | None = None
    """Mean that is subtracted from the vector of a unit."""
    question_table: CalibrationTable | None = None
    """Map of the cosines of a question with units."""
    unit_table: CalibrationTable | None = None
    """Map of the cosines of units with units."""

    def center_question(self, vector: Vectors) -> Vectors:
        """Subtract the mean from the vector of a question, shape (dimensions,), and normalise it."""
        return vector if self.question_mean is None else _subtract(vector[None, :], self.question_mean)[0]

    def center_units(self, vectors: Vectors) -> Vectors:
        """Subtract the mean from the vectors of units, and normalise them."""
        return vectors if self.unit_mean is None else _subtract(vectors, self.unit_mean)

    def calibrate(self, cosines: Vectors) -> Vectors:
        """Map the cosines of a centered question with centered units."""
        return cosines if self.question_table is None else self.question_table(cosines)

    def question_cosines(self, question: Vectors, units: Vectors) -> Vectors:
        """Return the calibrated cosines of a question's vector with those of units, shape (units,)."""
        return self.calibrate(self.center_units(units) @ self.center_question(question))

    def unit_cosines(self, vectors: Vectors) -> Vectors:
        """Return the calibrated cosines of units with each other."""
        centered = self.center_units(vectors)
        cosines: Vectors = centered @ centered.T
        return cosines if self.unit_table is None else self.unit_table(cosines)


NO_CALIBRATION = ScoreCalibration()


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationSample:
    """Vectors of the same texts by one embedder; the first of the units are those that the questions were made from."""

    units: Vectors
    questions: Vectors
    """Questions, embedded as questions."""
    alike: Vectors
    """Texts of the questions, embedded as units."""


def synthetic_question(text: str) -> str:
    """Return a question that the unit `text` answers: its second half, asked for. Of the ways tried (its terms, its
    first half, without `What`), real questions are mapped best with it."""
    words = text.split()
    return f"What {' '.join(words[len(words) // 2 :]).rstrip('.:;,')}?"


def fit_calibration(sample: CalibrationSample, reference: CalibrationSample, *, english: bool) -> ScoreCalibration:
    """Fit the calibration from the embedder of `here` to that of `there`, which is MiniLM; to `REFERENCE_COSINES` where
    the texts are not English."""
    reference_question_cosines, reference_unit_cosines = (
        reference.questions @ reference.units.T,
        reference.alike @ reference.units.T,
    )
    means = sample.questions.mean(axis=0), sample.units.mean(axis=0)

    def center(share: float) -> tuple[Vectors, Vectors]:
        return _subtract(sample.questions, share * means[0]), _subtract(sample.units, share * means[1])

    def correlation(share: float) -> float:
        questions, units = center(share)
        return float(np.corrcoef((questions @ units.T).ravel(), reference_question_cosines.ravel())[0, 1])

    share = float(max(MEAN_SHARES, key=correlation))
    questions, units = center(share)
    units_as_questions = _subtract(sample.alike, share * means[1])
    return ScoreCalibration(
        question_mean=(share * means[0]).astype(np.float32),
        unit_mean=(share * means[1]).astype(np.float32),
        question_table=_table(
            _quantiles(questions @ units.T), _quantiles(reference_question_cosines) if english else REFERENCE_COSINES
        ),
        unit_table=_table(
            _quantiles(units_as_questions @ units.T),
            _quantiles(reference_unit_cosines) if english else REFERENCE_COSINES,
        ),
    )


def _subtract(vectors: Vectors, common: Vectors) -> Vectors:
    rest = vectors - common.astype(np.float32)
    unit: Vectors = rest / np.maximum(np.linalg.norm(rest, axis=1, keepdims=True), np.float32(1e-6))
    return unit


def _quantiles(cosines: Vectors) -> CosineArray:
    questions, units = np.indices(cosines.shape)
    is_own = questions == units
    return np.concatenate([np.quantile(cosines[~is_own], APART), np.quantile(cosines[is_own], OWN)])


def _table(source: CosineArray, target: CosineArray) -> CalibrationTable:
    """Build a map with one row far below, in line with the lowest ones, and one for 1, which is 1 everywhere."""
    rising = np.maximum.accumulate(source) + np.arange(len(source)) * 1e-6
    rows = [(rising, max(1.0, rising[-1] + 1e-3)), (np.maximum.accumulate(target), 1.0)]
    return CalibrationTable(
        *(
            np.concatenate([quantiles[:1] - EXTRAPOLATION * (quantiles[2:3] - quantiles[:1]), quantiles, [top]])
            for quantiles, top in rows
        )
    )
