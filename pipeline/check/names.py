"""Names and their initials: `National Insurance Contributions` and `NICs` are one."""

from __future__ import annotations

import re
from collections.abc import Collection

from pipeline.text import WORD

_RUN = re.compile(r"\b[A-Z]\w+(?:\s+(?:(?:of|the|and|for|in)\s+)?[A-Z]\w+){1,5}")
_SHORT = re.compile(r"\b(?:[A-Z]\.?){2,6}(?!\w)")


def initials(text: str) -> set[str]:
    """The initials that stand in a text, and those of its names of several words."""
    short = {match.group().replace(".", "").lower() for match in _SHORT.finditer(text)}
    return short | {_initials(match.group()) for match in _RUN.finditer(text)}


def shortened(text: str, known: Collection[str]) -> set[int]:
    """Where the words begin of names, and the initials, that are among the `known` initials."""
    found = {match.start() for match in _SHORT.finditer(text) if initials(match.group()) & set(known)}
    for run in _RUN.finditer(text):
        short = _initials(run.group())
        parts = {short[start:end] for start in range(len(short)) for end in range(start + 3, len(short) + 1)} | {short}
        if not parts.isdisjoint(known):
            found.update(run.start() + word.start() for word in WORD.finditer(run.group()))
    return found


def _initials(name: str) -> str:
    return "".join(word[0] for word in name.split() if word[0].isupper()).lower()
