"""Measured values as the tables of the benches show them."""

from __future__ import annotations

import statistics
from collections.abc import Sequence


def percentiles(values: Sequence[float]) -> str:
    """The 50th and the 95th."""
    both = (statistics.median(values), statistics.quantiles(values, n=20)[-1])
    return " / ".join(f"{value:.1f}" if value >= 0.2 else f"{value:.3f}" for value in both)


def spread(values: Sequence[float], digits: int = 0) -> str:
    """The median of the rounds, with the standard deviation where there are several."""
    median = f"{statistics.median(values):.{digits}f}"
    return f"{median} ± {statistics.stdev(values):.{digits}f}" if len(values) > 1 else median
