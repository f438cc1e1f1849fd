"""Cosines of one embedder carried over to the scale of another."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.find.calibration import (
    NO_CALIBRATION,
    OWN,
    REFERENCE_COSINES,
    CalibrationSample,
    ScoreCalibration,
    fit_calibration,
    synthetic_question,
)
from pipeline.ports import Vectors

SIZE = 64


def unit(rows: Vectors) -> Vectors:
    found: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return found


def sample(seed: int = 0) -> CalibrationSample:
    """Units in all directions, and questions near the first of them."""
    random = np.random.default_rng(seed)
    units = random.normal(size=(200, SIZE)).astype(np.float32)
    questions = unit(units[:50] + 0.8 * random.normal(size=(50, SIZE)))
    return CalibrationSample(unit(units), questions, questions)


def moved(found: CalibrationSample, by: float, *, compressed: float = 1.0) -> CalibrationSample:
    """The same with one direction added to every vector, and a number that they all share."""

    def one(rows: Vectors) -> Vectors:
        shifted = unit(rows + by * unit(np.ones((1, SIZE), np.float32))) * compressed**0.5
        return np.hstack([shifted, np.full((len(rows), 1), (1 - compressed) ** 0.5, np.float32)])

    return CalibrationSample(one(found.units), one(found.questions), one(found.alike))


def compared(scale: ScoreCalibration, table: CalibrationSample) -> Vectors:
    left = scale.center_units(table.units)
    return np.array([scale.calibrate(left @ scale.center_question(question)) for question in table.questions])


@pytest.mark.parametrize(("by", "compressed"), [(0.0, 1.0), (0.0, 0.2), (1.0, 1.0), (1.0, 0.3)])
def test_cosines_of_other_texts_come_out_as_those_of_the_scale(by: float, compressed: float) -> None:
    scale = fit_calibration(moved(sample(), by, compressed=compressed), sample(), english=True)
    texts = sample(1)
    expected = texts.questions @ texts.units.T
    assert np.abs(compared(scale, moved(texts, by, compressed=compressed)) - expected).mean() < 0.03


def test_as_they_are_nothing_is_changed() -> None:
    texts = sample()
    assert np.array_equal(NO_CALIBRATION.center_units(texts.units), texts.units)
    assert np.array_equal(NO_CALIBRATION.calibrate(texts.questions[0]), texts.questions[0])
    assert np.array_equal(NO_CALIBRATION.unit_cosines(texts.units), texts.units @ texts.units.T)


def test_what_is_not_in_english_is_carried_over_to_what_is_usual_in_english() -> None:
    here = moved(sample(), 1.0, compressed=0.3)
    found = compared(fit_calibration(here, sample(3), english=False), here)
    own = found[np.arange(50), np.arange(50)]
    assert np.abs(np.quantile(own, OWN) - REFERENCE_COSINES[-len(OWN) :]).max() < 0.03


@cache
def of_another(seed: int) -> ScoreCalibration:
    return fit_calibration(moved(sample(), 2.0, compressed=0.1), sample(seed), english=True)


@given(st.lists(st.floats(-1, 1, width=32), min_size=2, max_size=20), st.integers(0, 5))
def test_what_is_nearer_stays_nearer_and_the_nearest_is_1(cosines: list[float], seed: int) -> None:
    scale = of_another(seed)
    found = scale.calibrate(np.array(sorted(cosines), np.float32))
    assert (np.diff(found) >= 0).all()
    assert scale.calibrate(np.ones(1, np.float32))[0] == pytest.approx(1.0, abs=0.01)


def test_a_question_is_made_from_the_second_half_of_a_sentence() -> None:
    assert synthetic_question("Employees may take 28 days of annual leave.") == "What days of annual leave?"
