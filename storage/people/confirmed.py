"""Answers that people of a role found helpful: what ratings teach, read from the ratings themselves."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from pipeline.rules.tenancy import EVERYTHING, bound
from pipeline.values import Role, Vote
from storage.database import Connection, Database

_STAMP = "SELECT count(*), coalesce(max(at), 0) FROM rating WHERE role <> ''"
_ASKED = """
    SELECT DISTINCT rating.answer, asked.question, question.key FROM rating
    JOIN asked ON asked.answer = rating.answer JOIN question ON question.answer = rating.answer
    WHERE role <> '' AND vote = $1
"""
_SHOWN = "SELECT id, body -> 'citations', body -> 'nearest' FROM answer WHERE id IN (SELECT value FROM json_each($1))"
_RATED = """
    SELECT answer.id, person, vote, role FROM answer JOIN rating ON rating.answer = answer.id
    WHERE answer.id IN (SELECT value FROM json_each($1)) AND EXISTS (SELECT 1 FROM question WHERE answer = answer.id)
"""

Stamp = tuple[int, float]


class Asked(NamedTuple):
    answer: str
    question: str
    """Complete by itself."""
    key: str
    """The key of its message, which says where it was asked."""


class Shown(NamedTuple):
    """Passages of an answer that cites something, by their ids."""

    first: str
    """The one that it cites first."""
    all: frozenset[str]
    """All that its readers were shown."""


class SQLConfirmed:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def stamp(self) -> Stamp:
        """Changes whenever a rating that may count is made or goes, in whichever workspace."""
        with bound(EVERYTHING):
            return await self._database.read(lambda db: tuple(db.execute(_STAMP).fetchone()))

    async def asked(self) -> list[Asked]:
        """Of all workspaces, what answers that may count were given to."""
        with bound(EVERYTHING):
            return await self._database.read(
                lambda db: [Asked(*row) for row in db.execute(_ASKED, (Vote.HELPFUL,)).fetchall()]
            )

    async def shown(self, answers: Sequence[str]) -> Mapping[str, Shown]:
        """Of all workspaces, what those of `answers` show that cite something."""
        with bound(EVERYTHING):
            rows = await self._database.read(lambda db: db.execute(_SHOWN, (json.dumps(answers),)).fetchall())
        return {
            answer: Shown(cited[0], frozenset((*cited, *_ids(near))))
            for answer, of, near in rows
            if (cited := _ids(of))
        }

    async def people(self, answers: Sequence[str], by: Collection[Role]) -> Mapping[str, frozenset[str]]:
        """Who of these roles found each of `answers` in this workspace helpful; nobody, where somebody did not. As it
        stands now."""

        def work(db: Connection) -> list[tuple[str, str, str, str]]:
            return db.execute(_RATED, (json.dumps(answers),)).fetchall()

        rows = await self._database.read(work)
        refused = {answer for answer, _, vote, _ in rows if vote == Vote.UNHELPFUL}
        return {
            answer: frozenset(person for of, person, _, role in rows if of == answer and role in by)
            for answer, *_ in rows
            if answer not in refused
        }


def _ids(citations: str | None) -> list[str]:
    return [one["chunk_id"] for one in json.loads(citations or "[]")]
