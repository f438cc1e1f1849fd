"""Hits by the numbers that passages have in the database, as those of the ids that other stages know."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pipeline.values import SearchHit
from storage.database import Connection

_IDS = "SELECT number, chunk.id FROM json_each($1) JOIN chunk ON number = value"


def hits_of_numbers(db: Connection, scored: Sequence[tuple[int, float]]) -> list[SearchHit]:
    """Return the passages of numbers with their scores, in order; numbers that are gone are left out."""
    ids = dict(db.execute(_IDS, (json.dumps([number for number, _ in scored]),)).fetchall())
    return [SearchHit(ids[number], score) for number, score in scored if number in ids]
