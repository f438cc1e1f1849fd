"""Where this process listens."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol


class Doors(Protocol):
    def serving(self, address: str, routes: Sequence[Any], *, setting: str) -> AbstractAsyncContextManager[int]:
        """Answer at `HOST:PORT`, which others may share, while the block is open; gives the port. `routes` are
        Starlette's.

        Raises Misconfigured, which names `setting`, where nothing can listen there."""
        ...
