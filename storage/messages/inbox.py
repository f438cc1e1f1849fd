"""Messages that must be answered: the port `Inbox`.

An open row waits, is leased, or is being posted (`answered`, then `posting`, then `posted`, all of which survive a
crash); `done`, `expired`, `dead` and `cancelled` close it. Digests of all keys ever accepted are remembered, longer
than the messages are.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from functools import partial

from pipeline.errors import Busy
from pipeline.rules.tenancy import ALL_WORKSPACES, workspace_scope
from pipeline.values import Answer, ConversationId, IncomingMessage, LeasedMessage, PlaceId, replace
from storage.database import Connection, Database, fetch_value
from storage.messages import participation
from storage.messages.erase import erase_space
from storage.messages.intake import (
    accept_message,
    cancel_question,
    change_question,
    find_conversation,
    forget_message,
    is_waiting_overheard,
    reask_question,
)
from storage.messages.lease import lease_holders, lease_message, next_candidate, reclaim_leases
from storage.messages.posting import MAX_ATTEMPTS, not_before_after, release_row, run_unless_withdrawn
from storage.messages.reply import (
    FAILURE_COUNTS,
    REPLY_TABLE,
    ReplyState,
    close_message,
    mark_posted,
    mark_posting,
    query_counts,
    request_stop,
    save_message_answer,
    stop_requests,
)
from storage.messages.subscriptions import mark_due as due_again

CAPACITY, PER_AUTHOR = 20_000, 200
"""Most messages that may wait: of everybody, and of one person."""
LEASE_SECONDS = 600.0
"""Longer than any delivery may take, so that nobody takes over a message still being worked on."""


class SQLInbox:
    """Messages in SQL. Every change is on the disk when the call returns.

    At most `capacity` messages wait, `per_author` of them from one person. A lease is valid for `lease_seconds`; after
    `attempts` that did not end, as many attempts to apologise follow. A message older than `late_seconds` when leased
    is late.
    """

    def __init__(
        self,
        database: Database,
        *,
        capacity: int = CAPACITY,
        per_author: int = PER_AUTHOR,
        attempts: int = MAX_ATTEMPTS,
        lease_seconds: float = LEASE_SECONDS,
        late_seconds: float = 900.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._capacity = capacity
        self._per_author = per_author
        self._attempts = attempts
        self._lease_seconds = lease_seconds
        self._late_seconds = late_seconds
        self._clock = clock
        self._listeners: list[Callable[[], None]] = []
        self._dead_holders: set[int] = set()

    def on_accept(self, listener: Callable[[], None]) -> None:
        """Call `listener` whenever this process has accepted a message or released one."""
        self._listeners.append(listener)

    async def accept(self, message: IncomingMessage, *, after: float = 0.0) -> bool:
        """Store `message`, to be leased once `after` seconds have passed. Return False when its key is already known.

        Raises Busy when too many messages wait. An overheard message that waits becomes `message` when that is
        addressed to the bot, and counts as new. A message addressed to the bot ends the silence of its conversation.
        """
        now = self._clock()
        outcome = await self._database.write(
            lambda db: accept_message(
                db, message, now, after=after, capacity=self._capacity, per_author=self._per_author
            ),
            durable=True,
        )
        if isinstance(outcome, Busy):
            raise outcome
        if outcome:
            self._notify_listeners()
        return outcome

    async def amend(self, key: str, text: str) -> bool:
        """Change a question. Return False when it is too late or unknown.

        An answer under way is withdrawn; the same text again leaves it alone. A recent question that is answered
        already is asked anew and its answer replaced, unless it was handed off or somebody subscribed to it.
        """
        now = self._clock()
        recent = now - self._late_seconds

        def work(db: Connection) -> bool:
            return change_question(db, key, text, now) or reask_question(db, key, text, recent)

        changed = await self._database.write(work, durable=True)
        if changed:
            self._notify_listeners()
        return changed

    async def cancel(self, key: str) -> bool:
        """Drop a question, and erase what is stored of it and of its answer. Return False when it is answered or
        unknown.

        A question that arrives after its deletion is not stored.
        """
        now = self._clock()
        with workspace_scope(ALL_WORKSPACES):
            return await self._database.write(lambda db: cancel_question(db, key, now), durable=True)

    async def posted_reference(self, key: str) -> str:
        """Return the platform's id of the complete reply to a question; "" if there is none."""
        query = "SELECT reference FROM message WHERE key = $1 AND state <> 'open'"
        return await self._database.read(lambda db: fetch_value(db, query, (key,))) or ""

    async def erase_space(self, space: PlaceId) -> None:
        """Erase all that is stored of a workspace or server that the bot was removed from."""
        with workspace_scope(ALL_WORKSPACES):
            await self._database.write(lambda db: erase_space(db, space), durable=True)
        await self._database.purge_deleted()

    async def lease(self, served: Callable[[str], bool] = lambda _: True) -> LeasedMessage | None:
        """Lease the next message of the spaces (`slack:T1`) that are `served`, fairly by space, then author, then age.

        Returns None when there is none. Messages of one conversation are leased one at a time and in order.
        """
        with workspace_scope(ALL_WORKSPACES):
            return await self._lease(served)

    async def save_answer(self, key: str, answer: Answer) -> None:
        """Store the answer. Raises QuestionWithdrawn when the question was changed or deleted since it was leased.

        The lease's holder then ends what is visible, or leaves it to the next answer, and releases the message. The
        conversation recalls the answer as a turn from when it is stored and part of it may be visible.
        """
        now = self._clock()

        await self._unless_withdrawn(key, lambda db, state: save_message_answer(db, state, key, answer, now))

    async def mark_posting(self, key: str, answer: Answer | None = None) -> None:
        """Record the intent to post, before the first visible write; with `answer`, store that in the same commit.

        Raises QuestionWithdrawn when the question was changed or deleted since it was leased.
        """
        now = self._clock()

        await self._unless_withdrawn(key, lambda db, state: mark_posting(db, state, key, answer, now))

    async def mark_posted(self, key: str, reference: str, *, done: bool = False) -> None:
        """Record the platform's id of the reply, right after it is known; `done`: close the message in the same
        commit."""
        now = self._clock()

        await self._database.write(lambda db: mark_posted(db, key, reference, now, done=done), durable=True)
        if done:
            self._notify_listeners()

    async def stop(self, conversation: ConversationId) -> None:
        """Ask for the answer being written in a conversation to be stopped, in whichever process."""
        now = self._clock()
        await self._database.write(lambda db: request_stop(db, str(conversation), now), durable=True)

    async def stop_requests(self) -> list[ConversationId]:
        """Return the conversations in which this process writes an answer that was asked to be stopped."""
        return [ConversationId.parse(conversation) for conversation in await self._database.read(stop_requests)]

    async def mark_done(self, key: str) -> None:
        """Close a message whose reply is complete."""
        await self._end(key, "done")

    async def mark_ignored(self, key: str, *, again: bool = False, told: bool = False) -> None:
        """Close a message that gets no answer. Nothing is stored of it: edited, it is new.

        `again`: a subscription is only put off, and due again. `told`: its author gets a private note, but not twice,
        so the key stays known. Raises QuestionWithdrawn when it was changed since it was leased.
        """

        now = self._clock()

        def step(db: Connection, _: ReplyState) -> None:
            cancel_question(db, key, now) if told else forget_message(db, key)
            if again:
                due_again(db, key)

        await self._unless_withdrawn(key, step)
        self._notify_listeners()

    async def mark_expired(self, key: str) -> None:
        """Close a message whose asker was told that it is too late."""
        await self._end(key, "expired")

    async def mark_failed(self, key: str, why: str) -> None:
        """Give up on a message; it is kept for the operator."""
        await self._end(key, "dead", why)

    async def release(self, key: str, *, delay: float = 0.0, counts: bool = True) -> None:
        """Release a message, to be leased again after `delay` seconds. `counts`: an answer was attempted."""

        not_before = not_before_after(self._clock(), delay)
        await self._database.write(
            lambda db: release_row(db, REPLY_TABLE, key, not_before, 0 if counts else -1), durable=True
        )
        self._notify_listeners()

    async def reclaim_all(self) -> int:
        """Take back all leases, and return how many. Only for a process that runs alone: the others have died."""
        now = self._clock()
        return await self._database.write(
            lambda db: sum(reclaim_leases(db, now, holder) for holder in lease_holders(db)), durable=True
        )

    async def reclaim_dead(self) -> int:
        """Take back the leases of processes that have ended, and return how many.

        They must have been over at the previous call already: a process that only lost its connection has stopped
        answering by then.
        """
        dead = await self._database.read(self._database.dead_holders)
        previous, self._dead_holders = self._dead_holders, dead
        if not (confirmed := dead & previous):
            return 0
        now = self._clock()
        reclaimed = await self._database.write(
            lambda db: sum(reclaim_leases(db, now, holder) for holder in confirmed), durable=True
        )
        self._notify_listeners()
        return reclaimed

    async def last_message_id(self, channel: str) -> str | None:
        """Return the newest message id accepted from `platform:space:channel`; for `platform:space`, the one passed to
        `mark_caught_up`."""
        return await self._database.read(lambda db: participation.last_seen_message(db, channel))

    async def mark_caught_up(self, space: str, until: str) -> None:
        """Record that every message of `platform:space` up to the message id `until` was received."""
        await self._database.write(lambda db: participation.mark_space_heard(db, space, until))

    async def channels(self, space: str) -> list[str]:
        """Return the ids of the channels of `platform:space` with accepted messages, those with the newest ones
        first."""
        return await self._database.read(lambda db: participation.known_channels(db, space))

    async def recent_conversations(self, space: str, most: int) -> list[ConversationId]:
        """Return the `most` conversations of `platform:space` that the bot answered in last, the latest first."""
        conversations = await self._database.read(lambda db: participation.recent_conversations(db, space, most))
        return [ConversationId.parse(conversation) for conversation in conversations]

    async def find_conversation(self, key: str) -> ConversationId | None:
        """Return the conversation of a question; None when it is not stored any more."""
        conversation = await self._database.read(lambda db: find_conversation(db, key))
        return ConversationId.parse(conversation) if conversation else None

    async def drop_if_replied(self, key: str, author: str) -> bool:
        """Drop a message that was overheard and waits, because somebody other than `author` wrote it and has a
        reply."""
        if not await self._database.read(lambda db: is_waiting_overheard(db, key, author)):
            return False
        now = self._clock()
        return await self._database.write(
            lambda db: is_waiting_overheard(db, key, author) and cancel_question(db, key, now), durable=True
        )

    async def consume_auto_quota(self, key: str, place: PlaceId, per_hour: int) -> bool:
        """Count an automatic answer to `key` in `place`.

        Return False when there were `per_hour` within the last hour.
        """
        now = self._clock()
        return await self._database.write(
            lambda db: participation.count_unasked_answer(db, key, str(place), per_hour, now), durable=True
        )

    async def mute(self, conversation: ConversationId) -> None:
        """Silence the bot in a conversation until it is addressed there."""
        now = self._clock()
        await self._database.write(
            lambda db: participation.silence_conversation(db, str(conversation), now), durable=True
        )

    async def is_silenced(self, conversation: ConversationId) -> bool:
        """Return True while the bot is silenced in a conversation."""
        return await self._database.read(lambda db: participation.is_silenced(db, str(conversation)))

    async def is_participant(self, conversation: ConversationId, said_at: datetime) -> bool:
        """Return True if the bot answered in a conversation and was not silenced there at `sent_at`."""
        at = said_at.timestamp()
        return await self._database.read(lambda db: participation.is_participant(db, str(conversation), at))

    async def count_by_state(self) -> dict[str, int]:
        """Return how many messages are in each state, for the operator."""
        return await self._database.read(
            lambda db: query_counts(db, "SELECT state, count(*) FROM message GROUP BY state")
        )

    async def failure_counts(self) -> dict[str, int]:
        """Return how many messages were given up for each reason, the most frequent first."""
        return await self._database.read(lambda db: query_counts(db, FAILURE_COUNTS))

    def _notify_listeners(self) -> None:
        for listener in self._listeners:
            listener()

    async def _lease(self, served: Callable[[str], bool]) -> LeasedMessage | None:
        now = self._clock()

        while (candidate := await self._database.read(lambda db: next_candidate(db, now, served))) is not None:
            turn = partial(
                lease_message,
                sequence=candidate.sequence,
                now=now,
                attempts=self._attempts,
                until=now + self._lease_seconds,
                late_before=now - self._late_seconds,
            )
            if leased := await self._database.write(turn, durable=True):
                return replace(leased, has_more=candidate.has_more)
        return None

    async def _unless_withdrawn(self, key: str, step: Callable[[Connection, ReplyState], None]) -> None:
        if withdrawn := await self._database.write(
            lambda db: run_unless_withdrawn(db, REPLY_TABLE, key, step), durable=True
        ):
            raise withdrawn

    async def _end(self, key: str, state: str, why: str = "") -> None:
        now = self._clock()
        await self._database.write(lambda db: close_message(db, key, state, why, now), durable=True)
        self._notify_listeners()
