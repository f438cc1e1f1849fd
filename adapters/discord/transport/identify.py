"""Limit of how often sessions are opened: Discord resets the token of a bot that identifies 1,000 times a day."""

from __future__ import annotations

import time
from collections.abc import Callable

import structlog

from adapters.discord.state import DiscordState
from adapters.discord.transport.shards import SINGLE_SHARD, ShardRange
from pipeline.errors import Unavailable

IDENTIFY_WINDOW_SECONDS = 86_400.0
DAILY_IDENTIFIES = 200
"""Identifications in 24 hours, far below Discord's 1,000 (events/gateway, "Identifying")."""
FREE_IDENTIFIES = 3
"""Identifications in a row before any waiting."""
MIN_IDENTIFY_SECONDS, MAX_IDENTIFY_SECONDS = 5.0, 900.0
"""Seconds; doubling. At the longest wait a crash loop identifies 96 times a day."""
SHARDED_IDENTIFIES = 800
"""Identifications in 24 hours of all shards of all processes together."""
HEALTHY_SECONDS = 1500.0
"""Seconds between two identifications that end a row: longer than any wait, with a session that lasted. A clean stop
ends it, too."""

log = structlog.get_logger(__name__)


class IdentifyBudget:
    """Counter of identifications across restarts, with the wait before the next one."""

    def __init__(
        self,
        state: DiscordState,
        *,
        shards: ShardRange = SINGLE_SHARD,
        budget: int = DAILY_IDENTIFIES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Create it. A start identifies once for each of this process's `shards`."""
        self._state = state
        self._shard_count = len(shards.ids)
        self._budget = min(budget * self._shard_count, max(1, SHARDED_IDENTIFIES * self._shard_count // shards.total))
        self._clock = clock

    def seconds_until_allowed(self) -> float:
        """Return the seconds until the next identification is allowed."""
        row, later = 0, self._clock()
        for moment in reversed(self._state.identified_at):
            if abs(later - moment) > HEALTHY_SECONDS or moment <= self._state.stopped_at:
                break
            row, later = row + 1, moment
        starts = row // self._shard_count
        if starts < FREE_IDENTIFIES:
            return 0.0
        pause = min(MIN_IDENTIFY_SECONDS * 2.0 ** min(starts - FREE_IDENTIFIES, 16), MAX_IDENTIFY_SECONDS)
        return min(pause, max(0.0, self._state.identified_at[-1] + pause - self._clock()))

    def spend(self) -> None:
        """Count one identification, durably, before it is made. Raises Unavailable when none is left today."""
        self._state.mark_identified((*self.check(), self._clock()))

    def check(self) -> tuple[float, ...]:
        """Return the times of the identifications of the last 24 hours. Raises Unavailable when none is left."""
        now = self._clock()
        today = tuple(moment for moment in self._state.identified_at if abs(now - moment) < IDENTIFY_WINDOW_SECONDS)
        if len(today) >= self._budget:
            raise Unavailable(
                "Discord",
                f"{self._budget} sessions were opened within 24 hours; opening more would put the token at risk",
                retry_after=today[0] + IDENTIFY_WINDOW_SECONDS - now,
            )
        return today

    def mark_clean_stop(self) -> None:
        """Record that the session was ended on purpose, and not by a crash."""
        try:
            self._state.mark_stopped(self._clock())
        except Unavailable as error:
            log.warning("discord_state_unwritable", reason=str(error))
