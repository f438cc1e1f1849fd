"""What is being written at this moment, for whoever watches it."""

from __future__ import annotations

import asyncio

from adapters.chat.reply.draft import Draft
from adapters.chat.reply.parts import Reply
from pipeline.translations import Translator
from pipeline.values import ConversationId, ProgressEvent, SentenceEvent


class LiveDrafts:
    """Drafts of the answers that this process writes. Nothing here is a record: that is the database's."""

    def __init__(self) -> None:
        self._drafts: dict[ConversationId, Draft] = {}
        self._changed = asyncio.Condition()

    def begin(self, conversation: ConversationId, words: Translator) -> None:
        self._drafts[conversation] = Draft(translator=words)

    async def add(self, conversation: ConversationId, event: ProgressEvent | SentenceEvent) -> None:
        self._drafts[conversation].add(event)
        await self._tell()

    async def end(self, conversation: ConversationId) -> None:
        self._drafts.pop(conversation, None)
        await self._tell()

    def draft(self, conversation: ConversationId) -> Reply | None:
        """What there is of the answer; None where nothing of it is written yet, or not here."""
        found = self._drafts.get(conversation)
        return found.partial_reply if found and found.is_begun else None

    async def wait_for_change(self, seconds: float) -> None:
        """Wait until something changed anywhere, `seconds` at most."""
        async with self._changed:
            try:
                async with asyncio.timeout(seconds):
                    await self._changed.wait()
            except TimeoutError:
                return

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()
