"""Subscriptions to answers that the documents cannot give yet.

There is one row for each person and question. It is tried again as a message of the inbox, which delivers it exactly
once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

import structlog

from pipeline.rules.tenancy import ALL_WORKSPACES, workspace_scope
from pipeline.values import AnswerSubscription
from storage.database import AdvisoryLock, Connection, Database, fetch_value
from storage.documents.revision import library_generation
from storage.messages.history import json_with_author
from storage.messages.intake import cancel_question

_ENDED = "SELECT 1 FROM message WHERE message.key = wish.key AND state NOT IN ('open', 'cancelled')"
_SETTLE = (
    f"""
    UPDATE wish SET told_at = (SELECT closed_at FROM message WHERE message.key = wish.key)
        WHERE told_at IS NULL AND EXISTS ({_ENDED} AND state = 'done' AND reference <> '')
    """,  # noqa: S608 - our own words
    f"DELETE FROM wish WHERE told_at IS NULL AND EXISTS ({_ENDED})",  # noqa: S608 - as above
)
"""Records the result of subscriptions' messages: answered, or given up because there was no place for the answer any
more."""
_DUE = """
    SELECT body FROM wish WHERE told_at IS NULL AND (tried IS NULL OR tried <> $1) AND not_before <= $2
        AND NOT EXISTS (SELECT 1 FROM message WHERE message.key = wish.key AND state = 'open')
        ORDER BY not_before, asked_at
"""
_TRIED = """
    UPDATE wish SET tried = $1, not_before = CASE WHEN not_before > $2 THEN not_before ELSE $2 END + $3 WHERE id = $4
"""
IMMEDIATE_TRIES = 4
"""Tries that need not wait: the subscriber is answered soon if the first change was not the right one."""

log = structlog.get_logger(__name__)


class SavedSubscription(NamedTuple):
    subscription_id: str
    """Empty if the person has too many."""
    is_new: bool


class DueSubscriptions(NamedTuple):
    generation: int
    """The library's generation that they are tried on."""
    subscriptions: tuple[AnswerSubscription, ...]


class SQLSubscriptions:
    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def save(self, subscription: AnswerSubscription, limit: int) -> SavedSubscription:
        """Store a subscription; one that was answered before begins anew.

        It is not stored when the person already waits for the same question or for `limit` others.
        """
        now = self._clock()

        def work(db: Connection) -> SavedSubscription:
            db.advisory_lock(AdvisoryLock.SUBSCRIPTIONS)
            settle_subscriptions(db)
            query = "SELECT id FROM wish WHERE person = $1 AND question = $2 AND told_at IS NULL"
            if existing_id := fetch_value(db, query, (subscription.person, subscription.question)):
                return SavedSubscription(existing_id, is_new=False)
            query = "SELECT count(*) FROM wish WHERE person = $1 AND told_at IS NULL"
            if fetch_value(db, query, (subscription.person,)) >= limit:
                return SavedSubscription("", is_new=False)
            body = json_with_author(db, subscription, subscription.answer_id)
            db.execute(
                "DELETE FROM wish WHERE person = $1 AND question = $2", (subscription.person, subscription.question)
            )
            db.execute(
                "INSERT INTO wish (id, key, answer, person, question, body, asked_at)"
                " VALUES ($1, $2, $3, $4, $5, $6, $7)",
                (
                    subscription.id,
                    subscription.key,
                    subscription.answer_id,
                    subscription.person,
                    subscription.question,
                    body,
                    now,
                ),
            )
            return SavedSubscription(subscription.id, is_new=True)

        return await self._database.write(work, durable=True)

    async def cancel(self, wish_id: str, person: str) -> bool:
        """Cancel a subscription. Return False when that person does not wait for it any more."""
        now = self._clock()

        def work(db: Connection) -> bool:
            settle_subscriptions(db)
            statement = "DELETE FROM wish WHERE id = $1 AND person = $2 AND told_at IS NULL RETURNING key"
            rows = db.execute(statement, (wish_id, person)).fetchall()
            for (key,) in rows:
                cancel_question(db, key, now)
            return bool(rows)

        with workspace_scope(ALL_WORKSPACES):  # it may be told elsewhere than it is taken back
            return await self._database.write(work, durable=True)

    async def find_by_message(self, key: str) -> AnswerSubscription | None:
        """Return the subscription that is tried as the message `key`; None when nobody waits for it any more."""
        query = "SELECT body FROM wish WHERE key = $1 AND told_at IS NULL"
        body = await self._database.read(lambda db: fetch_value(db, query, (key,)))
        return AnswerSubscription.model_validate_json(body) if body else None

    async def due(self, most: int) -> DueSubscriptions:
        """Return subscriptions not tried on the present library, the one that waits longest first.

        At most one of each person, who may want to ask something meanwhile.
        """
        clock = self._clock()

        def work(db: Connection) -> DueSubscriptions:
            settle_subscriptions(db)
            now = library_generation(db)
            rows = db.execute(_DUE, (now, clock))
            return DueSubscriptions(
                now, _first_of_each_person((AnswerSubscription.model_validate_json(body) for (body,) in rows), most)
            )

        return await self._database.write(work)

    async def mark_tried(self, subscription: AnswerSubscription, generation: int, every: float) -> None:
        """Record that a subscription is being tried on that library, or a later one.

        It is tried IMMEDIATE_TRIES times as changes come, from then on once in `every` seconds.
        """
        saved = self._clock() - (IMMEDIATE_TRIES - 1) * every
        values = (generation, saved, every, subscription.id)
        await self._database.write(lambda db: db.execute(_TRIED, values))


def mark_due(db: Connection, key: str) -> None:
    """Make the subscription tried as the message `key` due again, whether the library changes or not."""
    db.execute("UPDATE wish SET tried = NULL WHERE key = $1", (key,))


def settle_subscriptions(db: Connection) -> None:
    """Record the results of subscriptions' messages, which are not kept for long."""
    answered, dropped = (db.execute(statement).rowcount for statement in _SETTLE)
    if answered or dropped:
        log.info("subscriptions_ended", told=answered, dropped=dropped)


def _first_of_each_person(subscriptions: Iterable[AnswerSubscription], limit: int) -> tuple[AnswerSubscription, ...]:
    """Return the first subscription of each person."""
    by_person: dict[str, AnswerSubscription] = {}
    for subscription in subscriptions:
        if len(by_person) == limit:
            break
        by_person.setdefault(subscription.person, subscription)
    return tuple(by_person.values())
