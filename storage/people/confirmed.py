"""Answers that people of a role found helpful: what ratings teach, read from the ratings themselves."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import NamedTuple

from pipeline.rules.tenancy import EVERYTHING, bound
from pipeline.values import Role, Vote
from storage.database import Connection, Database

_STAMP = "SELECT count(*), coalesce(max(at), 0) FROM rating WHERE role <> ''"
_QUESTIONS = """
    SELECT DISTINCT rating.answer, asked.question, question.key FROM rating
    JOIN asked ON asked.answer = rating.answer JOIN question ON question.answer = rating.answer
    WHERE role <> '' AND vote = $1
"""
_CONFIRMED = """
    SELECT answer.id, body, person, vote, role FROM answer JOIN rating ON rating.answer = answer.id
    WHERE answer.id IN (SELECT value FROM json_each($1)) AND EXISTS (SELECT 1 FROM question WHERE answer = answer.id)
"""

Stamp = tuple[int, float]


class Asked(NamedTuple):
    answer: str
    question: str
    """Complete by itself."""
    key: str
    """The key of its message, which says where it was asked."""


class Confirmed(NamedTuple):
    """An answer that helped."""

    passage: str
    """The id of the chunk that it cites first."""
    shown: frozenset[str]
    """Ids of all that its readers were shown."""
    people: frozenset[str]


class SQLConfirmed:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def stamp(self) -> Stamp:
        """Changes whenever a rating that may count is made or goes, in whichever workspace."""
        with bound(EVERYTHING):
            return await self._database.read(lambda db: tuple(db.execute(_STAMP).fetchone()))

    async def questions(self) -> list[Asked]:
        """Of all workspaces, what answers that may count were given to."""
        with bound(EVERYTHING):
            return await self._database.read(
                lambda db: [Asked(*row) for row in db.execute(_QUESTIONS, (Vote.HELPFUL,)).fetchall()]
            )

    async def confirmed(self, answers: Sequence[str], by: Collection[Role]) -> list[Confirmed]:
        """Those of `answers` in this workspace that cite something, and that somebody of these roles found helpful and
        nobody unhelpful, as it stands now."""

        def work(db: Connection) -> list[tuple[str, str, str, str, str]]:
            return db.execute(_CONFIRMED, (json.dumps(list(answers)),)).fetchall()

        people: dict[str, set[str]] = {}
        bodies: dict[str, str] = {}
        refused = set()
        for answer, body, person, vote, role in await self._database.read(work):
            bodies[answer] = body
            if vote == Vote.UNHELPFUL:
                refused.add(answer)
            elif role in by:
                people.setdefault(answer, set()).add(person)
        return [
            one
            for answer in answers
            if answer in people and answer not in refused and (one := _confirmed(bodies[answer], people[answer]))
        ]


def _confirmed(body: str, people: Collection[str]) -> Confirmed | None:
    answer = json.loads(body)
    cited, near = ([one["chunk_id"] for one in answer[name]] for name in ("citations", "nearest"))
    return Confirmed(cited[0], frozenset((*cited, *near)), frozenset(people)) if cited else None
