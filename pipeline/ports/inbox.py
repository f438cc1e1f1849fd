"""The history of conversations, the inbox of messages to be answered, and the outbox of posts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from pipeline.values import Answer, Conversation, ConversationId, IncomingMessage, LeasedMessage, PlaceId, Turn


class HistoryStore(Protocol):
    """Turns of conversations."""

    async def recall(self, conversation: ConversationId, limit: int) -> Conversation:
        """Return the last `limit` turns, oldest first."""
        ...

    async def record(self, conversation: ConversationId, turn: Turn) -> None:
        """Append a turn to a conversation."""
        ...


class Outbox(Protocol):
    """Posts that are delivered exactly once. Each step is durable once its call has returned."""

    async def mark_posting(self, key: str) -> None:
        """Record the intent to post, before the first visible write.

        Raises QuestionWithdrawn when it must not be posted any more, or not by this process."""
        ...

    async def mark_posted(self, key: str, reference: str) -> None:
        """Record the platform's id of what was posted, right after it is known."""
        ...

    async def mark_done(self, key: str) -> None:
        """Record that the post is complete."""
        ...

    async def release(self, key: str, *, delay: float = 0.0, counts: bool = True) -> None:
        """Give a post back, to be tried again after `delay` seconds. `counts`: this was an attempt."""
        ...

    async def mark_failed(self, key: str, why: str) -> None:
        """Give a post up, and keep it for the operator with the reason."""
        ...


class Inbox(Outbox, Protocol):
    """Messages that must be answered, each with its reply."""

    async def accept(self, message: IncomingMessage, *, after: float = 0.0) -> bool:
        """Keep `message`; return False when its key is already known. It can be leased once `after` seconds have
        passed. Raises Busy when too many messages wait.

        A waiting message that was overheard becomes `message` when that is addressed to the bot, and counts as new. A
        message that is addressed to the bot unmutes its conversation."""
        ...

    async def amend(self, key: str, text: str) -> bool:
        """Change a question; return False when it is too late or unknown.

        An answer in progress is withdrawn, even where its first sentences are visible; the same text again leaves it
        alone. A question that is not yet late is answered anew, in the place of its answer, unless it was handed to
        people."""
        ...

    async def cancel(self, key: str) -> bool:
        """Drop a question, and erase what is kept of it and of its answer; return False when it is answered or
        unknown."""
        ...

    async def posted_reference(self, key: str) -> str:
        """Return the platform's id of the complete reply to a question; "" where there is none."""
        ...

    async def erase_space(self, space: PlaceId) -> None:
        """Erase all that is kept of a workspace or server that the bot was removed from."""
        ...

    async def lease(self, served: Callable[[str], bool] = lambda _: True) -> LeasedMessage | None:
        """Return the next message of the spaces (`slack:T1`) that are `served`, fairly by space, then author, then age;
        None when there is none.

        Messages of one conversation are leased one at a time and in order."""
        ...

    async def save_answer(self, key: str, answer: Answer) -> None:
        """Save the answer. Raises QuestionWithdrawn when the question was changed or deleted since it was leased; it
        must be released then.

        The conversation recalls it as a turn as soon as it is saved and something of it may be visible."""
        ...

    async def mark_posting(self, key: str, answer: Answer | None = None) -> None:
        """Record the intent to post, before the first visible write; with `answer`, save that in the same commit.

        Raises QuestionWithdrawn when it must not be posted any more, or not by this process; nothing is saved then."""
        ...

    async def mark_posted(self, key: str, reference: str, *, done: bool = False) -> None:
        """Record the platform's id of what was posted, right after it is known; `done`: in the same commit, that it is
        complete."""
        ...

    async def mark_ignored(self, key: str, *, again: bool = False, told: bool = False) -> None:
        """Leave a message without a reply, and keep nothing of it: once edited, it is new. `again`: not for good; a
        subscription is due again. `told`: its author gets an ephemeral answer, which they must not get twice, so the
        message stays known as seen.

        Raises QuestionWithdrawn when it was changed since it was leased."""
        ...

    async def mark_expired(self, key: str) -> None:
        """Give up a message that is too old to be answered."""
        ...

    async def last_message_id(self, channel: str) -> str | None:
        """Return the newest message id accepted from `platform:space:channel`; for `platform:space`, the id last given
        to `mark_caught_up`."""
        ...

    async def mark_caught_up(self, space: str, until: str) -> None:
        """Record that everything sent in `platform:space` up to the message id `until` was received."""
        ...

    async def channels(self, space: str) -> list[str]:
        """Return the ids of the channels of `platform:space` that messages were accepted from, those with the newest
        messages first."""
        ...

    async def recent_conversations(self, space: str, most: int) -> list[ConversationId]:
        """Return the `most` conversations of `platform:space` that the bot answered in last, the latest first."""
        ...

    async def find_conversation(self, key: str) -> ConversationId | None:
        """Return the conversation of a question; None when it is not kept any more."""
        ...

    async def stop(self, conversation: ConversationId) -> None:
        """Stop the answer that is being written in a conversation, by whichever process."""
        ...

    async def drop_if_replied(self, key: str, author: str) -> bool:
        """Drop a waiting message that was overheard, once somebody other than its author has replied to it. Return True
        where it was dropped."""
        ...

    async def consume_auto_quota(self, key: str, place: PlaceId, per_hour: int) -> bool:
        """Count the unprompted answer to `key` in `place`; return False when there were `per_hour` within the last
        hour."""
        ...

    async def mute(self, conversation: ConversationId) -> None:
        """Keep the bot silent in a conversation until it is addressed."""
        ...

    async def is_participant(self, conversation: ConversationId, said_at: datetime) -> bool:
        """Return whether the bot has answered in this conversation, and was not muted there at `said_at`."""
        ...
