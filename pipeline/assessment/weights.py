"""Fitted numbers of the confidence; `bench/fit_confidence.py` prints this file and the calibration that goes with it.

Logistic regression on the development halves of squad2, clapnq and mtrag_cloud; each set and class weighs the same.
"""

from __future__ import annotations

WITH_VECTORS = {
    "cosine": 5.89,
    "topic": 1.39,
    "lead": 0.13,
    "complete": 0.41,
    "names_missing": -0.46,
    "numbers_missing": -1.28,
    "negation": -1.13,
    "opposite": -1.44,
    "bias": -4.32,
}
"""Weights of the fields of `pipeline.assessment.signals.Signals`."""

WORDS_ONLY = {
    "lead": 0.69,
    "rarest_missing": -0.60,
    "missing": -2.58,
    "names_missing": -0.46,
    "numbers_missing": -0.74,
    "negation": -1.32,
    "opposite": -1.34,
    "bias": 0.75,
}
"""The same where there are no vectors."""
