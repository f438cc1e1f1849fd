"""What a look at an installation found."""

from __future__ import annotations

from enum import StrEnum

from pipeline.values.base import Value


class State(StrEnum):
    GOOD = "good"
    WARNING = "warning"
    """It works, and is most likely not what was meant."""
    BAD = "bad"
    SKIPPED = "skipped"
    """It could not be looked at, because something else is wrong."""


class Finding(Value):
    """One thing that was looked at. What is said holds no secret."""

    subject: str
    state: State
    said: str
    fix: str = ""
    """One sentence for whoever runs it; empty when all is well."""


def good(subject: str, said: str) -> Finding:
    return Finding(subject=subject, state=State.GOOD, said=said)


def warning(subject: str, said: str, fix: str) -> Finding:
    return Finding(subject=subject, state=State.WARNING, said=said, fix=fix)


def bad(subject: str, said: str, fix: str) -> Finding:
    return Finding(subject=subject, state=State.BAD, said=said, fix=fix)


def skipped(subject: str, why: str) -> Finding:
    """Return what stands for a check that could not be made. `why` is a clause: `the data folder cannot be used`."""
    return Finding(subject=subject, state=State.SKIPPED, said=f"not checked: {why}")
