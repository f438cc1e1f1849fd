"""Errors of libraries over a file, which are that file's fault whatever is raised."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pipeline.errors import Refused


@contextmanager
def catch_parse_errors(on_error: Callable[[Exception], None]) -> Iterator[None]:
    """Pass an error inside the block to `on_error` and continue behind the block. Raises Refused and MemoryError, which
    are no damage."""
    try:
        yield
    except (Refused, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - libraries raise anything over a file of any program
        on_error(error)
