"""What a test of a browser needs beside itself: doubles that serve while the test waits for the page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import TypeVar

from anyio.from_thread import start_blocking_portal

T = TypeVar("T")


@contextmanager
def aside(served: AbstractAsyncContextManager[T]) -> Iterator[T]:
    """`served` on a loop in a thread of its own."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(served) as there:
        yield there
