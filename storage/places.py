"""What admins set for places in chat."""

from __future__ import annotations

from pipeline.values import Place, PlaceId
from storage.database import Connection, Database


class SQLPlaces:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> dict[PlaceId, Place]:
        """What is set, by place."""

        def work(db: Connection) -> list[tuple[str, str]]:
            return db.execute("SELECT id, body FROM place").fetchall()

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
