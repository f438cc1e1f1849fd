"""How long a service asks to wait."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite


def retry_after(header: str | None) -> float | None:
    """Seconds of a Retry-After header, given as seconds or as a date (RFC 9110, 10.2.3); None when there is none."""
    if not header:
        return None
    try:
        seconds = float(header)
        return max(seconds, 0.0) if isfinite(seconds) else None
    except ValueError:
        pass
    try:
        return max((parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds(), 0.0)
    except (TypeError, ValueError):
        return None
