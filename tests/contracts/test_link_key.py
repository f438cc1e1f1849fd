"""The key of links is one for all processes, on every engine."""

from __future__ import annotations

import asyncio

from storage.settings import link_key, rotate_link_key
from tests.doubles.engines import Engine


async def test_it_is_made_once_and_stays_until_it_is_rotated(engine: Engine) -> None:
    async with engine.storage() as storage, engine.database() as other:
        keys = set(await asyncio.gather(*(link_key(one) for one in (storage.database, other) * 4)))
        assert len(keys) == 1
        assert len(keys.copy().pop()) >= 32
        await rotate_link_key(other)
        new = await link_key(storage.database)
        assert new not in keys
        assert await link_key(other) == new
