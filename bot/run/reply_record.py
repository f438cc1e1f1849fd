"""The record of a reply while it is posted: two commits where nothing shows before the answer is complete."""

from __future__ import annotations

from bot.run.posting import PostInProgress
from pipeline.ports import Inbox
from pipeline.values import Answer, LeasedMessage, replace


class ReplyRecord:
    """The record of one reply: a `PostRecorder` that saves the answer with the intent to post it, and closes the
    message with the reference.

    A crash before the intent costs the answer, of which nothing was visible: it is computed again. Where its posting
    fails, the answer is saved by itself, so that the next attempt has it.
    """

    def __init__(self, inbox: Inbox, post: PostInProgress[LeasedMessage]) -> None:
        self._inbox = inbox
        self.post = post
        self._unsaved: Answer | None = None
        self._begun = post.may_be_visible
        self.is_closed = False
        """True if the message was closed with its reference."""
        self.may_close = True
        """False where the message is not to end as answered."""

    async def save(self, answer: Answer) -> None:
        """Save the answer, now where something may be visible already, else with the intent. Raises
        QuestionWithdrawn."""
        if self._begun:
            await self._inbox.save_answer(self.post.item.key, answer)
        else:
            self._unsaved = answer

    async def flush(self) -> None:
        """Save an answer that was not posted. Raises QuestionWithdrawn."""
        if self._unsaved:
            answer, self._unsaved = self._unsaved, None
            await self._inbox.save_answer(self.post.item.key, answer)

    async def record_intent(self) -> None:
        self._begun = True
        await self._inbox.mark_posting(self.post.item.key, self._unsaved)
        self._unsaved = None
        self.post.may_be_visible = True

    async def record_posted(self, reference: str, *, complete: bool = False) -> None:
        self.post.item = replace(self.post.item, reference=reference)
        self.post.may_be_visible = True
        done = complete and self.may_close
        await self._inbox.mark_posted(self.post.item.key, reference, done=done)
        self.is_closed = done
