"""Where this process listens."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol


class Doors(Protocol):
    def serving(
        self, address: str, routes: Sequence[Any], *, setting: str, body_bytes: int = ...
    ) -> AbstractAsyncContextManager[int]:
        """Answer at `HOST:PORT`, which others may share, while the block is open; gives the port. `routes` are
        Starlette's; `body_bytes`: the longest body that they take, where it is more than a form's.

        Raises Misconfigured, which names `setting`, where nothing can listen there."""
        ...
