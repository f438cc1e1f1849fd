"""What a library stumbles over in a file is that file's fault, whatever it raises."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pipeline.errors import Refused


@contextmanager
def catch_parse_errors(say: Callable[[Exception], None]) -> Iterator[None]:
    """What goes wrong inside is said, and what comes behind it is read. Raises Refused and MemoryError, which are no
    damage."""
    try:
        yield
    except (Refused, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - libraries raise anything over a file of any program
        say(error)
