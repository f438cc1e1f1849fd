"""How it goes, for admins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pipeline.values import Actor, Document, Readers
from pipeline.values.overview import Left, Passages, SourceState, Trial


class Overview(Protocol):
    """All raise NotAllowed for who is no admin, which is in the audit, and Unavailable. Nothing is told of collections
    that `readers` may not see."""

    async def sources(self, actor: Actor, readers: Readers) -> Sequence[SourceState]: ...

    async def documents(self, actor: Actor, readers: Readers) -> Sequence[Document]: ...

    async def passages(
        self, actor: Actor, readers: Readers, document_id: str, start: int, most: int
    ) -> Passages | None:
        """A document as it was split; None where there is none that they may see."""
        ...

    async def left(self, actor: Actor, readers: Readers, most: int) -> Sequence[Left]:
        """The latest answers of which something was left out: to the operator all, to others none of what was asked in
        private."""
        ...

    async def trial(self, actor: Actor, readers: Readers, question: str, tried: Readers | None) -> Trial:
        """What becomes of a question for an audience (None: for `readers`), never more than `readers` see. Nothing of
        it is kept, and nothing counted but the actor's tokens."""
        ...
