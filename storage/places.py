"""What admins set for places in chat."""

from __future__ import annotations

import json
from collections.abc import Collection

from pipeline.values import Place, PlaceId
from storage.database import Connection, Database


class SQLPlaces:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def of(self, places: Collection[PlaceId]) -> dict[PlaceId, Place]:
        """What is set for each of `places`, where something is."""
        names = json.dumps([str(place) for place in places])

        def work(db: Connection) -> list[tuple[str, str]]:
            query = "SELECT id, body FROM place WHERE id IN (SELECT value FROM json_each($1))"
            return db.execute(query, (names,)).fetchall()

        return {
            PlaceId.parse(place): Place.model_validate_json(body) for place, body in await self._database.read(work)
        }

    async def put(self, place: PlaceId, sets: Place) -> None:
        """Replace what is set for `place`."""

        def work(db: Connection) -> None:
            body = sets.model_dump_json(exclude_none=True)
            put = "INSERT INTO place VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET body = excluded.body"
            db.execute(put, (str(place), body))

        await self._database.write(work, durable=True)
