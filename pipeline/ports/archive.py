"""A person's own conversations, on a platform that keeps them nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pipeline.values import ConversationId
from pipeline.values.talks import Exchange, Talk


class Archive(Protocol):
    """All raise Unavailable."""

    async def talks(self, person: str, platform: str, most: int) -> Sequence[Talk]:
        """Theirs on one platform, the latest first."""
        ...

    async def exchanges(self, conversation: ConversationId, person: str) -> Sequence[Exchange]:
        """What that person asked there, in order; nothing of what others did."""
        ...
