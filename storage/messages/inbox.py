"""Messages that must be answered: the port `Inbox`.

An open row waits, is leased, or is on its way out (`answered`, then `posting`, then `posted`, all of which survive a
crash); `done`, `expired`, `dead` and `cancelled` close it. Which keys were ever seen is remembered by their digests
alone, longer than the messages are.
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
"""Messages that wait at most, and those of one person."""
LEASE_SECONDS = 600.0
"""Longer than any delivery may take, so that nobody takes over what is still under way."""


class SQLInbox:
    """Every change is on the disk when the call returns.

    At most `capacity` messages wait, `per_author` of them from one person. A lease is good for `lease_seconds`; after
    `attempts` that had no end there is only an apology left, tried as often. Older than `late_seconds` when leased is
    late.
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
        self._ended: set[int] = set()

    def on_accept(self, listener: Callable[[], None]) -> None:
        """Call `listener` whenever this process has accepted a message or given one back."""
        self._listeners.append(listener)

    async def accept(self, message: IncomingMessage, *, after: float = 0.0) -> bool:
        """Keep `message`; False when its key is already known. Raises Busy when too much is waiting. It is leased once
        `after` seconds have passed.

        One that was overheard and waits becomes `message` when that is addressed to the bot, and counts as new. What
        is addressed to the bot calls it back into a conversation where it was silenced."""
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
            self._ring()
        return outcome

    async def amend(self, key: str, text: str) -> bool:
        """Change a question; False when too late or unknown.

        An answer under way is withdrawn; the same text again leaves it alone. What was asked before it would be late is
        answered anew, in the place of its answer, unless people were asked about that."""
        now = self._clock()
        recent = now - self._late_seconds

        def work(db: Connection) -> bool:
            return change_question(db, key, text, now) or reask_question(db, key, text, recent)

        changed = await self._database.write(work, durable=True)
        if changed:
            self._ring()
        return changed

    async def cancel(self, key: str) -> bool:
        """Drop a question, and erase what is kept of it and of its answer; False when it is answered or unknown.

        A question that arrives after its deletion is not kept."""
        now = self._clock()
        with workspace_scope(ALL_WORKSPACES):
            return await self._database.write(lambda db: cancel_question(db, key, now), durable=True)

    async def posted_reference(self, key: str) -> str:
        """The platform's name of the whole reply that a question got; "" where there is none."""
        query = "SELECT reference FROM message WHERE key = $1 AND state <> 'open'"
        return await self._database.read(lambda db: fetch_value(db, query, (key,))) or ""

    async def erase_space(self, space: PlaceId) -> None:
        """Erase all that is kept of a workspace or server that the bot was removed from."""
        with workspace_scope(ALL_WORKSPACES):
            await self._database.write(lambda db: erase_space(db, space), durable=True)
        await self._database.purge_deleted()

    async def lease(self, served: Callable[[str], bool] = lambda _: True) -> LeasedMessage | None:
        """The next message of the spaces (`slack:T1`) that are `served`, fairly by space, then author, then age; None
        when there is none.

        Messages of one conversation are leased one at a time and in order."""
        with workspace_scope(ALL_WORKSPACES):
            return await self._lease(served)

    async def save_answer(self, key: str, answer: Answer) -> None:
        """Save the answer. Raises Withdrawn when the question was changed or deleted since it was leased; who holds
        the lease ends what is visible, or leaves it to the next answer, and then releases the message.

        The conversation recalls it as a turn from when it is saved and something of it may be visible."""
        now = self._clock()

        await self._unless_withdrawn(key, lambda db, known: save_message_answer(db, known, key, answer, now))

    async def mark_posting(self, key: str) -> None:
        """Record the intent to post, before the first visible write.

        Raises Withdrawn when the question was changed or deleted since it was leased."""
        now = self._clock()

        await self._unless_withdrawn(key, lambda db, known: mark_posting(db, known, key, now))

    async def mark_posted(self, key: str, reference: str) -> None:
        """Record the platform's name of the reply, right after it is known."""
        now = self._clock()

        await self._database.write(lambda db: mark_posted(db, key, reference, now), durable=True)

    async def stop(self, conversation: ConversationId) -> None:
        """Somebody does not want the answer that is being written there, by whichever process."""
        now = self._clock()
        await self._database.write(lambda db: request_stop(db, str(conversation), now), durable=True)

    async def stop_requests(self) -> list[ConversationId]:
        """Where this process writes an answer that somebody does not want."""
        return [ConversationId.parse(one) for one in await self._database.read(stop_requests)]

    async def mark_done(self, key: str) -> None:
        """The reply is complete."""
        await self._end(key, "done")

    async def mark_ignored(self, key: str, *, again: bool = False, told: bool = False) -> None:
        """Nothing is said to a message that nobody asked to be answered, and nothing is kept of it: edited, it is new.
        `again`: that is not for good; what somebody wants to be told is due again. `told`: its author hears something
        alone, which they are not to hear twice: it stays known that it was seen.

        Raises Withdrawn when it was changed since it was leased."""

        now = self._clock()

        def step(db: Connection, _: ReplyState) -> None:
            cancel_question(db, key, now) if told else forget_message(db, key)
            if again:
                due_again(db, key)

        await self._unless_withdrawn(key, step)
        self._ring()

    async def mark_expired(self, key: str) -> None:
        """The asker was told that it is too late."""
        await self._end(key, "expired")

    async def mark_failed(self, key: str, why: str) -> None:
        """Give up on a message; it is kept for the operator."""
        await self._end(key, "dead", why)

    async def release(self, key: str, *, delay: float = 0.0, counts: bool = True) -> None:
        """Give the message back, to be leased again after `delay` seconds. `counts`: an answer was attempted."""

        not_before = not_before_after(self._clock(), delay)
        await self._database.write(
            lambda db: release_row(db, REPLY_TABLE, key, not_before, 0 if counts else -1), durable=True
        )
        self._ring()

    async def reclaim_all(self) -> int:
        """Take back all leases. Only for a process that knows it is alone: the others died. Returns how many."""
        now = self._clock()
        return await self._database.write(
            lambda db: sum(reclaim_leases(db, now, one) for one in lease_holders(db)), durable=True
        )

    async def reclaim_dead(self) -> int:
        """Take back the leases of processes that are over, and were when this was last asked: one that only lost its
        connection has stopped answering by then. Returns how many."""
        ended = await self._database.read(self._database.dead_holders)
        before, self._ended = self._ended, ended
        if not (sure := ended & before):
            return 0
        now = self._clock()
        taken = await self._database.write(lambda db: sum(reclaim_leases(db, now, one) for one in sure), durable=True)
        self._ring()
        return taken

    async def last_message_id(self, channel: str) -> str | None:
        """The newest message id accepted from `platform:space:channel`; of `platform:space`, what `heard` said."""
        return await self._database.read(lambda db: participation.last_seen_message(db, channel))

    async def mark_caught_up(self, space: str, until: str) -> None:
        """Everything sent in `platform:space` up to the message id `until` is here."""
        await self._database.write(lambda db: participation.mark_space_heard(db, space, until))

    async def channels(self, space: str) -> list[str]:
        """The ids of the channels of `platform:space` that messages were accepted from, those with the newest ones
        first."""
        return await self._database.read(lambda db: participation.known_channels(db, space))

    async def recent_conversations(self, space: str, most: int) -> list[ConversationId]:
        """The `most` conversations of `platform:space` that the bot answered in last, the latest first."""
        found = await self._database.read(lambda db: participation.recent_conversations(db, space, most))
        return [ConversationId.parse(conversation) for conversation in found]

    async def find_conversation(self, key: str) -> ConversationId | None:
        """The conversation of a question; None when it is not kept any more."""
        found = await self._database.read(lambda db: find_conversation(db, key))
        return ConversationId.parse(found) if found else None

    async def drop_if_replied(self, key: str, author: str) -> bool:
        """Somebody replied to a message: if that was overheard, waits, and is another's than `author`, drop it."""
        if not await self._database.read(lambda db: is_waiting_overheard(db, key, author)):
            return False
        now = self._clock()
        return await self._database.write(
            lambda db: is_waiting_overheard(db, key, author) and cancel_question(db, key, now), durable=True
        )

    async def consume_auto_quota(self, key: str, place: PlaceId, per_hour: int) -> bool:
        """Count the answer to `key`, which nobody asked for, in `place`; False when there were `per_hour` within the
        last hour."""
        now = self._clock()
        return await self._database.write(
            lambda db: participation.count_unasked_answer(db, key, str(place), per_hour, now), durable=True
        )

    async def mute(self, conversation: ConversationId) -> None:
        """Somebody wants the bot to be silent here until it is addressed."""
        now = self._clock()
        await self._database.write(
            lambda db: participation.silence_conversation(db, str(conversation), now), durable=True
        )

    async def is_silenced(self, conversation: ConversationId) -> bool:
        """Whether somebody sent the bot out of it, and nobody called it back."""
        return await self._database.read(lambda db: participation.is_silenced(db, str(conversation)))

    async def is_participant(self, conversation: ConversationId, said_at: datetime) -> bool:
        """Whether the bot has answered in this conversation, and was not silenced there when that was said."""
        at = said_at.timestamp()
        return await self._database.read(lambda db: participation.is_participant(db, str(conversation), at))

    async def count_by_state(self) -> dict[str, int]:
        """How many messages are in each state, for the operator."""
        return await self._database.read(
            lambda db: query_counts(db, "SELECT state, count(*) FROM message GROUP BY state")
        )

    async def failure_counts(self) -> dict[str, int]:
        """How many messages were given up for which reason, the most frequent first."""
        return await self._database.read(lambda db: query_counts(db, FAILURE_COUNTS))

    def _ring(self) -> None:
        for listener in self._listeners:
            listener()

    async def _lease(self, served: Callable[[str], bool]) -> LeasedMessage | None:
        now = self._clock()

        while (found := await self._database.read(lambda db: next_candidate(db, now, served))) is not None:
            turn = partial(
                lease_message,
                sequence=found.sequence,
                now=now,
                attempts=self._attempts,
                until=now + self._lease_seconds,
                late_before=now - self._late_seconds,
            )
            if work := await self._database.write(turn, durable=True):
                return replace(work, has_more=found.has_more)
        return None

    async def _unless_withdrawn(self, key: str, step: Callable[[Connection, ReplyState], None]) -> None:
        if withdrawn := await self._database.write(
            lambda db: run_unless_withdrawn(db, REPLY_TABLE, key, step), durable=True
        ):
            raise withdrawn

    async def _end(self, key: str, state: str, why: str = "") -> None:
        now = self._clock()
        await self._database.write(lambda db: close_message(db, key, state, why, now), durable=True)
        self._ring()
