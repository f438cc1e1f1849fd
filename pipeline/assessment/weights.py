"""Fitted numbers of the confidence; `bench/fit_confidence.py` prints this file and the calibration that goes with it.

Logistic regression on the development halves of squad2, clapnq and mtrag_cloud; each set and class weighs the same.
"""

from __future__ import annotations

WITH_VECTORS = {
    "cosine": 6.50,
    "topic": 0.74,
    "lead": 0.54,
    "names_missing": -0.39,
    "numbers_missing": -1.01,
    "negation": -1.38,
    "opposite": -0.86,
    "another": -4.70,
    "bias": -4.73,
    "short": 2.00,
}
"""Weights of the fields of `pipeline.assessment.signals.Signals`."""

WORDS_ONLY = {
    "lead": 0.13,
    "rarest_missing": -0.89,
    "missing": -1.14,
    "names_missing": -0.60,
    "numbers_missing": -1.33,
    "negation": -1.03,
    "opposite": -0.86,
    "another": -4.68,
    "bias": 0.67,
}
"""The same where there are no vectors."""
