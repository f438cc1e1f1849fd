"""How often somebody may call."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address, ip_network

from starlette.requests import Request

REMEMBERED = 10_000
"""Callers whose calls are counted; of more, those that called longest ago are forgotten."""


def address(request: Request) -> str:
    """Whom a limit for each address counts: the caller, by the word of a trusted proxy where one stands between.

    Of IPv6 it is the network of 64 bits, all of which one household has."""
    given = request.client.host if request.client else ""
    try:
        known = ip_address(given.partition("%")[0])
    except ValueError:
        return f"address {given[:64]}"
    if isinstance(known, IPv6Address):
        known = known.ipv4_mapped or ip_network((known, 64), strict=False).network_address
    return f"address {known}"


class Pace:
    """A bucket of tokens for each caller, which fills again by the minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._full: OrderedDict[str, float] = OrderedDict()
        """When the bucket of each is full again."""

    def wait(self, who: str, per_minute: int) -> float:
        """Count a call of `who`; 0.0 where it is granted, else the seconds until one would be."""
        now, each = self._clock(), 60.0 / per_minute
        ahead = max(self._full.get(who, now) - now, 0.0)
        if who in self._full:
            self._full.move_to_end(who)
        if ahead + each > 60.0:
            return ahead + each - 60.0
        self._full[who] = now + ahead + each
        if len(self._full) > REMEMBERED:
            self._full.popitem(last=False)
        return 0.0
