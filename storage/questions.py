"""Questions to compare two databases by: what people asked last, and how passages begin where that is too
little."""

from __future__ import annotations

from pipeline.values import Chunk
from storage.database import Connection, Database, scalar

WORDS = 12
_ASKED = "SELECT question FROM asked GROUP BY question ORDER BY max(at) DESC, question LIMIT $1"
_NUMBERS = "SELECT number FROM chunk JOIN live ON live.id = number >> 20 ORDER BY number"


async def questions(database: Database, most: int) -> list[str]:
    """At most so many, each once."""

    def work(db: Connection) -> list[str]:
        asked = [question for (question,) in db.execute(_ASKED, (most,)).fetchall()]
        numbers = [number for (number,) in db.execute(_NUMBERS).fetchall()]
        lacking = most - len(asked)
        spread = numbers[:: max(len(numbers) // lacking, 1)][:lacking] if lacking else []
        return list(dict.fromkeys([*asked, *(_beginning(db, number) for number in spread)]))

    return await database.read(work)


def _beginning(db: Connection, number: int) -> str:
    body = scalar(db, "SELECT body FROM chunk WHERE number = $1", (number,))
    chunk = Chunk.model_validate_json(body)
    return " ".join([*chunk.heading[-1:], *chunk.text.split()[:WORDS]])
