"""A circuit breaker: stop asking a service that keeps failing, and notice when it is back."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable


class Breaker:
    """Opens after `failures` within `window` seconds; then lets one probe through every `pause` seconds.

    A probe that succeeds closes it. The numbers are Citewell's own: five failures are more than a hiccup, and ten
    seconds keep the time to notice a recovery well under half a minute."""

    def __init__(
        self,
        *,
        failures: int = 5,
        window: float = 30.0,
        pause: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most = failures
        self._window = window
        self._pause = pause
        self._clock = clock
        self._failed_at: deque[float] = deque(maxlen=failures)
        self._next_probe: float | None = None

    @property
    def open(self) -> bool:
        """Calls are refused, except for a probe now and then."""
        return self._next_probe is not None

    def shut_out(self) -> bool:
        """Whether a call would be refused now."""
        return self._next_probe is not None and self._clock() < self._next_probe

    def admit(self) -> bool:
        """Whether a call may be made now; when open, a yes makes this call the probe."""
        if self.shut_out():
            return False
        if self.open:
            self._next_probe = self._clock() + self._pause
        return True

    def succeeded(self) -> None:
        self._failed_at.clear()
        self._next_probe = None

    def failed(self) -> None:
        now = self._clock()
        self._failed_at.append(now)
        if self.open or (len(self._failed_at) == self._most and now - self._failed_at[0] <= self._window):
            self._next_probe = now + self._pause
