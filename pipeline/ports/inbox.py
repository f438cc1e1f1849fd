"""What was said, and what must still be answered."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from pipeline.values import Answer, Conversation, ConversationId, IncomingMessage, LeasedMessage, PlaceId, Turn


class HistoryStore(Protocol):
    async def recall(self, conversation: ConversationId, limit: int) -> Conversation:
        """The last `limit` turns, oldest first."""
        ...

    async def record(self, conversation: ConversationId, turn: Turn) -> None: ...


class Outbox(Protocol):
    """What is posted once. A step is durable once the call has returned."""

    async def mark_posting(self, key: str) -> None:
        """Record the intent to post, before the first visible write.

        Raises Withdrawn when it is not to be posted any more, or not by whoever asks."""
        ...

    async def mark_posted(self, key: str, reference: str) -> None:
        """Record the platform's name of what was posted, right after it is known."""
        ...

    async def mark_done(self, key: str) -> None: ...

    async def release(self, key: str, *, delay: float = 0.0, counts: bool = True) -> None:
        """Give it back, to be tried again after `delay` seconds. `counts`: it was attempted."""
        ...

    async def mark_failed(self, key: str, why: str) -> None:
        """Give it up; it is kept for the operator."""
        ...


class Inbox(Outbox, Protocol):
    """Messages that must be answered, each with its reply."""

    async def accept(self, message: IncomingMessage, *, after: float = 0.0) -> bool:
        """Keep `message`; False when its key is already known. Raises Busy when too much is waiting. It is leased once
        `after` seconds have passed.

        One that was overheard and waits becomes `message` when that is addressed to the bot, and counts as new. What
        is addressed to the bot calls it back into a conversation where it was silenced."""
        ...

    async def amend(self, key: str, text: str) -> bool:
        """Change a question; False when it is too late or unknown.

        An answer under way is withdrawn, also where its first sentences are visible; the same text again leaves it
        alone. What was asked before it would be late is answered anew, in the place of its answer, unless people were
        asked about that."""
        ...

    async def cancel(self, key: str) -> bool:
        """Drop a question, and erase what is kept of it and of its answer; False when it is answered or unknown."""
        ...

    async def posted_reference(self, key: str) -> str:
        """The platform's name of the whole reply that a question got; "" where there is none."""
        ...

    async def erase_space(self, space: PlaceId) -> None:
        """Erase all that is kept of a workspace or server that the bot was removed from."""
        ...

    async def lease(self, served: Callable[[str], bool] = lambda _: True) -> LeasedMessage | None:
        """The next message of the spaces (`slack:T1`) that are `served`, fairly by space, then author, then age; None
        when there is none.

        Messages of one conversation are leased one at a time and in order."""
        ...

    async def save_answer(self, key: str, answer: Answer) -> None:
        """Save the answer. Raises Withdrawn when the question was changed or deleted since it was leased; it is to be
        released then.

        The conversation recalls it as a turn from when it is saved and something of it may be visible."""
        ...

    async def mark_ignored(self, key: str, *, again: bool = False, told: bool = False) -> None:
        """Nothing is said to a message that nobody asked to be answered, and nothing is kept of it: edited, it is new.
        `again`: that is not for good; what somebody wants to be told is due again. `told`: its author hears something
        alone, which they are not to hear twice: it stays known that it was seen.

        Raises Withdrawn when it was changed since it was leased."""
        ...

    async def mark_expired(self, key: str) -> None: ...

    async def last_message_id(self, channel: str) -> str | None:
        """The newest message id accepted from `platform:space:channel`; of `platform:space`, what `heard` said."""
        ...

    async def mark_caught_up(self, space: str, until: str) -> None:
        """Everything sent in `platform:space` up to the message id `until` is here."""
        ...

    async def channels(self, space: str) -> list[str]:
        """The ids of the channels of `platform:space` that messages were accepted from, those with the newest ones
        first."""
        ...

    async def recent_conversations(self, space: str, most: int) -> list[ConversationId]:
        """The `most` conversations of `platform:space` that the bot answered in last, the latest first."""
        ...

    async def find_conversation(self, key: str) -> ConversationId | None:
        """The conversation of a question; None when it is not kept any more."""
        ...

    async def stop(self, conversation: ConversationId) -> None:
        """Somebody does not want the answer that is being written there, by whichever process."""
        ...

    async def drop_if_replied(self, key: str, author: str) -> bool:
        """Somebody replied to a message: if that was overheard, waits, and is another's than `author`, drop it."""
        ...

    async def consume_auto_quota(self, key: str, place: PlaceId, per_hour: int) -> bool:
        """Count the answer to `key`, which nobody asked for, in `place`; False when there were `per_hour` within the
        last hour."""
        ...

    async def mute(self, conversation: ConversationId) -> None:
        """Somebody wants the bot to be silent here until it is addressed."""
        ...

    async def is_participant(self, conversation: ConversationId, said_at: datetime) -> bool:
        """Whether the bot has answered in this conversation, and was not silenced there when that was said."""
        ...
