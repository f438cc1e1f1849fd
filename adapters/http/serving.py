"""Whoever has routes on the one application of this process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from starlette.routing import BaseRoute


class Serving(Protocol):
    @property
    def address(self) -> str:
        """`HOST:PORT` to listen at; those that name the same share one listener."""
        ...

    @property
    def setting(self) -> str:
        """The variable that says so, for the operator."""
        ...

    @property
    def routes(self) -> Sequence[BaseRoute]: ...
