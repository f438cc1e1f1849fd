"""How often a session may be opened: Discord resets the token of a bot that identifies 1,000 times a day."""

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
"""The same for all shards of all processes together, where there are several."""
HEALTHY_SECONDS = 1500.0
"""Seconds between two identifications that end a row: longer than any wait, with a session that lasted. A stop that was
asked for ends it, too."""

log = structlog.get_logger(__name__)


class IdentifyBudget:
    """Counts identifications across restarts, and says how long to wait before the next one."""

    def __init__(
        self,
        memory: DiscordState,
        *,
        shards: ShardRange = SINGLE_SHARD,
        budget: int = DAILY_IDENTIFIES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """A start identifies once for each of this process's `shards`."""
        self._memory = memory
        self._at_once = len(shards.ids)
        self._budget = min(budget * self._at_once, max(1, SHARDED_IDENTIFIES * self._at_once // shards.total))
        self._clock = clock

    def seconds_until_allowed(self) -> float:
        """Seconds until the next identification may be made."""
        row, later = 0, self._clock()
        for moment in reversed(self._memory.identified_at):
            if abs(later - moment) > HEALTHY_SECONDS or moment <= self._memory.stopped_at:
                break
            row, later = row + 1, moment
        starts = row // self._at_once
        if starts < FREE_IDENTIFIES:
            return 0.0
        pause = min(MIN_IDENTIFY_SECONDS * 2.0 ** min(starts - FREE_IDENTIFIES, 16), MAX_IDENTIFY_SECONDS)
        return min(pause, max(0.0, self._memory.identified_at[-1] + pause - self._clock()))

    def spend(self) -> None:
        """Count one identification, durably, before it is made. Raises Unavailable when none is left today."""
        self._memory.mark_identified((*self.check(), self._clock()))

    def check(self) -> tuple[float, ...]:
        """When those of the last 24 hours were. Raises Unavailable when none is left."""
        now = self._clock()
        today = tuple(moment for moment in self._memory.identified_at if abs(now - moment) < IDENTIFY_WINDOW_SECONDS)
        if len(today) >= self._budget:
            raise Unavailable(
                "Discord",
                f"{self._budget} sessions were opened within 24 hours; opening more would put the token at risk",
                retry_after=today[0] + IDENTIFY_WINDOW_SECONDS - now,
            )
        return today

    def mark_clean_stop(self) -> None:
        """The session was ended because somebody wanted so, and not by a crash."""
        try:
            self._memory.mark_stopped(self._clock())
        except Unavailable as error:
            log.warning("discord_memory_unwritable", reason=str(error))
