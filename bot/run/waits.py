"""How long what is to be posted waits before it is tried again."""

from __future__ import annotations

from datetime import UTC, datetime

from pipeline.errors import Misconfigured, Unavailable

GRACE_SECONDS = 35.0
"""After a recorded intent to post, how long a lost request may still take effect: longer than any request's timeout."""
RETRY_SECONDS = 1.0
"""The wait after the first failed attempt is twice this; after each further one twice as long."""
UNREACHABLE = 10.0
"""Times `RETRY_SECONDS`: the wait after a platform was not reached or cannot be used as it is set up, where it did not
say how long. That is not the message's fault, and is not counted."""


def pause_after(error: Unavailable | Misconfigured, retry_seconds: float) -> float:
    """Seconds until a platform is tried again that was not reached, or cannot be used as it is set up."""
    asked = error.retry_after if isinstance(error, Unavailable) else None
    return retry_seconds * UNREACHABLE if asked is None else asked


def grace_left(posting_since: datetime, grace_seconds: float) -> float:
    """Seconds in which a request that was lost after that intent may still take effect."""
    return grace_seconds - (datetime.now(UTC) - posting_since).total_seconds()
