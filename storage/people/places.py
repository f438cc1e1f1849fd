"""Settings that admins make for places in chat."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Mapping

from pipeline.values import PlaceId, PlaceSettings
from storage.database import Database
from storage.schema.tables import upsert_statement

_KEEP = upsert_statement("place")
_ALL = "SELECT id, body FROM place"
_SOME = "SELECT id, body FROM place WHERE id IN (SELECT value FROM json_each($1))"


CACHE_SECONDS = 2.0
"""Seconds that cached settings are valid."""


class SQLPlaceSettings:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._cached: Mapping[PlaceId, PlaceSettings] | None = None
        """All settings, where no other process answers; the command line may change some."""
        self._read_at = 0.0

    async def of(self, places: Collection[PlaceId]) -> Mapping[PlaceId, PlaceSettings]:
        """Return the settings of each of `places` that has some, and maybe of others."""
        if self._database.is_shared:
            return await self._read(_SOME, json.dumps([str(place) for place in places]))
        if self._cached is None or time.monotonic() - self._read_at > CACHE_SECONDS:
            self._cached, self._read_at = await self._read(_ALL), time.monotonic()
        return self._cached

    async def all(self) -> Mapping[PlaceId, PlaceSettings]:
        """Return the settings of all places that have some."""
        return await (self._read(_ALL) if self._database.is_shared else self.of(()))

    async def put(self, place: PlaceId, settings: PlaceSettings) -> None:
        """Replace the settings of `place`."""
        row = (str(place), settings.model_dump_json(exclude_none=True))
        await self._database.write(lambda db: db.execute(_KEEP, row).rowcount, durable=True)
        self._cached = None

    async def _read(self, query: str, *values: str) -> Mapping[PlaceId, PlaceSettings]:
        rows = await self._database.read(lambda db: db.execute(query, values).fetchall())
        return {PlaceId.parse(place): PlaceSettings.model_validate_json(body) for place, body in rows}
