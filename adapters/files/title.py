"""Titles from a file's properties, where programs leave placeholders."""

from __future__ import annotations

import re

_PLACEHOLDER = re.compile(
    r"\W*(?:untitled|unnamed|anonymous|unspecified|unknown|no title|title|document|word document|presentation|"
    r"powerpoint presentation|spreadsheet|unbenannt|ohne titel|dokument|sans titre|sin t[ií]tulo|senza titolo)"
    r"(?: (?:document|presentation|spreadsheet|dokument))?[\W\d_]*|[\W_]*",
    re.IGNORECASE,
)


def given_title(text: str | None) -> str:
    """The title that a person gave; empty for a program's placeholder, such as `(anonymous)` or `Untitled 1`."""
    plain = " ".join((text or "").split())
    return "" if _PLACEHOLDER.fullmatch(plain) else plain
