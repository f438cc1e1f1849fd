"""What a look at an installation found."""

from __future__ import annotations

from enum import StrEnum

from pipeline.values.base import Value


class FindingState(StrEnum):
    GOOD = "good"
    WARNING = "warning"
    """It works, and is most likely not what was meant."""
    BAD = "bad"
    SKIPPED = "skipped"
    """It could not be looked at, because something else is wrong."""


class Finding(Value):
    """One thing that was looked at. What is said holds no secret."""

    subject: str
    state: FindingState
    said: str
    fix: str = ""
    """One sentence for whoever runs it; empty when all is well."""


def ok_finding(subject: str, said: str) -> Finding:
    return Finding(subject=subject, state=FindingState.GOOD, said=said)


def warning_finding(subject: str, said: str, fix: str) -> Finding:
    return Finding(subject=subject, state=FindingState.WARNING, said=said, fix=fix)


def error_finding(subject: str, said: str, fix: str) -> Finding:
    return Finding(subject=subject, state=FindingState.BAD, said=said, fix=fix)


def skipped(subject: str, why: str) -> Finding:
    """Return what stands for a check that could not be made. `why` is a clause: `the data folder cannot be used`."""
    return Finding(subject=subject, state=FindingState.SKIPPED, said=f"not checked: {why}")
