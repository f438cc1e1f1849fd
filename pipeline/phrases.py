"""Word lists as regular expressions, written so that they can be read."""

from __future__ import annotations

import re


def any_of(lines: str) -> str:
    """A group that matches any of `lines`; a line may itself hold alternatives."""
    return "(?:" + "|".join(line.strip() for line in lines.splitlines() if line.strip()) + ")"


def word_pattern(lines: str) -> re.Pattern[str]:
    """Matches any of `lines` where a word begins and ends, whatever the case."""
    return re.compile(rf"\b{any_of(lines)}(?!\w)", re.IGNORECASE)
