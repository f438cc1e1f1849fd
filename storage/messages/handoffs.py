"""Questions handed off to people, each with the notices about it."""

from __future__ import annotations

import time
from collections.abc import Callable

from pipeline.values import Handoff, MessageKey, NoticeKind
from storage.database import Connection, Database, fetch_value
from storage.messages.history import json_with_author
from storage.messages.outbox import SQLOutbox, queue_handoff_notice


class SQLHandoffs:
    def __init__(self, database: Database, outbox: SQLOutbox, *, clock: Callable[[], float] = time.time) -> None:
        """`outbox` is notified when there is something to post about a handoff."""
        self._database = database
        self._outbox = outbox
        self._clock = clock

    async def create(self, handoff: Handoff) -> bool:
        """Store a handoff and queue its notice. Return False when its answer was handed off before."""
        now = self._clock()

        def work(db: Connection) -> bool:
            body = json_with_author(db, handoff, handoff.answer_id)
            new = db.execute(
                "INSERT INTO handoff (id, answer, asker, body, at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
                (handoff.id, handoff.answer_id, handoff.asker, body, now),
            ).rowcount
            if new:
                queue_handoff_notice(db, handoff.id, NoticeKind.ASKED)
            return bool(new)

        return self._notify_if(await self._database.write(work, durable=True))

    async def get(self, handoff_id: str) -> Handoff | None:
        """Return a handoff that waits for a reply; None when it is resolved or not stored any more."""
        query = "SELECT body FROM handoff WHERE id = $1 AND resolved_at IS NULL"
        body = await self._database.read(lambda db: fetch_value(db, query, (handoff_id,)))
        return Handoff.model_validate_json(body) if body else None

    async def find_waiting(self, message: MessageKey) -> Handoff | None:
        """Return the handoff that waits for a reply and was posted as that message."""
        query = (
            "SELECT body FROM outbox JOIN handoff ON handoff.id = outbox.handoff"
            " WHERE about = $1 AND resolved_at IS NULL AND reference = $2"
        )
        body = await self._database.read(lambda db: fetch_value(db, query, (NoticeKind.ASKED, str(message))))
        return Handoff.model_validate_json(body) if body else None

    async def resolve(self, handoff_id: str, resolver: str, name: str, reply: str) -> bool:
        """Store who resolved a handoff and the reply, and queue the asker's notice. Return False when it was resolved
        before."""
        now = self._clock()

        def work(db: Connection) -> bool:
            resolved = db.execute(
                "UPDATE handoff SET resolver = $1, name = $2, reply = $3, resolved_at = $4"
                " WHERE id = $5 AND resolved_at IS NULL",
                (resolver, name, reply, now, handoff_id),
            ).rowcount
            if resolved:
                queue_handoff_notice(db, handoff_id, NoticeKind.RESOLVED)
            return bool(resolved)

        return self._notify_if(await self._database.write(work, durable=True))

    def _notify_if(self, changed: bool) -> bool:
        if changed:
            self._outbox.notify()
        return changed
