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
from pipeline.rules.tenancy import EVERYTHING, bound
from pipeline.values import Answer, ConversationId, IncomingMessage, PlaceId, Work, replace
from storage.database import Connection, Database, scalar
from storage.messages import presence
from storage.messages.erase import erase_space
from storage.messages.intake import ask_again, change, conversation, drop, forget, take, waits_overheard
from storage.messages.lease import candidate, holders, take_back, take_turn
from storage.messages.posting import ATTEMPTS, give_back, put_off, unless_withdrawn
from storage.messages.reply import (
    GIVEN_UP,
    REPLIES,
    Step,
    count,
    end,
    mark_posted,
    mark_posting,
    save_answer,
    stop,
    stopped,
)
from storage.messages.wishes import again as due_again

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
        attempts: int = ATTEMPTS,
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
            lambda db: take(db, message, now, after=after, capacity=self._capacity, per_author=self._per_author),
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
            return change(db, key, text, now) or ask_again(db, key, text, recent)

        changed = await self._database.write(work, durable=True)
        if changed:
            self._ring()
        return changed

    async def cancel(self, key: str) -> bool:
        """Drop a question, and erase what is kept of it and of its answer; False when it is answered or unknown.

        A question that arrives after its deletion is not kept."""
        now = self._clock()
        with bound(EVERYTHING):
            return await self._database.write(lambda db: drop(db, key, now), durable=True)

    async def shown(self, key: str) -> str:
        """The platform's name of the whole reply that a question got; "" where there is none."""
        query = "SELECT reference FROM message WHERE key = $1 AND state <> 'open'"
        return await self._database.read(lambda db: scalar(db, query, (key,))) or ""

    async def leave(self, space: PlaceId) -> None:
        """Erase all that is kept of a workspace or server that the bot was removed from."""
        with bound(EVERYTHING):
            await self._database.write(lambda db: erase_space(db, space), durable=True)
        await self._database.scrub()

    async def lease(self, served: Callable[[str], bool] = lambda _: True) -> Work | None:
        """The next message of the spaces (`slack:T1`) that are `served`, fairly by space, then author, then age; None
        when there is none.

        Messages of one conversation are leased one at a time and in order."""
        with bound(EVERYTHING):
            return await self._lease(served)

    async def answered(self, key: str, answer: Answer) -> None:
        """Save the answer. Raises Withdrawn when the question was changed or deleted since it was leased; who holds
        the lease ends what is visible, or leaves it to the next answer, and then releases the message.

        The conversation recalls it as a turn from when it is saved and something of it may be visible."""
        now = self._clock()

        await self._unless_withdrawn(key, lambda db, known: save_answer(db, known, key, answer, now))

    async def posting(self, key: str) -> None:
        """Record the intent to post, before the first visible write.

        Raises Withdrawn when the question was changed or deleted since it was leased."""
        now = self._clock()

        await self._unless_withdrawn(key, lambda db, known: mark_posting(db, known, key, now))

    async def posted(self, key: str, reference: str) -> None:
        """Record the platform's name of the reply, right after it is known."""
        now = self._clock()

        await self._database.write(lambda db: mark_posted(db, key, reference, now), durable=True)

    async def stop(self, conversation: ConversationId) -> None:
        """Somebody does not want the answer that is being written there, by whichever process."""
        now = self._clock()
        await self._database.write(lambda db: stop(db, str(conversation), now), durable=True)

    async def stopped(self) -> list[ConversationId]:
        """Where this process writes an answer that somebody does not want."""
        return [ConversationId.parse(one) for one in await self._database.read(stopped)]

    async def done(self, key: str) -> None:
        """The reply is complete."""
        await self._end(key, "done")

    async def ignored(self, key: str, *, again: bool = False, told: bool = False) -> None:
        """Nothing is said to a message that nobody asked to be answered, and nothing is kept of it: edited, it is new.
        `again`: that is not for good; what somebody wants to be told is due again. `told`: its author hears something
        alone, which they are not to hear twice: it stays known that it was seen.

        Raises Withdrawn when it was changed since it was leased."""

        now = self._clock()

        def step(db: Connection, _: Step) -> None:
            drop(db, key, now) if told else forget(db, key)
            if again:
                due_again(db, key)

        await self._unless_withdrawn(key, step)
        self._ring()

    async def expired(self, key: str) -> None:
        """The asker was told that it is too late."""
        await self._end(key, "expired")

    async def failed(self, key: str, why: str) -> None:
        """Give up on a message; it is kept for the operator."""
        await self._end(key, "dead", why)

    async def release(self, key: str, *, delay: float = 0.0, counts: bool = True) -> None:
        """Give the message back, to be leased again after `delay` seconds. `counts`: an answer was attempted."""

        not_before = put_off(self._clock(), delay)
        await self._database.write(
            lambda db: give_back(db, REPLIES, key, not_before, 0 if counts else -1), durable=True
        )
        self._ring()

    async def recover(self) -> int:
        """Take back all leases. Only for a process that knows it is alone: the others died. Returns how many."""
        now = self._clock()
        return await self._database.write(lambda db: sum(take_back(db, now, one) for one in holders(db)), durable=True)

    async def take_over(self) -> int:
        """Take back the leases of processes that are over, and were when this was last asked: one that only lost its
        connection has stopped answering by then. Returns how many."""
        ended = await self._database.read(self._database.ended)
        before, self._ended = self._ended, ended
        if not (sure := ended & before):
            return 0
        now = self._clock()
        taken = await self._database.write(lambda db: sum(take_back(db, now, one) for one in sure), durable=True)
        self._ring()
        return taken

    async def seen(self, channel: str) -> str | None:
        """The newest message id accepted from `platform:space:channel`; of `platform:space`, what `heard` said."""
        return await self._database.read(lambda db: presence.seen(db, channel))

    async def heard(self, space: str, until: str) -> None:
        """Everything sent in `platform:space` up to the message id `until` is here."""
        await self._database.write(lambda db: presence.hear(db, space, until))

    async def channels(self, space: str) -> list[str]:
        """The ids of the channels of `platform:space` that messages were accepted from, those with the newest ones
        first."""
        return await self._database.read(lambda db: presence.channels(db, space))

    async def parts(self, space: str, most: int) -> list[ConversationId]:
        """The `most` conversations of `platform:space` that the bot answered in last, the latest first."""
        found = await self._database.read(lambda db: presence.parts(db, space, most))
        return [ConversationId.parse(conversation) for conversation in found]

    async def conversation(self, key: str) -> ConversationId | None:
        """The conversation of a question; None when it is not kept any more."""
        found = await self._database.read(lambda db: conversation(db, key))
        return ConversationId.parse(found) if found else None

    async def leave_to_people(self, key: str, author: str) -> bool:
        """Somebody replied to a message: if that was overheard, waits, and is another's than `author`, drop it."""
        if not await self._database.read(lambda db: waits_overheard(db, key, author)):
            return False
        now = self._clock()
        return await self._database.write(
            lambda db: waits_overheard(db, key, author) and drop(db, key, now), durable=True
        )

    async def spend(self, key: str, place: PlaceId, per_hour: int) -> bool:
        """Count the answer to `key`, which nobody asked for, in `place`; False when there were `per_hour` within the
        last hour."""
        now = self._clock()
        return await self._database.write(lambda db: presence.spend(db, key, str(place), per_hour, now), durable=True)

    async def silence(self, conversation: ConversationId) -> None:
        """Somebody wants the bot to be silent here until it is addressed."""
        now = self._clock()
        await self._database.write(lambda db: presence.silence(db, str(conversation), now), durable=True)

    async def silenced(self, conversation: ConversationId) -> bool:
        """Whether somebody sent the bot out of it, and nobody called it back."""
        return await self._database.read(lambda db: presence.silenced(db, str(conversation)))

    async def takes_part(self, conversation: ConversationId, said_at: datetime) -> bool:
        """Whether the bot has answered in this conversation, and was not silenced there when that was said."""
        at = said_at.timestamp()
        return await self._database.read(lambda db: presence.takes_part(db, str(conversation), at))

    async def counts(self) -> dict[str, int]:
        """How many messages are in each state, for the operator."""
        return await self._database.read(lambda db: count(db, "SELECT state, count(*) FROM message GROUP BY state"))

    async def given_up(self) -> dict[str, int]:
        """How many messages were given up for which reason, the most frequent first."""
        return await self._database.read(lambda db: count(db, GIVEN_UP))

    def _ring(self) -> None:
        for listener in self._listeners:
            listener()

    async def _lease(self, served: Callable[[str], bool]) -> Work | None:
        now = self._clock()

        while (found := await self._database.read(lambda db: candidate(db, now, served))) is not None:
            turn = partial(
                take_turn,
                sequence=found.sequence,
                now=now,
                attempts=self._attempts,
                until=now + self._lease_seconds,
                late_before=now - self._late_seconds,
            )
            if work := await self._database.write(turn, durable=True):
                return replace(work, more=found.more)
        return None

    async def _unless_withdrawn(self, key: str, step: Callable[[Connection, Step], None]) -> None:
        if withdrawn := await self._database.write(lambda db: unless_withdrawn(db, REPLIES, key, step), durable=True):
            raise withdrawn

    async def _end(self, key: str, state: str, why: str = "") -> None:
        now = self._clock()
        await self._database.write(lambda db: end(db, key, state, why, now), durable=True)
        self._ring()
