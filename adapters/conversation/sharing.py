"""A private answer for everyone in its channel: once, to those who may see it, and as the start of a conversation."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable

from pipeline import wording
from pipeline.ports import Desk, Inbox
from pipeline.translations import Message
from pipeline.values import Answer, ConversationId, Readers

REMEMBERED = 1000
"""Shared answers of which is known without looking that they are shared."""
Post = Callable[[Answer], AsyncIterator[ConversationId]]
"""Shows an answer; for each message, as soon as it is there, the conversation that a reply to it belongs to."""


class Sharing:
    """Shares an answer once in a place."""

    def __init__(self, desk: Desk, inbox: Inbox) -> None:
        self._desk = desk
        self._inbox = inbox
        self._shared: deque[tuple[str, str]] = deque(maxlen=REMEMBERED)

    async def share(self, answer_id: str, place: str, readers: Readers, post: Post) -> Answer | Message:
        """Show the answer at `place`, which `readers` read, if all of them may see what it rests on; otherwise why it
        is not there. Whoever replies to it is answered with it in mind.

        Raises what `post` raises; it may be tried again then."""
        answer = await self._desk.answer(answer_id, readers)
        if answer is None:
            return wording.NOT_SHARED
        if (answer_id, place) in self._shared:
            return wording.SHARED_ALREADY
        self._shared.append((answer_id, place))
        try:
            async for conversation in post(answer):
                await self._inbox.shared(answer_id, conversation)
        except BaseException:
            self._shared.remove((answer_id, place))
            raise
        return answer
