"""Drafts of the answers being written now, for the pages that watch them."""

from __future__ import annotations

import asyncio

from adapters.chat.reply.draft import Draft
from pipeline.translations import Translator
from pipeline.values import ConversationId, ProgressEvent, SentenceEvent


class LiveDrafts:
    """Drafts of the answers that this process writes. They are no record: the database is."""

    def __init__(self) -> None:
        self._drafts: dict[ConversationId, Draft] = {}
        self._changed = asyncio.Condition()

    def begin(self, conversation: ConversationId, translator: Translator) -> None:
        """Start an empty draft of a conversation's answer."""
        self._drafts[conversation] = Draft(translator=translator)

    async def add(self, conversation: ConversationId, event: ProgressEvent | SentenceEvent) -> None:
        """Add an event to the draft and wake those who wait."""
        self._drafts[conversation].add(event)
        await self._notify()

    async def end(self, conversation: ConversationId) -> None:
        """Drop the draft and wake those who wait."""
        self._drafts.pop(conversation, None)
        await self._notify()

    def draft(self, conversation: ConversationId) -> Draft | None:
        """Return the draft so far; None where another process writes it, or none does."""
        return self._drafts.get(conversation)

    async def wait_for_change(self, seconds: float) -> None:
        """Wait until any draft changes, at most `seconds`."""
        async with self._changed:
            try:
                async with asyncio.timeout(seconds):
                    await self._changed.wait()
            except TimeoutError:
                return

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()
