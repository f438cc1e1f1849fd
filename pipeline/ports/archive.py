"""A person's own conversations, on a platform that keeps them nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pipeline.values import ConversationId
from pipeline.values.talks import Talk, TalkPart


class Archive(Protocol):
    """All raise Unavailable."""

    async def talks(self, person: str, platform: str, most: int) -> Sequence[Talk]:
        """Theirs on one platform, the latest first."""
        ...

    async def exchanges(
        self, conversation: ConversationId, person: str, most: int, start: int | None = None
    ) -> TalkPart:
        """What that person asked there, in order, nothing of what others did: `most` exchanges from the one at `start`
        (0-based), else the last."""
        ...

    async def asked(self, conversation: ConversationId, person: str) -> bool:
        """Whether anything is kept that this person asked there."""
        ...

    async def waits(self, conversation: ConversationId, person: str) -> bool:
        """Whether a question of theirs waits there to be answered."""
        ...

    async def kept(self, key: str, person: str) -> bool:
        """Whether the question with that key is kept, answered or not, and theirs."""
        ...
