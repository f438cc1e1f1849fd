"""The samples of PostgreSQL's planner are drawn anew, with a rest in between."""

from __future__ import annotations

import asyncio

from structlog.testing import capture_logs

from pipeline.errors import Unavailable
from storage.postgres.database import PlannerStatistics


async def test_a_server_that_does_not_answer_is_left_alone_for_a_while() -> None:
    asked = 0

    async def draw() -> None:
        nonlocal asked
        asked += 1
        raise Unavailable("storage", "is away")

    samples = PlannerStatistics(draw)
    with capture_logs() as logs:
        samples.refresh()
        for _ in range(100):
            await asyncio.sleep(0.001)
        assert (asked, len(logs)) == (1, 1)
        await samples.close()
    assert asked == 2
