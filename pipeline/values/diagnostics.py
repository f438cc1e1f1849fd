"""Results of the checks that `citewell doctor` makes."""

from __future__ import annotations

from enum import StrEnum

from pipeline.values.base import Value


class FindingState(StrEnum):
    """How a check ended."""

    GOOD = "good"
    WARNING = "warning"
    """It works, but is probably not what was meant."""
    BAD = "bad"
    SKIPPED = "skipped"
    """Not checked, because something else is wrong."""


class Finding(Value):
    """The result of one check. Its texts hold no secret."""

    subject: str
    state: FindingState
    said: str
    fix: str = ""
    """One sentence for the operator; empty when all is well."""


def ok_finding(subject: str, said: str) -> Finding:
    """Return a finding without a problem."""
    return Finding(subject=subject, state=FindingState.GOOD, said=said)


def warning_finding(subject: str, said: str, fix: str) -> Finding:
    """Return a finding of a likely mistake; `fix` is a sentence for the operator."""
    return Finding(subject=subject, state=FindingState.WARNING, said=said, fix=fix)


def error_finding(subject: str, said: str, fix: str) -> Finding:
    """Return a finding of a fault; `fix` is a sentence for the operator."""
    return Finding(subject=subject, state=FindingState.BAD, said=said, fix=fix)


def skipped(subject: str, why: str) -> Finding:
    """Return a finding for a check that could not be made. `why` is a clause: `the data folder cannot be used`."""
    return Finding(subject=subject, state=FindingState.SKIPPED, said=f"not checked: {why}")
