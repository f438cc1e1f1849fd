"""From the numbers that searches find to the chunks they stand for."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from pipeline.values import Hit


def hits(db: sqlite3.Connection, found: Sequence[tuple[int, float]]) -> list[Hit]:
    """Chunk numbers with their scores as hits, in order; numbers that are gone are left out."""
    numbers = json.dumps([number for number, _ in found])
    ids = dict(db.execute("SELECT number, chunk.id FROM json_each(?) JOIN chunk ON number = value", (numbers,)))
    return [Hit(ids[number], score) for number, score in found if number in ids]
