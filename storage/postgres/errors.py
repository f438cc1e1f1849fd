"""What is said when PostgreSQL cannot be used. No password is in it, and no row."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from pipeline.errors import Unavailable

_FULL = "Free some space where PostgreSQL keeps its data."
_UNWRITTEN = {
    "53100": _FULL,
    "58030": _FULL,
    "25006": "Name the server that is written to, not a standby, and see that neither the database nor its user has "
    "default_transaction_read_only.",
}
"""What to do where it cannot write, by SQLSTATE: disk full, I/O error, read-only transaction."""
_DENIED, _WALL = "42501", "ExecWithCheckOptions"
"""The SQLSTATE of what a user may not do, and the server's function that raises it for a row behind the wall of
`tenancy.py`: only that function's name, of all that the server says, tells the two apart in any language."""
_BUGS = (psycopg.IntegrityError, psycopg.ProgrammingError, psycopg.DataError, psycopg.NotSupportedError)


@contextmanager
def translated() -> Iterator[None]:
    """psycopg's errors become Unavailable; broken constraints, wrong SQL and what the wall between workspaces stops are
    bugs and stay what they are."""
    try:
        yield
    except psycopg.Error as error:
        if isinstance(error, _BUGS) and not _is_denial(error):
            raise
        raise unavailable(error) from error


def unavailable(error: psycopg.Error) -> Unavailable:
    said = " ".join((error.diag.message_primary or str(error)).split())
    if what_to_do := _UNWRITTEN.get(error.sqlstate or ""):
        return Unavailable("storage", f"PostgreSQL cannot write: {said}", what_to_do=what_to_do)
    if _is_denial(error):
        return denied(said)
    return Unavailable(
        "storage",
        f"PostgreSQL cannot be used: {said}",
        what_to_do="See that it runs and that CITEWELL_DATABASE names it.",
    )


def denied(what: str) -> Unavailable:
    """What is raised where the user that is connected lacks a right."""
    return Unavailable(
        "storage",
        f"PostgreSQL does not let its user do that: {what}",
        what_to_do="Let the user in CITEWELL_DATABASE own the database and all that is in it, with every right.",
    )


def _is_denial(error: psycopg.Error) -> bool:
    return error.sqlstate == _DENIED and error.diag.source_function != _WALL
