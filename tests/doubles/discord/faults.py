"""Faults to order: which requests fail, how, and how often."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Fault:
    """What happens to a request: `status` answers instead; `after` takes effect first and then loses the response."""

    status: int = 0
    body: dict[str, object] = field(default_factory=dict)
    retry_after: float = 0.0
    drop: bool = False
    after: bool = False
    delay: float = 0.0


@dataclass
class Order:
    method: str
    path: re.Pattern[str]
    fault: Fault
    times: int
    """-1: until cleared."""


class Faults:
    """Orders are served first come first served; a request takes the first order that fits it."""

    def __init__(self) -> None:
        self._orders: list[Order] = []
        self.requests: list[tuple[str, str]] = []
        """Every request that came, method and path."""
        self.hook: Callable[[str, str, str], Fault | None] | None = None
        """Asked with method, path and `before` or `after` the effect."""

    def order(self, method: str, path: str, fault: Fault, times: int = 1) -> None:
        self._orders.append(Order(method, re.compile(path), fault, times))

    def clear(self) -> None:
        self._orders.clear()

    def take(self, method: str, path: str) -> Fault | None:
        self.requests.append((method, path))
        if self.hook and (fault := self.hook(method, path, "before")):
            return fault
        for order in self._orders:
            if order.method in (method, "*") and order.path.search(path) and order.times:
                order.times -= 1
                return order.fault
        return None

    def take_after(self, method: str, path: str) -> Fault | None:
        """What happens to the response, the effect having taken place."""
        return self.hook(method, path, "after") if self.hook else None

    def count(self, method: str, path: str) -> int:
        """How many requests fitted."""
        return sum(1 for m, p in self.requests if m == method and re.search(path, p))
