"""A question on its whole way through the inbox."""

from __future__ import annotations

from pipeline.values import Answer, IncomingMessage
from storage.open import Storage


async def replied(storage: Storage, asked: IncomingMessage, given: Answer) -> None:
    """It is asked and answered, and the conversation recalls it."""
    await storage.inbox.accept(asked)
    await storage.inbox.lease()
    await storage.inbox.save_answer(asked.key, given)
    await storage.inbox.mark_posting(asked.key)
    await storage.inbox.mark_posted(asked.key, "9.9")
    await storage.inbox.mark_done(asked.key)
