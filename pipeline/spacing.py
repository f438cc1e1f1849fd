"""What stands between sentences: a space, and nothing behind the full stop of a script that has no spaces."""

from __future__ import annotations

_WIDE_STOPS = ("。", "！", "？")


def space(before: str) -> str:
    """What separates a sentence from the one `before` it."""
    return "" if before.endswith(_WIDE_STOPS) else " "
